"""Sessions: ``nox`` runs the quick ones, ``nox -t live`` and ``nox -t nightly`` real environments, ``nox -s bench`` measures.

Every session tests the wheel that is built once, not the checkout, so that what is tested is what users get.
"""

import glob
import os
import shutil
import tempfile

import nox

nox.options.default_venv_backend = "uv|virtualenv"
nox.options.sessions = ["lint", "types", "tests-3.11"]
nox.options.error_on_missing_interpreters = True

PYTHONS = ["3.7", "3.8", "3.9", "3.10", "3.11", "3.12", "3.13"]


def live_files(*names):
    """Return the paths of files below tests/live by what is special in their names."""
    return ["tests/live/test_live_%s.py" % name for name in names]


#: What takes minutes and does not depend on a release: one environment runs it, with the newest one.
ELSEWHERE = ["--ignore=" + path for path in live_files("bench", "tune", "batch_size")]
#: On older releases, what caches results is the same, as is what numbers mean.
OLD_GPU = [*live_files("gpu"), "-k", "not verdict and not number"]

#: A kernel of Jupyter, and what runs a notebook in it.
NOTEBOOK = ["nbclient", "ipykernel"]

#: Real environments, built from the registry: name -> Python, requirements, what the gate runs there, and what
#: `nox -t nightly` runs there. `readme-examples` trains with the whole wheel `tensorflow` on 3.11 and 3.13.
LIVE = {
    # A build without CUDA, for the simulated GPU.
    "cpu-3.11": (
        "3.11",
        ["tensorflow-cpu", "scikit-learn", *NOTEBOOK],
        [*live_files("auto", "notebook", "quiet", "gpu", "platform", "verify"), "-k", "not any_moment"],
        live_files(
            *(
                "planted",
                "compare",
                "compare_command",
                "functions",
                "launch",
                "lease",
                "library",
                "numerics",
                "wrong_device",
            )
        ),
    ),
    # What JAX and PyTorch have on other days of the gate, and what takes longest.
    "watch-3.11": (
        "3.11",
        ["tensorflow-cpu", "scikit-learn"],
        [
            *live_files("monitor", "nan_guard", "scope", "strategy"),
            "tests/live/test_live_auto.py::test_an_interrupt_at_any_moment_leaves_nothing",
            "tests/live/test_live_planted.py::test_a_sample",
        ],
        [],
    ),
    "measure-3.11": (
        "3.11",
        ["tensorflow-cpu", "scikit-learn"],
        [],
        live_files("batch_size", "bench", "memory", "training", "tune"),
    ),
    # What the README installs, which brings CUDA kernels.
    "tensorflow-3.11": (
        "3.11",
        ["tensorflow", "scikit-learn", *NOTEBOOK],
        [],
        live_files("auto", "notebook", "quiet", "cuda", "library", "platform", "scope", "strategy", "verify"),
    ),
    "cpu-3.13": ("3.13", ["tensorflow-cpu", "scikit-learn"], [], live_files("auto", "quiet", "scope")),
    # The simulated GPU on older releases.
    "gpu-2.10": ("3.10", ["tensorflow-cpu==2.10.1", "numpy<2"], [], OLD_GPU),
    "gpu-2.15": ("3.10", ["tensorflow-cpu==2.15.1"], [], OLD_GPU),
    "torch-3.11": (
        "3.11",
        ["torch==2.13.0", "keras"],
        live_files("torch", "monitor", "nan_guard"),
        live_files(
            *(
                "launch_torch",
                "platform_torch",
                "numerics_torch",
                "compare_torch",
                "bench",
                "wrong_device_torch",
                "memory",
            )
        ),
    ),
    # The extra of the package itself: what a user with DirectML types.
    "directml-3.7": ("3.7", ["{wheel}[directml]", "scikit-learn"], [], ["tests/live", *ELSEWHERE]),
    "directml-3.10": (
        "3.10",
        ["{wheel}[directml]", "scikit-learn"],
        # What an interrupt leaves behind and how wrong settings are reported does not depend on the release.
        [*live_files("auto", "quiet", "directml"), "-k", "not any_moment and not wrong_setting"],
        ["tests/live", *ELSEWHERE],
    ),
    # Keras on JAX: the newest, the last for Python 3.9, and next to TensorFlow.
    "jax-3.11": (
        "3.11",
        ["jax[cpu]", "keras"],
        live_files("jax", "monitor", "nan_guard"),
        live_files("launch_jax", "bench", "compare_jax", "numerics_jax", "memory"),
    ),
    "jax-3.9": ("3.9", ["jax[cpu]==0.4.30", "keras"], [], live_files("jax", "numerics_jax")),
    "jax-and-tensorflow-3.12": ("3.12", ["jax[cpu]", "tensorflow-cpu"], [], live_files("jax", "frameworks")),
    # With Keras 2, model.fit trains in several processes.
    "tf-keras-3.11": ("3.11", ["tensorflow-cpu", "tf-keras", "scikit-learn"], [], live_files("tf_keras", "launch")),
}


