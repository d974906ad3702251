"""What was measured of a release and its dependencies: read, and used by questions, sets, findings and predictions."""

import pytest

from devicekit.diagnosis.diagnose import run_rules
from devicekit.machine.probe import read_machine
from devicekit.matrix.bounds import allowed, fit
from devicekit.matrix.matrix import BUNDLED, Matrix, read_data
from devicekit.matrix.queries import goes_with
from devicekit.matrix.target import Target
from devicekit.resolver.engine import Conflict, Need, solve
from devicekit.resolver.resolve import resolve

#: One of each minor release: a patch release that has no wheel for the oldest Python shares its rows with an older one.
RELEASES = {
    (row["project"], row["release"].rpartition(".")[0], row.get("with", "")): row["release"]
    for row in read_data("bounds")["rows"]
}
NO_OBJECT = "import: AttributeError: module 'numpy' has no attribute 'object'"
SYMBOLIC = "lstm: NotImplementedError: Cannot convert a symbolic Tensor to a numpy array"

NO_SIZE = "import: ValueError: numpy.dtype size changed"
NO_RESOURCES = "tensorboard: ModuleNotFoundError: pkg_resources"

BOTH = {"above": "1.20.3", "above_fails": SYMBOLIC, "import_above": "1.24.0", "import_above_fails": NO_OBJECT}


def bound(release, python, dependency, oldest, newest, project="tensorflow", **other):
    return dict(
        other, project=project, release=release, python=python, dependency=dependency, oldest=oldest, newest=newest
    )


#: Cells that were tried with the real wheels; what lies between them is as the schema of the table allows it.
ROWS = [
    bound("2.4.4", "3.6", "numpy", "1.19.5", "1.19.5"),
    bound("2.4.4", "3.8", "numpy", "1.19.5", "1.19.5", above="1.20.3", above_fails=SYMBOLIC, imports_above="1.22.4"),
    bound("2.5.3", "3.6", "numpy", "1.19.5", "1.19.5"),
    bound("2.5.3", "3.9", "numpy", "1.19.3", "1.19.5", **BOTH),
    bound("2.6.5", "3.9", "numpy", "1.19.3", "1.23.5", above="1.24.0", above_fails=NO_OBJECT),
    bound("2.10.1", "3.7", "protobuf", "3.19.6", "3.20.1", above="3.20.3", above_fails="import: TypeError: no"),
    bound("2.12.1", "3.8", "protobuf", "3.20.3", "5.29.5"),
    bound("2.12.1", "3.11", "protobuf", "3.20.3", "7.34.2"),
    bound(
        "2.19.1", "3.9", "protobuf", "4.21.12", "6.33.6", below="3.20.3", below_fails="import: killed by signal 11"
    ),
    # On 3.12 there is no wheel of 3.20 with native code.
    bound("2.19.1", "3.12", "protobuf", "3.20.3", "6.33.6"),
    bound("2.18.1", "3.9", "protobuf", "3.20.3", "6.33.6"),
    # In between, the optree of the tried sets failed, not TensorFlow.
    bound("2.20.0", "3.9", "typing-extensions", "4.6.0", "4.16.0", below="3.10.0.2", below_fails="import: ImportError: no"),
    bound("2.16.2", "3.9", "setuptools", "65.5.1", "82.0.0", without="ok"),
    bound("2.16.2", "3.12", "setuptools", "65.5.1", "81.0.0", above="82.0.0", above_fails=NO_RESOURCES),
    bound("3.15.1", "3.12", "jax", "0.4.30", "0.12.0", project="keras", **{"with": "jax"}),
    bound("3.10.0", "3.9", "numpy", "1.19.3", "1.26.4", project="h5py", above="2.0.0", above_fails=NO_SIZE),
    bound("3.10.0", "3.12", "numpy", "1.26.0", "1.26.4", project="h5py", above="2.0.0", above_fails=NO_SIZE),
    bound("1.12.0", "3.9", "numpy", "1.22.4", "1.26.4", project="scipy", above="2.0.0", above_fails=NO_SIZE),
    bound("0.4.38", "3.10", "numpy", "1.21.2", "2.2.6", project="jax"),
    bound("2.2.2", "3.9", "numpy", "1.17.3", "1.26.4", project="torch", above="2.0.0", above_fails="arrays: RuntimeError: no"),
    bound("0.8.3", "3.11", "numpy", "2.0.0", "2.4.6", project="jax", below="1.26.4", below_fails="convolution: TypeError: no"),
]  # fmt: skip


