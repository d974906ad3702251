"""Measure how many broken environments ``devicekit fix`` makes work: build each, fix it, train in it, undo, compare.

    python tools/cure_rate.py FOLDER --work WORK --interpreters DIR --uv UV --output results.jsonl [--only ID ...]
    python tools/cure_rate.py FOLDER ... --healthy            # those that work: nothing may change
    python tools/cure_rate.py FOLDER ... --peers              # what pip and uv come to on the same environments
    python tools/cure_rate.py FOLDER --output results.jsonl --report

FOLDER holds ``spec.json``, a list of environments: ``id``, ``python`` ("3.11"), ``steps``, and where they differ from the
usual ``subject`` ("tensorflow", or "keras" where another backend is meant) and ``env`` (variables). A step is
``{"install": [...], "no_deps": bool, "with": "uv" | "pip", "extra": [...]}``, ``{"uninstall": [...]}``, or a change of files:
``remove``, ``truncate`` with ``keep``, ``rename``, ``copy`` (relative to site-packages), ``write`` with ``at`` ("cwd", "site",
"home") and ``text`` or ``bytes``. ``truth.json`` says of each what was seen in it (``label``: ``imports``, ``keras_runs``);
without it, the probes run before the fix as well.

An environment is a fresh venv; one exists at a time. Every result is a line of the output: a run that is started again goes
on where the last one ended. DIR of ``--interpreters`` has a folder per Python (``3.11.7/bin/python``); without it, they are
found on the path (``python3.11``).
"""

import argparse
import collections
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import time

#: What of this process's environment the environments see.
KEPT = (
    "PATH",
    "LANG",
    "TMPDIR",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "REQUESTS_CA_BUNDLE",
    "PIP_CERT",
    "OPENBLAS_CORETYPE",
)

#: The first imports and computes; the second trains a step, with Keras if there is one, else with TensorFlow's.
PROBES = {
    "tensorflow": """
import tensorflow as tf
assert tf.__version__
(tf.config.experimental if tf.__version__.startswith("1.") else tf.config).list_physical_devices()
import numpy as np
a = np.random.rand(64, 64).astype("float32")
if tf.__version__.startswith("1."):
    with tf.compat.v1.Session() as session:
        r = session.run(tf.matmul(a, a))
else:
    r = tf.matmul(a, a).numpy()
assert np.allclose(r, a.dot(a), atol=1e-3)
print("PASSED")
""",
    "keras": """
import numpy as np
try:
    import keras
except ModuleNotFoundError as error:
    if error.name != "keras":
        raise
    import tensorflow as tf
    keras = tf.keras
x, y = np.random.rand(8, 4).astype("float32"), np.random.rand(8, 1).astype("float32")
if keras.__version__[:2] in ("3.", "4."):
    first = [keras.Input(shape=(4,)), keras.layers.Dense(8, activation="relu")]
else:
    first = [keras.layers.Dense(8, activation="relu", input_shape=(4,))]
model = keras.models.Sequential(first + [keras.layers.Dense(1)])
model.predict(x, verbose=0)
model.compile(optimizer="sgd", loss="mse")
model.fit(x, y, epochs=1, batch_size=8, verbose=0)
print("PASSED")
""",
}

#: What people do without devicekit, by name: commands for an environment; {python}, {uv}, {framework} are replaced, and
#: {named} by what ``pip check`` names.
PEERS = {
    "pip install -U": ["{python} -m pip install -q -U {framework}"],
    "pip install --force-reinstall": ["{python} -m pip install -q --force-reinstall {framework}"],
    "uv pip install --reinstall": ["{uv} pip install -q --python {python} --reinstall {framework}"],
    "uv pip install -U tensorflow-cpu": ["{uv} pip install -q --python {python} -U tensorflow-cpu"],
    "pip check and its advice": ["{python} -m pip install -q {named}"],
}

#: Distributions of the import package ``tensorflow``, as `pip list` names them.
OWNERS = ("tensorflow", "tensorflow-cpu", "tensorflow-rocm", "tensorflow-directml", "tensorflow-gpu", "tf-nightly")

LIMIT_S = 1200


