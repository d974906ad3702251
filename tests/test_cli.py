"""The command line, in a child process."""

import io
import json
import os
import re
import shlex
import subprocess
import sys
import venv

import pytest
from recorded_machines import load_machine

import devicekit
from devicekit.cli.main import command_parser, main
from devicekit.cli.mcp import tools
from devicekit.cli.output import terminal_style
from devicekit.diagnosis.findings import Candidate, Diagnosis, Evidence, Finding, Fix
from devicekit.errors import did_you_mean
from devicekit.report.terminal import Style, doctor_text
from devicekit.runtime.settings import read_settings
from devicekit.testing import simulated_machine

FOLDER = os.path.dirname(os.path.dirname(os.path.abspath(devicekit.__file__)))


def run(*arguments, **options):
    environ = dict(dict(os.environ, PYTHONPATH=FOLDER), **options.pop("env", {}))
    return subprocess.run(
        [sys.executable, "-m", "devicekit", *arguments],
        env=environ,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        encoding="utf-8",
        **options,
    )


def test_doctor_devices_snapshot_with_and_without_json(tmp_path):
    status = run("doctor").returncode
    assert status in (0, 1)
    doctor = json.loads(run("doctor", "--json").stdout)
    assert {"schema", "selection", "findings", "devices", "prediction", "not_evaluated"} <= set(doctor)
    assert (status == 1) == any(item["severity"] == "error" for item in doctor["findings"])
    devices = json.loads(run("devices", "--json").stdout)
    assert devices["devices"][-1]["device"] == "cpu"
    assert "cpu" in run("devices").stdout
    snapshot = run("snapshot", "--json").stdout
    assert snapshot == run("snapshot").stdout
    path = tmp_path / "machine.json"
    path.write_text(snapshot, encoding="utf-8")
    replayed = json.loads(run("doctor", "--machine", str(path), "--json").stdout)
    here = json.loads(run("doctor", "--json", cwd=os.getcwd()).stdout)
    # A snapshot has no names of folders that say who uses the machine; all that is concluded is the same.
    for data in (replayed, here):
        data["findings"] = [(item["code"], item["severity"], item["blocks"]) for item in data["findings"]]
    assert {name: replayed[name] for name in ("findings", "devices", "prediction", "not_evaluated")} == {
        name: here[name] for name in ("findings", "devices", "prediction", "not_evaluated")
    }


@pytest.mark.parametrize("needed", ["packaging", "resolvelib"])
def test_a_requirement_that_is_missing_is_named(needed):
    code = "import sys; sys.modules[%r] = None; from devicekit.cli.main import main; sys.exit(main(['resolve', 'cpu']))"
    done = subprocess.run([sys.executable, "-c", code % needed], capture_output=True, text=True, cwd=FOLDER)
    assert done.returncode == 2
    assert done.stderr.startswith("devicekit: %s, which it needs, is not installed: " % needed), done.stderr
    assert done.stderr.endswith("-m pip install %s\n" % needed)


def test_snapshot_to_a_file(tmp_path):
    assert run("snapshot", "-o", str(tmp_path / "m.json")).returncode == 0
    assert devicekit.Machine.from_dict(json.loads((tmp_path / "m.json").read_text())).python.version
    done = run("snapshot", "-o", str(tmp_path / "none" / "m.json"))
    assert done.returncode == 2
    assert "cannot be written" in done.stderr


