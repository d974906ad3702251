"""Tiny wheels, and environments made of them: a TensorFlow that does not work with the NumPy next to it."""

import base64
import csv
import hashlib
import io
import json
import os
import shutil
import signal
import subprocess
import sys
import zipfile

from fake_frameworks import SOURCES

import devicekit
from devicekit.remedy.result import Attempt

FOLDER = os.path.dirname(os.path.dirname(os.path.abspath(devicekit.__file__)))
POSIX = os.name == "posix"
COMMAND = "import sys; sys.path.append(sys.argv.pop(1)); from devicekit.cli.main import main; sys.exit(main())"

#: What this TensorFlow imports, besides NumPy, in name only.
NEEDED = {
    "absl-py": "2.1.0", "astunparse": "1.6.3", "flatbuffers": "24.3.25", "gast": "0.6.0", "google-pasta": "0.2.0",
    "grpcio": "1.70.0", "h5py": "3.12.1", "keras": "3.8.0", "libclang": "18.1.1", "ml-dtypes": "0.5.1", "namex": "0.0.8",
    "opt-einsum": "3.4.0", "optree": "0.14.0", "packaging": "24.2", "protobuf": "5.29.3", "requests": "2.32.3",
    "rich": "13.9.4", "setuptools": "75.8.0", "six": "1.17.0", "tensorboard": "2.19.0", "termcolor": "2.5.0",
    "typing-extensions": "4.12.2", "urllib3": "2.3.0", "wrapt": "1.17.2", "idna": "3.10", "certifi": "2025.1.31",
    "charset-normalizer": "3.4.1", "markdown": "3.7", "werkzeug": "3.1.3", "tensorboard-data-server": "0.7.2",
    "wheel": "0.45.1", "markdown-it-py": "3.0.0", "pygments": "2.19.1", "mdurl": "0.1.2", "markupsafe": "3.0.2",
}  # fmt: skip

BROKEN_NUMPY, GOOD_NUMPY = "1.26.2", "1.26.4"
#: A release that has wheels for this Python.
TENSORFLOW = {(3, 7): "2.10.1", (3, 8): "2.13.1", (3, 13): "2.20.0"}.get(sys.version_info[:2], "2.19.0")

#: What goes with an older one.
NEEDED.update(
    {
        "2.10.1": {"keras": "2.10.0", "protobuf": "3.19.6", "tensorboard": "2.10.1", "flatbuffers": "23.5.26"},
        "2.13.1": {"keras": "2.13.1", "protobuf": "4.25.3", "tensorboard": "2.13.0", "typing-extensions": "4.5.0"},
    }.get(TENSORFLOW, {})
)

#: Carries out a plan that the test makes; what a plan says is tested elsewhere.
APPLY = """
import json, sys
sys.path.append(sys.argv[1])
from devicekit.machine.interpreter import other_interpreter
from devicekit.remedy.result import Attempt, Remedy
from devicekit.remedy.run import carry_out
attempts = tuple(map(Attempt.from_dict, json.loads(sys.argv[3])))
remedy = Remedy(sys.argv[2], "auto", "planned", attempts=attempts)
print(json.dumps(carry_out(other_interpreter(sys.argv[2]), remedy).to_dict()))
"""


def wheel(folder, name, version, files=None, requires=(), scripts=None):
    """Write a wheel; ``scripts``: files of its ``data/scripts``."""
    raw = name.replace("-", "_")
    info = "%s-%s.dist-info" % (raw, version)
    content = {"%s/__init__.py" % raw: "__version__ = %r\n" % version} if files is None else dict(files)
    content.update({"%s-%s.data/scripts/%s" % (raw, version, key): text for key, text in (scripts or {}).items()})
    lines = ["Metadata-Version: 2.1", "Name: %s" % name, "Version: %s" % version]
    content[info + "/METADATA"] = "\n".join(lines + ["Requires-Dist: %s" % text for text in requires]) + "\n"
    content[info + "/WHEEL"] = "Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    record = io.StringIO()
    rows = csv.writer(record, lineterminator="\n")
    path = os.path.join(str(folder), "%s-%s-py3-none-any.whl" % (raw, version))
    with zipfile.ZipFile(path, "w") as archive:
        for key, text in content.items():
            data = text.encode("utf-8")
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode("ascii")
            rows.writerow([key, "sha256=" + digest, len(data)])
            archive.writestr(key, data)
        rows.writerow([info + "/RECORD", "", ""])
        archive.writestr(info + "/RECORD", record.getvalue())
    return path


def numpy_files(version, works, more=0):
    """Return the files of a NumPy; ``more``: how many others it has, so that it takes time to install it."""
    source = "__version__ = %r\n" % version + SOURCES["numpy"]
    files = {"numpy/__init__.py": source + ("from . import exceptions\n" if works else "")}
    if works:
        files["numpy/exceptions.py"] = ""
    files.update({"numpy/more/part%d.py" % number: "NUMBER = %d\n" % number for number in range(more)})
    return files


