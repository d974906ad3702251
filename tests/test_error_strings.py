"""`tools/error_strings.py` on a small library and a small package that the test makes."""

import importlib.util
import json
import os

import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

KNOWN = "Could not load dynamic library 'libcudart.so.11.0'; dlerror: cannot open shared object file"
UNKNOWN = "Failed to load the leftpad of the GPU driver"

SOURCE = '''"""Unable to load the shared library of the documentation."""
import logging


def load(name, size):
    if name is None:
        raise RuntimeError(f"cuDNN version {size} is not compatible with devices with SM < 7.5.")
    logging.warning("Unable to load the shared library %s of this " % name + "leftpad")
    raise ValueError("{} of {} must be even".format(name, size))
'''


@pytest.fixture
def tool():
    spec = importlib.util.spec_from_file_location("error_strings", os.path.join(ROOT, "tools", "error_strings.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def package(tmp_path):
    """Return a folder with a native library, a Python file, and files that are skipped."""
    folder = tmp_path / "leftpad"
    (folder / "tests").mkdir(parents=True)
    texts = [KNOWN, UNKNOWN, "the GPU is fine and fast", "short", "_ZN3c104cuda9SetDeviceEi cannot load libcuda.so"]
    content = b"\x7fELF\x02" + b"\0\xff".join(text.encode("ascii") for text in texts) + b"\0"
    (folder / "_leftpad.so").write_bytes(content)
    (folder / "empty.so").write_bytes(b"")
    (folder / "core.py").write_text(SOURCE, encoding="utf-8")
    (folder / "other.py").write_text("def broken(\n", encoding="utf-8")
    (folder / "tests" / "test_core.py").write_text(
        'raise OSError("Unable to load the shared library")\n', encoding="utf-8"
    )
    return folder


def test_messages_are_found_with_topic_and_file(tool, package):
    found = tool.messages(str(package))
    assert found == {
        KNOWN: ("library", "_leftpad.so"),
        UNKNOWN: ("driver", "_leftpad.so"),
        "cuDNN version {} is not compatible with devices with SM < 7.5.": ("version", "core.py"),
        "Unable to load the shared library %s of this leftpad": ("library", "core.py"),
    }


def test_a_message_is_covered_by_a_signature_or_is_a_piece_of_an_example(tool):
    coverage = tool.Coverage()
    assert coverage.signature(KNOWN) is not None
    assert coverage.signature(UNKNOWN) is None
    assert (
        coverage.signature("cuDNN version {} is not compatible with devices with SM < 7.5.") == "cudnn-refused-version"
    )
    # The rest of the line comes from another text.
    assert coverage.signature("Cannot find the supported GPU device") is not None
    assert coverage.signature("Error: ") is None


def test_the_report(tool, package, tmp_path, capsys):
    out = tmp_path / "all.json"
    assert tool.main([str(package), "--uncovered", "--json", str(out)]) == 0
    printed = capsys.readouterr().out
    assert "leftpad of the GPU driver" in printed
    assert "libcudart" not in printed
    assert "%s: 3 of 4 messages covered (75 %%)" % package in printed
    written = json.loads(out.read_text(encoding="utf-8"))
    assert {row["message"]: bool(row["signature"]) for row in written}[KNOWN]
    assert tool.main([str(package), "--topic", "driver"]) == 0
    assert "0 of 1 messages covered" in capsys.readouterr().out