@pytest.fixture(name="matrix")
def _matrix():
    return Matrix({"bounds": ROWS})


@pytest.mark.parametrize(
    "question, state, stage",
    [
        (("tensorflow-cpu", "2.5.3", "3.9", "numpy", "1.24.4"), "fails", "import"),
        (("tensorflow-cpu", "2.5.3", "3.9", "numpy", "1.24.1"), "fails", "import"),
        (("tensorflow-cpu", "2.5.3", "3.9", "numpy", "1.23.5"), "fails", "lstm"),
        (("tensorflow-cpu", "2.5.3", "3.9", "numpy", "1.19.5"), "works", ""),
        (("tensorflow-cpu", "2.5.1", "3.9.18", "numpy", "1.26.4"), "fails", "import"),
        (("tensorflow", "2.6.5", "3.9", "numpy", "1.26.4"), "fails", "import"),
        (("tensorflow", "2.4.4", "3.8", "numpy", "1.20.3"), "fails", "lstm"),
        (("tensorflow", "2.4.4", "3.8", "numpy", "1.19.4"), "works", ""),
        (("tensorflow", "2.19.1", "3.9", "protobuf", "3.20.3"), "fails", "import"),
        (("tensorflow", "2.19.1", "3.9", "protobuf", "3.19.6"), "fails", "import"),
        (("tensorflow", "2.19.1", "3.9", "protobuf", "4.21.2"), "works", ""),
        (("tensorflow", "2.19.1", "3.10", "protobuf", "3.20.3"), "fails", "import"),
        (("tensorflow", "2.19.1", "3.11", "protobuf", "3.20.3"), "works", ""),
        (("tensorflow", "2.18.1", "3.9", "protobuf", "3.20.3"), "works", ""),
        (("tensorflow", "2.18.1", "3.9", "protobuf", "8.0.0"), "unknown", ""),
        # A Python between: where both ends could try it, they have to agree.
        (("tensorflow", "2.5.3", "3.8", "numpy", "1.24.4"), "fails", "import"),
        (("tensorflow", "2.5.3", "3.8", "numpy", "1.19.5"), "works", ""),
        (("tensorflow", "2.16.2", "3.10", "setuptools", "82.0.0"), "unknown", ""),
        (("tensorflow", "2.16.2", "3.10", "setuptools", "80.0.0"), "works", ""),
        # The middle of a minor release that fails at one end is not known.
        (("tensorflow", "2.10.1", "3.7", "protobuf", "3.20.2"), "unknown", ""),
        # Neither is a Python outside, a release that is none, or a minor release that was not tried.
        (("tensorflow", "2.16.2", "3.13", "setuptools", "80.0.0"), "unknown", ""),
        (("tensorflow", "2.5.3", "3.9", "numpy", "banana"), "unknown", ""),
        (("tensorflow", "2.5.3", "3.9", "scipy", "1.10.0"), "unknown", ""),
    ],
)  # fmt: skip
def test_fit(matrix, question, state, stage):
    found = fit(matrix, *question)
    if (state, found.state) == ("unknown", "works"):
        assert not found.measured
        assert found.source  # what is known less well
        return
    assert (found.state, found.stage) == (state, stage)