def test_the_exit_status_is_1_if_the_requested_device_cannot_be_used(tmp_path):
    empty = run("devices", "--device", "gpu:63")
    assert empty.returncode == 1
    assert run("--version").stdout == "devicekit %s\n" % devicekit.__version__


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["doctor", "--device", "banana"], "unknown device 'banana'; accepted are"),
        (["doctor", "--machine", "/nonexistent.json"], "cannot be read"),
        (["doctor", "--python", "/nonexistent/python"], "does not exist"),
        (["doctor", "--explain", "no-such-code"], "the codes are:"),
        (["snapshot", "--python", ""], "argument --python: it is empty; is a variable not set?"),
        (["fix", "--python=", "--dry-run"], "argument --python: it is empty; is a variable not set?"),
        (["doctor", "--machine", "a", "--python", "b"], "not allowed with"),
        (["nonsense"], "invalid choice"),
        ([], "usage: devicekit"),
    ],
)
def test_wrong_use_exits_with_2_and_one_message(arguments, message):
    done = run(*arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize(
    "arguments",
    [
        ["launch", "--workers=--", "x.py"],
        ["bench", "--timeout=--"],
        ["doctor", "--machine=--"],
        ["resolve", "gpu", "--keep=--"],
    ],
)
def test_a_value_that_argparse_takes_away_is_refused(arguments, capsys):
    """As any wrong value: before Python 3.13 it became an empty list, and ``--machine=--`` examined this machine."""
    with pytest.raises(SystemExit) as ended:
        sys.exit(main(arguments))
    output = capsys.readouterr()
    assert (ended.value.code, output.out) == (2, "")
    assert "error: argument --" in output.err or output.err.startswith("devicekit: ")


def test_explain_shows_the_page():
    done = run("doctor", "--explain", "numpy-incompatible")
    assert done.returncode == 0
    assert done.stdout.startswith("# numpy-incompatible")


def test_another_environment_is_examined_from_outside(tmp_path):
    """A fresh environment without anything installed: nothing of devicekit is in it, and nothing is put into it."""
    folder = tmp_path / "other"
    venv.create(str(folder), with_pip=False)
    before = sorted(os.path.join(root, name) for root, _, names in os.walk(str(folder)) for name in names)
    done = run("doctor", "--json", "--python", str(folder), env={"PYTHONPATH": ""}, cwd=FOLDER)
    data = json.loads(done.stdout)
    assert done.returncode == 1
    assert data["findings"][0]["code"] in ("framework-missing", "python-unsupported")
    assert sorted(os.path.join(root, name) for root, _, names in os.walk(str(folder)) for name in names) == before


def test_a_program_that_is_not_python(tmp_path):
    program = tmp_path / "python"
    program.write_text("#!/bin/sh\necho not python; exit 3\n")
    program.chmod(0o755)
    done = run("doctor", "--python", str(program))
    assert done.returncode == 2
    # Windows does not start it at all.
    assert (
        "it is not a program of this system" if os.name == "nt" else "does not run as Python 3.6 or later"
    ) in done.stderr


def test_a_closed_pipe_is_not_an_error():
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [sys.executable, "-m", "devicekit", "snapshot"],
        env=dict(os.environ, PYTHONPATH=FOLDER),
        stdout=writer,
        stderr=subprocess.PIPE,
    )
    os.close(writer)
    assert b"Traceback" not in done.stderr
    assert b"Exception ignored" not in done.stderr


HOSTILE = "\x1b[31mGPU <script>alert(1)</script> \u202e \u0000 M\u00fcller"
FINDING = Finding(
    "driver-missing",
    "warning",
    "A sentence that is long enough to be wrapped on a narrow terminal, about %s." % HOSTILE,
    (Evidence("seen " + HOSTILE, "/a/very/long/path/without/any/space/in/it/that/cannot/be/broken/anywhere"),),
    (
        Fix("Do this", 'python -m pip install "something<2" "another-thing>=3" "and-a-third==4.5.6" "and-more<7"'),
        Fix("Or that"),
    ),
    ("cuda",),
    "https://example.org/",
)
DIAGNOSIS = Diagnosis(
    (FINDING,),
    (Candidate("gpu:0", "cuda", HOSTILE, False, ("driver-missing",), 8 << 30), Candidate("cpu", "cpu", "X", True)),
)


@pytest.mark.parametrize("width", [40, 60, 100])
def test_the_report_fits_and_is_harmless(width):
    selection = devicekit.Selection("cpu", "tensorflow", "cpu", HOSTILE, True, (FINDING,), reason=HOSTILE)
    machine = devicekit.detect()
    text = doctor_text(machine, DIAGNOSIS, selection, Style(width=width))
    assert text.isascii() if hasattr(text, "isascii") else text.encode("ascii")
    assert "\x1b" not in text
    assert FINDING.fix[0].command in text  # never wrapped: it is there to be copied
    unbreakable = [line for line in text.splitlines() if len(line) > width]
    assert all(" " not in line.strip() or line.strip() == FINDING.fix[0].command for line in unbreakable), unbreakable
    colorful = doctor_text(machine, DIAGNOSIS, selection, Style(width=width, color=True, unicode=True))
    assert "\x1b[33;1m" in colorful
    assert "\x1b[31mGPU" not in colorful
    assert "M\u00fcller" in colorful


