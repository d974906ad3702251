"""A page for each topic of the public API; MkDocs fills them from the docstrings, which are read and never imported."""

import importlib
from typing import Dict, Iterator, Tuple

import devicekit

__all__ = ["TOPICS", "api_pages"]

#: Page: title, what it says first, public names in the order of reading.
TOPICS: Dict[str, Tuple[str, str, Tuple[str, ...]]] = {
    "use": (
        "Use a device",
        "Put a program on a device, or a part of it.",
        ("auto", "device_scope", "select_device", "Selection", "Change", "Plan"),
    ),
    "diagnose": (
        "Look and diagnose",
        "What is on this machine, and what blocks its devices. No framework is imported.",
        (
            "detect", "diagnose", "verify", "Machine", "Fact", "Diagnosis", "Finding", "Evidence", "Fix", "Candidate",
            "Verification",
        ),
    ),
    "explain": (
        "Explain logs and errors",
        "What a log or an exception means.",
        ("explain", "explain_log", "Explanation", "HarmlessLine", "install_excepthook", "uninstall_excepthook"),
    ),
    "releases": (
        "Releases that work together",
        "Answered from the bundled matrix; no network is asked.",
        ("resolve", "Resolution", "goes_with", "has_wheel", "has_code_for", "driver_runs", "Answer"),
    ),
    "measure": (
        "Measure",
        "Numbers, speed, memory. Work runs in child processes, except for `compare` of your own model or function.",
        (
            "compare", "Comparison", "Difference", "Divergence", "Measure", "benchmark", "BenchmarkResult", "Throughput",
            "find_batch_size", "tune", "Tuning", "TunedOption",
        ),
    ),
    "warnings": (
        "Warnings and errors",
        "Every warning carries its finding; every error says what was asked, what was found and what to do.",
        (
            "DeviceWarning", "FallbackWarning", "CompatibilityWarning", "ConfigurationWarning", "DevicekitError",
            "DeviceUnavailableError", "MachineFileError", "UnknownFactError",
        ),
    ),
    "share": (
        "Share a machine",
        "Devices that one process has to itself.",
        ("lease", "Lease", "LeaseError", "LeaseTimeoutError"),
    ),
    "several": (
        "Several devices, several processes",
        "How a program is spread, and why so.",
        ("strategy", "plan_strategy", "StrategyPlan", "Cluster"),
    ),
    "machines": (
        "Several machines",
        "What differs between machines, or between yesterday and today.",
        (
            "examine_fleet", "Fleet", "FleetNode", "FleetGroup", "FleetDifference", "compare_machines", "MachineDiff",
            "FactChange", "Consequence",
        ),
    ),
    "platforms": (
        "Add a platform",
        "What a plug-in for another accelerator is made of.",
        ("Platform", "PlatformView", "PlatformDevice", "Host"),
    ),
    "testing": ("Test programs that use devicekit", "", ()),
}  # fmt: skip

#: Modules with their own public names, documented next to the names of `devicekit` itself.
_MODULES = {"testing": "devicekit.testing"}


def _pages() -> Iterator[Tuple[str, str, str, Tuple[str, ...]]]:
    for page, (title, text, names) in TOPICS.items():
        yield page, title, text, names
    shown = {name for _, _, names in TOPICS.values() for name in names}
    rest = tuple(name for name in devicekit.__all__ if name not in shown and name != "__version__")
    if rest:
        yield "more", "More", "", rest


def _links(page: str, names: Tuple[str, ...]) -> str:
    module = _MODULES.get(page, "devicekit")
    return ", ".join("[`%s`](%s.md#%s.%s)" % (name, page, module, name) for name in names)


def api_pages() -> Dict[str, str]:
    """Return the pages, by their path in the documentation."""
    pages, index = (
        {},
        [
            "# Python API",
            "",
            "Everything here is imported from `devicekit`; `import devicekit` loads nothing else.",
            "",
        ],
    )
    for page, title, text, names in _pages():
        lines = ["# %s" % title, "", text, ""]
        for name in names:
            lines += ["::: devicekit.%s" % name, ""]
        if page in _MODULES:
            names = tuple(importlib.import_module(_MODULES[page]).__all__)
            lines += ["::: %s.%s\n" % (_MODULES[page], name) for name in names]
        pages["reference/api/%s.md" % page] = "\n".join(lines)
        index += ["- [%s](%s.md): %s" % (title, page, _links(page, names))]
    pages["reference/api/index.md"] = "\n".join(index) + "\n"
    return pages
