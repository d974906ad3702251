"""`verify` and `devicekit verify`: small fake frameworks that misbehave; the child process and the comparison are real."""

import json
import os
import subprocess
import sys
import time
import venv

import pytest
from fake_frameworks import SOURCES

import devicekit
from devicekit.children.spawn import absolute_path, isolated
from devicekit.diagnosis.findings import Finding, FrameworkStatus, Packages
from devicekit.remedy.result import Attempt, Remedy
from devicekit.report.remedy import remedy_text
from devicekit.report.terminal import Style
from devicekit.report.verification import verification_text
from devicekit.runtime.trial.result import COMPUTING, Trial
from devicekit.runtime.verification import FrameworkVerification, Observation, Verification

FOLDER = os.path.dirname(os.path.dirname(os.path.abspath(devicekit.__file__)))
POSIX = os.name == "posix"

#: What every TensorFlow imports, installed in name only.
NEEDED = (
    "numpy", "protobuf", "typing_extensions", "packaging", "requests", "urllib3", "idna", "certifi", "ml_dtypes", "jaxlib",
    "absl_py", "astunparse", "flatbuffers", "gast", "google_pasta", "opt_einsum", "six", "termcolor", "wrapt", "scipy",
)  # fmt: skip


COMMAND = (
    "import sys; del sys.path[0]; sys.path.append(sys.argv.pop(1)); "
    "from devicekit.cli.main import main; sys.exit(main())"
)


class Patients:
    """A folder with fake frameworks, and what runs the command on it."""

    def __init__(self, folder, bare):
        self.bare = bare
        self.folder, self.site = folder, folder / "site-packages"
        self.site.mkdir()
        self.behavior = {}
        self.environ = dict(os.environ, PYTHONPATH=str(self.site), PYTHONDONTWRITEBYTECODE="1")
        self.environ["HOME"] = self.environ["USERPROFILE"] = str(folder)  # no keras.json of anyone who runs the tests
        for name in ("KERAS_BACKEND", "KERAS_HOME", "DEVICEKIT_QUIET", "TF_CONFIG", "TF_USE_LEGACY_KERAS"):
            self.environ.pop(name, None)
        for name in NEEDED:
            self.metadata(name, "9.9")
        self.package("numpy", "9.9")

    def metadata(self, name, version):
        info = self.site / ("%s-%s.dist-info" % (name, version))
        if not info.is_dir():
            info.mkdir()
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: %s\nVersion: %s\n" % (name, version))
        files = "%s/__init__.py,,\n" % name if (self.site / name).is_dir() else ""
        (info / "RECORD").write_text(files + "%s/METADATA,,\n" % info.name)

    def package(self, name, version, **stages):
        """Put a fake in; a keyword is a stage, with what is done in it."""
        (self.site / name).mkdir(exist_ok=True)
        (self.site / name / "__init__.py").write_text("__version__ = %r\n" % version + SOURCES[name])
        self.metadata(name, version)
        self.behaves(name, **stages)

    def behaves(self, name, **stages):
        self.behavior.update({"%s %s" % (name, stage): code for stage, code in stages.items()})

    def command(self, *arguments):
        return subprocess.run(
            [sys.executable, "-c", COMMAND, FOLDER, "verify", *arguments],
            cwd=str(self.folder),
            env=dict(self.environ, PATIENT=json.dumps(self.behavior)),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=120,
        )

    def verify(self, *names, **options):
        """Return the exit status and the rows by name, of an interpreter that has nothing but the fakes."""
        arguments = [
            "--json",
            "--python",
            self.bare,
            "--framework",
            *names,
            "--timeout",
            str(options.pop("timeout", 60)),
        ]
        assert not options
        done = self.command(*arguments)
        assert done.stdout, done.stderr[-3000:]
        return done.returncode, {row["framework"]: row for row in json.loads(done.stdout)["frameworks"]}


@pytest.fixture(scope="module")
def bare(tmp_path_factory):
    """An interpreter with nothing installed: what the Python of the tests has must not matter."""
    folder = tmp_path_factory.mktemp("bare") / "environment"
    venv.create(str(folder), with_pip=False)
    return str(folder)


@pytest.fixture
def patients(tmp_path, bare):
    return Patients(tmp_path, bare)


UNKNOWN = "99.0.0"  # a release of TensorFlow that no one has seen: nothing is predicted