def test_a_record_prints_what_a_person_reads():
    with simulated_machine("linux-cudnn-missing"):
        diagnosis = devicekit.diagnose()
    finding = diagnosis.findings[0]
    for text in (str(diagnosis), str(finding)):
        assert finding.summary.split(":")[0] in text
        assert finding.fix[0].command in text
        assert "Finding(" not in text
    assert "gpu:0" in str(diagnosis)
    answer = devicekit.resolve("cpu", python="3.10", platform="linux-x86_64")
    assert answer.command[len("python") :] in str(answer)
    assert "Resolution(" not in str(answer)
    assert finding.replace(summary="a\x1b[31mb").code in str(finding.replace(summary="a\x1b[31mb"))
    assert "\x1b" not in str(finding.replace(summary="a\x1b[31mb"))


def test_a_prompt_of_ipython_shows_the_text():
    class Printer:
        def text(self, text):
            self.shown = text

    printer, answer = Printer(), devicekit.resolve("cpu", python="3.10", platform="linux-x86_64")
    answer._repr_pretty_(printer, False)
    assert printer.shown == str(answer).rstrip()


def test_html_is_escaped():
    html = devicekit.Selection("cpu", "tensorflow", "cpu", HOSTILE, True, (FINDING,), reason=HOSTILE)._repr_html_()
    assert "<script>" not in html
    assert "&lt;script&gt;" in html


def test_what_is_not_available_is_no_wrong_use(capsys, monkeypatch):
    from devicekit.measure.benchmark import arguments

    monkeypatch.setattr(arguments, "real_machine", lambda: load_machine("linux-nothing-installed"))
    assert main(["bench"]) == 1
    assert "neither TensorFlow nor JAX nor PyTorch is installed" in capsys.readouterr().err


def test_main_returns_its_status(capsys):
    assert main(["doctor", "--device", "banana"]) == 2
    assert "accepted are" in capsys.readouterr().err


def test_no_personal_name_is_printed(tmp_path):
    home = tmp_path / "home-of-wilhelmina"
    home.mkdir()
    done = run(
        "snapshot",
        env={
            "HOME": str(home),
            "USERPROFILE": str(home),
            "USER": "wilhelmina",
            "LD_LIBRARY_PATH": str(home / "lib"),
            "KERAS_HOME": str(home),
        },
    )
    assert "wilhelmina" not in done.stdout
    assert json.dumps(os.path.join("~", "lib")) in done.stdout


# Names are forgiven


@pytest.mark.parametrize(
    "arguments, said",
    [
        (["docter"], "did you mean doctor?"),
        (["version"], "did you mean --version?"),
        (["doctor", "--jsno"], "did you mean --json?"),
        (["resolve", "gpuu"], "did you mean gpu?"),
        (["resolve", "cpu", "--framework", "tensorflwo"], "did you mean tensorflow?"),
        (["resolve", "cpu", "--platform", "linux-x86-64"], "did you mean linux-x86_64?"),
        (["resolve", "tensorflw==2.15"], "did you mean tensorflow?"),
        (["matrix", "tensrflow"], "did you mean tensorflow?"),
        (["explain", "cudnn-mising"], "did you mean cudnn-missing?"),
        (["doctor", "--machine", "linux-cudnn-mising"], "did you mean linux-cudnn-missing?"),
        (["doctor", "--device", "dierctml:0"], "did you mean directml"),
    ],
)
def test_a_misspelled_word_is_answered_with_the_right_one(arguments, said, capsys):
    try:
        status = main(arguments)
    except SystemExit as end:
        status = end.code
    output = capsys.readouterr()
    assert (status, output.out) == (2, "")
    assert said in output.err
    assert "Traceback" not in output.err


def test_a_code_is_understood_however_it_is_written(capsys):
    assert main(["explain", "CUDNN_MISSING"]) == 0
    assert capsys.readouterr().out.startswith("# cudnn-missing")


