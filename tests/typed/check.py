"""Check the sample project with mypy and basedpyright against the devicekit that is installed; `nox -s typed` runs it.

Both must accept everything but the lines that are marked as wrong, and every public name must be in it and have a type
that type checkers agree on.
"""

import ast
import importlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

import jedi

HERE = os.path.dirname(os.path.abspath(__file__))
SETTINGS = {"typeCheckingMode": "strict", "reportUnusedExpression": False, "reportUnusedCallResult": False}


def tool(name):
    """Return the path of a command of this environment."""
    return os.path.join(os.path.dirname(sys.executable), name)


#: Printed by the installed devicekit: its public names, those of its packages, and of each the module that defines it.
NAMES = """
import devicekit, importlib, json
homes = {}
for package in ("devicekit",) + tuple("devicekit." + name for name in devicekit._PACKAGES):
    module = importlib.import_module(package)
    for name in module.__all__:
        if name != "__version__":
            homes["%s.%s" % (package, name)] = "%s.%s" % (getattr(module, name).__module__, name)
print(json.dumps(homes))
"""


def public_names(folder):
    """Return devicekit's public names and, of each, where it is defined, as the installed package says."""
    return json.loads(
        subprocess.run([sys.executable, "-c", NAMES], cwd=folder, stdout=subprocess.PIPE, check=True).stdout
    )


def used_names(folder):
    """Return the names of devicekit that the sample uses, without their packages."""
    found = set()
    for name in sorted(os.listdir(folder)):
        if not name.endswith(".py"):
            continue
        with open(os.path.join(folder, name), encoding="utf-8") as stream:
            for node in ast.walk(ast.parse(stream.read())):
                if isinstance(node, ast.Attribute):
                    found.add(node.attr)
                elif isinstance(node, ast.ImportFrom) and str(node.module).partition(".")[0] == "devicekit":
                    found.update(alias.name for alias in node.names)
    return found


def marked_lines(path):
    """Return the numbers of the lines that a type checker must refuse."""
    with open(path, encoding="utf-8") as stream:
        return {number for number, line in enumerate(stream, 1) if line.rstrip().endswith("# wrong")}


def run(*command, **options):
    """Run a command in an environment of which type checkers know that it is the one to look into."""
    environ = dict(os.environ, VIRTUAL_ENV=sys.prefix, **options)
    environ["PATH"] = os.path.dirname(sys.executable) + os.pathsep + environ.get("PATH", "")
    environ.pop("PYTHONPATH", None)
    done = subprocess.run(command, capture_output=True, env=environ)
    return done.stdout.decode("utf-8").strip(), done.stderr.decode("utf-8")


def mypy_errors():
    """Return what mypy refuses: file, line, message."""
    out, err = run(tool("mypy"), "--strict", "--no-error-summary", "--cache-dir", os.devnull, "sample")
    found = re.findall(r"^sample[/\\](\w+\.py):(\d+): error: (.*)$", out, re.M)
    assert found, out + err
    return {(name, int(line), message) for name, line, message in found}


def pyright_errors():
    """Return what basedpyright refuses: file, line, message."""
    with open("pyrightconfig.json", "w", encoding="utf-8") as stream:
        json.dump(SETTINGS, stream)
    out, err = run(tool("basedpyright"), "--outputjson", "sample")
    assert out.startswith("{"), out + err
    return {
        (os.path.basename(item["file"]), item["range"]["start"]["line"] + 1, item["message"])
        for item in json.loads(out)["generalDiagnostics"]
        if item["severity"] == "error"
    }


def unclear_types(homes):
    """Return the public names, and members of them, of which type checkers do not know the type or may disagree."""
    out, err = run(tool("basedpyright"), "--outputjson", "--verifytypes", "devicekit", "--ignoreexternal")
    assert out.startswith("{"), out + err
    completeness = json.loads(out)["typeCompleteness"]
    assert completeness["pyTypedPath"], "devicekit has no py.typed"
    public = set(homes.values())
    found = []
    for item in completeness["symbols"]:
        clear = item["isTypeKnown"] and not item["isTypeAmbiguous"]
        if not clear and any(item["name"] == name or item["name"].startswith(name + ".") for name in public):
            found.append("%s: %s" % (item["name"], "; ".join(each["message"] for each in item["diagnostics"])))
    return found


def unseen_names():
    """Return the public names that jedi, which most notebooks and editors without a type checker use, does not list."""
    found = []
    for package in sorted({name.rpartition(".")[0] for name in public_names(os.getcwd())}):
        program = "import %s\n%s." % (package, package)
        listed = {item.name for item in jedi.Script(program).complete()}
        wanted = importlib.import_module(package).__all__
        found += ["jedi does not list %s.%s" % (package, name) for name in wanted if name not in listed]
    if not any(
        "framework" in item.to_string() for item in jedi.Script("import devicekit\ndevicekit.auto(").get_signatures()
    ):
        found.append("jedi does not show the arguments of devicekit.auto")
    return found


def main():
    """Print what is wrong and return the exit status."""
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(os.path.join(HERE, "sample"), os.path.join(folder, "sample"))
        os.chdir(folder)
        homes = public_names(folder)
        used = used_names("sample")
        problems += ["%s is not in the sample" % name for name in sorted(homes) if name.rpartition(".")[2] not in used]
        wanted = marked_lines(os.path.join("sample", "wrong.py"))
        for checker, errors in (("mypy", mypy_errors()), ("basedpyright", pyright_errors())):
            refused = {line for name, line, _ in errors if name == "wrong.py"}
            problems += ["%s accepts wrong.py:%d" % (checker, line) for line in sorted(wanted - refused)]
            problems += [
                "%s: %s:%d: %s" % (checker, name, line, message)
                for name, line, message in sorted(errors)
                if not (name == "wrong.py" and line in wanted)
            ]
        problems += ["basedpyright: " + text for text in unclear_types(homes)]
        problems += unseen_names()
        os.chdir(HERE)
    for problem in problems:
        print(problem)
    if not problems:
        print("mypy and basedpyright accept the sample, with all %d public names; jedi lists them" % len(homes))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