@pytest.mark.parametrize(
    "question, state",
    [
        (("h5py", "3.10.0", "3.11", "numpy", "2.2.0"), "fails"),
        (("h5py", "3.10.0", "3.10", "numpy", "1.26.4"), "works"),
        (("h5py", "3.11.0", "3.11", "numpy", "2.2.0"), "unknown"),
        # Of a project that releases patches for years, each speaks for itself.
        (("jax", "0.4.38", "3.10", "numpy", "2.0.0"), "works"),
        (("jax", "0.4.28", "3.10", "numpy", "2.0.0"), "unknown"),
        (("jax", "0.4.20", "3.10", "numpy", "2.0.0"), "fails"),
        (("jaxlib", "0.4.20", "3.10", "numpy", "2.0.0"), "fails"),
        (("jax", "0.4.20", "3.10", "scipy", "1.13.0"), "fails"),
        # Its import compares the two releases, which its metadata do not say.
        (("jax", "0.4.20", "3.10", "jaxlib", "0.4.21"), "fails"),
        (("jax", "0.4.20", "3.10", "jaxlib", "0.4.13"), "fails"),
        (("keras", "3.15.1", "3.12", "jax", "0.4.38", "jax"), "works"),
        (("keras", "3.15.1", "3.12", "jax", "0.4.20", "jax"), "unknown"),
        (("keras", "3.15.1", "3.12", "jax", "1", "jax"), "unknown"),
        (("jax", "0.8.1", "3.11", "numpy", "2.1.0"), "works"),
        (("jax", "0.8.1", "3.11", "numpy", "1.26.4"), "fails"),
    ],
)
def test_pairs_have_their_own_bounds(matrix, question, state):
    assert fit(matrix, *question).state == state


@pytest.mark.parametrize(
    "installed, said, fix",
    [
        # TensorFlow itself goes with this NumPy: it is h5py that is to be replaced.
        ({"tensorflow_cpu": "2.19.1", "numpy": "2.0.2", "h5py": "3.10.0"}, "h5py 3.10.0 does not work with numpy", "h5py=="),
        ({"tensorflow_cpu": "2.19.1", "numpy": "1.26.4", "h5py": "3.10.0"}, None, None),
        ({"jax": "0.8.3", "jaxlib": "0.8.3", "numpy": "2.0.2", "scipy": "1.12.0"}, "scipy 1.12.0 does not work", "numpy"),
        # TensorFlow goes on without SciPy.
        ({"tensorflow_cpu": "2.19.1", "numpy": "2.0.2", "scipy": "1.12.0"}, None, None),
    ],
)  # fmt: skip
def test_doctor_names_a_dependency_that_fails_with_another(make_machine, matrix, installed, said, fix):
    others = {
        "keras": "3.10.0",
        "ml_dtypes": "0.5.1",
        "flatbuffers": "24.3.25",
        "typing_extensions": "4.12.2",
        "h5py": "3.12.1",
    }
    others.update(
        requests="2.32.3", urllib3="2.3.0", idna="3.7", certifi="2024.7.4", packaging="24.2", protobuf="5.29.5"
    )
    others.update(optree="0.13.1", rich="13.9.4", namex="0.0.8", tensorboard="2.19.0")
    found = examine(make_machine, matrix, "3.9.18", **dict(others, **installed)).by_code("dependency-incompatible")
    assert (found is None) == (said is None), found
    if found is not None:
        assert said in found.summary
        assert fix in found.fix[0].command


def test_doctor_names_a_numpy_that_pytorch_cannot_exchange_arrays_with(make_machine, matrix):
    installed = {
        "torch": "2.2.2",
        "sympy": "1.12",
        "mpmath": "1.3.0",
        "filelock": "3.13",
        "networkx": "3.2",
        "jinja2": "3.1",
    }
    diagnosis = examine(make_machine, matrix, "3.9.18", numpy="2.0.2", fsspec="2024.6", **installed)
    found = diagnosis.by_code("numpy-incompatible")
    # PyTorch alone computes.
    assert (found.severity, found.blocks) == ("warning", ())
    assert "taking arrays of NumPy" in found.summary
    assert diagnosis.framework("torch").will_import