def test_everything_works(patients):
    patients.package("tensorflow", UNKNOWN)
    patients.package("torch", "2.3.0")
    patients.package("jax", "0.4.30")
    status, rows = patients.verify("tensorflow", "torch", "jax")
    assert status == 0
    for name, device in (("tensorflow", "CPU:0"), ("torch", "cpu"), ("jax", "cpu:0")):
        observed = rows[name]["observed"]
        assert observed["outcome"] == "works", observed
        assert (observed["stage"], observed["imports"], observed["computes"], observed["error"]) == (
            "train",
            True,
            True,
            "",
        )
        assert observed["devices"] == [device]
        assert 0 < observed["seconds"] < 60
        assert (rows[name]["works"], rows[name]["findings"]) == (True, [])
    # By tf.keras, for there is no other; JAX and PyTorch have no Keras here and take a gradient of their own.
    assert [rows[name]["observed"]["keras_runs"] for name in rows] == [True, None, None]
    assert (rows["tensorflow"]["predicted"]["will_import"], rows["tensorflow"]["agrees"]) == (None, None)
    assert (rows["torch"]["predicted"]["will_import"], rows["torch"]["agrees"]) == (True, True)


FAULTS = {
    "raises at its import": ({"import": "raise ImportError('half of it is missing')"}, "raised", "import"),
    "gives up": ({"import": "sys.exit(3)"}, "raised", "import"),
    "dies": ({"import": "os.kill(os.getpid(), signal.SIGSEGV)"}, "died", "import"),
    "ends silently": ({"product": "os._exit(0)"}, "died", "product"),
    "hangs": ({"list": "time.sleep(600)"}, "hung", "list"),
    "computes nonsense": ({"product": "FOUND = off_by_one(FOUND)"}, "wrong", "product"),
    "computes nothing": ({"product": "FOUND = [None, None]"}, "wrong", "product"),
    "has no kernel": ({"elementwise": "raise RuntimeError('CUDA error: no kernel image')"}, "raised", "elementwise"),
    "draws no numbers": ({"random": "FOUND = [[0.0] * 1024]"}, "wrong", "random"),
    "has no cuDNN": ({"convolution": "os.kill(os.getpid(), signal.SIGABRT)"}, "died", "convolution"),
    "does not train": ({"train": "raise RuntimeError('no gradient')"}, "raised", "train"),
}


@pytest.mark.only_on("posix", reason="signals are POSIX's")
@pytest.mark.parametrize("fault", FAULTS)
def test_it_does_not_work_and_that_was_not_predicted(patients, fault):
    stages, outcome, stage = FAULTS[fault]
    patients.package("torch", "2.3.0", **stages)
    started = time.monotonic()
    status, rows = patients.verify("torch", timeout=3 if outcome == "hung" else 60)
    assert time.monotonic() - started < 60
    row = rows["torch"]
    observed = row["observed"]
    assert (observed["outcome"], observed["stage"]) == (outcome, stage)
    assert (observed["imports"], observed["computes"]) == (stage != "import", stage == "train")
    stages = ("import", "list", *COMPUTING)
    assert observed["passed"] == list(stages[: stages.index(stage)])
    assert observed["device"] == ("cpu" if stage in COMPUTING else "")
    assert observed["error"]
    assert (status, row["works"], row["agrees"], len(row["differences"])) == (1, False, False, 1)
    assert row["differences"][0].startswith("It was predicted that torch ")
    verbs = {"wrong": "gives a wrong result", "raised": "raises", "died": "dies", "hung": "hangs"}
    assert "in fact it %s" % verbs[outcome] in row["differences"][0]


def test_nothing_was_predicted_and_it_fails(patients):
    patients.package("tensorflow", UNKNOWN, **{"import": "raise ImportError('libcudart.so.12: cannot open')"})
    status, rows = patients.verify("tensorflow")
    row = rows["tensorflow"]
    assert (status, row["agrees"], row["differences"]) == (1, None, [])
    assert row["observed"]["keras_runs"] is False


def test_what_it_printed_is_explained(patients):
    error = "numpy.core.multiarray failed to import"
    patients.package("tensorflow", UNKNOWN, **{"import": "raise ImportError(%r)" % error})
    _, rows = patients.verify("tensorflow")
    findings = rows["tensorflow"]["findings"]
    assert findings[0]["code"] == "numpy-incompatible"
    assert any(item["source"].startswith("output of tensorflow, line") for item in findings[0]["evidence"])