#: What codespell and tools/check_english.py read.
ENGLISH = [
    "README.md", "CONTRIBUTING.md", "CHANGELOG.md", "mkdocs.yml", "noxfile.py", "pyproject.toml",
    "benchmarks", "devicekit", "docs", "examples", "tests", "tools",
]  # fmt: skip

#: Installed by pip: for Linux the registry has PyTorch with CUDA only, several GB; a wheel for the CPU that pip's settings
#: (``find-links``) name is not seen by uv.
BY_PIP = {"torch-3.11"}


def wheel(session):
    """Build the wheel once for this run of nox, and return its path."""
    folder = os.path.join(session.cache_dir, "wheel")
    if os.environ.get("DEVICEKIT_WHEEL"):
        return os.environ["DEVICEKIT_WHEEL"]
    session.install("build")
    for old in glob.glob(os.path.join(folder, "*.whl")):
        os.unlink(old)
    shutil.rmtree("build", ignore_errors=True)  # setuptools also packs what an earlier build left there
    session.run("python", "-m", "build", "--wheel", "--outdir", folder, ".", silent=True)
    (path,) = glob.glob(os.path.join(folder, "*.whl"))
    os.environ["DEVICEKIT_WHEEL"] = os.path.abspath(path)
    return os.environ["DEVICEKIT_WHEEL"]


@nox.session(python="3.11")
def build(session):
    """Build the wheel as it is published, and see that it holds what it should, and nothing else."""
    path = wheel(session)
    session.install("zopflipy")
    session.run("python", "tools/pack_wheel.py", path)
    session.run("python", "tools/check_wheel.py", path)


@nox.session(python="3.13")
def lint(session):
    """Style, and that the code runs on Python 3.7: ruff does not see everything, vermin does."""
    session.install("ruff", "vermin", "codespell")
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")
    # tomllib is imported where it exists, else its backport tomli.
    vermin = ("vermin", "-t=3.7-", "--no-tips", "--violations", "--exclude", "tomllib")
    session.run(*vermin, "devicekit", "tests", "examples", "benchmarks")
    # Plain English: words in tools/english.txt, phrases in tools/phrases.txt.
    session.run("codespell", "-L", "endeavour,hsa", "-D", "-", "-D", "tools/english.txt", *ENGLISH)
    session.run("python", "tools/check_english.py", *ENGLISH)


@nox.session(python="3.13")
def types(session):
    """Types, on the newest Python."""
    session.install("mypy", "packaging", "platformdirs", "pytest", "resolvelib")
    session.run("mypy")


@nox.session(python=PYTHONS)
def tests(session):
    """The tests that need no framework, against the wheel: all on the newest Python and with ``-- --all``.

    On the oldest the slow ones, for `readme` runs the others there. On the Pythons between, those whose result may depend on
    the interpreter.
    """
    session.install(wheel(session) + "[test]")
    every = session.python == PYTHONS[-1] or "--all" in session.posargs
    marks = "" if every else "slow" if session.python == PYTHONS[0] else "not slow and not data"
    # `plugin` runs the tests of the plug-in for pytest.
    arguments = ["tests", "--ignore=tests/plugin", *[item for item in session.posargs if item != "--all"]]
    run_pytest(session, *arguments, "-m", marks)