def test_the_name_of_an_error_is_a_message_and_no_code(capsys):
    assert main(["explain", "CUDA_ERROR_NO_DEVICE"]) == 0
    assert capsys.readouterr().out.startswith("warning no-gpu")
    assert main(["explain", "cudaErrorNoKernelImageForDevice", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["findings"][0]["code"] == "compute-capability-unsupported"
    assert main(["explain", "no_such_file"]) == 2


def test_an_error_message_is_explained_as_such(capsys):
    text = "ImportError: libcudnn.so.9: cannot open shared object file: No such file or directory"
    assert main(["explain", text, "--json"]) == 0  # a warning: the program goes on without the GPU
    assert json.loads(capsys.readouterr().out)["findings"][0]["code"] == "cudnn-missing"


def test_a_bundled_machine_is_taken_by_its_name(capsys):
    main(["doctor", "--machine", "linux-cudnn-missing", "--json"])
    assert "cudnn-missing" in [item["code"] for item in json.loads(capsys.readouterr().out)["findings"]]


@pytest.mark.parametrize(
    "words", [["tensorflow==2.15"], ["tensorflow==2.15.*"], ["tensorflow>=2.15,<2.16"], ["tensorflow", "2.15"]]
)
def test_a_requirement_is_a_goal(words, capsys):
    assert main(["resolve", *words, "--python", "3.11", "--platform", "linux-x86_64", "--offline", "--json"]) == 0
    pins = {pin["name"]: pin["version"] for pin in json.loads(capsys.readouterr().out)["pins"]}
    assert pins["tensorflow"].startswith("2.15.")


def test_a_framework_is_a_goal(capsys):
    assert main(["resolve", "jax", "--python", "3.11", "--platform", "linux-x86_64", "--offline", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["frameworks"] == ["jax"]


def test_every_command_has_a_description_an_example_and_its_exit_status(capsys):
    parser = command_parser()
    bare = []
    for name, verb in parser.verbs.items():
        text = verb.format_help()
        if not re.search(r"^example:\n  .*devicekit %s" % name, text, re.M) or "\nexit status:\n  " not in text:
            bare.append(name)
    assert bare == []
    listed = re.findall(r"^  ([a-z]+) {2,}\S", parser.format_help(), re.M)
    assert listed == list(parser.verbs)


def test_every_example_is_one_that_its_command_takes():
    parser = command_parser()
    examples = [
        shlex.split(text)
        for name, verb in parser.verbs.items()
        for text in re.findall(r"devicekit (%s\b[^>)\"\n]*)" % name, verb.format_help().split("\nexample:")[1])
    ]
    assert {words[0] for words in examples} == set(parser.verbs)
    assert [words for words in examples if parser.parse_known_args(words)[1]] == []


@pytest.mark.parametrize(
    "arguments, said",
    [
        (["bench", "--batch_size", "many"], "a number or auto expected, not 'many'"),
        (["bench", "--shape", "abc"], "sizes expected, as in 64,64,3, not 'abc'"),
        (["bench", "--seconds", "-1"], "seconds must be more than 0, not -1.0"),
        (["bench", "--against", "none.json"], "none.json has no figures: those that are taken under load are not"),
        (["compare", "mlp", "--reproducer", "notes.txt"], "notes.txt is a file: name a folder for --reproducer"),
        (["compare", "mlp", "--timeout", "0"], "--timeout must be more than 0 seconds, not 0"),
        (["completion", "tcsh"], "unknown shell 'tcsh': devicekit completion bash|"),
        (["diff", "notes.txt"], "notes.txt is not JSON; make a machine file with: devicekit snapshot"),
        (["doctor", "--issue", "--json"], "--issue is Markdown: leave --json out"),
        (["doctor", "--machine", "."], "; name a snapshot in it"),
        (["doctor", "--machine", "-"], "standard input is empty; make a machine file with: devicekit snapshot"),
        (["doctor", "--machine", "nowhere"], "no bundled machine of that name; make a file with: devicekit snapshot"),
        (["doctor", "--explain", ""], "argument --explain: it is empty; is a variable not set?"),
        (["explain", "--clipboard", "notes.txt"], "--clipboard or 'notes.txt', not both"),
        (["explain", " "], "nothing to explain: name a file, '-' for standard input"),
        (["fix", "--goal", "nonsense"], "unknown goal 'nonsense'; accepted are auto, gpu"),
        (["fleet", "--from", ".", "--output", "notes.txt"], "notes.txt is a file: name a folder for the snapshots"),
        (["launch", "."], "not a script but a folder: ."),
        (["resolve", "--python", "4"], "unknown Python version '4'; accepted are 3.7, 3.8"),
    ],
)
def test_wrong_input_is_told_what_is_accepted(arguments, said, tmp_path):
    (tmp_path / "notes.txt").write_text("lr 0.1 was better", encoding="utf-8")
    (tmp_path / "none.json").write_text('{"schema": 1, "figures": []}', encoding="utf-8")
    done = run(*arguments, cwd=str(tmp_path))
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "command, meant",
    [
        ("resolve tensorlow", "did you mean tensorflow?"),
        ("resolve gup", "did you mean gpu?"),
        ("doctor --device gup", "did you mean gpu; accepted are"),
        ("doctor --machine linux-cp", "did you mean linux-cpu?"),
        ("fix --goal gup", "did you mean gpu?"),
        ("explain cudnnmissing", "did you mean cudnn-missing?"),
        ("explain cudnn", "cudnn-missing, cudnn-version-mismatch"),
        ("explain cuInit", "no-gpu, wsl-without-gpu"),
        ("explain 'cuInit failed'", "no-gpu, wsl-without-gpu"),
        ("explain 'my gpu is not used'", "to check this machine: devicekit doctor"),
        ("explain libcudnn.so.9", "explain CODE shows what is known of it: cudnn-missing"),
        ("explain no-such-run.log", "no-such-run.log cannot be read: No such file or directory"),
        ("explain model", "'model' is not a file, an error message or a finding code; name a log file"),
        ("helpp", "did you mean help?"),
        ("bench --framework tensorflwo", "did you mean tensorflow; accepted are"),
        ("bench --model resnet51", "did you mean resnet50; accepted are"),
        ("verify --framework tensorflwo", "did you mean tensorflow?"),
        ("run --policy least-memmory -- true", "did you mean least-memory?"),
    ],
)
def test_a_slip_is_told_what_was_meant(command, meant, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    try:
        assert main(shlex.split(command)) == 2
    except SystemExit as end:
        assert end.code == 2
    assert meant in capsys.readouterr().err


def test_a_word_that_is_an_error_message_is_explained(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["explain", "Killed"]) == 1
    assert "host-memory-exhausted" in capsys.readouterr().out
    (tmp_path / "Killed").write_text("all is fine\n", encoding="utf-8")
    assert main(["explain", "Killed"]) == 0


@pytest.mark.parametrize("names, name, meant", [(("cpu", "gpu", "tpu"), "npu", ""), (("cpu", "gpu"), "gup", "gpu")])
def test_another_letter_in_a_short_name_is_another_name(names, name, meant):
    assert did_you_mean(name, names) == ("; did you mean %s?" % meant if meant else "")


@pytest.mark.parametrize("options", [{"framework": "tensrflow"}, {"policy": "least-memmory"}, {"device": "gup"}])
def test_a_slip_in_a_program(options):
    with pytest.raises(ValueError, match="did you mean (tensorflow|least-memory|gpu)"):
        devicekit.select_device(**options)


def test_an_empty_log_is_called_empty():
    done = run("explain", "-")
    assert (done.returncode, done.stderr) == (0, "devicekit: standard input is empty\n")


def test_the_page_of_a_code_as_json(capsys):
    assert main(["explain", "no-gpu", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert (answer["code"], answer["page"][:8]) == ("no-gpu", "# no-gpu")


@pytest.mark.parametrize("arguments", [["bench", "--repeat", "0"], ["tune", "--budget", "0"]])
def test_a_model_in_the_working_folder_is_found_after_what_is_installed(arguments, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [item for item in sys.path if item])  # as in the script that pip makes
    assert main([*arguments, "--model", "mlp"]) == 2
    assert os.getcwd() not in sys.path
    assert main([*arguments, "--model", "mymodule:make_model"]) == 2
    assert sys.path[-1] == os.getcwd()


def test_options_before_the_command(capsys):
    command = ["doctor", "--machine=linux-cpu"]
    shown = []
    for arguments in (command, [*command, "-v"]):
        assert main(arguments) == 0
        shown.append(capsys.readouterr().out)
    assert shown[0] != shown[1]
    assert (main(["-q", *command]), capsys.readouterr().out) == (0, shown[0])
    assert (main(["-v", "--quiet", *command]), capsys.readouterr().out) == (0, shown[1])
    assert main(["-q"]) == main(["-v"]) == 2
    assert capsys.readouterr().err.count("usage: devicekit") == 2
    with pytest.raises(SystemExit) as end:
        main(["-v", "devices"])
    assert end.value.code == 2
    assert "devicekit devices: error: unrecognized arguments: -v" in capsys.readouterr().err


class Terminal(io.StringIO):
    encoding = "utf-8"

    def isatty(self):
        return True


@pytest.mark.parametrize("columns, width", [("30", 40), ("80", 80), ("120", 120), ("300", 120)])
def test_what_a_terminal_shows(monkeypatch, columns, width):
    monkeypatch.setenv("COLUMNS", columns)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("WT_SESSION", "1")  # a console of Windows that has colors
    monkeypatch.delenv("NO_COLOR", raising=False)
    style = terminal_style(Terminal())
    assert style == Style(width=width, color=True, unicode=True, escape=style.escape)
    assert not terminal_style(io.StringIO()).color
    monkeypatch.setenv("NO_COLOR", "")
    assert terminal_style(Terminal()) == style.replace(color=False)


@pytest.mark.parametrize("before", [[], ["-q"]])
def test_help_as_a_word(capsys, before):
    with pytest.raises(SystemExit) as end:
        main([*before, "help", "explain"])
    assert end.value.code == 0
    assert capsys.readouterr().out.startswith("usage: devicekit explain ")


def test_a_misspelled_variable_is_reported(monkeypatch):
    monkeypatch.setenv("DEVICEKIT_DEVCE", "gpu")
    monkeypatch.setenv("DEVICEKIT_OF_ANOTHER_PROGRAM", "1")
    ((name, text),) = read_settings().problems
    assert name == "DEVICEKIT_DEVCE"
    assert text.endswith("did you mean DEVICEKIT_DEVICE?")


@pytest.mark.parametrize("name, field", [("DEVICEKIT_QUIET", "quiet"), ("DEVICEKIT_OFFLINE", "offline")])
def test_words_that_switch_something_on_and_off(monkeypatch, name, field):
    for value in ("1", "true", "YES", "on", "", "0", "False", "no", "Off", "maybe"):
        monkeypatch.setenv(name, value)
        settings = read_settings()
        assert getattr(settings, field) is (value in ("1", "true", "YES", "on")), value
        assert [item for item, _ in settings.problems] == ([name] if value == "maybe" else []), value


@pytest.mark.parametrize(
    "name, value, expected",
    [
        ("DEVICEKIT_DEVCE", "gpu", "did you mean DEVICEKIT_DEVICE?"),
        ("DEVICEKIT_VERIFY", "neverr", "did you mean never?"),
        ("DEVICEKIT_OFFLINE", "maybe", "accepted are 1 (on) and 0 (off)"),
        ("DEVICEKIT_DEVICE", "banana", "unknown device 'banana'"),
    ],
)
def test_every_command_says_which_variables_it_ignores(monkeypatch, capsys, name, value, expected):
    monkeypatch.setenv(name, value)
    command = ["devices", "--machine=linux-cpu"]
    assert main(command) == 0
    assert expected in capsys.readouterr().err
    assert main([*command, "-q"]) == 0
    assert capsys.readouterr().err == ""


def test_an_agent_gets_releases_for_the_environment_that_was_named(monkeypatch):
    monkeypatch.setenv("DEVICEKIT_OFFLINE", "1")
    resolve = {tool.__name__: tool for tool in tools(["--machine=linux-broken-numpy"])}["resolve"]
    assert resolve("cpu")["python"] == "3.10"
    assert resolve("cpu", python="3.12")["python"] == "3.12"
