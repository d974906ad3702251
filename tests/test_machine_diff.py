"""What changed between two machines, and which change is responsible: tried with recorded machines and changed copies."""

import json
import os

import pytest
from checks import for_each
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from recorded_machines import NAMES
from recorded_machines import load_machine as machine

from devicekit import Machine, diagnose
from devicekit.cli.main import main
from devicekit.cluster import MachineDiff, compare_machines
from devicekit.cluster.diff.causes import said_of, several
from devicekit.cluster.diff.change_groups import change_groups, differences, with_undone
from devicekit.errors import MachineFileError
from devicekit.machine import Fact
from devicekit.machine.facts import DeviceNode
from devicekit.report.fleet import diff_text
from devicekit.report.terminal import Style


def having(record, path, value):
    """Return a record with another value at a path of fields."""
    if not path:
        return value
    return record.replace(**{path[0]: having(getattr(record, path[0]), path[1:], value)})


def with_version(record, name, version):
    """Return a machine with another version of a package; None: without it."""
    found = []
    for item in record.python.distributions.value:
        if item.name != name:
            found.append(item)
        elif version is not None:
            found.append(item.replace(version=Fact.of(version, item.version.source)))
    fact = record.python.distributions
    return having(record, ("python", "distributions"), Fact.of(tuple(found), fact.source))


def with_variable(record, name, value):
    others = [pair for pair in record.process.environ if pair[0] != name]
    return having(record, ("process", "environ"), tuple(sorted([*others, (name, value)])))


SERVER = machine("linux-nvidia-server")

#: What someone did to a server that worked, and what it is called.
DEEDS = {
    "an older driver": (
        lambda it: with_driver(it, "470.82.01"),
        "driver-too-old",
        "NVIDIA driver",
    ),
    "cuDNN removed": (lambda it: without_cudnn(it), "cudnn-missing", "nvidia-cudnn-cu12"),
    "a variable": (
        lambda it: with_variable(it, "CUDA_VISIBLE_DEVICES", "-1"),
        "device-hidden",
        "variable CUDA_VISIBLE_DEVICES",
    ),
    "a module that is not loaded": (
        lambda it: having(
            it, ("driver", "nodes"), tuple(node for node in it.driver.nodes if node.path != "/dev/nvidia-uvm")
        ),
        "driver-unhealthy",
        "/dev/nvidia-uvm",
    ),
    "a right taken away": (
        lambda it: having(
            it,
            ("driver", "nodes"),
            tuple(
                DeviceNode(node.path, False, "video") if node.path == "/dev/nvidiactl" else node
                for node in it.driver.nodes
            ),
        ),
        "device-permission-denied",
        "/dev/nvidiactl",
    ),
    "an old NumPy": (lambda it: with_version(it, "numpy", "1.20.0"), "numpy-incompatible", "numpy"),
}


def with_driver(record, version):
    for name in ("nvidia_version", "nvidia_kernel_version", "nvidia_library_version"):
        record = having(record, ("driver", name), Fact.of(version, "NVML"))
    return record


def without_cudnn(record):
    record = with_version(record, "nvidia-cudnn-cu12", None)
    libraries = tuple(item for item in record.cuda.libraries.value if "cudnn" not in item.name)
    return having(record, ("cuda", "libraries"), Fact.of(libraries, record.cuda.libraries.source))


def noise(record):
    """Return a machine on which other things are different, too."""
    record = with_version(record, "absl-py", "9.9.9")
    record = having(record, ("native", "release"), "6.8.0-9999")
    return with_variable(record, "OMP_NUM_THREADS", "3")


