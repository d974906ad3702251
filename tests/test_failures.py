"""Tracebacks and failed commands that no signature knows: a log that ends in an error is never "nothing is wrong"."""

import textwrap

import pytest

from devicekit.logs import explain_log
from devicekit.report.terminal import Style, explanation_text

SITE = "/srv/env/lib/python3.11/site-packages/"


def traceback(error, *frames, begin="Traceback (most recent call last):"):
    """Return a traceback as Python prints it. A frame is a file and a function."""
    lines = [begin]
    for path, function in frames:
        lines += ['  File "%s", line 7, in %s' % (path, function), "    call(x)", "    ^^^^^^^"]
    return "\n".join([*lines, error, ""])


def only(log, **options):
    findings = explain_log(log, **options).findings
    assert len(findings) == 1, [item.code for item in findings]
    return findings[0]


OWN = ("/work/train.py", "<module>")
KERAS = (SITE + "keras/src/layers/layer.py", "__call__")


def test_an_error_of_the_program_is_a_note():
    finding = only(traceback("KeyError: 'lables'", OWN, ("/work/data.py", "load")))
    assert (finding.code, finding.severity) == ("user-code-error", "info")
    assert "KeyError: 'lables' (data.py)" in finding.summary
    assert finding.evidence[0].source == "log, line 8"


def test_an_error_in_a_library_names_it_and_no_cause():
    finding = only(traceback("ValueError: something odd.", OWN, KERAS))
    assert (finding.code, finding.severity) == ("cause-unknown", "error")
    assert "ValueError: something odd (raised in Keras)" in finding.summary
    assert "not known" in finding.summary
    add_on = only(traceback("RuntimeError: odd", OWN, (SITE + "xformers/ops/x.py", "f")))
    assert "raised in xformers, which builds on PyTorch" in add_on.summary
    unknown = only(traceback("RuntimeError: odd", OWN, (SITE + "leftpad/x.py", "f")))
    assert "raised in leftpad)" in unknown.summary


def test_a_page_that_took_the_blanks_leaves_the_last_line_as_the_error():
    log = (
        'Traceback (most recent call last):\nFile "train.py", line 5, in\nimport tensorflow_addons as tfa\n'
        'File "/srv/env/lib/python3.7/site-packages/tensorflow_addons/__init__.py", line 5, in\nfrom foo import bar\n'
        "ImportError: cannot import name bar"
    )
    assert "ImportError: cannot import name bar" in only(log).summary
    log = log.replace("cannot import name bar", "unable to find it").replace("tensorflow_addons", "tensorflow")
    assert (only(log).code, only(log).summary) == (
        "framework-broken",
        "Importing TensorFlow fails: ImportError: unable to find it.",
    )


@pytest.mark.parametrize("name, title", [("tensorflow", "TensorFlow"), ("torch", "PyTorch"), ("jax", "JAX")])
def test_only_the_import_of_a_framework_makes_it_broken(name, title):
    start = (SITE + name + "/__init__.py", "<module>")
    finding = only(traceback("NameError: name 'qux' is not defined", OWN, start))
    assert (finding.code, finding.severity) == ("framework-broken", "error")
    assert finding.summary == "Importing %s fails: NameError: name 'qux' is not defined." % title
    later = only(traceback("NameError: name 'qux' is not defined", OWN, (SITE + name + "/core/ops.py", "add")))
    assert later.code == "cause-unknown"
    other = only(traceback("NameError: name 'qux' is not defined", OWN, (SITE + "leftpad/__init__.py", "<module>")))
    assert other.code == "cause-unknown"


def test_an_exception_without_its_type():
    start = (SITE + "tensorflow/__init__.py", "<module>")
    assert only(traceback("cannot import name 'qux'", OWN, start)).summary.endswith("cannot import name 'qux'.")


def test_the_first_error_is_named():
    chained = traceback("ValueError: first", OWN, KERAS)
    chained += "\nDuring handling of the above exception, another exception occurred:\n\n"
    chained += traceback("RuntimeError: second", OWN, KERAS)
    finding = only(chained)
    assert "ValueError: first" in finding.summary
    assert finding.evidence[0].source.endswith("line 8")


@pytest.mark.parametrize("prefix", ["(Worker pid=812) ", "[rank0]: ", "trainer-1  | ", "2026-01-02 10:00:00,123 "])
def test_launchers_and_containers_print_something_before(prefix):
    text = "".join(prefix + line + "\n" for line in traceback("ValueError: odd", OWN, KERAS).splitlines())
    assert "ValueError: odd (raised in Keras)" in only(text).summary


@pytest.mark.parametrize(
    "frame",
    [
        "File /srv/env/lib/python3.11/site-packages/keras/src/layers/layer.py:122, in filter(x)",
        "~\\env\\lib\\site-packages\\keras\\src\\layers\\layer.py in filter(x)",
        "[/usr/lib/python3.11/dist-packages/keras/src/layers/layer.py](https://localhost:8080/#) in filter(x)",
    ],
)
def test_notebooks(frame):
    text = "ValueError         Traceback (most recent call last)\n%s\n    121 x\n--> 122 y\n\nValueError: odd\n" % frame
    assert "raised in Keras" in only(text).summary