def test_sets_leave_out_dependencies_that_fail_with_another(matrix):
    target = Target("3.11", "linux", "x86_64", "2.36")
    keep = [Need("numpy>=2"), Need("h5py<3.11,>=3.10")]
    with pytest.raises(Conflict) as caught:
        solve(matrix, target, [Need("keras==3.12.1"), Need("jax==0.6.2")], keep=keep)
    assert any("h5py" in need.by and need.text.startswith("numpy") for need in caught.value.needs)


def test_a_backend_of_keras_has_its_own_bounds(matrix):
    assert fit(matrix, "keras", "3.15.1", "3.12", "jax", "0.6.2", backend="jax").state == "works"
    assert fit(matrix, "keras", "3.15.1", "3.12", "jax", "0.6.2", backend="torch").state == "unknown"


@pytest.mark.parametrize(
    "question, said",
    [
        (("2.5.3", "3.9", "numpy"), "<1.20"),
        (("2.6.5", "3.9", "numpy"), "<1.24"),
        (("2.4.4", "3.8", "numpy"), "<1.20"),
        (("2.19.1", "3.9", "protobuf"), ">=4.21"),
        (("2.19.1", "3.10", "protobuf"), ">=4.21"),
        (("2.19.1", "3.11", "protobuf"), ">=3.20"),
        (("2.10.1", "3.7", "protobuf"), "<=3.20.1"),
        (("2.18.1", "3.9", "protobuf"), ""),
        (("2.16.2", "3.10", "setuptools"), "<=82.0.0"),
        (("2.20.0", "3.9", "typing-extensions"), ">=4.0"),
    ],
)
def test_allowed(matrix, question, said):
    assert allowed(matrix, "tensorflow", *question) == said


@pytest.mark.parametrize(
    "question, status, said",
    [
        (("tensorflow", "2.5.3", "numpy", "1.24.4", "3.9"), "incompatible", "the import fails: AttributeError"),
        (("tensorflow", "2.4.4", "numpy", "1.20.3", "3.8"), "incompatible", "training an LSTM fails"),
        (("tensorflow", "2.19.1", "protobuf", "3.20.3", "3.9"), "incompatible", "signal 11"),
        # It declares protobuf<5.
        (("tensorflow", "2.12.1", "protobuf", "5.29.5", "3.11"), "compatible", "though the metadata declare protobuf"),
        (("tensorflow", "2.16.2", "setuptools", "82.0.0", "3.10"), "unknown", "works on Python 3.9"),
        (("tensorflow", "2.18.1", "protobuf", "3.20.3", "3.9"), "compatible", ""),
    ],
)
def test_goes_with_follows_the_measurements(matrix, question, status, said):
    answer = goes_with(*question, matrix=matrix)
    assert (answer.status, said in answer.because) == (status, True), answer


COMMON = {
    "absl-py": "1.4.0", "astunparse": "1.6.3", "flatbuffers": "1.12", "gast": "0.4.0", "h5py": "3.1.0", "opt-einsum": "3.3.0",
    "six": "1.15.0", "termcolor": "1.1.0", "typing-extensions": "3.7.4.3", "wrapt": "1.12.1", "protobuf": "3.20.3",
    "keras-preprocessing": "1.1.2", "tensorboard": "2.5.0", "grpcio": "1.34.1",
}  # fmt: skip


def examine(make_machine, matrix, python, files=None, env=None, **installed):
    """Return the diagnosis of a Linux machine with this installed, names written with underscores."""
    chosen = dict(COMMON, **{name.replace("_", "-"): version for name, version in installed.items()})
    files = dict({"/etc/os-release": 'PRETTY_NAME="Debian"\n'}, **(files or {}))
    host = make_machine(python={"version": python, "installed": chosen}, files=files, env=env or {})
    return run_rules(read_machine(host, deep=True), matrix)


