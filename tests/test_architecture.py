"""The rooms of the design, checked: one direction, one door, nothing heavy before it is used, files that can be read."""

import ast
import os

import pytest

import devicekit

PACKAGE = os.path.dirname(os.path.abspath(devicekit.__file__))
REACHES_OUT = {"os", "subprocess", "ctypes", "platform", "socket", "shutil", "tempfile"}
FRAMEWORKS = {"tensorflow", "keras", "jax", "torch", "numpy"}


def modules():
    for folder, _, names in os.walk(PACKAGE):
        for name in names:
            if name.endswith(".py"):
                path = os.path.join(folder, name)
                yield os.path.relpath(path, PACKAGE).replace(os.sep, "/"), path


MODULES = dict(modules())


def imports(path, top_level_only=False):
    """Yield what a file imports: absolute names, and relative ones as they are from the package's root."""
    with open(path, encoding="utf-8") as stream:
        tree = ast.parse(stream.read())
    inside = os.path.relpath(os.path.dirname(path), PACKAGE).replace(os.sep, "/")
    rooms = [] if inside == "." else inside.split("/")
    nodes = tree.body if top_level_only else ast.walk(tree)
    for node in nodes:
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name
        elif isinstance(node, ast.ImportFrom):
            if node.level == 0:
                yield node.module
            else:
                base = rooms[: len(rooms) - node.level + 1]
                names = [node.module] if node.module else [alias.name for alias in node.names]
                for name in names:
                    yield ".".join(["devicekit", *base, name])


def room(relative):
    return relative.partition("/")[0].replace(".py", "")


PURE = [
    name
    for name in MODULES
    if room(name)
    in (
        "rules",
        "matrix",
        "choose",
        "plan",
        "policies",
        "identifiers",
        "ranking",
        "framework_choice",
        "framework_switch",
        "foreign",
        "platform_facts",
        "plain",
        "changes",
        "machine_diff",
        "fleet_result",
        "report",
        "findings",
        "facts",
        "device_facts",
        "fact",
        "codec",
        "request",
        "selection",
        "projects",
        "target",
        "resolution",
        "resolving",
        "pins",
        "hardware",
        "compatibility",
        "verification",
        "comparison",
        "benchmark_result",
        "tuning_result",
        "logs",
        "rows",
        "loader",
        "matrix_row",
        "figures",
        "plotting",
    )
]


#: Rooms of which a part decides and another one does it.
PURE += [
    "distribution/%s.py" % name
    for name in ("assigning", "cluster", "device_sets", "hostlist", "strategy_plan", "workers")
]
PURE += ["fleet/%s.py" % name for name in ("fingerprint", "judging", "reading", "files", "examining")]


@pytest.mark.parametrize("name", PURE)
def test_pure_rooms_do_not_reach_outside(name):
    found = {item.partition(".")[0] for item in imports(MODULES[name])}
    assert not found & REACHES_OUT


#: What computes with a framework: run in a worker, or where the caller has asked for it with a model of a framework.
WORK = ("numerics", "benchmarking", "tuning")


@pytest.mark.parametrize("name", [name for name in MODULES if room(name) in WORK])
def test_work_imports_a_framework_only_when_it_is_done(name):
    # NumPy comes with every framework, and these modules are imported when there is work to do.
    found = {item.partition(".")[0] for item in imports(MODULES[name], top_level_only=True)}
    assert not found & (FRAMEWORKS - {"numpy"})


@pytest.mark.parametrize("name", sorted(MODULES))
def test_only_adapters_and_children_import_a_framework(name):
    if room(name) in ("frameworks", *WORK) or name == "selftest/child.py":
        return
    found = {item.partition(".")[0] for item in imports(MODULES[name])}
    assert not found & FRAMEWORKS