def test_what_a_program_survives_is_not_reported():
    text = traceback("ValueError: odd", OWN, KERAS)
    progress = "Epoch 2/5\n12/12 - 1s 3ms/step - loss: 0.5\n"
    assert explain_log(text + progress).findings == ()
    assert only(progress + text).code == "cause-unknown"
    assert explain_log(text + "line\n" * 400).findings == ()
    assert explain_log("Exception ignored in: <function A.__del__ at 0x7f>\n" + text).findings == ()
    optional = "A matching Triton is not available, some optimizations will not be enabled\n"
    absent = traceback("ModuleNotFoundError: No module named 'triton'", (SITE + "xformers/__init__.py", "_has_triton"))
    assert explain_log(optional + absent).findings == ()
    assert only(absent).code == "dependency-incompatible"


@pytest.mark.parametrize(
    "line",
    [
        "Using TensorFlow backend.",
        "2026-11-28 10:17:33.663091: I tensorflow/core/platform/cpu_feature_guard.cc:210] This TensorFlow binary is optimized "
        "to use available CPU instructions in performance-critical operations.",
    ],
)
def test_a_harmless_line_does_not_hide_the_traceback_after_it(line):
    assert only(line + "\n" + traceback("ValueError: odd", OWN, KERAS)).code == "cause-unknown"


def test_whoever_stops_a_program_makes_no_error():
    assert explain_log(traceback("KeyboardInterrupt", OWN, KERAS)).findings == ()
    assert explain_log(traceback("SystemExit: 0", OWN)).findings == ()


def test_what_is_known_comes_before_what_is_not():
    known = "ImportError: libcudnn.so.8: cannot open shared object file: No such file or directory"
    found = explain_log(traceback(known, OWN, KERAS) + traceback("ValueError: odd", OWN, KERAS))
    assert [item.code for item in found.findings] == ["cudnn-missing"]
    assert found.certain
    assert not explain_log(traceback("ValueError: odd", OWN, KERAS)).certain


@pytest.mark.parametrize(
    "line",
    [
        "make: *** [Makefile:12: all] Error 1",
        "ERROR: Failed building wheel for leftpad",
        "csrc/a.cpp:3:10: fatal error: leftpad.h: No such file or directory",
        "CMake Error at CMakeLists.txt:3 (find_package):",
        "subprocess.CalledProcessError: Command 'leftpad' returned non-zero exit status 2.",
        "fatal: the leftpad is gone",
        "Process finished with exit code 3",
        "thread '<unnamed>' panicked at leftpad/lib.rs:3:5: index out of bounds",
    ],
)
def test_failed_commands(line):
    finding = only("a line before\n" + line)
    assert finding.code == "cause-unknown"
    assert line.rpartition(": ")[2][:20].rstrip(".") in finding.summary


def test_an_error_that_is_only_said_counts_at_the_end():
    said = "ERROR: the leftpad is gone\n"
    assert only(said).code == "cause-unknown"
    assert explain_log(said + "ok\n" * 20).findings == ()
    assert explain_log("the error: none\n0 errors\nexit code 0\nexited with code 0\n").findings == ()


CRASH = "Fatal Python error: Segmentation fault\n\nCurrent thread 0x00007f (most recent call first):\n"


def test_a_crash_breaks_the_framework_only_while_it_is_imported():
    call = '  File "%storch/nn/modules/conv.py", line 45 in forward\n  File "train.py", line 3 in <module>\n' % SITE
    start = '  File "%storch/__init__.py", line 45 in <module>\n' % SITE
    start += '  File "<frozen importlib._bootstrap>", line 241 in _call_with_frames_removed\n'
    assert only(CRASH + call).code == "cause-unknown"
    assert only(CRASH + call + start).code == "framework-broken"
    assert only(">>> import torch\nSegmentation fault (core dumped)\n").code == "framework-broken"
    assert only("Epoch 1/3\nSegmentation fault (core dumped)\n").code == "cause-unknown"


@pytest.mark.parametrize(
    "error",
    [
        "RuntimeError: mat1 and mat2 shapes cannot be multiplied (64x128 and 256x10)",
        "RuntimeError: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!",
        "ValueError: Received a label value of 10 which is outside the valid range of [0, 10).",
        "RuntimeError: CUDA error: device-side assert triggered",
    ],
)
def test_what_the_program_does_wrong_is_a_note_wherever_it_is_raised(error):
    finding = only(traceback(error, OWN, (SITE + "torch/nn/modules/linear.py", "forward")), facts={"gpu": "RTX 3090"})
    assert (finding.code, finding.severity) == ("user-code-error", "info")


def test_the_report_says_what_is_not_known():
    style = Style(width=100)
    unknown = explanation_text(explain_log(traceback("ValueError: odd", OWN, KERAS)), style)
    assert "devicekit does not know the cause of this error." in unknown
    assert "weak sign" not in unknown
    own = explanation_text(explain_log(traceback("KeyError: 'lables'", OWN)), style)
    assert "The program itself made the error" in own
    assert "No problems found" not in own


