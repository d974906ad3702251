"""The registry of rules: every rule registers itself under its code when its module is imported."""

from typing import Callable, Dict, Iterable, NamedTuple, Tuple

from ..findings import Finding
from ..view import View

RuleFunction = Callable[[View], Iterable[Finding]]

#: If one of these fired, no wheel can be loaded: whatever else is wrong with the Python packages does not matter yet.
UNLOADABLE = ("system-library-too-old", "cpu-instructions-missing", "msvc-runtime-missing")

#: If one of these fired, the TensorFlow package itself is unusable: its requirements and plug-ins do not matter yet.
BROKEN_INSTALL = ("framework-missing", "python-unsupported", "install-corrupt", "module-shadowed", *UNLOADABLE)


class Rule(NamedTuple):
    """A rule: its code, the codes of the causes that hide it as their symptom, and the function."""

    code: str
    hidden_by: Tuple[str, ...]
    function: RuleFunction


_REGISTRY: Dict[str, Rule] = {}


def rule(code: str, hidden_by: Tuple[str, ...] = ()) -> Callable[[RuleFunction], RuleFunction]:
    """Register a rule under its code."""

    def register(function: RuleFunction) -> RuleFunction:
        before = _REGISTRY.get(code)
        # The same one comes again where Ctrl-C has ended the first import of its module.
        names = [(item.__module__, item.__qualname__) for item in (function, before.function if before else function)]
        if names[0] != names[1]:
            raise ValueError("two rules for code %s" % code)
        _REGISTRY[code] = Rule(code, hidden_by, function)
        return function

    return register


def registered() -> Dict[str, Rule]:
    """Return the rules of all imported modules, by code."""
    return dict(_REGISTRY)