@pytest.mark.parametrize(
    "python, installed, said, fix",
    [
        ("3.9.18", {"tensorflow_cpu": "2.5.3", "numpy": "1.24.4"}, (False, False, "numpy-incompatible"), "numpy==1.19"),
        # An LSTM fails, and nothing else: that is said, and blocks nothing.
        ("3.9.18", {"tensorflow_cpu": "2.5.3", "numpy": "1.23.5"}, (True, True, None), "numpy==1.19"),
        ("3.9.18", {"tensorflow_cpu": "2.5.3", "numpy": "1.19.5"}, (True, True, None), None),
        # 1.20 was tried, 1.24 was not: whether the import fails already is not known.
        ("3.8.18", {"tensorflow_cpu": "2.4.4", "numpy": "1.20.3"}, (True, True, None), "numpy==1.19"),
        ("3.8.18", {"tensorflow_cpu": "2.4.4", "numpy": "1.22.4"}, (True, True, None), "numpy==1.19"),
        ("3.8.18", {"tensorflow_cpu": "2.4.4", "numpy": "1.24.4"}, (None, None, None), "numpy==1.19"),
    ],
)  # fmt: skip
def test_what_was_measured_to_fail_is_found(make_machine, matrix, python, installed, said, fix):
    diagnosis = examine(make_machine, matrix, python, **installed)
    status = diagnosis.framework("tensorflow")
    assert (status.will_import, status.will_run_keras, status.cause) == said
    found = diagnosis.by_code("numpy-incompatible")
    assert (found is not None) == (fix is not None)
    if found is not None:
        assert found.severity == ("error" if said[0] is False else "warning")
        assert fix in found.fix[0].command
        assert "lstm" not in found.summary  # in words


@pytest.mark.parametrize(
    "python, tag, imports",
    [
        ("3.9.18", "cp39-cp39-manylinux_2_5_x86_64", False),
        # Without native code it works (tried on 3.12): on 3.11 and later there is no other wheel of it.
        ("3.9.18", "py2.py3-none-any", True),
        ("3.9.18", "cp39-cp39-manylinux2014_aarch64", True),
    ],
)
def test_protobuf_without_native_code_is_another_one(make_machine, matrix, python, tag, imports):
    site = "/venv/lib/python3.9/site-packages/protobuf-3.20.3.dist-info"
    files = {site + "/WHEEL": "Wheel-Version: 1.0\nTag: %s\n" % tag, site + "/RECORD": ""}
    newer = {"keras": "3.10.0", "ml_dtypes": "0.5.1", "flatbuffers": "24.3.25", "typing_extensions": "4.12.2"}
    newer.update(requests="2.32.3", urllib3="2.3.0", idna="3.7", certifi="2024.7.4", packaging="24.2", numpy="2.0.2")
    newer.update(optree="0.13.1", rich="13.9.4", namex="0.0.8", h5py="3.12.1", tensorboard="2.19.0")
    diagnosis = examine(make_machine, matrix, python, files=files, tensorflow_cpu="2.19.1", **newer)
    assert diagnosis.framework("tensorflow").will_import is imports
    assert (diagnosis.by_code("protobuf-incompatible") is None) is imports


@pytest.mark.parametrize(
    "python, wanted, kept, taken",
    [
        ("3.9", "tensorflow==2.5.3", "numpy", "1.19.5"),
        (
            "3.9",
            "tensorflow==2.6.5",
            "numpy",
            "1.19.5",
        ),  # it declares ~=1.19.2: the installer refuses what works as well
        ("3.9", "tensorflow==2.19.1", "protobuf<5", "4.25.9"),
        ("3.9", "tensorflow==2.19.1", "protobuf<4", None),
        ("3.10", "tensorflow==2.19.1", "protobuf<4", None),
        ("3.11", "tensorflow==2.19.1", "protobuf<4", "3.20.3"),
        ("3.12", "tensorflow==2.16.2", "setuptools", "81.0.0"),
    ],
)
def test_sets_leave_out_what_was_measured_to_fail(matrix, python, wanted, kept, taken):
    target = Target(python, "linux", "x86_64", "2.36")
    roots = [Need(wanted)]
    if taken is None:
        with pytest.raises(Conflict) as caught:
            solve(matrix, target, roots, keep=[Need(kept)])
        assert any("the import fails" in need.because for need in caught.value.needs)
        return
    name = kept.partition("<")[0]
    assert solve(matrix, target, roots, keep=[Need(kept)]).versions[name] == taken