@pytest.mark.parametrize("deed", sorted(DEEDS))
def test_the_cause_is_named_among_what_has_nothing_to_do_with_it(deed):
    change, code, name = DEEDS[deed]
    after = noise(change(SERVER))
    diff = compare_machines(SERVER, after)
    found = [item for item in diff.consequences if item.name == code]
    assert [item.change for item in found] == ["appeared"], [item.name for item in diff.consequences]
    assert found[0].causes == ((name,),)
    assert found[0].finding.fix
    # The others are changes, and causes of nothing.
    assert {"absl-py", "kernel", "variable OMP_NUM_THREADS", name} <= {item.name for item in diff.facts}
    named = {cause for item in diff.consequences for names in item.causes for cause in names}
    assert not named & {"absl-py", "kernel", "variable OMP_NUM_THREADS"}
    # And the other way round: what made it work again.
    back = compare_machines(after, SERVER)
    assert [(item.change, item.causes) for item in back.consequences if item.name == code] == [("vanished", ((name,),))]


def test_devices_and_the_choice_have_the_same_cause():
    after = DEEDS["an older driver"][0](SERVER)
    diff = compare_machines(SERVER, after)
    assert diff.worse
    for kind in ("device", "choice"):
        found = [item for item in diff.consequences if item.kind == kind]
        assert found
        assert all(item.worse and item.causes == (("NVIDIA driver",),) for item in found)
    assert "because of NVIDIA driver" in str(diff)


def test_a_package_is_put_back_by_a_command():
    before = machine("linux-numpy-2-under-2.10")
    fixed = with_version(before, "numpy", "1.26.4")
    diff = compare_machines(fixed, noise(before))
    (found,) = [item for item in diff.consequences if item.name == "numpy-incompatible"]
    assert found.causes == (("numpy",),)
    assert diff.change("numpy").before == "1.26.4"
    assert diff.change("numpy").undo.endswith("pip install numpy==1.26.4")


def test_a_set_is_named_where_only_several_together_undo_it():
    change, _, name = DEEDS["a variable"]
    hidden = with_variable(change(SERVER), "NVIDIA_VISIBLE_DEVICES", "void")
    both = having(
        hidden, ("driver", "nodes"), tuple(node for node in SERVER.driver.nodes if node.path != "/dev/nvidia-uvm")
    )
    diff = compare_machines(SERVER, both)
    choice = [item for item in diff.consequences if item.kind == "choice"]
    assert choice
    (causes,) = choice[0].causes
    assert set(causes) == {name} or set(causes) == {name, "/dev/nvidia-uvm"}
    # Whatever the set is: none of it can be spared.
    assert is_minimal(SERVER, both, choice[0], causes)


def can_be_judged(record):
    try:
        diagnose(record)
    except Exception:
        return False
    return True


def is_minimal(before, after, consequence, names):
    """Whether undoing these changes makes it as it was, and undoing a part of them does not."""
    found = change_groups(before, after, tuple(differences(before, after)))
    apart = several(diagnose(before)) | several(diagnose(after))

    def said(back):
        paths = {path for item in found if item.change.name in back for path in item.paths}
        made = with_undone(before, after, paths)
        if not can_be_judged(made):
            return None
        return [
            (statement.text, statement.works)
            for key, statement in said_of(made, diagnose(made), apart).items()
            if key[:2] == (consequence.kind, consequence.name)
        ]

    wanted = said([item.change.name for item in found])
    now = said([])
    in_words = not wanted or not now or wanted[0][1] == now[0][1]

    def alike(one, other):
        if one is None or other is None:  # facts that contradict one another explain nothing
            return False
        return one == other if in_words else [works for _, works in one] == [works for _, works in other]

    return alike(said(names), wanted) and not any(
        alike(said([other for other in names if other != name]), wanted) for name in names
    )


# Whatever the two machines are.


def few(count):
    return settings(max_examples=count, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])


@for_each("name", NAMES)
def test_a_machine_is_like_itself(name):
    assert compare_machines(machine(name), machine(name)) == MachineDiff()


@few(60)
@given(st.sampled_from(NAMES), st.sampled_from(NAMES))
def test_with_everything_put_back_it_is_the_first_machine(one, other):
    before, after = machine(one), machine(other)
    paths = [item.path for item in differences(before, after)]
    assert len(paths) == len(set(paths))
    assert with_undone(before, after, paths) == before
    assert with_undone(before, after, ()) == after
    grouped = change_groups(before, after, tuple(differences(before, after)))
    assert sorted(path for item in grouped for path in item.paths) == sorted(paths)
    assert len({item.change.name for item in grouped}) == len(grouped)


