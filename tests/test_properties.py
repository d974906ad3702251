"""What holds for any machine: the recorded ones, and the outcome of them when facts change or get lost.

A fact that is unknown must never count as absent: where one gets lost, no error or warning may appear that was not
there before, and one that disappears must be told as not evaluated.
"""

import functools
import json

from checks import for_each
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from recorded_machines import NAMES, load_machine

from devicekit import Machine, diagnose, select_device
from devicekit.diagnosis.diagnose import rules
from devicekit.logs import explain_log
from devicekit.machine import Fact
from devicekit.machine.facts import Distribution
from devicekit.records import Record

MACHINES = {name: load_machine(name) for name in NAMES}
HIDDEN_BY = {item.code: item.hidden_by for item in rules()}


def examples(count):
    return settings(max_examples=count, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])


# Facts, and machines with other ones in their place.


def facts_of(record, path=()):
    """Yield the path and the value of every fact in a record: names of fields, and indexes of tuples."""
    if isinstance(record, Fact):
        yield path, record
        record = record.content
        path = (*path, "content")
    if isinstance(record, Record):
        for name in record._fields:
            for item in facts_of(getattr(record, name), (*path, name)):
                yield item
    elif isinstance(record, tuple):
        for number, value in enumerate(record):
            for item in facts_of(value, (*path, number)):
                yield item


def replaced(record, path, value):
    """Return a record with another value at a path."""
    if not path:
        return value
    first, rest = path[0], path[1:]
    if isinstance(record, tuple):
        return (*record[:first], replaced(record[first], rest, value), *record[first + 1 :])
    return record.replace(**{first: replaced(getattr(record, first), rest, value)})


def kind_of(path):
    """The path of a fact without the indexes: of which kind it is."""
    return ".".join(str(part) for part in path if not isinstance(part, int) and part != "content")


#: Every fact that any of the machines has, by its kind: what such a fact may be.
SEEN = {}
for _machine in MACHINES.values():
    for _path, _fact in facts_of(_machine):
        if _fact not in SEEN.setdefault(kind_of(_path), []):
            SEEN[kind_of(_path)].append(_fact)

DISTRIBUTIONS = sorted(
    {item for machine in MACHINES.values() for item in machine.python.distributions.value or ()},
    key=lambda item: (item.name, repr(item)),
)
VERSIONS = [
    "1.15.8",
    "2.4.4",
    "2.10.1",
    "2.15.1",
    "2.18.0",
    "2.21.0",
    "3.0.0",
    "1.26.4",
    "4.25.3",
    "8.9.7.29",
    "2.16.0rc0",
    "0",
    "",
    "x",
    "\u0663.1",
]
# A record has no number of more than 300 digits.
VARIABLES = [
    ("CUDA_VISIBLE_DEVICES", "-1"), ("CUDA_VISIBLE_DEVICES", ""), ("CUDA_VISIBLE_DEVICES", "7,0"),
    ("CUDA_VISIBLE_DEVICES", "\xb2"), ("CUDA_VISIBLE_DEVICES", "9" * 300), ("HIP_VISIBLE_DEVICES", "1"),
    ("KERAS_BACKEND", "jax"), ("KERAS_BACKEND", "nonsense"), ("TF_USE_LEGACY_KERAS", "1"),
    ("TF_XLA_FLAGS", "--nonsense"), ("XLA_FLAGS", "--xla_gpu_cuda_data_dir=/none"), ("LD_LIBRARY_PATH", ":"),
    ("HSA_OVERRIDE_GFX_VERSION", "10.3.0"), ("HSA_OVERRIDE_GFX_VERSION", "x"),
    ("PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION", "python"), ("TF_PLUGGABLE_DEVICE_LIBRARY_PATH", "/none"),
    ("DML_VISIBLE_DEVICES", "-1"), ("TF_ENABLE_ONEDNN_OPTS", "0"),
]  # fmt: skip


@st.composite
def machines(draw):
    """A recorded machine on which some things are different."""
    machine = MACHINES[draw(st.sampled_from(NAMES))]
    for change in draw(st.lists(st.sampled_from([a_fact, a_distribution, a_variable, a_plain_value]), max_size=5)):
        machine = change(draw, machine)
    return machine


def a_fact(draw, machine):
    found = list(facts_of(machine))
    path, fact = found[draw(st.integers(0, len(found) - 1))]
    others = [Fact.unknown("made so", fact.source), Fact.absent(fact.source)] + SEEN[kind_of(path)]
    return replaced(machine, path, draw(st.sampled_from(others)))