@pytest.mark.parametrize(
    "python, release, version, taken",
    [
        ("3.10", "2.21.0", "4.5.0", ("optree", "0.15.0")),
        ("3.9", "2.18.1", "4.1.1", ("optree", "0.10.0")),
        # Without optree, which needs a newer one.
        ("3.9", "2.16.2", "3.10.0.2", ("keras", "3.0.5")),
        ("3.12", "2.18.1", "4.5.0", None),
    ],
)
def test_sets_take_what_goes_with_a_release_that_was_not_tried_itself(python, release, version, taken):
    """Each of these sets was installed and trained; the one on 3.12 fails at import."""
    keep = ["tensorflow-cpu==" + release, "typing-extensions==" + version]
    answer = resolve("cpu", python=python, platform="linux-x86_64", keep=keep)
    assert answer.possible is (taken is not None), answer.obstacles
    if taken is not None:
        assert answer.pin(taken[0]).version == taken[1]


def test_an_old_typing_extensions_stops_keras_and_not_tensorflow(make_machine):
    """Seen with TensorFlow 2.16.2 on 3.9 and 3.10: what needs 4.6 is optree, which Keras 3.0 does without."""
    site = "/venv/lib/python3.10/site-packages/optree-0.20.0.dist-info/METADATA"
    files = {site: "Name: optree\nVersion: 0.20.0\nRequires-Dist: typing-extensions>=4.6.0\n\n"}
    newer = {"keras": "3.10.0", "ml_dtypes": "0.3.2", "optree": "0.20.0", "rich": "13.9.4", "namex": "0.0.8"}
    newer.update(
        flatbuffers="24.3.25", requests="2.32.3", urllib3="2.3.0", idna="3.7", certifi="2024.7.4", packaging="24.2"
    )
    newer.update(tensorflow_cpu="2.16.2", typing_extensions="3.7.4.3", numpy="1.26.4", protobuf="4.25.8", h5py="3.12.1")
    diagnosis = examine(make_machine, BUNDLED, "3.10.13", files=files, **newer)
    status = diagnosis.framework("tensorflow")
    assert (status.will_import, status.will_run_keras, status.cause) == (True, False, "dependency-incompatible")


def test_every_bundled_bound_is_what_is_answered():
    """The table and its reader say the same: what works is compatible, what fails fails at the stage that was seen."""
    matrix, wrong = Matrix(), []
    rows = [
        row
        for (project, _, backend), release in sorted(RELEASES.items())
        for row in matrix.bounds(project, release, backend=backend)
    ]
    assert len(rows) == len(read_data("bounds")["rows"])
    for row in rows:
        cases = [(row.oldest, "works", ""), (row.newest, "works", "")]
        for limit, error in ((row.below, row.below_fails), (row.above, row.above_fails)):
            cases += [(limit, "fails", error.partition(":")[0])] if limit else []
        for limit in filter(None, (row.import_below, row.import_above)):
            cases.append((limit, "fails", "import"))
        for version, state, stage in cases:
            found = fit(matrix, row.project, row.release, row.python, row.dependency, version, row.backend)
            if (found.state, found.stage) != (state, stage):
                wrong.append((row.project, row.release, row.python, row.dependency, version, found))
    assert wrong == []