@nox.session(python=PYTHONS[-1])
def slow(session):
    """The slow tests alone: `readme` has the others."""
    session.install(wheel(session) + "[test]")
    run_pytest(session, "tests", "--ignore=tests/plugin", "-m", "slow", *session.posargs)


@nox.session(python=["3.7", "3.13"])
def plugin(session):
    """The plug-in for pytest as it is installed, with pytest-xdist: pytest 7.4 on 3.7, the newest on 3.13."""
    session.install(wheel(session), "pytest==7.4.4" if session.python == "3.7" else "pytest", "pytest-xdist")
    run_pytest(session, "tests/plugin", "-m", "", *session.posargs)


@nox.session(python=["3.7", "3.13"])
def platform(session):
    """The example of a plug-in for another accelerator: installed from its source as a user would, with its own tests."""
    session.install(wheel(session), "pytest", "pip", "setuptools", "wheel")
    # A build leaves files next to the source.
    source = os.path.join(session.create_tmp(), "devicekit-npu")
    shutil.rmtree(source, ignore_errors=True)
    shutil.copytree("examples/devicekit-npu", source)
    # With nothing but what is installed by now: what the example needs to be built is there.
    session.run("python", "-m", "pip", "install", "--no-build-isolation", source, silent=True)
    run_pytest(session, "tests/platform_plugin", env={"DEVICEKIT_TEST_PLATFORM": "1"})
    run_pytest(session, os.path.join(source, "tests"))


@nox.session(python="3.11")
def onefile(session):
    """Without an installation: ``devicekit.pyz`` on each Python from 3.7 to 3.13; uvx, pipx, PyInstaller with the wheel."""
    session.install(wheel(session) + "[test]", "pip", "uv", "pipx", "pyinstaller")
    path = os.path.join(session.cache_dir, "devicekit.pyz")
    session.run("python", "tools/build_pyz.py", wheel(session), path)
    run_pytest(session, "tests/onefile", *session.posargs, env={"DEVICEKIT_TEST_PYZ": os.path.abspath(path)})


@nox.session(python="3.11")
def mcp(session):
    """``devicekit mcp``, asked by the client of the protocol's own library; also of its last release 1."""
    session.install(wheel(session) + "[test,mcp]")
    run_pytest(session, "tests/protocol", *session.posargs, env={"DEVICEKIT_TEST_MCP": "1"})
    session.install("mcp<2")
    run_pytest(session, "tests/protocol", "-k", "answers", env={"DEVICEKIT_TEST_MCP": "1"})


@nox.session(python="3.13")
def typed(session):
    """A program that uses every public name, checked against the wheel as its users' type checkers would."""
    # basedpyright is pyright with everything in its wheel: pyright itself fetches a runtime and a package from elsewhere.
    session.install(wheel(session), "mypy", "basedpyright", "jedi", "pytest", "numpy")
    session.run("python", "tests/typed/check.py")


def live_session(name, python, requirements, paths):
    """Make the session that runs tests which need a framework in a real environment."""

    def live(session):
        built = wheel(session)
        session.install(built + "[test]", *[item.format(wheel=built) for item in requirements])
        run_pytest(session, "-m", "", *paths, *session.posargs)

    live.__doc__ = "Tests that need a framework, with %s on Python %s." % (", ".join(requirements), python)
    kind, _, environment = name.partition("-")
    backend = "virtualenv" if environment in BY_PIP else None
    nox.session(live, python=python, name=name, tags=[kind], venv_backend=backend)


for _environment, (_python, _requirements, _gate, _nightly) in LIVE.items():
    if _gate:
        live_session("live-" + _environment, _python, _requirements, _gate)
    if _nightly:
        live_session("nightly-" + _environment, _python, _requirements, _nightly)


