"""Every block in README and docs is run, compared or parsed; links work; what is named exists."""

import configparser
import doctest
import importlib.util
import json
import os
import re
import shlex

import pytest
from checks import for_each

from devicekit.cli.main import command_parser, main
from devicekit.testing import load

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGES = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "benchmarks/README.md"]
PAGES += sorted(
    os.path.relpath(os.path.join(folder, name), ROOT).replace(os.sep, "/")
    for folder, _, names in os.walk(os.path.join(ROOT, "docs"))
    for name in names
    if name.endswith(".md")
)

#: What blocks may be written in, and so what is done with them.
SHELLS = ("bash", "powershell", "console")
LANGUAGES = {"python", "json", "yaml", "toml", "ini", "dockerfile", "text", "pycon", *SHELLS}

#: Pages that the site makes from the code: in the repository there is no file that a link leads to.
GENERATED = r"docs/(llms\.txt|reference/(command-line|json|machines|api/[\w-]+|matrix/[\w-]+|codes/[a-z-]+)\.md)"


def read(name):
    with open(os.path.join(ROOT, *name.split("/")), encoding="utf-8") as stream:
        return stream.read()


def blocks(name):
    """Return a page's blocks: language, what stands after it (a title), and text without the indentation of a tab."""
    found = []
    for indent, language, rest, text in re.findall(r"^( *)```([\w-]*)([^\n]*)\n(.*?)^\1```", read(name), re.S | re.M):
        found.append((language, rest, "".join(line[len(indent) :] for line in text.splitlines(True))))
    return found


BLOCKS = [(name, *block) for name in PAGES for block in blocks(name)]


def of(*languages):
    """Return the blocks in these languages as parameters; an equal block on two pages is tried once."""
    found = {}
    for name, language, title, text in BLOCKS:
        # A file of a package in examples is tried as a part of that: tests/test_platforms.py compares the two.
        if language in languages and "examples/" not in title:
            found.setdefault((language, text), name)
    return [pytest.param(name, text, id="%s-%d" % (name, n)) for n, ((_, text), name) in enumerate(found.items())]


@pytest.mark.parametrize("name, block", of("python"))
def test_code_blocks_run(python, name, block, tmp_path):
    # As a program of its own, on whatever this machine has; a fall to the CPU is a warning and no failure.
    titles = [rest for _, language, rest, text in BLOCKS if language == "python" and text == block]
    if "title=" in titles[0] or re.search(r"^def test_", block, re.M):  # a file of a project, which is tried as a whole
        compile(block, name, "exec")
        return
    needed = re.findall(r"^(?:import|from) (tensorflow|keras|jax|torch|numpy)", block, re.M)
    if any(importlib.util.find_spec(module) is None for module in needed):
        compile(block, name, "exec")
        return
    python(block, flags=["-W", "ignore"], env={"TF_CPP_MIN_LOG_LEVEL": "3", "DEVICEKIT_CACHE_DIR": str(tmp_path)})


def test_blocks_name_their_language():
    assert {language for _, language, _, _ in BLOCKS} <= LANGUAGES
    # What is to be typed is tried, so it is not plain text; a usage has brackets, an output its title.
    typed = [(name, text) for name, language, _, text in BLOCKS if language == "text"]
    assert [item for item in typed if re.match(r"(devicekit [a-z]+(?!:)\b(?!.*\[)|pip |uvx )", item[1])] == []


def of_toml(text):
    tomllib = pytest.importorskip("tomllib", reason="it came with Python 3.11")
    tomllib.loads(text)


PARSERS = {"json": json.loads, "ini": configparser.ConfigParser().read_string, "toml": of_toml}


@pytest.mark.parametrize("name, block", of(*PARSERS))
def test_data_can_be_read(name, block):
    (language,) = {language for _, language, _, text in BLOCKS if text == block}
    PARSERS[language](block)