def broken_prediction(patients, **stages):
    """TensorFlow 2.10 next to NumPy 2, of which devicekit knows that it cannot be imported."""
    patients.package("tensorflow", "2.10.1", **stages)
    patients.metadata("numpy", "2.0.2")
    (patients.site / "numpy-9.9.dist-info" / "METADATA").unlink()


def test_it_fails_as_predicted(patients):
    broken_prediction(patients, **{"import": "raise TypeError('Unable to convert function return value')"})
    status, rows = patients.verify("tensorflow")
    row = rows["tensorflow"]
    assert row["predicted"]["will_import"] is False
    assert (status, row["agrees"], row["differences"]) == (1, True, [])
    assert row["predicted"]["cause"] in [item["code"] for item in row["findings"]]


def test_it_works_although_it_should_not(patients):
    broken_prediction(patients)
    status, rows = patients.verify("tensorflow")
    row = rows["tensorflow"]
    assert (status, row["works"], row["agrees"]) == (0, True, False)
    assert "cannot be imported (%s); in fact it can" % row["predicted"]["cause"] in row["differences"][0]
    text = patients.command("--framework", "tensorflow", "--python", patients.bare).stdout
    assert "The prediction was wrong." in text
    assert "Please report it" in text
    path = '"%s"' % patients.bare if os.name == "nt" else patients.bare  # cmd knows no single quotes
    assert "devicekit snapshot --python %s --output machine.json" % path in text


def test_one_that_is_not_installed(patients):
    status, rows = patients.verify("jax")
    row = rows["jax"]
    assert (status, row["predicted"]["will_import"], row["agrees"]) == (1, False, True)
    assert "ModuleNotFoundError" in row["observed"]["error"]


def test_keras_is_trained_where_it_computes_with_the_framework(patients):
    patients.package("torch", "2.3.0")
    patients.package("jax", "0.4.30")
    patients.package("keras", "3.4.0")
    patients.environ["KERAS_BACKEND"] = "torch"
    patients.behaves("keras", train="raise RuntimeError('Keras does not train')")
    status, rows = patients.verify("torch", "jax", "keras")
    assert status == 1
    assert (rows["torch"]["observed"]["stage"], rows["torch"]["observed"]["keras_runs"]) == ("train", False)
    assert (rows["keras"]["observed"]["devices"], rows["keras"]["observed"]["keras_runs"]) == (["cpu"], False)
    assert (rows["jax"]["observed"]["outcome"], rows["jax"]["observed"]["keras_runs"]) == ("works", None)
    patients.behaves("keras", train="")
    status, rows = patients.verify("torch", "jax", "keras")
    assert status == 0
    assert rows["torch"]["observed"]["keras_runs"] is True


def test_a_training_step_that_changes_nothing_is_wrong(patients):
    patients.package("tensorflow", UNKNOWN, train="FOUND = FOUND[0], CHILD['training']()[2]")
    status, rows = patients.verify("tensorflow")
    observed = rows["tensorflow"]["observed"]
    assert (status, observed["outcome"], observed["stage"]) == (1, "wrong", "train")
    assert "the weights after a training step is off by" in observed["error"]


def test_this_interpreter_and_the_text(patients):
    patients.package("torch", "2.3.0")
    done = patients.command("--framework", "torch")
    assert done.returncode == 0, done.stderr
    assert "torch 2.3.0: works, as predicted" in done.stdout
    assert done.stdout.endswith("Everything works, as predicted.\n")