def a_distribution(draw, machine):
    installed = list(machine.python.distributions.or_none() or ())
    kind = draw(st.sampled_from(["add", "drop", "version", "files"]))
    if kind == "add" or not installed:
        installed.append(draw(st.sampled_from(DISTRIBUTIONS)))
    else:
        number = draw(st.integers(0, len(installed) - 1))
        item = installed.pop(number)
        if kind == "version":
            item = item.replace(version=Fact.of(draw(st.sampled_from(VERSIONS)), item.version.source))
        elif kind == "files":
            item = item.replace(missing_files=("x.so",), missing_count=1)
        if kind != "drop":
            installed.insert(number, item)
    found = Fact.of(tuple(installed), machine.python.distributions.source)
    return replaced(machine, ("python", "distributions"), found)


def a_variable(draw, machine):
    name, value = draw(st.sampled_from(VARIABLES))
    others = tuple(item for item in machine.process.environ if item[0] != name)
    keep = draw(st.booleans())
    return replaced(machine, ("process", "environ"), tuple(sorted((*others, (name, value)))) if keep else others)


def a_plain_value(draw, machine):
    """What is not a fact comes from another machine: its version of Python, its system, what `import` would find."""
    other = MACHINES[draw(st.sampled_from(NAMES))]
    path = draw(st.sampled_from([
        ("python", "version"), ("python", "bits"), ("python", "architecture"), ("python", "installer"),
        ("python", "packages"), ("python", "builds"), ("python", "leftovers"), ("python", "stale_modules"),
        ("native", "system"), ("native", "architecture"), ("native", "release"), ("driver", "nodes"), ("driver",),
        ("cuda",), ("rocm",), ("directml",), ("metal",),
    ]))  # fmt: skip
    value = other
    for part in path:
        value = getattr(value, part)
    return replaced(machine, path, value)


# What holds for all of them.


@examples(120)
@given(machines())
def test_diagnosis_never_raises_and_no_rule_fails(machine):
    diagnosis = diagnose(machine)
    for item in diagnosis.not_evaluated:
        assert "the rule failed" not in item.because
    for finding in diagnosis.findings:
        assert finding.summary
        assert finding.severity in ("error", "warning", "info")
    assert diagnosis.candidates[-1].device == "cpu"
    for request in ("auto", "gpu"):
        json.dumps(select_device(request, machine=machine).to_dict())


@examples(60)
@given(machines())
def test_diagnosis_is_deterministic(machine):
    first, second = diagnose(machine), diagnose(machine)
    assert first == second
    assert json.dumps(first.to_dict()) == json.dumps(second.to_dict())


@examples(60)
@given(machines())
def test_a_machine_survives_json_with_its_diagnosis(machine):
    again = Machine.from_dict(json.loads(json.dumps(machine.to_dict())))
    assert again == machine
    assert diagnose(again).to_dict() == diagnose(machine).to_dict()


@examples(80)
@given(
    st.one_of(
        st.text(max_size=300),
        st.lists(
            st.sampled_from(
                [
                    "Could not load dynamic library 'libcudnn.so.8'; dlerror: libcudnn.so.8: cannot open shared object file",
                    "[]",
                    "Killed",
                    ">>> tf.config.list_physical_devices('GPU')",
                    "ERROR: No matching distribution found for tensorflow==2.15.0",
                    "Failed to initialize NVML: Driver/library version mismatch",
                    "TensorFlow version: 2.10.1",
                    "GPU: GeForce GTX 1080",
                    "ImportError: numpy.core.multiarray failed to import",
                    "OS Platform: Windows 11",
                    "CUDA/cuDNN version: 11.2/8.1",
                ]
            ),
            max_size=6,
        ).map("\n".join),
    ),
    machines(),
)
def test_any_text_is_explained_on_any_machine(text, machine):
    found = explain_log(text, machine)
    assert found == explain_log(text, machine)
    json.dumps(found.to_dict())


@examples(300)
@given(st.one_of(st.text(), st.binary()))
def test_any_text_is_explained(log):
    found = explain_log(log if isinstance(log, str) else iter([log]))
    assert [item for item in found.findings if item.severity == "error"] == [] or log


# Unknown is not absent.

