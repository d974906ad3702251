"""The environment variables of devicekit itself, read in this one place."""

import os
from typing import List, NamedTuple, Optional, Tuple

from ..errors import did_you_mean
from ..machine.entry_points import parse_switch

#: Every variable of devicekit; the last ones it sets for processes that it starts.
_NAMES = tuple(
    "DEVICEKIT_" + name
    for name in (
        "DEVICE", "VERIFY", "QUIET", "CACHE_DIR", "OFFLINE", "PLUGINS", "LEASE_DIR", "LEASED", "LAUNCH", "TRIAL",
    )
)  # fmt: skip

VERIFY = ("cached", "always", "never")

_quiet = False


def be_quiet(quiet: bool) -> None:
    """Be quiet in this process, as with ``DEVICEKIT_QUIET``, which processes that it starts would inherit."""
    global _quiet
    _quiet = quiet


class Settings(NamedTuple):
    """What the environment says.

    ``problems``: the variables that are ignored, each with the reason: an unknown name, or a value that is not accepted.

    ``in_trial``: this process is a trial of devicekit's, or was started by one. ``lease_dir``: where locks of devices lie;
    ``leased``: what devices a process that started this one holds for it. ``offline``: the package index is not asked.
    """

    device: Optional[str]
    verify: Optional[str]
    quiet: bool
    cache_dir: Optional[str]
    problems: Tuple[Tuple[str, str], ...] = ()
    in_trial: bool = False
    lease_dir: Optional[str] = None
    leased: str = ""
    offline: bool = False


def read_settings() -> Settings:
    """Read the variables whose names begin with ``DEVICEKIT_``."""
    verify = os.environ.get("DEVICEKIT_VERIFY") or None
    problems = [(name, text) for name, text in ((name, _misspelled(name)) for name in sorted(os.environ)) if text]
    if verify is not None and verify not in VERIFY:
        near = did_you_mean(verify[:40], VERIFY)
        text = "DEVICEKIT_VERIFY is '%s', accepted are %s: it is ignored%s" % (verify[:40], ", ".join(VERIFY), near)
        problems.append(("DEVICEKIT_VERIFY", text))
        verify = None
    return Settings(
        device=os.environ.get("DEVICEKIT_DEVICE") or None,
        verify=verify,
        quiet=_is_on("DEVICEKIT_QUIET", problems) or _quiet,
        cache_dir=os.environ.get("DEVICEKIT_CACHE_DIR") or None,
        in_trial="DEVICEKIT_TRIAL" in os.environ,
        lease_dir=os.environ.get("DEVICEKIT_LEASE_DIR") or None,
        leased=os.environ.get("DEVICEKIT_LEASED", ""),
        offline=_is_on("DEVICEKIT_OFFLINE", problems),
        problems=tuple(problems),  # after the last variable that is read
    )


def _is_on(name: str, problems: List[Tuple[str, str]]) -> bool:
    """Whether a variable switches something on; what is neither on nor off is a problem."""
    value = os.environ.get(name, "")
    switch = parse_switch(value)
    if switch is None:
        problems.append((name, "%s is '%s', accepted are 1 (on) and 0 (off): it is ignored" % (name, value[:40])))
    return bool(switch)


def _misspelled(name: str) -> str:
    """Return what is meant by a variable that looks like one of devicekit's, "" for all others: programs have their own."""
    if not name.startswith("DEVICEKIT_") or name in _NAMES:
        return ""
    near = did_you_mean(
        name[len("DEVICEKIT_") :][:60], [item[len("DEVICEKIT_") :].lower().replace("_", "-") for item in _NAMES], ""
    )
    meant = near.rpartition(" ")[2].upper().replace("-", "_")
    return "There is no variable %s; did you mean DEVICEKIT_%s?" % (name[:80], meant) if near else ""


def cache_folder() -> str:
    """Return the folder for cached results: ``DEVICEKIT_CACHE_DIR``, or the user's cache folder of this system."""
    chosen = read_settings().cache_dir
    if chosen:
        return os.path.abspath(os.path.expanduser(chosen))
    from platformdirs import user_cache_dir

    return user_cache_dir("devicekit", appauthor=False)