@few(30)
@given(st.data())
def test_with_anything_put_back_it_is_a_machine_that_is_closer(data):
    before, after = machine(data.draw(st.sampled_from(NAMES))), machine(data.draw(st.sampled_from(NAMES)))
    paths = [item.path for item in differences(before, after)]
    back = data.draw(st.sets(st.sampled_from(paths))) if paths else set()
    mixed = with_undone(before, after, back)
    assert isinstance(mixed, Machine)
    assert Machine.from_dict(json.loads(json.dumps(mixed.to_dict()))) == mixed


@few(4)
@given(st.sampled_from(NAMES), st.sampled_from(NAMES))
def test_a_cause_put_back_removes_what_it_caused_and_none_of_it_can_be_spared(one, other):
    before, after = machine(one), machine(other)
    diff = compare_machines(before, after)
    known = {item.name for item in diff.changes}
    for item in diff.consequences[:4]:
        for names in item.causes:
            assert set(names) <= known
            # Several findings of one code cannot be distinguished by their names alone.
            if sum(item.name == row.name and item.kind == row.kind for row in diff.consequences) == 1:
                assert is_minimal(before, after, item, names) or item.kind == "finding"


@few(15)
@given(st.sampled_from(NAMES), st.sampled_from(NAMES))
def test_the_json_loses_nothing(one, other):
    diff = compare_machines(machine(one), machine(other), causes=False)
    assert MachineDiff.from_dict(json.loads(json.dumps(diff.to_dict()))) == diff
    assert diff_text(diff, Style(width=80), everything=True)
    assert diff._repr_html_().startswith('<div class="devicekit"')


def test_the_json_with_causes_and_fixes_loses_nothing():
    diff = compare_machines(SERVER, without_cudnn(SERVER))
    again = MachineDiff.from_dict(json.loads(json.dumps(diff.to_dict())))
    assert again == diff
    assert again.consequences[0].finding.fix == diff.consequences[0].finding.fix
    for data in ({}, {"schema": 9}, {"schema": 1, "changes": 3, "consequences": []}, {"schema": 1, "more": []}):
        with pytest.raises(MachineFileError):
            MachineDiff.from_dict(data)


def test_changes_by_themselves_and_of_places_are_distinguished():
    gpus = SERVER.driver.gpus.value
    busy = gpus[0].replace(memory_used_bytes=Fact.of(1 << 30), utilization_percent=Fact.of(99))
    after = having(SERVER, ("driver", "gpus"), Fact.of((busy, *gpus[1:]), SERVER.driver.gpus.source))
    moved = tuple(item.replace(location="/elsewhere/" + item.name) for item in SERVER.python.distributions.value)
    after = having(after, ("python", "distributions"), Fact.of(moved, SERVER.python.distributions.source))
    diff = compare_machines(SERVER, after)
    assert diff.facts == ()
    assert {item.weight for item in diff.changes} == {"volatile", "place"}
    assert diff.consequences == ()
    assert "No differences that matter" in diff_text(diff, Style())
    assert "(use --all)" in diff_text(diff, Style())