#: Rules that pass over a distribution whose version is unknown, in silence: (code, fact).
SILENT = {
    (code, "python.distributions.version")
    for code in (
        "cpu-instructions-missing", "cuda-library-missing", "cuda-version-mismatch", "cudnn-missing",
        "cudnn-version-mismatch",
        "dependency-incompatible", "environment-variable-fatal", "gfx-unsupported", "msvc-runtime-missing",
        "plugin-version-mismatch", "rocm-version-mismatch",
        "xla-toolchain-missing",
    )
} | {
    ("compute-capability-unsupported", "driver.gpus"), ("cudnn-version-mismatch", "driver.gpus"),
    ("driver-shadowed", "driver.nvidia_kernel_version"), ("platform-unsupported", "native.libc"),
    # A machine without NVML tells none of these: every such machine would have a list of rules that it did not decide.
    ("device-busy", "driver.gpus.compute_mode"), ("device-busy", "driver.gpus.processes"),
    ("device-hidden", "driver.gpus.mig_enabled"), ("driver-too-old", "driver.nvidia_version"),
    ("driver-unhealthy", "driver.gpus.memory_repair"),
    ("driver-unhealthy", "driver.gpus.recovery"), ("out-of-memory", "driver.gpus.memory_bytes"),
    ("out-of-memory", "driver.gpus.memory_free_bytes"),
}  # fmt: skip

#: Another rule says the same thing of the same packages, in other words, while it knows the version.
SAID_BY_ANOTHER = {("dependency-incompatible", "python.distributions.version")}


def alarms(diagnosis):
    return {item.code for item in diagnosis.findings if item.severity != "info"}


#: Where the facts of a machine's distributions begin.
DISTRIBUTION = ("python", "distributions")


def relevant_facts(machine):
    """The facts that are known; whether the files of a distribution are there only for the first of them, for time's
    sake."""
    for path, fact in facts_of(machine):
        if fact.status == "unknown" or (path[-1] == "record" and path[3] > 1):
            continue
        yield path, fact


@functools.lru_cache(maxsize=None)
def first_facts():
    """Return, by machine, its relevant facts without those that an earlier machine with the same alarms has as well."""
    seen, paths = set(), {}
    for name in NAMES:
        machine = MACHINES[name]
        before = frozenset(alarms(diagnose(machine)))
        for path, fact in relevant_facts(machine):
            owner = (
                machine.python.distributions.content[path[3]].name if path[:2] == DISTRIBUTION and path[3:] else None
            )
            key = (before, kind_of(path), owner, fact)
            if key not in seen:
                seen.add(key)
                paths.setdefault(name, []).append((path, fact))
    return paths


@for_each("name", NAMES)
def test_a_fact_that_gets_lost_makes_no_finding(name):
    machine = MACHINES[name]
    found = diagnose(machine)
    before = alarms(found)
    for path, fact in first_facts().get(name, ()):
        diagnosis = diagnose(replaced(machine, path, Fact.unknown("made so", fact.source)))
        after = alarms(diagnosis)
        undecided = {item.code for item in diagnosis.not_evaluated}
        for item in diagnosis.not_evaluated:
            assert "the rule failed" not in item.because, path
        for code in after - {item.code for item in found.findings}:
            if (code, kind_of(path)) in SAID_BY_ANOTHER:
                continue
            # It was there, and something that is not known any more came before it.
            causes = set(HIDDEN_BY[code]) & before
            assert causes - after, "%s appears where %s is unknown" % (code, kind_of(path))
        for code in before - after:
            if (code, kind_of(path)) not in SILENT:
                assert code in undecided, "%s is passed over in silence where %s is unknown" % (code, kind_of(path))


@for_each("name", NAMES)
def test_nothing_known_of_the_hardware_is_nothing_found(name):
    """All facts about drivers and libraries lost at once: nothing of them is missing, and no device is promised."""
    machine = MACHINES[name]
    for room in ("driver", "cuda", "rocm", "directml", "metal", "oneapi", "tpu"):
        for path, fact in facts_of(getattr(machine, room)):
            if "content" not in path:
                machine = replaced(machine, (room, *path), Fact.unknown("made so", fact.source))
    diagnosis = diagnose(machine)
    missing = {
        "driver-missing",
        "cuda-library-missing",
        "cudnn-missing",
        "rocm-missing",
        "directml-missing",
        "no-gpu",
        "driver-mismatch",
    }
    assert not missing & {item.code for item in diagnosis.findings}
    assert not any(item.usable for item in diagnosis.candidates if item.device != "cpu")


def test_the_strategies_make_what_they_should():
    """A distribution is frozen and hashable, and every kind of fact is seen in more than one state."""
    assert all(isinstance(item, Distribution) for item in DISTRIBUTIONS)
    assert len(DISTRIBUTIONS) > 50
    assert len(SEEN) > 30
    for name in ("driver.displays", "process.wsl", "process.container", "driver.gpus", "native.libc"):
        assert len({fact.status for fact in SEEN[name]}) > 1, name
