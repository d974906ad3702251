"""Which libraries a framework's build would not find, and what is said and done about it, on whole machines."""

import pytest
from recorded_machines import load_machine

from devicekit import diagnose
from devicekit.diagnosis.rules.libraries import missing_libraries, search
from devicekit.diagnosis.view import View
from devicekit.machine.facts import LoadedModule, Opener
from devicekit.matrix.matrix import BUNDLED

SITE = "/venv/lib/python3.11/site-packages"
CUSOLVER = SITE + "/nvidia/cusolver/lib/libcusolver.so.11"


def machine(name):
    return load_machine(name)


def test_what_is_installed_and_would_not_be_found_is_to_be_loaded_first():
    diagnosis = diagnose(machine("linux-nvidia-tensorflow-2.21"))
    assert diagnosis.libraries_for("tensorflow") == (CUSOLVER,)
    assert diagnosis.libraries_for("tensorflow1") == (CUSOLVER,)
    assert diagnosis.libraries_for("jax") == diagnosis.libraries_for(None) == ()
    finding = diagnosis.by_code("cuda-library-missing")
    assert [fix.command for fix in finding.fix] == [
        "import devicekit; devicekit.auto()",
        "export LD_LIBRARY_PATH=%s" % CUSOLVER.rpartition("/")[0],
    ]


def test_an_export_keeps_what_is_on_the_path_and_never_adds_an_empty_part():
    known = machine("linux-nvidia-tensorflow-2.21")
    process = known.process.replace(environ=(("LD_LIBRARY_PATH", "/opt/lib"),))
    finding = diagnose(known.replace(process=process)).by_code("cuda-library-missing")
    assert finding.fix[1].command.endswith('/nvidia/cusolver/lib:$LD_LIBRARY_PATH"')


def test_once_the_framework_is_imported_it_is_too_late():
    known = machine("linux-nvidia-tensorflow-2.21")
    process = known.process.replace(modules=(LoadedModule("tensorflow", "2.21.0"),))
    diagnosis = diagnose(known.replace(process=process))
    assert diagnosis.libraries_for("tensorflow") == ()
    finding = diagnosis.by_code("cuda-library-missing")
    assert (finding.severity, finding.blocks) == ("warning", ("tensorflow.cuda",))
    assert finding.fix[0].command == "import devicekit; devicekit.auto()"


def test_nothing_is_loaded_that_anybody_may_write_or_that_is_not_all():
    assert diagnose(machine("linux-nvidia-shared-folder")).libraries == ()
    known = machine("linux-nvidia-tensorflow-2.21")
    kept = tuple(item for item in known.cuda.libraries.value if "cufft" not in item.name)
    changed = known.replace(cuda=known.cuda.replace(libraries=known.cuda.libraries.replace(content=kept)))
    diagnosis = diagnose(changed)
    assert diagnosis.libraries == ()
    assert diagnosis.by_code("cuda-library-missing").severity == "warning"


def test_a_library_that_lacks_another_one_does_not_load():
    known = machine("linux-nvidia-two-cuda-versions")
    assert missing_libraries(View(known, BUNDLED), "tensorflow") == ()
    libraries = tuple(
        item.replace(needs=("libnvJitLink.so.12",)) if item.name == "libcusparse.so.12" else item
        for item in known.cuda.libraries.value
    )
    changed = known.replace(cuda=known.cuda.replace(libraries=known.cuda.libraries.replace(content=libraries)))
    assert missing_libraries(View(changed, BUNDLED), "tensorflow") == ("libcusparse.so.12",)
    finding = diagnose(changed).by_code("cuda-library-missing")
    assert "needs libnvJitLink.so.12" in finding.summary


@pytest.mark.parametrize(
    ("framework", "path", "needs", "missing"),
    [
        ("jax", "/jax_plugins/xla_cuda12/xla_cuda_plugin.so", (), ("libcupti.so.12",)),
        ("jax", "/jax_plugins/xla_cuda13/xla_cuda_plugin.so", (), None),
        ("torch", "/torch/lib/libtorch_cuda.so", ("libcudart.so.12", "libnccl.so.2"), ("libnccl.so.2",)),
        ("torch", "/torch/lib/libtorch_cuda.so", ("libcudart.so.12",), ()),
    ],
)
def test_the_other_frameworks_load_what_lies_on_the_path_themselves(framework, path, needs, missing):
    known = machine("linux-nvidia-split-install")
    folders = tuple(item.path.rpartition("/")[0] for item in known.cuda.libraries.value if item.found_via == "pip")
    opener = Opener(framework, SITE + path, (), needs=needs, own=folders)
    view = View(known.replace(cuda=known.cuda.replace(openers=(opener,))), BUNDLED)
    found = missing_libraries(view, framework)
    if missing is None:  # of CUDA 13 there is nothing but cuSPARSE, whose name did not change, and cuDNN
        assert set(found) == set(search(view, framework).names) - {"libcusparse.so.12", "libcudnn.so.9"}
    else:
        assert found == missing
    assert search(view, framework).repairable is False
    assert missing_libraries(View(known, BUNDLED), framework) == ()  # not installed


def test_without_its_file_a_release_looks_where_it_is_known_to_look():
    found = search(View(machine("linux-nvidia-tensorflow-2.16.1"), BUNDLED))
    assert "libcudart.so.12" not in found.missing
    assert set(found.missing) == set(found.names) - {"libcudart.so.12"}
    assert BUNDLED.search_folders("2.13.1") == ()
