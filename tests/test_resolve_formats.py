"""A set in each format, read by a parser of that format."""

import json
import re
import shlex

import pytest
from packaging.markers import Marker
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

import devicekit
from devicekit.cli.main import main
from devicekit.resolver.formats import FORMATS

try:
    import tomllib
except ImportError:  # before Python 3.11; pytest requires it there
    import tomli as tomllib

LINUX = "linux-x86_64"

#: One of each kind: extras, reasons with signs, a variable, libraries on the loader's path, what the data do not hold.
QUESTIONS = {
    "cuda": {"goal": "cuda", "python": "3.12", "platform": LINUX},
    "keras-jax": {"goal": "cpu", "framework": "keras", "also": ("jax",), "python": "3.13", "platform": "linux-aarch64"},
    "loader": {"goal": "cuda", "python": "3.10", "platform": LINUX, "keep": ("tensorflow==2.12.*",)},
    "windows": {"goal": "directml", "python": "3.10", "platform": "windows-amd64"},
    "unknown": {
        "goal": "cpu", "python": "3.9", "platform": LINUX, "keep": ('requests>=2; python_version > "3"', "numpy<1.26"),
        "allow_unknown": True,
    },
}  # fmt: skip


@pytest.fixture(scope="module")
def answers():
    return {name: devicekit.resolve(**question) for name, question in QUESTIONS.items()}


each = pytest.mark.parametrize("name", QUESTIONS)


def lines_of(text):
    return [line for line in text.splitlines() if not line.startswith("#")]


def same(texts, requirements):
    assert [str(Requirement(text)) for text in texts] == [str(Requirement(text)) for text in requirements]


@each
def test_pip(name, answers):
    arguments = shlex.split(answers[name].render("pip"))
    assert arguments[:4] == ["python", "-m", "pip", "install"]
    same(arguments[4:], answers[name].requirements)


@each
def test_requirements_and_constraints(name, answers):
    answer = answers[name]
    text = answer.render("requirements")
    same(lines_of(text), answer.requirements)
    for pin in answer.pins:
        assert not pin.deciding or "# %s\n%s\n" % (pin.because, pin.requirement) in text
    pinned = [Requirement(line) for line in lines_of(answer.render("constraints"))]
    assert {item.name for item in pinned} >= {pin.name for pin in answer.pins}
    assert not any(item.extras for item in pinned)


@each
@pytest.mark.parametrize("form", ["pyproject", "uv", "poetry"])
def test_pyproject(name, form, answers):
    answer = answers[name]
    data = tomllib.loads(answer.render(form))
    project = data["project"]
    same(project["dependencies"], answer.requirements)
    assert SpecifierSet(project["requires-python"]).contains(answer.python + ".5")
    assert not SpecifierSet(project["requires-python"]).contains("3.%d" % (int(answer.python.split(".")[1]) + 1))
    assert set(data) == {"project"} | ({"tool"} if form != "pyproject" else set())
    if form == "poetry":
        assert data["tool"] == {"poetry": {"package-mode": False}}
    if form == "uv":
        tool = data["tool"]["uv"]
        (marker,) = tool["environments"]
        assert Marker(marker).evaluate(answer.target.environment())
        held = {Requirement(text).name for text in tool.get("constraint-dependencies", ())}
        assert held == {pin.name for pin in answer.pins if not pin.deciding}


@each
def test_conda(name, answers):
    """Every line is one of a few forms of YAML; a string is in double quotes, as in JSON."""
    answer = answers[name]
    lines = lines_of(answer.render("conda"))
    assert lines[:4] == ["name: devicekit-%s" % answer.goal, "channels:", "  - conda-forge", "dependencies:"]
    assert lines[4:7] == ["  - python=%s" % answer.python, "  - pip", "  - pip:"]
    end = lines.index("variables:") if answer.variables else len(lines)
    same(
        [json.loads(re.match(r"      - (\"[^\"\\\\]*\")\Z", line).group(1)) for line in lines[7:end]],
        answer.requirements,
    )
    assert lines[end + 1 :] == ['  %s: "%s"' % item for item in answer.variables.items()]