@pytest.mark.parametrize(
    "backend, version, status",
    [("torch", "2.2.2", "incompatible"), ("torch", "2.3.0", "compatible"), ("jax", "0.4.38", "compatible")],
)
def test_keras_is_asked_about_as_the_one_on_that_backend(backend, version, status):
    """Measured: Keras 3.15 imports what PyTorch 2.2 does not have."""
    answer = goes_with("keras", "3.15.1", backend, version, python="3.11")
    assert answer.status == status
    assert "says nothing" not in answer.because


@pytest.mark.parametrize(
    "question, state",
    [
        # inspect.formatargspec, which it imports, is gone from Python 3.11 on; 3.12 is between two that were tried.
        (("2.21.0", "3.11", "wrapt", "1.12.1"), "fails"),
        (("2.21.0", "3.12", "wrapt", "1.12.1"), "fails"),
        # Its build imports it.
        (("2.21.0", "3.11", "wrapt", "1.13.2"), "fails"),
        (("2.16.2", "3.12", "wrapt", "1.13.3"), "fails"),
        (("2.16.2", "3.11", "wrapt", "1.11.2"), "fails"),
        (("2.13.1", "3.11", "wrapt", "1.12.1"), "fails"),
        (("2.21.0", "3.10", "wrapt", "1.12.1"), "works"),
        (("2.21.0", "3.12", "wrapt", "1.14.1"), "works"),
        # What fails on 3.11 or 3.12, which dropped modules, works on 3.9: of those between nothing is known.
        (("2.15.1", "3.10", "wrapt", "1.12.1"), "unknown"),
        (("2.14.1", "3.9", "wrapt", "1.12.1"), "works"),
        (("2.17.1", "3.11", "setuptools", "50.1.0"), "unknown"),
        (("2.17.1", "3.9", "setuptools", "50.1.0"), "works"),
        (("2.17.1", "3.12", "setuptools", "50.1.0"), "fails"),
        # Before 2.6 no TensorFlow requires a Keras: who installs one gets the newest.
        (("1.15.5", "3.7", "keras", "2.11.0"), "fails"),
        (("1.15.5", "3.7", "keras", "2.3.1"), "works"),
        (("2.5.3", "3.9", "keras", "2.15.0"), "fails"),
        (("2.5.3", "3.9", "keras", "2.4.3"), "works"),
        (("2.5.3", "3.9", "keras", "2.2.4"), "fails"),
        (("2.5.3", "3.8", "keras", "2.12.0"), "fails"),
        (("2.2.3", "3.8", "keras", "2.3.1"), "works"),
        # Python 3.7 has no such NumPy; with the newest that it has, only an LSTM fails there.
        (("2.5.3", "3.8", "numpy", "1.24.4"), "fails"),
    ],
)
def test_the_bundled_bounds(question, state):
    release, python, name, version = question
    assert fit(BUNDLED, "tensorflow", release, python, name, version).state == state
    keep = ["tensorflow==" + release, "%s==%s" % (name, version)]
    assert resolve("cpu", python=python, platform="linux-x86_64", keep=keep).possible is (state != "fails")


@pytest.mark.parametrize(
    "keras, said", [("2.11.0", (True, False, "keras-incompatible")), ("2.4.3", (True, True, None))]
)
def test_a_keras_that_no_tensorflow_asked_for(make_machine, keras, said):
    diagnosis = examine(make_machine, BUNDLED, "3.9.18", tensorflow_cpu="2.5.3", numpy="1.19.5", keras=keras)
    status = diagnosis.framework("tensorflow")
    assert (status.will_import, status.will_run_keras, status.cause) == said
    if said[2]:
        found = diagnosis.by_code("keras-incompatible")
        assert "keras==2.4.3" in found.fix[0].command


def test_without_a_keras_of_its_own_an_old_tensorflow_lacks_nothing(make_machine):
    diagnosis = examine(make_machine, BUNDLED, "3.9.18", tensorflow_cpu="2.5.3", numpy="1.19.5")
    assert diagnosis.framework("tensorflow").will_run_keras is True