#: Of the index's newer releases, Wine lacks functions that these do without.
WINDOWS = ["numpy<2", "setuptools<82", "h5py==3.7.0", "protobuf<3.20"]


@nox.session(python="3.11", name="windows-directml-3.10")
def windows_directml(session):
    """DirectML for real, on a Windows Python under Wine: TensorFlow 2.10, the plug-in, a device with wrong values."""
    session.install(wheel(session) + "[test]", "uv")
    # Nothing of an earlier run: its caches would say what is to be found out.
    with tempfile.TemporaryDirectory() as folder:
        packages = ["tensorflow-cpu==2.10.0", "tensorflow-directml-plugin==0.4.0.dev230202", *WINDOWS]
        session.run("python", "tools/windows_environment.py", "make", folder, wheel(session), *packages)
        run_pytest(session, "tests/windows", "-m", "", *session.posargs, env={"DEVICEKIT_TEST_WINDOWS": folder})


#: What depends on the system: processes, files, locks, paths, consoles. The rest is data and texts, the same everywhere: it is
#: spread over nights. What only another system has, and why, says the mark `only_on` of the tests; the summary counts those
#: tests, and at most 20 more may be skipped.
ON_WINDOWS = [
    *("tests/distribution/test_%s.py" % name for name in ("cluster", "hostlist", "launch", "launch_plan")),
    *("tests/leasing/test_leasing_%s.py" % name for name in ("folder", "lease", "run")),
    *("tests/test_%s.py" % name for name in ("benchmark_cache", "children", "cli", "entry_points", "import", "notify")),
    "tests/numerics/test_transfer_files.py",
    *(
        "tests/probe/test_probe_%s.py" % name
        for name in ("builds", "cuda", "devices", "directml", "native", "others", "processor")
    ),
    *("tests/test_%s.py" % name for name in ("on_windows", "python_environment", "start_lines", "steps")),
    *(
        "tests/test_%s.py" % name
        for name in ("command_watch", "html", "new_environment", "progress", "run_command", "tool")
    ),
]


def windows_session(name, python, files, tags=(), numpy="numpy<2"):
    """Make the session that runs tests without a framework on a Windows Python."""

    def windows(session):
        session.install(wheel(session), "uv")
        tool = ("python", "tools/windows_environment.py", "--python", python)
        with tempfile.TemporaryDirectory() as folder:
            # Of the index's newer releases, Wine lacks functions that these do without.
            packages = (wheel(session) + "[test]", numpy, "jsonschema<4.18", "pytest-rerunfailures", "uv")
            session.run(*tool, "make", folder, *packages)
            # About one start of a process in some thousands ends in an internal error of Wine's.
            again = ("--reruns", "2", "--only-rerun", "WinError 1359")
            session.run(*tool, "test", folder, "-m", "", "--durations=20", *again, *(session.posargs or files))

    windows.__doc__ = "Tests without a framework, on a Windows Python %s under Wine." % python
    nox.session(windows, python="3.11", name=name, tags=list(tags))


for _python in ("3.8", "3.11"):
    windows_session("windows-" + _python, _python, ON_WINDOWS)
# With the two of the gate these are all tests without a framework. Under Wine, to start a process takes half a second and to
# open a file a millisecond, so that they take more than an hour: those that install packages have a night of their own.
INSTALLS = ["tests/remedies/test_apply.py"]
_ALL = sorted(glob.glob("tests/**/test_*.py", recursive=True))
_REST = [path for path in _ALL if path not in ON_WINDOWS + INSTALLS]
for _night, _files in enumerate([*(_REST[index::5] for index in range(5)), INSTALLS]):
    # What is left out, since conftest.py leaves out what needs more than Python only below a folder.
    _others = ["--ignore=" + path for path in _ALL if path not in _files]
    windows_session("nightly-windows-3.11-%d" % (_night + 1), "3.11", ["tests", *_others], ["nightly"])
windows_session("nightly-windows-3.12", "3.12", ON_WINDOWS, ["nightly"])
# NumPy for 3.13 calls functions that Wine 8 lacks: crealf (2.2.6).
WITHOUT_NUMPY = [path for path in ON_WINDOWS if "/numerics/" not in path]
windows_session("nightly-windows-3.13", "3.13", WITHOUT_NUMPY, ["nightly"], numpy="numpy<2.3")