class Environment:
    """One environment of the specification, built in its own folder."""

    def __init__(self, entry, options):
        self.entry = entry
        self.options = options
        self.subject = entry.get("subject", "tensorflow")
        self.folder = os.path.join(os.path.abspath(options.work), entry["id"])
        self.venv, self.cwd, self.home = (os.path.join(self.folder, name) for name in ("venv", "cwd", "home"))
        self.python = os.path.join(self.venv, "bin", "python")
        self.base = {name: os.environ[name] for name in KEPT if name in os.environ}
        self.base["HOME"] = self.home
        self.base["UV_CACHE_DIR"] = os.environ.get("UV_CACHE_DIR", os.path.expanduser("~/.cache/uv"))
        self.base["PIP_CACHE_DIR"] = os.environ.get("PIP_CACHE_DIR", os.path.expanduser("~/.cache/pip"))
        self.base["PIP_DISABLE_PIP_VERSION_CHECK"] = "1"
        self.base["PATH"] = os.path.dirname(os.path.abspath(options.uv)) + os.pathsep + self.base.get("PATH", "")

    def run(self, command, variables=None, limit=LIMIT_S):
        """Run a command in the working folder; return its status and its outputs."""
        environment = dict(self.base, **(variables or {}))
        try:
            done = subprocess.run(
                command, cwd=self.cwd, env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=limit
            )
        except subprocess.TimeoutExpired:
            return -1, "", "no end after %d s" % limit
        return done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")

    @property
    def site(self):
        return glob.glob(os.path.join(self.venv, "lib", "python3*", "site-packages"))[0]

    def variables(self):
        """Return what the entry sets."""
        found = {}
        for name, value in self.entry.get("env", {}).items():
            value = re.sub(r"\{target:(\w+)\}", lambda match: os.path.join(self.folder, match.group(1)), value)
            for place in ("home", "cwd", "site"):
                value = value.replace("{%s}" % place, getattr(self, place))
            found[name] = value
        return found

    def build(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        for folder in (self.cwd, self.home):
            os.makedirs(folder)
        interpreter = self._interpreter(self.entry["python"])
        status, _, errors = self.run([interpreter, "-m", "venv", self.venv])
        if status:
            raise RuntimeError(errors[-300:])
        for step in self.entry["steps"]:
            self._step(step)

    def _interpreter(self, version):
        folder = self.options.interpreters
        if folder is None:
            found = [path for path in [shutil.which("python" + version)] if path]
        else:
            paths = glob.glob(os.path.join(folder, version + "*", "bin", "python"))
            found = [path for path in paths if re.search(r"/%s(\.\d+)?/bin" % re.escape(version), path)]
        if not found:
            raise RuntimeError("no Python %s" % version)
        return sorted(found)[-1]

    def _step(self, step):
        if "install" in step:
            if step.get("with", self.entry.get("with", "uv")) == "uv":
                command = [self.options.uv, "pip", "install", "-q", "--python", self.python]
                command += ["--exclude-newer", self.options.exclude_newer] if self.options.exclude_newer else []
            else:
                command = [self.python, "-m", "pip", "install", "-q", "--no-compile"]
            command += ["--no-deps"] if step.get("no_deps") else []
            command += ["--target", os.path.join(self.folder, step["target"])] if step.get("target") else []
            pip = {} if self.entry.get("local_index") else {"PIP_CONFIG_FILE": os.devnull}
            self.run([*command, *step.get("extra", []), *step["install"]], pip)  # its failure may be intended
        elif "uninstall" in step:
            self.run([self.python, "-m", "pip", "uninstall", "-y", *step["uninstall"]])
        else:
            change_files(step, {"site": self.site, "cwd": self.cwd, "home": self.home})

    def probe(self, python=None, variables=None):
        """Return what fails, "" where everything works."""
        environ = self.variables() if variables is None else variables
        names = ("tensorflow", "keras") if self.subject == "tensorflow" else ("keras",)
        for name in names:
            script = os.path.join(self.cwd, "probe_%s.py" % name)
            with open(script, "w", encoding="utf-8") as stream:
                stream.write(PROBES[name])
            status, output, errors = self.run([python or self.python, os.path.basename(script)], environ, 180)
            os.unlink(script)
            if status or "PASSED" not in output:
                lines = [line for line in errors.splitlines() if line.strip()]
                return "%s: %s" % (name, lines[-1][:200] if lines else "status %d" % status)
        return ""

    def listed(self):
        """Return the installed distributions with their versions, from the folders of their metadata."""
        found = {}
        for path in glob.glob(os.path.join(glob.escape(self.site), "*.dist-info")):
            name, _, version = os.path.basename(path)[: -len(".dist-info")].rpartition("-")
            found[re.sub(r"[-_.]+", "-", name).lower()] = version
        return found

    def save(self):
        """Keep a copy of hard links, for `restore`: installers replace files, they do not write into them."""
        shutil.copytree(self.venv, self.venv + "-saved", symlinks=True, copy_function=os.link)

    def restore(self):
        shutil.rmtree(self.venv)
        shutil.copytree(self.venv + "-saved", self.venv, symlinks=True, copy_function=os.link)
        shutil.rmtree(self.home, ignore_errors=True)
        os.makedirs(self.home)
        for step in self.entry["steps"]:
            if step.get("at") == "home":
                change_files(step, {"home": self.home})

    def remove(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        for path in glob.glob(self.folder + "-*"):
            shutil.rmtree(path, ignore_errors=True)


def change_files(step, places):
    """Do a step that changes files; ``places``: the folders that it may name."""
    if "write" in step:
        path = os.path.join(places[step.get("at", "cwd")], step["write"])
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if os.path.lexists(path):
            os.unlink(path)
        if not path.endswith("/"):
            with open(path, "wb") as stream:
                stream.write(b"\0" * step["bytes"] if "bytes" in step else step.get("text", "").encode("utf-8"))
        return
    site = places["site"]
    if "remove" in step:
        for path in glob.glob(os.path.join(site, step["remove"])):
            shutil.rmtree(path) if os.path.isdir(path) and not os.path.islink(path) else os.unlink(path)
    elif "truncate" in step:
        path = os.path.join(site, step["truncate"])
        with open(path, "rb") as stream:
            data = stream.read(step["keep"])
        os.unlink(path)  # it may be a link into a cache: never write into it
        with open(path, "wb") as stream:
            stream.write(data)
    elif "rename" in step or "copy" in step:
        source, target = (os.path.join(site, name) for name in step.get("rename") or step["copy"])
        for path in glob.glob(source):
            if "rename" in step:
                os.rename(path, target)
            else:
                (shutil.copytree if os.path.isdir(path) else shutil.copy)(path, target)
    else:
        raise ValueError("unknown step %r" % (step,))


def keeps_release(before, after, subject):
    """Return whether what was installed of the frameworks is still of the same release: who brings it does not matter."""
    groups = [OWNERS] if subject == "tensorflow" else [("keras",), ("jax",), ("torch",)]
    pairs = [(releases(before, names), releases(after, names)) for names in groups]
    return any(was for was, _ in pairs) and all(now and now <= was for was, now in pairs if was)


def releases(listed, names):
    """Return the releases of some distributions, without what a build adds to them."""
    return {".".join(listed[name].partition("+")[0].split(".")[:3]) for name in names if name in listed}


def devicekit(environment, *arguments):
    """Run a command of devicekit on an environment, as a user would in its folder; return status, JSON and errors."""
    command = [sys.executable, "-I", "-m", "devicekit", *arguments, "--json", "--python", environment.python]
    # Isolated: what hides a package from the environment must not hide one from the tool.
    status, output, errors = environment.run(command, environment.variables())
    try:
        return status, json.loads(output), errors
    except ValueError:
        return status, {}, errors or output[-500:]


def measure_fix(environment, before):
    """Fix an environment, probe it, undo, and return what came of it."""
    started = time.time()
    status, remedy, errors = devicekit(environment, "fix", "--yes")
    row = {"status": status, "outcome": remedy.get("outcome", ""), "summary": remedy.get("summary", "")}
    row["seconds"] = round(time.time() - started, 1)
    if not remedy:
        row["error"] = errors[-800:]
    after = environment.listed()
    attempts = remedy.get("attempts", [])
    row["attempts"] = [
        [item.get("outcome"), item.get("reason", "")[:300], item.get("detail", "")[:300]] for item in attempts
    ]
    new = next((item["environment"] for item in attempts if item.get("environment") and item["outcome"] == "works"), "")
    python = os.path.join(new.replace("~", environment.home), "bin", "python") if new else None
    row["changed"] = sorted(name for name in set(before) | set(after) if before.get(name) != after.get(name))
    row["new_environment"] = bool(new)
    row["fails"] = environment.probe(python)
    row["kept"] = keeps_release(before, after, environment.subject)
    row["left"] = [step.get("command") or step["text"] for step in remedy.get("left", [])]
    if row["fails"] and row["left"]:
        row["fails_after_user"] = environment.probe(python, as_typed(environment.variables(), row["left"]))
    if remedy.get("undo") or row["changed"]:
        status, _, errors = devicekit(environment, "fix", "--undo", "--yes")
        row["undo_status"] = status
    row["undo_exact"] = environment.listed() == before
    return row


def as_typed(variables, commands):
    """Return the variables of a shell in which these commands were typed, as far as they are about variables."""
    variables = dict(variables)
    for command in commands:
        for part in command.split("&&"):
            words = part.split()
            if words[:1] == ["unset"]:
                for name in words[1:]:
                    variables.pop(name, None)
            elif words[:1] == ["export"]:
                variables.update(word.split("=", 1) for word in words[1:] if "=" in word)
    return variables


def measure_peer(environment, name, before):
    """Do what a peer does, probe, and return what came of it."""
    framework = "keras" if environment.subject == "keras" else "tensorflow"
    if framework == "tensorflow":
        framework = next((item for item in OWNERS if item in before), "tensorflow")
    values = {"python": environment.python, "uv": environment.options.uv, "framework": framework}
    if name.startswith("pip check"):
        _, output, _ = environment.run([environment.python, "-m", "pip", "check"])
        values["named"] = " ".join("'%s'" % text for text in advice(output))
    started = time.time()
    status = 0
    for command in PEERS[name]:
        if values.get("named") == "":
            break
        status, _, _ = environment.run(["/bin/sh", "-c", command.format(**values)], environment.variables())
    after = environment.listed()
    same = after == before and "reinstall" not in name
    fails = "nothing changed" if same else environment.probe()
    return {
        "status": status,
        "seconds": round(time.time() - started, 1),
        "fails": fails,
        "kept": keeps_release(before, after, environment.subject),
    }


def advice(output):
    r"""Return the requirements that ``pip check`` names.

    >>> advice("a 1 requires numpy, which is not installed.\\nb 2 has requirement keras<3,>=2.15, but you have keras 3.0.5.")
    ['keras<3,>=2.15', 'numpy']
    """
    found = re.findall(r"requires ([\w.-]+), which is not installed", output)
    found += re.findall(r"has requirement (\S+?)(?:;[^,]*)?, but you have", output)
    return sorted(set(found))


def measure(entry, options, truth):
    """Return the line of an environment."""
    environment = Environment(entry, options)
    row = {"id": entry["id"], "class": truth.get("code", ""), "subject": environment.subject, "python": entry["python"]}
    row["mode"] = "peers" if options.peers else "healthy" if options.healthy else "fix"
    started = time.time()
    try:
        environment.build()
        before = environment.listed()
        if not truth:
            row["broken"] = environment.probe()
        if options.peers:
            environment.save()
            row["peers"] = {}
            for name in PEERS:
                if not options.peer or name in options.peer:
                    row["peers"][name] = measure_peer(environment, name, before)
                    environment.restore()
        else:
            row.update(measure_fix(environment, before))
    except Exception as error:
        row["builder_error"] = "%s: %s" % (type(error).__name__, error)
    finally:
        environment.remove()
    row["total_seconds"] = round(time.time() - started, 1)
    return row


def report(rows, bar):
    """Print the table, and return whether the bar is reached."""
    fixed = [row for row in rows.values() if row["mode"] == "fix" and "fails" in row and row.get("broken") != ""]
    healthy = [row for row in rows.values() if row["mode"] == "healthy" and "fails" in row]
    peers = [row for row in rows.values() if row["mode"] == "peers" and row.get("peers")]
    good = True
    if fixed:
        cured = [row for row in fixed if not row["fails"]]
        steps = [row for row in fixed if row["fails"] and row.get("fails_after_user") == ""]
        kept = [row for row in cured if row["kept"]]
        exact = [row for row in fixed if row["undo_exact"]]
        print(
            "%-34s %3d of %3d  %5.1f %%"
            % ("devicekit fix --yes: cured", len(cured), len(fixed), 100.0 * len(cured) / len(fixed))
        )
        print("%-34s %3d" % ("  more with the user's own step", len(steps)))
        print("%-34s %3d" % ("  of the cured: release kept", len(kept)))
        print("%-34s %3d of %3d" % ("undo exact", len(exact), len(fixed)))
        good = len(cured) >= bar * len(fixed) and len(exact) == len(fixed)
        for row in fixed:
            if row["fails"] or not row["undo_exact"]:
                print("  not cured: %-30s %-26s %s" % (row["id"], row["class"], row["fails"][:100]))
    if healthy:
        worse = [row for row in healthy if row["fails"] or row["changed"]]
        print("%-34s %3d of %3d" % ("healthy: nothing changed", len(healthy) - len(worse), len(healthy)))
        for row in worse:
            print("  worse: %s %s %s" % (row["id"], row["changed"], row["fails"][:100]))
        good = good and not worse
    counts = collections.OrderedDict()
    for row in peers:
        for name, result in row["peers"].items():
            counts.setdefault(name, []).append(result)
    for name, results in counts.items():
        cured = [item for item in results if not item["fails"]]
        kept = [item for item in cured if item["kept"]]
        print(
            "%-34s %3d of %3d  %5.1f %%, release kept %d"
            % (name, len(cured), len(results), 100.0 * len(cured) / len(results), len(kept))
        )
    for row in rows.values():
        if "builder_error" in row:
            print("  not built: %s: %s" % (row["id"], row["builder_error"][:150]))
            good = False
    return good


def read(path):
    """Return the lines of an output by mode and environment; the last of one counts."""
    if not os.path.exists(path):
        return {}
    with open(path, encoding="utf-8") as stream:
        rows = [json.loads(line) for line in stream if line.strip()]
    return {(row["mode"], row["id"]): row for row in rows}


def main():
    """Measure what is missing in the output, then print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder")
    parser.add_argument("--work")
    parser.add_argument("--interpreters")
    parser.add_argument("--uv", default=shutil.which("uv") or "uv")
    parser.add_argument("--output", required=True)
    parser.add_argument("--only", nargs="*")
    parser.add_argument("--again", action="store_true", help="also those that the output has")
    parser.add_argument("--healthy", action="store_true")
    parser.add_argument("--peers", action="store_true")
    parser.add_argument("--peer", nargs="*", help="only these: %s" % ", ".join(PEERS))
    parser.add_argument("--exclude-newer", metavar="DATE", help="for the steps that uv does")
    parser.add_argument("--report", action="store_true", help="only print the table")
    parser.add_argument("--bar", type=float, default=0.95)
    options = parser.parse_args()
    with open(os.path.join(options.folder, "spec.json"), encoding="utf-8") as stream:
        spec = json.load(stream)
    truth = {}
    if os.path.exists(os.path.join(options.folder, "truth.json")):
        with open(os.path.join(options.folder, "truth.json"), encoding="utf-8") as stream:
            truth = {row["id"]: row["label"] for row in json.load(stream)}
    mode = "peers" if options.peers else "healthy" if options.healthy else "fix"
    for entry in spec if not options.report else ():
        label = truth.get(entry["id"], {})
        works = bool(label) and label["imports"] and label["keras_runs"]
        chosen = entry["id"] in options.only if options.only else not label or works == options.healthy
        if not chosen or (not options.again and (mode, entry["id"]) in read(options.output)):
            continue
        row = measure(entry, options, label)
        with open(options.output, "a", encoding="utf-8") as stream:
            stream.write(json.dumps(row, sort_keys=True) + "\n")
        shown = row.get("fails", row.get("builder_error", ""))
        if options.peers:
            shown = {name: not item["fails"] for name, item in row.get("peers", {}).items()}
        print(
            "%s %-34s %5.1f s %s" % (time.strftime("%H:%M:%S"), row["id"], row["total_seconds"], shown or "works"),
            flush=True,
        )
    return 0 if report(read(options.output), options.bar) else 1


if __name__ == "__main__":
    sys.exit(main())
