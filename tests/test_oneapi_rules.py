"""What hides Intel's GPUs, and where oneAPI's libraries come from."""

import pytest

from devicekit.diagnosis.rules.oneapi import oneapi_fixes, selects_gpu
from devicekit.diagnosis.rules.plugins import _in_words
from devicekit.machine.probe import read_machine


@pytest.mark.parametrize(
    "selector, count, left",
    [
        ("level_zero:gpu", 1, True), ("level_zero:*", 1, True), ("*:gpu", 1, True), ("*:*", 1, True),
        ("level_zero:0", 1, True),
        ("level_zero:1", 1, False), ("level_zero:1", 2, True), ("level_zero:0.1", 1, True), ("opencl:*", 1, False),
        ("opencl:cpu", 1, False), ("opencl:gpu;level_zero:gpu", 1, True), ("!opencl:cpu", 1, True),
        ("!level_zero:*", 1, False),
        ("*:gpu;!level_zero:gpu", 1, False), ("level_zero:cpu", 1, False), ("LEVEL_ZERO:GPU", 1, True), ("gpu", 1, False),
        ("!opencl:gpu;level_zero:0,1", 1, True),
    ],
)  # fmt: skip
def test_what_a_selector_leaves(selector, count, left):
    assert selects_gpu(selector, count) is left


@pytest.mark.parametrize(
    "bounds, words",
    [("==2.10.*", "2.10"), (">=2.10,<2.11", "2.10"), (">=2.14,<2.18", "2.14 to 2.17"), (">=2.18,<2.19", "2.18")],
)
def test_releases_in_words(bounds, words):
    assert _in_words(bounds) == words


def fixes(make_machine, missing, **host):
    from devicekit.diagnosis.view import View
    from devicekit.matrix.matrix import Matrix

    return [fix.command for fix in oneapi_fixes(View(read_machine(make_machine(**host)), Matrix()), missing)]


def test_the_release_that_is_needed_and_there(make_machine):
    folders = ["/opt/intel/oneapi/compiler/2024.2", "/opt/intel/oneapi/compiler/2025.0"]
    assert fixes(make_machine, ("libsycl.so.8",), folders=folders) == [". /opt/intel/oneapi/setvars.sh"]
    root = {"env": {"ONEAPI_ROOT": "/data/oneapi"}, "folders": ["/data/oneapi/compiler/2024.0"]}
    assert fixes(make_machine, ("libsycl.so.7",), **root) == [". /data/oneapi/setvars.sh"]
    # What is there is of another release: it has to be installed first.
    assert len(fixes(make_machine, ("libsycl.so.8",), **root)) == 2
    pip = fixes(make_machine, ("libsycl.so.8", "libimf.so"), files={"/venv/lib/libsycl.so.8": ""})
    assert pip == ['export LD_LIBRARY_PATH="/venv/lib:$LD_LIBRARY_PATH"']