@nox.session(python="3.11", name="nightly-windows-fix", tags=["nightly"])
def nightly_windows_fix(session):
    """`devicekit fix` from end to end on a Windows Python under Wine: stock TensorFlow 2.15, an AMD GPU, real pip."""
    session.install(wheel(session) + "[test]", "uv")
    with tempfile.TemporaryDirectory() as folder:
        session.run("python", "tools/windows_environment.py", "make", folder, wheel(session))
        run_pytest(session, "tests/windows_fix", "-m", "", *session.posargs, env={"DEVICEKIT_TEST_WINDOWS_FIX": folder})


@nox.session(python="3.11", name="nightly-dll-search", tags=["nightly"])
def nightly_dll_search(session):
    """Where the loader of Windows and TensorFlow 2.10.1 find CUDA DLLs, against the prediction: 1,000 layouts, under Wine."""
    session.install(wheel(session), "uv")
    with tempfile.TemporaryDirectory() as folder:
        make = ("python", "tools/windows_environment.py", "make", folder, wheel(session))
        session.run(*make, "tensorflow==2.10.1", *WINDOWS)
        session.run("python", "tools/check_dll_search.py", folder, *session.posargs)
        session.run("python", "tools/check_dll_search.py", folder, "--tensorflow")


@nox.session(python="3.11")
def environments(session):
    """Broken environments, built from the registry one by one, examined from outside, and fixed with the printed commands."""
    session.install(wheel(session) + "[test]", "uv")
    run_pytest(session, "tests/environments", *session.posargs, env={"DEVICEKIT_TEST_ENVIRONMENTS": "1"})


@nox.session(python="3.11")
def cure(session):
    """Eight broken environments from the registry: `devicekit fix --yes` has to cure all, and its undo to be exact."""
    session.install(wheel(session), "uv")
    with tempfile.TemporaryDirectory() as folder:
        output = os.path.join(folder, "results.jsonl")
        arguments = ["tests/cure", "--work", folder, "--output", output, "--bar", "1", *session.posargs]
        session.run("python", "tools/cure_rate.py", *arguments)


@nox.session(python="3.12")
def report(session):
    """Pages in a real Chromium, figures, and results in a real Jupyter kernel; needs chromium and chromedriver."""
    # axe-core-python is axe-core's script in a wheel: it judges what a screen reader and weak eyes need.
    needs = ["selenium", "axe-core-python", *NOTEBOOK]
    session.install(wheel(session) + "[test,report]", *needs)
    # From elsewhere selenium would send statistics and fetch drivers.
    env = {"DEVICEKIT_TEST_BROWSER": "1", "SE_OFFLINE": "true", "SE_AVOID_STATS": "true"}
    # The site is tried where it is built, by `docs`.
    run_pytest(session, "tests/browser", "--ignore=tests/browser/test_site.py", *session.posargs, env=env)


@nox.session(python="3.11")
def fleet(session):
    """Every node of a real Ray cluster on this machine: three raylets with environments of their own."""
    session.install(wheel(session) + "[test,ray]")
    env = {"DEVICEKIT_TEST_RAY": "1", "RAY_USAGE_STATS_ENABLED": "0"}
    run_pytest(session, "tests/fleet_ray", *session.posargs, env=env)


#: What tools/refresh_matrix.py needs besides devicekit: it asks the index as `devicekit resolve` does.
TOOLS = [".", "tqdm"]


@nox.session(python="3.11")
def data(session):
    """Say where the bundled data are behind the package registry; not part of CI, for a release may appear any day."""
    session.install(*TOOLS)
    session.run("python", "tools/refresh_matrix.py", "--check", *session.posargs)


@nox.session(python="3.11", name="data-sample")
def data_sample(session):
    """Read some releases from the registry again, others every day, and compare every derived cell."""
    session.install(*TOOLS)
    session.run("python", "tools/refresh_matrix.py", "--verify", "12", *session.posargs)


