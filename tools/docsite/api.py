"""A page for each topic of the public API; MkDocs fills them from the docstrings, which are read and never imported."""

import importlib
from typing import Dict, Iterator, Tuple

import devicekit

__all__ = ["TOPICS", "api_pages", "public_names"]

#: Page: title, what it says first, public names (below ``devicekit.``) in the order of reading.
TOPICS: Dict[str, Tuple[str, str, Tuple[str, ...]]] = {
    "use": (
        "Use a device",
        "Put a program on a device, or a part of it.",
        ("auto", "device_scope", "select_device", "Selection", "selection.Change", "selection.Plan"),
    ),
    "diagnose": (
        "Look and diagnose",
        "What is on this machine, and what blocks its devices. No framework is imported.",
        (
            "detect", "diagnose", "verify", "Machine", "machine.Fact", "Diagnosis", "Finding", "diagnosis.Evidence",
            "diagnosis.Fix", "diagnosis.Candidate", "runtime.Verification",
        ),
    ),
    "explain": (
        "Explain logs and errors",
        "What a log or an exception means.",
        (
            "explain", "logs.explain_log", "logs.Explanation", "logs.HarmlessLine", "install_excepthook",
            "logs.uninstall_excepthook",
        ),
    ),
    "fix": (
        "Fix an environment",
        "What would make it work, done, checked, and undone if it does not help.",
        ("fix", "remedy.Remedy", "remedy.Attempt", "remedy.Change"),
    ),
    "releases": (
        "Releases that work together",
        "Answered from the bundled matrix; no network is asked.",
        (
            "resolve", "resolver.Resolution", "matrix.goes_with", "matrix.has_wheel", "matrix.has_code_for",
            "matrix.driver_runs", "matrix.Answer",
        ),
    ),
    "measure": (
        "Measure",
        "Numbers, speed, memory. Work runs in child processes, except for `compare` of your own model or function.",
        (
            "compare", "measure.Comparison", "measure.Difference", "measure.Divergence", "measure.Measure",
            "measure.LeftToCpu", "on_cpu", "measure.write_reproducer", "benchmark",
            "measure.BenchmarkResult", "measure.BenchmarkInterrupted",
            "measure.Figure", "measure.Throughput", "find_batch_size", "estimate_memory",
            "measure.MemoryEstimate", "measure.LayerMemory", "tune", "measure.Tuning",
            "measure.TunedOption",
        ),
    ),
    "training": (
        "Watch a training",
        "Why it is slow, and where the first NaN comes from.",
        (
            "Monitor", "watch.MonitorReport", "watch.TrainingRecord", "NanGuard", "watch.NanReport", "watch.NanRecord",
            "watch.CommandReport", "watch.CommandRecord",
        ),
    ),
    "warnings": (
        "Warnings and errors",
        "Every warning carries its finding; every error says what was asked, what was found and what to do.",
        (
            "DeviceWarning", "FallbackWarning", "CompatibilityWarning", "ConfigurationWarning", "DevicekitError",
            "DeviceUnavailableError", "errors.MachineFileError", "errors.RemedyError",
            "errors.UnknownFactError",
        ),
    ),
    "share": (
        "Share a machine",
        "Devices that one process has to itself.",
        ("lease", "cluster.Lease", "LeaseError", "LeaseTimeoutError"),
    ),
    "several": (
        "Several devices, several processes",
        "How a program is spread, and why so.",
        ("strategy", "cluster.plan_strategy", "cluster.StrategyPlan", "cluster.Cluster"),
    ),
    "machines": (
        "Several machines",
        "What differs between machines, or between yesterday and today.",
        (
            "cluster.examine_fleet", "cluster.Fleet", "cluster.FleetNode", "cluster.FleetGroup",
            "cluster.FleetDifference", "cluster.compare_machines", "cluster.MachineDiff", "cluster.FactChange",
            "cluster.Consequence",
        ),
    ),
    "platforms": (
        "Add a platform",
        "What a plug-in for another accelerator is made of.",
        ("plugins.Platform", "plugins.PlatformView", "plugins.PlatformDevice", "machine.Host"),
    ),
    "testing": ("Test programs that use devicekit", "", ()),
}  # fmt: skip

#: Modules with their own public names, documented next to the names of `devicekit` itself.
_MODULES = {"testing": "devicekit.testing"}


def public_names() -> Tuple[str, ...]:
    """Return the public names of devicekit and of its packages, as they are written below ``devicekit.``."""
    names = [name for name in devicekit.__all__ if name != "__version__"]
    for package in devicekit._PACKAGES:
        public = importlib.import_module("devicekit." + package).__all__
        # An error or a record that devicekit itself has is documented there.
        names += ["%s.%s" % (package, name) for name in public if name not in devicekit.__all__]
    return tuple(names)


def _pages() -> Iterator[Tuple[str, str, str, Tuple[str, ...]]]:
    for page, (title, text, names) in TOPICS.items():
        yield page, title, text, names
    shown = {name for _, _, names in TOPICS.values() for name in names}
    rest = tuple(name for name in public_names() if name not in shown and not name.startswith("testing."))
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
            "`import devicekit` loads nothing else: each name, and each package, is loaded when it is first used.",
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