#: What each room may know; everything may know the data types.
TYPES = {
    "facts",
    "platform_facts",
    "plain",
    "device_facts",
    "fact",
    "codec",
    "findings",
    "errors",
    "selection",
    "plan",
    "request",
    "target",
    "resolution",
    "projects",
    "verification",
    "comparison",
    "benchmark_result",
    "tuning_result",
    "machine_diff",
    "fleet_result",
}
KNOWS = {
    "probe": {"probe", "host", "entry_points", "platforms"},
    # A plug-in gets data types, and the door that its probe looks through.
    "platforms": {
        "platforms",
        "host",
        "entry_points",
        "detection",
        "frameworks",
        "rules",
        "probe",
        "simulated",
        "matrix",
        "resolving",
    },
    "foreign": {"framework_choice"},
    "platform_facts": set(),
    "plain": set(),
    "rules": {"rules", "matrix", "resolving", "hardware", "framework_choice", "loader", "platforms"},
    "resolving": {"resolving", "matrix", "hardware"},
    "target": {"matrix"},
    "hardware": {"matrix"},
    "compatibility": {"matrix", "hardware"},
    "resolution": set(),
    "verification": set(),
    "projects": set(),
    "loader": set(),
    "preload": {"host"},
    "matrix": {"rows"},
    "choose": {"foreign", "framework_switch", "identifiers", "policies", "ranking"},
    "policies": set(),
    "identifiers": set(),
    "plan": set(),
    "ranking": set(),
    "framework_choice": set(),
    "framework_switch": {"framework_choice", "identifiers"},
    "report": {"report", "matrix", "logs", "matrix_row", "figures"},
    "matrix_row": {"matrix", "compatibility"},
    # Drawings are made from the same types as reports, by the same reader.
    "figures": {"figures"},
    "plotting": {"figures"},
    # A log is judged by the same matrix as a machine, and never by looking at one.
    "machine_diff": {"report"},
    "fleet_result": {"report"},
    # The same rules and the same choice as for one machine, asked again and again.
    "changes": {"changes", "rules", "choose", "matrix"},
    "fleet": {
        "fleet",
        "changes",
        "rules",
        "choose",
        "matrix",
        "machine_file",
        "distribution",
        "selftest",
        "workers",
    },
    "logs": {"logs", "matrix", "rows", "compatibility", "hardware", "resolving"},
    "rows": set(),
    "log_files": {"host", "rules"},
    "frameworks": {"frameworks"},
    # For the tests of others: they ask and place as a program does, and nothing of devicekit knows of them.
    "testing": {"detection", "machine_file", "probe", "scope"},
    "pytest_needs": {"api", "detection", "settings", "framework_choice"},
    "pytest_plugin": {"api", "scope", "pytest_needs"},
    "facts": set(),
    "device_facts": set(),
    "findings": {"report"},
    "comparison": {"report"},
    "benchmark_result": {"report"},
    "tuning_result": {"report"},
    "workers": {"workers", "selftest"},
    "numerics": {"numerics", "workers", "frameworks", "scope"},
    "benchmarking": {
        "benchmarking",
        "workers",
        "selftest",
        "frameworks",
        "numerics",
        "ranking",
        "kept",
        "settings",
        "batch_size",
    }
    | {"api", "detection", "framework_choice", "host", "probe", "windows"},
    "selftest": {"selftest", "kept", "framework_choice", "framework_switch", "logs"},
    "distribution": {"distribution", "api", "apply", "detection", "frameworks", "notify", "scope", "settings"},
    # Who decides what may be leased is asked, and never looked into; variables are the rules' to read.
    "leasing": {"leasing", "api", "choose", "detection", "notify", "report", "rules", "settings", "speeds"}
    | {"identifiers", "policies"},
}


@pytest.mark.parametrize("name", [name for name in MODULES if room(name) in KNOWS])
def test_one_direction(name):
    allowed = KNOWS[room(name)] | TYPES
    for item in imports(MODULES[name]):
        parts = item.split(".")
        if parts[0] == "devicekit" and len(parts) > 1:
            assert parts[1] in allowed or parts[1] == "__version__", item


DOORS = {
    "host.py",
    "entry_points.py",
    "questions.py",
    "preload.py",
    "settings.py",
    "probe/child.py",
    "probe/nvml_child.py",
    "probe/directx_child.py",
    "apply.py",
    "detection.py",
    "cli.py",
    # It sets what a plug-in wants to be set before a scope imports the framework.
    "platforms/at_work.py",
    "kept.py",
    "log_files.py",
    "interpreters.py",
    "simulated.py",
    "testing.py",
    "windows.py",
    # Files that several users share, and what becomes another program.
    "leasing/exclusive.py",
    "leasing/folder.py",
    "leasing/locks.py",
    "leasing/records.py",
    "leasing/held.py",
    "leasing/waiting.py",
    "commands/run.py",
    # The command lines that a user gives to reach other machines, and the folder that Ray's driver runs in.
    "fleet/running.py",
    "fleet/ray_nodes.py",
    # Which processes train together stands in variables; and what starts them.
    "distribution/making.py",
    "distribution/launching.py",
    "distribution/supervising.py",
    "distribution/passing.py",
    "distribution/guard_child.py",
    # JAX and PyTorch read what they need to know of memory and devices from variables.
    "frameworks/keras_jax.py",
    "frameworks/keras_torch.py",
    "frameworks/torch_keras.py",
}


@pytest.mark.parametrize("name", sorted(MODULES))
def test_one_door(name):
    if name in DOORS or room(name) in ("selftest", "workers", *WORK):
        return
    found = {item.partition(".")[0] for item in imports(MODULES[name])}
    assert not found & {"os", "subprocess", "ctypes", "platform"}


@pytest.mark.parametrize("name", sorted(MODULES))
def test_no_pickle_no_shell_no_multiprocessing(name):
    with open(MODULES[name], encoding="utf-8") as stream:
        text = stream.read()
    assert "shell=True" not in text
    assert not {item.partition(".")[0] for item in imports(MODULES[name])} & {
        "pickle",
        "marshal",
        "shelve",
        "multiprocessing",
    }


@pytest.mark.parametrize("name", sorted(MODULES))
def test_files_are_short(name):
    with open(MODULES[name], encoding="utf-8") as stream:
        assert len(stream.readlines()) <= 400


def test_the_package_imports_nothing_at_the_top():
    assert list(imports(MODULES["__init__.py"], top_level_only=True)) == []