@nox.session(python="3.11", name="data-full")
def data_full(session):
    """Read all releases from the registry again and compare every derived cell: about ten minutes."""
    session.install(*TOOLS)
    session.run("python", "tools/refresh_matrix.py", "--verify", "all", *session.posargs)


@nox.session(python="3.11")
def resolved(session):
    """Install what `devicekit resolve` prints and train a model on it: two pairs, others every day.

    ``nox -s resolved -- --all`` goes through the whole table, every Python and every TensorFlow: an hour or two.
    """
    session.install(wheel(session), "uv")
    arguments = session.posargs or ["--sample", "2", "--installer", "both"]
    session.run("python", "tools/check_resolve.py", *[item for item in arguments if item != "--all"])


@nox.session(python="3.11")
def bounds(session):
    """Try some of the measured bounds of dependencies again, others every day: what works and what fails.

    ``nox -s bounds -- measure --folder FOLDER`` finds those that are missing: hours.
    """
    session.install(wheel(session), "uv")
    with tempfile.TemporaryDirectory() as folder:
        session.run("python", "tools/try_bounds.py", *(session.posargs or ["verify", "2", "--folder", folder]))


@nox.session(python="3.11", name="nightly-resolved", tags=["nightly"])
def nightly_resolved(session):
    """Do as `resolved` with more pairs, and with DirectML."""
    session.install(wheel(session), "uv")
    session.run("python", "tools/check_resolve.py", "--sample", "6", "--installer", "both")
    session.run("python", "tools/check_resolve.py", "--directml")


@nox.session(python="3.11", name="cuda-search")
def cuda_search(session):
    """Where a release of TensorFlow finds each CUDA library, against the prediction; another release every day.

    Ten minutes and 2 GB a release, so not part of CI: `tests/test_dynamic_linker.py` compares with the system there.
    ``nox -s cuda-search -- --all``: every release from 2.15 on.
    """
    session.install("uv", "packaging")
    session.run("python", "tools/check_cuda_search.py", *session.posargs)


@nox.session(python=PYTHONS)
def readme(session):
    """What a newcomer types to run the tests: a clone, a fresh environment, the command as the README has it."""
    session.run("python", "tools/run_readme.py", "--only", "test")


# 3.7 cannot have the newest TensorFlow: 2.11 was the last for it.
@nox.session(python=["3.11", "3.13"], name="readme-examples")
def readme_examples(session):
    """The README's other commands, one after the other in one environment: they train with TensorFlow."""
    session.run("python", "tools/run_readme.py", "--only", "train", "compare", "fastest")


@nox.session(python="3.12")
def docs(session):
    """Build the documentation; a broken link or a page that nothing leads to is an error. No network is asked for that."""
    # The browser is the system's, as in `report`.
    session.install(wheel(session) + "[test,docs]", "selenium")
    site = os.path.join(session.cache_dir, "site")
    # What the theme says of its successor is no warning about these pages.
    session.run("mkdocs", "build", "--strict", "--site-dir", site, env={"NO_MKDOCS_2_WARNING": "1"}, silent=True)
    session.run("python", "tools/check_site.py", site)
    browser = {"DEVICEKIT_TEST_BROWSER": "1", "SE_OFFLINE": "true", "SE_AVOID_STATS": "true"}
    run_pytest(session, "tests/browser/test_site.py", env=dict(browser, DEVICEKIT_TEST_SITE=os.path.abspath(site)))


@nox.session(python="3.11")
def bench(session):
    """Measure everything that has a budget, side by side in one run."""
    session.install(wheel(session), "tensorflow-cpu", "jax[cpu]")
    session.run("python", "benchmarks/run.py", *session.posargs)


def run_pytest(session, *arguments, env=None):
    """Run pytest so that the wheel is imported: the command, unlike ``python -m``, leaves the checkout off the path."""
    session.run("pytest", "-p", "no:cacheprovider", "--durations=20", "--durations-min=3", *arguments, env=env)