@pytest.mark.parametrize("name, block", of("dockerfile"))
def test_a_dockerfile_has_instructions(name, block):
    for line in re.sub(r"\\\n", " ", block).splitlines():
        assert re.match(r"(#.*|(FROM|RUN|COPY|CMD|ENV|WORKDIR|ENTRYPOINT|ARG|USER) .+)?$", line), line


def words(line):
    """Return the commands of a line of shell, each as its words; what is in ``$(...)`` is one word."""
    line = re.sub(r"\$\([^)]*\)", "VALUE", line)
    lexer = shlex.shlex(line, posix=True, punctuation_chars=";|&<>")
    lexer.whitespace_split = True
    found, redirected = [[]], False
    for word in lexer:
        if set(word) <= set(";|&") and word != "&":
            found.append([])
        elif set(word) <= set("<>&"):
            redirected = True
        elif redirected:
            redirected = False
        else:
            found[-1].append(word)
    return [item for item in found if item]


def devicekit_arguments(block, prompt=False):
    """Yield the arguments of every call of devicekit in a block of shell."""
    for line in re.sub(r"[\\`]\n *", " ", block).splitlines():
        if prompt and not line.startswith("$ "):
            continue
        line = re.sub(r"^\$ ", "", line.strip())
        if "devicekit" not in line or line.startswith("#"):
            continue
        for command in words(line):
            at = next((n for n, word in enumerate(command) if re.match(r"(.*[/\\])?devicekit(\.exe)?$", word)), None)
            if at is None or (at and command[at - 1] == "install") or "pip" in command[:at]:
                continue
            before = command[:at]
            if before and not re.match(r"(-m|IMAGE|POD|--|\w+=.*|srun|exec|sudo|--gres=.*|RUN|run|-)$", before[-1]):
                continue
            # Of `docker run IMAGE devicekit doctor`, devicekit's are what comes after its name.
            yield command[at + 1 :]


CALLS = [
    (name, arguments)
    for name, language, _, block in BLOCKS
    if language in (*SHELLS, "dockerfile") or (language == "text" and block.startswith("$ "))
    for arguments in devicekit_arguments(block, prompt=language in ("console", "text"))
]


def named_in(text):
    """Yield the arguments of the commands that a page names: in a sentence, or on a line of their own in a block."""
    inline = re.findall(r"`devicekit\s+(\w+[^`]*)`", re.sub(r"^ *```.*?^ *```", "", text, flags=re.S | re.M))
    if text.startswith("# ") and "## How to fix it" in text:  # a page of a code: what its blocks say is to be typed
        typed = "".join(re.findall(r"^```\w*\n(.*?)^```", text, re.S | re.M))
        inline += re.findall(r"^devicekit (\w+.*)$", typed, re.M)
    for line in inline:
        if "[" not in line and "..." not in line:
            yield from devicekit_arguments("devicekit " + " ".join(line.split()))


@for_each("name", [*PAGES, "devicekit/diagnosis/codes.md"])
def test_inline_commands_are_accepted_by_the_parser(name, capsys):
    for arguments in named_in(read(name)):
        if arguments[-1:] == ["--machine"]:  # the name of an option, as one speaks of it
            arguments.append("FILE")
        try:
            command_parser().parse_args(arguments)
        except SystemExit as end:
            assert end.code == 0, "%s\n%s" % (arguments, capsys.readouterr().err)


def stands_alone(arguments):
    """Whether a command asks neither this machine nor a file, and is done at once."""
    if not arguments:
        return False
    verb, rest = arguments[0], arguments[1:]
    return (
        verb == "matrix"
        or (verb == "resolve" and "--platform" in rest)
        or (verb == "explain" and len(rest) == 1 and re.match(r"[a-z]+(-[a-z]+)+$", rest[0]) is not None)
    )


@for_each("name, arguments", CALLS)
def test_commands_in_blocks_are_accepted_by_the_parser(name, arguments, capsys):
    try:
        command_parser().parse_args(arguments)
    except SystemExit as end:
        assert end.code == 0, "%s\n%s" % (arguments, capsys.readouterr().err)
    if stands_alone(arguments):
        capsys.readouterr()
        assert main(arguments) in (0, 1)
        assert capsys.readouterr().out


