"""TensorFlow's own search for CUDA's libraries against the prediction, and the repair: where its build is one for CUDA.

`tools/check_cuda_search.py` does the same in two dozen layouts, for every release from 2.15 on.
"""

import os
import sys

import pytest

import devicekit

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = devicekit.detect().python.build("tensorflow")
VERSION = tuple(map(int, (devicekit.detect().python.version_of("tensorflow") or "0.0").split(".")[:2]))

pytestmark = pytest.mark.skipif(
    BUILD is None or not BUILD.cuda.or_none() or not sys.platform.startswith("linux") or VERSION < (2, 15),
    reason="needs a build of TensorFlow for CUDA 12",
)


@pytest.fixture
def check(monkeypatch):
    monkeypatch.syspath_prepend(os.path.join(ROOT, "tools"))
    import check_cuda_search

    # The devicekit that is installed here, not the checkout.
    monkeypatch.setattr(
        check_cuda_search, "ROOT", os.path.dirname(os.path.dirname(os.path.abspath(devicekit.__file__)))
    )
    return check_cuda_search


@pytest.mark.parametrize("layout", ["nothing", "on PYTHONPATH", "in LD_LIBRARY_PATH"])
def test_each_library_is_found_where_it_was_predicted_and_the_repair_helps(check, tmp_path, capsys, layout):
    folder = str(tmp_path)
    # Another folder is used as TensorFlow's: nothing is put into the environment.
    layouts = check.Layouts(os.path.join(folder, "site"), folder, "8" if VERSION < (2, 18) else "9")
    for name, environment, late in layouts.scenarios():
        if name == layout:
            assert check.differences(sys.executable, name, environment, late, folder) == []
            break
    said = capsys.readouterr().out
    assert "7 libraries" in said
    if layout == "on PYTHONPATH":
        assert "0 GPU" in said
        assert said.rstrip().endswith(": 1 GPU")
    if layout == "in LD_LIBRARY_PATH":
        assert "1 GPU, lacks nothing" in said