def test_no_personal_data_leaves():
    error = traceback("ValueError: /home/berta/x is odd", ("/home/berta/train.py", "<module>"), KERAS)
    assert "berta" not in str(explain_log(error).to_dict())


def test_a_very_deep_recursion():
    frames = [("/work/m%s.py" % ("a" * (n % 50)), "f%d" % n) for n in range(3000)]
    finding = only(traceback("RecursionError: maximum recursion depth exceeded", *frames))
    assert finding.code == "user-code-error"


def test_an_exception_that_the_program_raises_again_is_its_own():
    inner = traceback("KeyError: 'label'", (SITE + "pandas/core/indexes/base.py", "get_loc"))
    outer = traceback("KeyError: 'label'", OWN)
    between = "\nThe above exception was the direct cause of the following exception:\n\n"
    assert only(inner + between + outer).code == "user-code-error"
    # Of another kind, the first one is what went wrong.
    other = only(traceback("RuntimeError: odd", OWN, KERAS) + between + traceback("ValueError: failed", OWN))
    assert (other.code, "RuntimeError: odd" in other.summary) == ("cause-unknown", True)
    # What stops a framework's import is not the program's, even if the program raises it again.
    broken = traceback("KeyError: 'label'", OWN, (SITE + "torch/__init__.py", "<module>"))
    assert only(broken + between + outer).code == "framework-broken"


def test_the_prefix_of_a_logger_is_left_out():
    lines = traceback("RuntimeError: odd", OWN, (SITE + "vllm/v1/engine/core.py", "run")).splitlines()
    log = "\n".join("(EngineCore_0 pid=77) ERROR 06-29 19:20:00 [core.py:515] %s" % line for line in lines)
    finding = only(log)
    assert finding.code == "cause-unknown"
    assert "RuntimeError: odd (raised in vllm" in finding.summary


def test_a_traceback_without_its_last_line_is_not_nothing():
    log = traceback("ValueError: odd", (SITE + "foo/__init__.py", "<module>"))
    finding = only(log.replace("ValueError: odd\n", ""))
    assert finding.code == "cause-unknown"
    assert "(in foo) without its last line" in finding.summary
    assert "without its last line" not in only(log).summary


@pytest.mark.parametrize("slash", ["/", "\\"])
def test_a_library_that_imports_a_file_of_the_program_meets_one_that_hides_a_module(slash):
    start, library = (SITE + "peft/utils.py", "<module>"), ("/usr/lib/python3.11/fractions.py", "<module>")
    folder = slash.join(["", "work", "digits", ""])
    hides = (folder + "datasets.py", "<module>")
    error = "AttributeError: module 'datasets' has no attribute 'Dataset'"
    finding = only(traceback(error, (folder + "train.py", "<module>"), start, hides))
    assert finding.code == "module-shadowed"
    assert finding.fix[0].text.startswith("Rename datasets.py,")
    started = ("/usr/lib/python3.11/runpy.py", "_run_code")
    for frames in (
        [(folder + "train.py", "<module>"), hides],  # its own import
        [(folder + "train.py", "<module>"), started, hides],  # a function runs it: that was asked for
        [("/work/train.py", "<module>"), start, (slash.join(["", "clones", "lib", "ops.py"]), "<module>")],
        [(folder + "train.py", "<module>"), start, library],
    ):
        assert only(traceback("KeyError: 'x'", *frames)).code != "module-shadowed"


@pytest.mark.parametrize("width", [37, 51, 77, 93, 140])
def test_an_error_is_one_at_any_width_of_a_terminal(width):
    error = (
        "ImportError: cannot import name 'dtensor' from 'tensorflow.compat.v2.experimental' "
        "(/srv/environments/training/lib/python3.9/site-packages/tensorflow/_api/v2/compat/v2/experimental/__init__.py)"
    )
    broken = "\n".join(error[start : start + width] for start in range(0, len(error), width))
    assert only(broken).code == "keras-incompatible"
    words = textwrap.fill(error, width, break_long_words=False, break_on_hyphens=False)
    assert only(words).code == "keras-incompatible"


def test_a_broken_error_does_not_swallow_the_next_line():
    for line in ("me@host:~$ ls", "Traceback (most recent call last):", "Process finished"):
        finding = only("ImportError: No module named tensorflow\n" + line)
        assert "tensorflow is" in finding.summary


def test_the_short_name_of_a_module_is_not_a_package():
    finding = only("    from tf.keras.utils import plot_model\nModuleNotFoundError: No module named 'tf'")
    assert (finding.code, finding.severity) == ("user-code-error", "info")
    assert "tensorflow.keras" in finding.summary


def test_an_error_that_a_terminal_broke_is_one_error():
    broken = "RuntimeError: CUDA error: all CUDA-capable devices are busy or unavailable\nme@host:~/app$ nvidia-smi"
    finding = only(broken)
    assert [item.text for item in finding.evidence] == [broken.split("\n")[0]]