def test_a_full_gpu_is_a_cause_although_it_is_volatile():
    gpus = SERVER.driver.gpus.value
    total = gpus[0].memory_bytes.value
    full = gpus[0].replace(memory_free_bytes=Fact.of(total // 100, "NVML"))
    after = having(SERVER, ("driver", "gpus"), Fact.of((full, *gpus[1:]), SERVER.driver.gpus.source))
    (found,) = [item for item in compare_machines(SERVER, after).consequences if item.name == "out-of-memory"]
    assert found.causes == (("use of GPU 0 (%s)" % gpus[0].name,),)


def test_a_command_that_puts_it_back_has_nothing_in_it_that_a_snapshot_could_smuggle_in():
    for version in ("1.0; rm -rf ~", "$(id)", "1.0\nid", "--index-url=x"):
        before = with_version(SERVER, "numpy", version)
        diff = compare_machines(before, SERVER, causes=False)
        assert diff.change("numpy").undo is None
    for value in ("$(id)", '";id', "~/x", "`id`"):
        before = with_variable(SERVER, "XLA_FLAGS", value)
        assert compare_machines(before, SERVER, causes=False).change("variable XLA_FLAGS").undo is None
    diff = compare_machines(with_variable(SERVER, "XLA_FLAGS", "--a=b c"), SERVER, causes=False)
    assert diff.change("variable XLA_FLAGS").undo == 'export XLA_FLAGS="--a=b c"'


def test_hostile_text_stays_text():
    evil = with_variable(SERVER, "XLA_FLAGS", "<script>alert(1)</script>\x1b[31m")
    diff = compare_machines(SERVER, evil)
    assert "\x1b" not in diff_text(diff, Style(color=False))
    html = diff._repr_html_()
    assert "<script" not in html
    assert "\x1b" not in html


# The command.


def written(tmp_path, name, record):
    path = tmp_path / name
    path.write_text(json.dumps(record.to_dict()), encoding="utf-8")
    return str(path)


def test_the_command_says_what_is_responsible(tmp_path, capsys):
    before = written(tmp_path, "before.json", SERVER)
    after = written(tmp_path, "after.json", noise(without_cudnn(SERVER)))
    assert main(["diff", before, after]) == 1
    text = capsys.readouterr().out
    assert "because  nvidia-cudnn-cu12" in text
    assert "undo: python -m pip install nvidia-cudnn-cu12==" in text
    assert main(["diff", before, before]) == 0
    assert "No differences that matter." in capsys.readouterr().out
    assert main(["diff", after, before]) == 0  # it got better
    capsys.readouterr()
    assert main(["diff", before, after, "--json"]) == 1
    data = json.loads(capsys.readouterr().out)
    assert data["worse"] is True
    assert MachineDiff.from_dict(data).change("kernel").after == "6.8.0-9999"


def test_wrong_use_is_one_message(tmp_path, capsys):
    before = written(tmp_path, "before.json", SERVER)
    for arguments in (["/nonexistent/machine.json", before], [before, "/nonexistent/machine.json"], ["-", "-"]):
        assert main(["diff", *arguments]) == 2
        assert capsys.readouterr().err.startswith("devicekit: ")
    with pytest.raises(SystemExit) as end:
        main(["diff", before, before, "--here"])
    assert end.value.code == 2
    (tmp_path / "bomb.json").write_text("[" * 200000)
    assert main(["diff", str(tmp_path / "bomb.json"), before]) == 2
    assert "nested too deeply" in capsys.readouterr().err


def test_this_machine_now_is_the_other_one(tmp_path, capsys):
    assert main(["snapshot", "-o", str(tmp_path / "{node}.json")]) == 0
    (path,) = os.listdir(str(tmp_path))
    assert "{" not in path
    capsys.readouterr()
    assert main(["diff", str(tmp_path / path)]) == 0
    assert main(["diff", "--here", str(tmp_path / path)]) == 0


def test_a_folder_that_a_snapshot_masks_is_no_change(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("LD_LIBRARY_PATH", str(tmp_path / "a_lab_of_my_own"))
    path = str(tmp_path / "good.json")
    assert main(["snapshot", "-o", path]) == 0
    with open(path) as stream:
        assert "a_lab_of_my_own" not in stream.read()
    assert main(["diff", path]) == 0
    assert "No differences that matter." in capsys.readouterr().out


def test_words_that_disagree_are_judged():
    # ROCm lists GPUs that no bus has: the words of two machines in one file.
    mixed = having(machine("macos-11-metal"), ("rocm",), machine("linux-amd-container-one-of-two").rocm)
    mixed = having(mixed, ("python",), machine("linux-amd-container-one-of-two").python)
    mixed = having(mixed, ("process",), machine("linux-amd-container-one-of-two").process)
    assert can_be_judged(mixed)