def broken_wheels(folder):
    """Write the wheels of an environment that does not work; return their requirements."""
    for name, version in NEEDED.items():
        source = {
            "keras": {"keras/__init__.py": "__version__ = %r\n" % version + SOURCES["keras"]},
            "absl-py": {"absl/__init__.py": ""},
        }.get(name)
        wheel(folder, name, version, source)
    start = "import absl, numpy\nnumpy.exceptions\n__version__ = %r\n" % TENSORFLOW
    files = {"tensorflow/__init__.py": start + SOURCES["tensorflow"]}
    wheel(folder, "tensorflow-cpu", TENSORFLOW, files, requires=("absl-py",))
    wheel(folder, "numpy", BROKEN_NUMPY, numpy_files(BROKEN_NUMPY, False), scripts={"f2py": "#!python\nprint(1)\n"})
    pins = dict(NEEDED, numpy=BROKEN_NUMPY, **{"tensorflow-cpu": TENSORFLOW})
    return ["%s==%s" % item for item in sorted(pins.items())]


def variables(folder, wheels, **more):
    """Return the environment of a command: wheels of the tests and no index."""
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(("PIP_", "UV_", "PYTHON", "KERAS"))
    }
    return dict(
        kept,
        HOME=str(folder),
        PIP_NO_INDEX="1",
        PIP_FIND_LINKS=str(wheels),
        PIP_NO_CACHE_DIR="1",
        PIP_CONFIG_FILE=os.devnull,
        UV_NO_INDEX="1",
        UV_FIND_LINKS=str(wheels),
        UV_OFFLINE="1",
        UV_NO_CONFIG="1",
        DEVICEKIT_OFFLINE="1",
        DEVICEKIT_QUIET="1",
        **more,
    )


def ended(process):
    """Wait for a process; return what it printed."""
    return process.communicate(timeout=300)


def hear():
    """Let signals end this process, also where the tests run in the background of a shell, or under ``nohup``."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


class Patient:
    """An environment, and the command that is run on it from outside."""

    def __init__(self, prefix, wheels, home, **more):
        self.prefix, self.wheels = str(prefix), str(wheels)
        self.python = os.path.join(self.prefix, "bin" if POSIX else "Scripts", "python" if POSIX else "python.exe")
        self.variables = variables(home, wheels, **more)
        self.home = str(home)

    @property
    def site(self):
        if not POSIX:
            return os.path.join(self.prefix, "Lib", "site-packages")
        return os.path.join(self.prefix, "lib", "python%d.%d" % sys.version_info[:2], "site-packages")

    def start(self, *arguments, **options):
        """Start a Python program from outside of the environment."""
        if POSIX:
            options.setdefault("preexec_fn", hear)
        return subprocess.Popen(
            [sys.executable, "-c", *arguments],
            cwd=self.home,
            env=self.variables,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            **options,
        )

    def start_apply(self, *several, **options):
        """Start to carry out a plan; each of ``several`` is an attempt, or its packages."""
        attempts = [(item if isinstance(item, Attempt) else Attempt(item, "a test")).to_dict() for item in several]
        return self.start(APPLY, FOLDER, self.prefix, json.dumps(attempts), **options)

    def apply(self, *several, **options):
        """Carry out a plan; return the remedy, and the message of the exception if there was one."""
        output, errors = (part.decode("utf-8", "replace") for part in ended(self.start_apply(*several, **options)))
        return json.loads(output) if output else None, errors.strip().rpartition("\n")[2]

    def fix(self, *arguments, **options):
        """Run the command; return its status, the remedy, and what it said."""
        process = self.start(COMMAND, FOLDER, "fix", "--python", self.prefix, "--json", *arguments, **options)
        output, errors = (part.decode("utf-8", "replace") for part in ended(process))
        return process.returncode, json.loads(output) if output else None, errors

    def files(self, own=False):
        """Return every file of the environment with its content; what Python compiled, and devicekit's, is left out."""
        found = {}
        for folder, folders, names in os.walk(self.prefix):
            folders[:] = [name for name in folders if name != "__pycache__" and (own or name != ".devicekit")]
            for name in names:
                path = os.path.join(folder, name)
                relative = os.path.relpath(path, self.prefix)
                if os.path.islink(path):
                    found[relative] = os.readlink(path)
                    continue
                try:
                    with open(path, "rb") as stream:
                        found[relative] = hashlib.sha256(stream.read()).hexdigest()
                except FileNotFoundError:  # the installer outlives a fix that is killed, and is still at work
                    pass
        return found

    def versions(self):
        names = [name for name in os.listdir(self.site) if name.endswith(".dist-info")]
        return dict(name[: -len(".dist-info")].split("-") for name in names)

    def lose_a_dependency(self):
        """Take away what the diagnosis will miss; everything else is right then."""
        with open(os.path.join(self.site, "numpy", "exceptions.py"), "w") as stream:
            stream.write("")
        with open(os.path.join(self.site, "numpy", "__init__.py"), "a") as stream:
            stream.write("from . import exceptions\n")
        for name in ("absl", "absl_py-%s.dist-info" % NEEDED["absl-py"]):
            shutil.rmtree(os.path.join(self.site, name))

    def install(self, *names):
        """Install wheels of the tests."""
        call = [self.python, "-m", "pip", "install", "-q", "--no-deps", "--no-compile", *names]
        subprocess.run(call, env=self.variables, cwd=self.home, check=True, stdin=subprocess.DEVNULL)

    def works(self):
        """Whether the framework can be imported there."""
        return (
            subprocess.run(
                [self.python, "-c", "import tensorflow"], env=self.variables, capture_output=True, check=False
            ).returncode
            == 0
        )