@each
def test_dockerfile(name, answers):
    answer = answers[name]
    if name == "windows":
        with pytest.raises(ValueError, match="for Linux"):
            answer.render("dockerfile")
        return
    steps = "\n".join(lines_of(answer.render("dockerfile"))).replace("\\\n", " ").splitlines()
    architecture = "arm64" if answer.platform == "linux-aarch64" else "amd64"
    assert steps[0] == "FROM --platform=linux/%s python:%s-slim" % (architecture, answer.python)
    (install,) = [step for step in steps if "pip install" in step]
    same(shlex.split(install)[6:], answer.requirements)
    assert any("ldconfig" in step for step in steps) == (name == "loader")
    assert ("ENV KERAS_BACKEND=jax" in steps) == (name == "keras-jax")


@each
def test_another_index_is_in_every_format(name, answers):
    url = "https://packages.example.com/simple/"
    answer = answers[name].replace(pins=(answers[name].pins[0].replace(index=url), *answers[name].pins[1:]))
    own = answer.pins[0].name
    assert shlex.split(answer.render("pip"))[4:6] == ["--extra-index-url", url]
    assert "--extra-index-url %s" % url in lines_of(answer.render("requirements"))
    assert '      - "--extra-index-url %s"' % url in lines_of(answer.render("conda"))
    uv = tomllib.loads(answer.render("uv"))["tool"]["uv"]
    assert uv["index"] == [{"name": "index-1", "url": url, "explicit": True}]
    assert uv["sources"] == {own: {"index": "index-1"}}
    poetry = tomllib.loads(answer.render("poetry"))["tool"]["poetry"]
    assert poetry["source"] == [{"name": "index-1", "url": url, "priority": "explicit"}]
    assert poetry["dependencies"] == {own: {"source": "index-1"}}
    if name != "windows":
        assert "--extra-index-url %s" % url in answer.render("dockerfile")


def test_what_cannot_be_written_is_said(answers):
    with pytest.raises(ValueError, match="accepted are pip, requirements"):
        answers["cuda"].render("egg")
    with pytest.raises(ValueError, match="Metal is part of macOS"):
        devicekit.resolve("metal", python="3.12", platform=LINUX).render("pip")


@pytest.mark.parametrize("form", FORMATS)
def test_the_command_prints_it(form, capsys):
    arguments = ["resolve", "cpu", "--python", "3.10", "--platform", LINUX, "--format", form]
    assert main(arguments) == 0
    text = devicekit.resolve("cpu", python="3.10", platform=LINUX).render(form)
    printed = capsys.readouterr().out
    assert printed == text or (form == "pip" and printed.split(" ", 1)[1] == text.split(" ", 1)[1])


def test_a_dockerfile_for_windows_is_refused(capsys):
    assert main(["resolve", "cpu", "--python", "3.10", "--platform", "windows-amd64", "--format", "dockerfile"]) == 2
    assert "a Dockerfile is for Linux" in capsys.readouterr().err


@pytest.mark.parametrize(
    "goal, arguments, said",
    [
        ("rocm", {"framework": "jax", "python": "3.12", "gpu": "MI300X"}, "has no ROCm 7:"),
        ("cuda", {"python": "3.8", "keep": ["tensorflow==2.4.*"]}, "has no CUDA 11.0 and cuDNN 8:"),
        ("rocm", {"framework": "torch", "python": "3.12", "gpu": "MI300X"}, None),
        ("cuda", {"python": "3.12"}, None),
    ],
)
def test_a_dockerfile_says_what_its_image_lacks(goal, arguments, said):
    text = devicekit.resolve(goal, platform="linux-x86_64", **arguments).render("dockerfile")
    assert (said in text) if said else ("start FROM an image" not in text)
