"""Runs the probes of the plug-ins, all at a time, with one time limit: whatever they do, facts come of it."""

import sys
import threading
import time
from typing import Any, Dict, List, Optional, Sequence, Tuple

from ..errors import first_line
from ..machine.facts import Fact, Machine, PlatformFacts, Python
from ..machine.host import Host
from ..records import LIMIT_CHARACTERS, Plain, plain_data
from .calls import PluginError, call, inside
from .interface import Platform
from .loading import EntryPoint, checked, find, load

#: Seconds for the imports and probes of all plug-ins together.
LIMIT_S = 2.0

#: Installed plug-ins that gave no answer in this process, and why: they are not waited for twice.
_silent: Dict[str, str] = {}

#: Why a plug-in of another interpreter says nothing: it runs in its own.
ELSEWHERE = "a plug-in runs in its own interpreter only, and this one is examined from outside"


def read_platforms(
    host: Host, python: Python, handed: Sequence[Platform] = (), limit_s: float = LIMIT_S
) -> Tuple[PlatformFacts, ...]:
    """Return what the plug-ins tell of a machine.

    Parameters
    ----------
    host : Host
        The machine.
    python : Python
        What is installed for its interpreter.
    handed : sequence of Platform
        Platforms to probe in addition to those that are installed: a plug-in's own tests have them.
    limit_s : float
        Seconds after which a plug-in that has not answered counts as one that does not.
    """
    if inside():  # a process that a probe has forked, and that looks at the machine, would fork again without end
        return ()
    entries = find(host, python)
    if not entries and not handed:
        return ()
    names = [item.name for item in handed]
    asked = [_Asked(host, _of_hand(item), item) for item in handed]
    asked += [_Asked(host, entry) for entry in entries if entry.name not in names]
    for item in asked:
        item.start()
    deadline = time.monotonic() + limit_s
    return tuple(item.answer(max(0.0, deadline - time.monotonic()), limit_s) for item in asked)


def with_platforms(machine: Machine, host: Host, handed: Sequence[Platform]) -> Machine:
    """Return a machine with what the plug-ins report, and with the environment variables that they read."""
    reported = read_platforms(host, machine.python, handed)
    if not reported:
        return machine
    environ = host.environ()
    values: Dict[str, str] = dict(machine.process.environ)
    for name in [name for item in reported for name in item.variables]:
        if name in environ:
            values.setdefault(name, host.scrub(environ[name]))
    process = machine.process.replace(environ=tuple(sorted(values.items())))
    return machine.replace(platforms=reported, process=process)


def _runs_here(host: Host) -> bool:
    """Whether the examined interpreter is the one that runs this."""
    interpreter = host.interpreter
    return host.is_live and (interpreter.executable, interpreter.prefix) == (sys.executable, sys.prefix)


def _of_hand(platform: Platform) -> EntryPoint:
    kind = type(platform)
    return EntryPoint(platform.name, "%s:%s" % (kind.__module__, kind.__qualname__), kind.__module__, "", "")


class _Asked:
    """One plug-in that is probed, in its own thread."""

    def __init__(self, host: Host, entry: EntryPoint, platform: Optional[Platform] = None) -> None:
        self._host, self._entry, self._platform = host, entry, platform
        self._said: Dict[str, Any] = {}
        self._thread = threading.Thread(target=self._run, name="devicekit plug-in %s" % self._entry.name, daemon=True)

    def start(self) -> None:
        if self._entry.problem or self._entry.value in _silent:
            return
        if self._platform is not None or _runs_here(self._host):
            self._thread.start()

    def _run(self) -> None:
        said: Dict[str, Any] = {}
        try:
            said["printed"] = [call("its import", self._load, said)[1]]
            result, printed = call("its probe", said["platform"].probe, self._host)
            said["printed"].append(printed)
            said["result"] = self._plain(result)
        except PluginError as error:
            said["problem"] = str(error)
        except BaseException as error:  # also an UnknownFactError, which has no place here
            said["problem"] = "it raised %s" % first_line(error)
        self._said = said  # all at once: the other thread may be tired of waiting

    def _load(self, said: Dict[str, Any]) -> None:
        if self._platform is not None:
            said["platform"] = checked(self._platform, self._entry.name)
        else:
            said["platform"] = load(self._entry, self._host.interpreter.cwd)

    def _plain(self, result: Any) -> "Fact[Plain]":
        source = "probe of %s" % self._entry.distribution
        if result is None:
            return Fact.absent(source)
        if not isinstance(result, dict):
            raise PluginError("its probe returned a %s, not a dictionary or None" % type(result).__name__)
        try:
            plain = Plain(plain_data(result, self._host.scrub))
        except ValueError as error:
            raise PluginError("its probe returned %s" % error) from None
        if len(plain) > LIMIT_CHARACTERS:
            raise PluginError("its probe returned %d characters, and %d are allowed" % (len(plain), LIMIT_CHARACTERS))
        return Fact.of(plain, source)

    def answer(self, left_s: float, limit_s: float) -> PlatformFacts:
        """Wait for the answer, and return it or why there is none."""
        entry = self._entry
        # A name that cannot be used stands for nothing: no request may lead there, and nothing may be blocked by it.
        name = "" if entry.problem else entry.name
        facts = PlatformFacts(name, entry.distribution, entry.version, self._host.scrub(entry.value[:120]))
        if entry.problem:
            return _broken(self._host, facts, entry.problem)
        if entry.value in _silent:
            return _broken(self._host, facts, _silent[entry.value])
        if self._thread.ident is None:
            return _with(facts, Fact.unknown(ELSEWHERE))
        self._thread.join(left_s)
        if self._thread.is_alive() and not self._said:
            problem = "it gave no answer within %g s" % limit_s
            if self._platform is None:
                _silent[entry.value] = problem
            return _broken(self._host, facts, problem)
        said = self._said
        platform = said.get("platform")
        if platform is not None:
            facts = _described(facts, platform)
        if "problem" in said:
            return _broken(self._host, facts, said["problem"])
        printed: List[str] = [text for text in said["printed"] if text]
        problem = "it prints: %s" % self._host.scrub(printed[0].splitlines()[0][:100]) if printed else ""
        return _with(facts, said["result"], problem)


def _described(facts: PlatformFacts, platform: Platform) -> PlatformFacts:
    return facts.replace(
        title=platform.title[:100],
        frameworks=tuple((str(name), str(kind)) for name, kind in platform.frameworks.items()),
        libraries=tuple(platform.libraries),
        variables=tuple(platform.variables),
    )


def _with(facts: PlatformFacts, content: "Fact[Plain]", problem: str = "") -> PlatformFacts:
    return facts.replace(facts=content, problems=(problem,) if problem else ())


def _broken(host: Host, facts: PlatformFacts, problem: str) -> PlatformFacts:
    text = host.scrub(problem)[:500]
    return _with(facts, Fact.unknown(text), text)