def test_the_function_and_what_the_process_has_imported(patients, run_json):
    patients.package("torch", "2.3.0")
    code = (
        "import json, sys\n"
        "sys.path.append(sys.argv[1])\n"
        "import devicekit\n"
        "found = devicekit.verify('torch', timeout_s=60)\n"
        "assert 'torch' not in sys.modules\n"
        "assert isinstance(found, devicekit.runtime.Verification)\n"
        "print(json.dumps([found.works, found.agrees, found.framework('jax') is None, found.to_dict()]))\n"
    )
    works, agrees, none, data = run_json(code, FOLDER, env=patients.environ)
    assert (works, agrees, none) == (True, True, True)
    assert [row["framework"] for row in data["frameworks"]] == ["torch"]


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["--framework", "banana"], "unknown framework 'banana'; accepted are tensorflow, keras, jax, torch"),
        (["--timeout", "0"], "a time limit is a number of seconds above 0"),
        (["--timeout", "nan"], "a time limit is a number of seconds above 0"),
        (["--timeout", "soon"], "invalid float value"),
        (["--python", "/nonexistent/python"], "does not exist"),
    ],
)
def test_wrong_use(patients, arguments, message):
    done = patients.command(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_arguments_of_another_type():
    for arguments, message in (
        ({"timeout_s": None}, "a time limit is a number of seconds above 0 and up to 86400, not None"),
        ({"timeout_s": "60"}, "not '60'"),
        ({"frameworks": 1}, "frameworks is a list of names, not 1"),
    ):
        with pytest.raises(ValueError, match=message):
            devicekit.verify(**arguments)


def test_numerics_without_a_framework_are_not_wrong_use(patients):
    """A framework that is broken is installed: the message says what is so of both, and the status is that of `bench`."""
    done = patients.command("--numerics", "--framework", "jax")
    assert (done.returncode, done.stdout) == (1, "")
    assert "cannot test jax: it is not installed" in done.stderr


def status(name="tensorflow", will_import=True, keras=True, devices=("CPU:0",), cause=None):
    return FrameworkStatus(name, "2.0", will_import, keras, devices, cause)


def seen(outcome, stage, devices=("CPU:0",), keras=True, error="E"):
    return Observation.of(Trial(outcome, stage, devices=devices), "" if outcome == "works" else error, keras, 1.0)


GPU = ("CPU:0", "GPU:0")


@pytest.mark.parametrize(
    "predicted, observed, agrees, works, words",
    [
        (status(), seen("works", "train"), True, True, ""),
        (status(devices=GPU), seen("works", "train"), False, False, "lists CPU:0, GPU:0; in fact it lists CPU:0"),
        (status(), seen("works", "train", GPU), False, True, "in fact it lists CPU:0, GPU:0"),
        (status(), seen("died", "convolution", GPU), False, False, "it dies (E) when it computes a convolution"),
        (status(keras=False, cause="keras-incompatible"), seen("raised", "train"), True, False, ""),
        (status(keras=False, cause="keras-incompatible"), seen("works", "train"), False, True, "in fact it does"),
        (status(), seen("raised", "train"), False, False, "Keras trains; in fact tensorflow raises (E)"),
        (status(devices=(), keras=False, cause="x"), seen("died", "list", ()), True, False, ""),
        (
            status(devices=(), keras=False, cause="x"),
            seen("raised", "train"),
            False,
            False,
            "cannot list its devices (x)",
        ),
        (status(will_import=None, keras=None), seen("hung", "import", ()), None, False, ""),
        (status(), seen("not-run", "start"), None, False, ""),
        (status(will_import=False, keras=False, cause="x"), seen("hung", "import"), True, False, ""),
        (
            status("torch", keras=None, devices=("cpu",)),
            seen("works", "train", ("cpu", "cuda:0"), False),
            False,
            True,
            "torch lists cpu; in fact it lists cpu, cuda:0",
        ),
        (
            status("jax", keras=None, devices=("cuda:0", "cpu:0")),
            seen("works", "train", ("cpu:0",), False),
            False,
            False,
            "jax lists cuda:0, cpu:0; in fact it lists cpu:0",
        ),
        (
            status("jax", keras=False, devices=(), cause="environment-variable-fatal"),
            seen("raised", "list", (), False),
            True,
            False,
            "",
        ),
        (
            status("jax", keras=None, devices=("cpu:0",)),
            seen("raised", "train", ("cpu:0",), False),
            False,
            False,
            "works;",
        ),
        (status("keras", keras=False, devices=()), seen("raised", "train", ()), True, False, ""),
    ],
)
def test_comparison(predicted, observed, agrees, works, words):
    row = FrameworkVerification(predicted, observed)
    assert (row.agrees, row.works) == (agrees, works), row.differences
    assert bool(row.differences) == (agrees is False)
    assert words in " ".join(row.differences)


def test_devices_of_which_only_a_run_can_tell_contradict_nothing():
    row = FrameworkVerification(status(), seen("works", "train", GPU), undecided_devices=True)
    assert (row.agrees, row.works, row.differences) == (True, True, ())
    row = FrameworkVerification(status(devices=GPU), seen("works", "train"), undecided_devices=True)
    assert (row.agrees, row.works, row.missing) == (False, False, ("GPU:0",))


@pytest.mark.parametrize("width", [40, 100])
def test_the_report_is_harmless_and_fits(width):
    machine = devicekit.detect()
    hostile = "\x1b[31m\u202e M\u00fcller\n" * 30
    rows = (
        FrameworkVerification(status(), seen("works", "train")),
        FrameworkVerification(
            status("jax"), seen("raised", "import", (), error=hostile), (Finding("a-b", "error", "C."),)
        ),
        FrameworkVerification(status("torch", will_import=None), seen("works", "train", (hostile,))),
        FrameworkVerification(status("keras"), seen("not-run", "start", error=hostile)),
    )
    found = Verification(machine, rows)
    assert (found.works, found.agrees) == (False, False)
    text = verification_text(found, Style(width=width), "devicekit snapshot --python /x")
    assert "\x1b" not in text
    text.encode("ascii")
    assert "    devicekit snapshot --python /x --output machine.json\n" in text
    assert text.count("[a-b]") + text.count("a-b") == 2  # named in its row, told once
    assert text.endswith("Does not work: jax, keras.\n")
    assert json.loads(json.dumps(found.to_dict()))["frameworks"][1]["observed"]["outcome"] == "raised"


@pytest.mark.parametrize("outcomes, late", [(("hung", "works"), True), (("hung", "raised"), False)])
def test_no_answer_in_time_is_no_wrong_prediction_yet(outcomes, late):
    rows = tuple(FrameworkVerification(status(), seen(outcome, "train"), ()) for outcome in outcomes)
    text = " ".join(verification_text(Verification(devicekit.detect(), rows), Style()).split())
    assert ("try again with a larger --timeout. If it does not answer then either, this is a bug" in text) == late
    assert ("The prediction was wrong. This is a bug in devicekit." in text) != late


def test_nothing_of_the_working_folder_is_run(patients):
    """What a framework imports is not a file that happens to lie where the command is typed."""
    patients.package("tensorflow", UNKNOWN)
    ran = patients.folder / "ran"
    for name in ("typing", "numpy", "tensorflow", "json", "os", "keras"):
        (patients.folder / ("%s.py" % name)).write_text("open(%r, 'a').write(__name__)\n" % str(ran))
    done = patients.command("--json", "--python", patients.bare, "--framework", "tensorflow")
    assert not ran.exists()
    # It says so instead, as an error: a program that is started there meets those files.
    assert done.returncode == 1
    shadowed = json.loads(done.stdout)["shadowed"]
    assert {item["code"] for item in shadowed} == {"module-shadowed"}
    assert any("/tensorflow.py shadows" in item["summary"].replace("\\", "/") for item in shadowed)
    text = patients.command("--python", patients.bare, "--framework", "tensorflow").stdout
    assert "Nothing in the working folder was run. A program that is started there meets this:" in text
    assert text.rstrip().endswith("Everything works outside of the working folder.")
    assert not ran.exists()


def test_a_fix_of_the_working_folder_says_where_it_was_tried():
    rows = (FrameworkVerification(status(), seen("works", "train")),)
    moved = Attempt(Packages(), "Move /project/random.py aside.", aside=("/project/random.py",), outcome="works")
    remedy = Remedy("python", "auto", "fixed", "It works now.", attempts=(moved,), before=rows, after=rows)
    assert "Before (tried outside of the working folder)\n" in remedy_text(remedy)
    installed = moved.replace(aside=())
    assert "\nBefore\n" in remedy_text(remedy.replace(attempts=(installed,)))


def test_the_working_folder_counts_where_the_user_puts_it_on_the_path(patients, monkeypatch):
    monkeypatch.chdir(patients.folder)
    folder, other = str(patients.folder), str(patients.site)
    monkeypatch.delenv("PYTHONPATH", raising=False)
    assert isolated([folder, other], (folder,)) == [other]
    monkeypatch.setattr(sys, "path", ["", other])
    assert absolute_path() == [other, folder]  # what is only there is still found
    monkeypatch.setenv("PYTHONPATH", folder)
    assert isolated([folder, other], (folder,)) == [folder, other] == absolute_path()