def transcripts(name):
    """Yield the commands of a page with the output that it shows, and the files that it shows before."""
    files = {}
    for language, rest, block in blocks(name):
        title = re.search(r'title="([\w.-]+)"', rest)
        if title:
            files[title.group(1)] = block
        if language == "console" or (language == "text" and block.startswith("$ devicekit")):
            for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
                command, _, output = part.partition("\n")
                yield command, output, dict(files)


SHOWN = [
    pytest.param(command, output, files, id="%s-%d" % (name, n))
    for name in PAGES
    for n, (command, output, files) in enumerate(transcripts(name))
]


@pytest.mark.parametrize("command, output, files", SHOWN)
def test_output_in_the_docs_is_what_devicekit_prints(command, output, files, tmp_path, monkeypatch, capsys):
    (found,) = words(command)
    assert found[0] == "devicekit", "a block of the language console shows what devicekit prints"
    monkeypatch.chdir(tmp_path)
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    for name in (word for word in found if word.endswith(".json") and word not in files):
        snapshot = load(name[: -len(".json")]).to_dict()
        (tmp_path / name).write_text(json.dumps(snapshot), encoding="utf-8")
    if found == ["devicekit", "doctor"]:  # this machine is another one
        found += ["--machine", "linux-cudnn-missing"]
    assert main(found[1:]) in (0, 1)
    printed = capsys.readouterr().out
    options = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    assert doctest.OutputChecker().check_output(output, printed, options), printed


def test_files_in_the_docs_are_those_of_the_repository():
    for name, _, rest, text in BLOCKS:
        title = re.search(r'title="((?:examples|tests)/[^"]+)"', rest)
        if title and os.path.exists(os.path.join(ROOT, title.group(1))):
            assert text.strip() in read(title.group(1)), (name, title.group(1))


@for_each("name", PAGES)
def test_links_are_not_broken(name):
    folder = os.path.dirname(os.path.join(ROOT, *name.split("/")))
    text = re.sub(r"^( *)```.*?^\1```", "", read(name), flags=re.S | re.M)
    for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", text):
        if "://" in target:
            assert re.match(r"https://[\w-]+(\.[\w-]+)+(/\S*)?$", target), target
            continue
        path = os.path.normpath(os.path.join(folder, target))
        made = name.startswith("docs/") and re.match(GENERATED, os.path.relpath(path, ROOT).replace(os.sep, "/"))
        assert os.path.exists(path) or made, target


def test_every_page_is_in_the_navigation():
    navigation = re.findall(r"[\w./-]+\.md", read("mkdocs.yml"))
    generated = re.compile(GENERATED)
    written = {name[len("docs/") :] for name in PAGES if name.startswith("docs/")} - {"reference/codes/index.md"}
    assert sorted(name for name in navigation if not generated.match("docs/" + name) or name in written) == sorted(
        written
    )


def test_extras_exist():
    config = configparser.ConfigParser()
    config.read(os.path.join(ROOT, "setup.cfg"), encoding="utf-8")
    known = set(config["options.extras_require"])
    for name in PAGES:
        for extras in re.findall(r"devicekit\[([\w,-]+)\]", read(name)):
            assert set(extras.split(",")) <= known, name


def test_the_commands_of_the_readme_are_commands(capsys):
    verbs = set(re.findall(r"`devicekit (\w+)", read("README.md")))
    assert verbs == set(command_parser()._subparsers._group_actions[0].choices)
    for verb in verbs:
        with pytest.raises(SystemExit) as end:
            main([verb, "--help"])
        assert end.value.code == 0
        # Neither answers a person's question: one prints a script, the other speaks JSON only.
        assert verb in ("completion", "mcp") or "--json" in capsys.readouterr().out


def test_the_version_is_in_the_changelog():
    import devicekit

    assert "## %s" % devicekit.__version__ in read("CHANGELOG.md")
