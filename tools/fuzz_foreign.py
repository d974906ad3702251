"""For `fuzz.py`: what reads files and answers that other programs or users wrote, each with an example of what it reads."""

import json
import os
import time

#: A file that was written long ago: the same seed makes the same inputs.
THEN = 1700000000.0

KERAS_JSON = {"floatx": "float32", "epsilon": 1e-07, "backend": "tensorflow", "image_data_format": "channels_last"}
LEASE = {
    "pid": 4242,
    "since": THEN,
    "command": "train.py",
    "user": "ann",
    "devices": ["gpu:0"],
    "start": 12345,
    "host": "a",
}
MESSAGES = (
    {"protocol": 1, "say": {"stage": "start"}}, {"protocol": 1, "say": {"stage": "import", "files": [["/a.so", 1, 2]]}},
    {"protocol": 1, "result": {"outcome": "works", "files": [], "devices": ["/device:GPU:0"]}},
    {"protocol": 1, "error": "RuntimeError", "message": "no"},
)  # fmt: skip
TF_CONFIG = {"cluster": {"chief": ["a:1"], "worker": ["b:1", "c:2"]}, "task": {"type": "worker", "index": 1}}
PLUGIN = {
    "devices": [{"name": "NPU 1", "memory_bytes": 1 << 34, "driver": "1.2"}],
    "library": "/opt/npu/lib.so",
    "ok": True,
}
PAGE = {
    "meta": {"api-version": "1.1"},
    "files": [
        {
            "filename": "tensorflow-2.21.0-cp311-cp311-manylinux_2_27_x86_64.whl", "url": "../../tensorflow.whl", "size": 1,
            "yanked": False, "core-metadata": {"sha256": "x"}, "requires-python": ">=3.9",
        }
    ],
}  # fmt: skip
STATE = "0" * 16

LAYOUT = {
    "executable": "/venv/bin/python", "prefix": "/venv", "base_prefix": "/usr", "libraries": ["/venv/lib"],
    "scripts": "/venv/bin", "stdlib": "/usr/lib/python3.11", "bundled_pip": [],
}  # fmt: skip
FACTS = {"os": "linux", "python": "3.11", "packages": {"tensorflow": "2.15.0"}, "env": {"A": "b"}}

#: What breaks parsers of JSON, whatever is expected.
BOMBS = (
    b"[" * 60000, b'{"a":' * 60000, b'{"since": -Infinity}', b'{"since": NaN}', b'{"pid": ' + b"9" * 5000 + b"}", b"", b"null",
    b'"' + b'\\"' * 30000, b"\xff\xfe{\x00}\x00", b"\xef\xbb\xbf{}", b'{"a": "\\ud800"}', b"1e999", b"[[]]" * 1000, b"-", b"0",
)  # fmt: skip


def mutated(example, rng, mutate):
    """Return bytes like what a reader reads. ``mutate``: the functions of `fuzz.py` for data, text and bytes."""
    data, text, raw = mutate
    kind = rng.randrange(10)
    if kind == 0:
        return rng.choice(BOMBS)
    if isinstance(example, tuple):  # lines
        lines = "".join(json.dumps(data(item, rng)) + "\n" for item in example if rng.random() < 0.8)
        return (text(lines, rng) if kind < 6 else lines).encode("utf-8", "replace")
    if kind < 5:
        return json.dumps(data(example, rng)).encode("utf-8", "replace")
    if kind < 8:
        return text(json.dumps(example), rng).encode("utf-8", "replace")
    return raw(json.dumps(example).encode("utf-8"), rng)


def _refused(function, *arguments, errors=(ValueError,)):
    """Call a reader; what it documents to raise is an answer."""
    try:
        return function(*arguments)
    except errors:
        return None


def _file(folder, name, content):
    path = os.path.join(folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as stream:
        stream.write(content)
    return path


def _fresh(content):
    """Return a cache file as if it had been written now: one that is old is not looked at any further."""
    return content.replace(str(THEN).encode(), str(time.time()).encode())


def _json(content, folder):
    from devicekit.records import parse_json

    for own in (False, True):
        _refused(parse_json, content, own)


def _keras_json(content, folder):
    from devicekit.machine.probe.python import read_python
    from devicekit.machine.simulated import SimulatedHost

    _file(folder, "keras/host.json", b'{"system": "linux", "home": "/root"}')
    _file(folder, "keras/root/root/.keras/keras.json", content)
    json.dumps(read_python(SimulatedHost(os.path.join(folder, "keras"))).to_dict())


def _lease_record(content, folder):
    from devicekit.cluster.lease.holder_records import described, pid_of, read_record, seconds_since

    record = read_record(_file(folder, "leases/0.lock", content))
    described(record, THEN, "/leases/0.lock").encode("utf-8", "replace")
    pid_of(record)
    seconds_since(record, THEN)


def _machine_file(content, folder):
    from devicekit.errors import MachineFileError
    from devicekit.machine.facts import Machine
    from devicekit.machine.snapshot import parse_machine

    data = _refused(parse_machine, "m.json", content, errors=MachineFileError)
    if data is not None:
        _refused(Machine.from_dict, data, errors=MachineFileError)


def _facts_file(content, folder):
    from devicekit.cli.inputs import read_facts
    from devicekit.errors import DevicekitError
    from devicekit.logs.context import known_from_facts

    facts = _refused(read_facts, _file(folder, "facts.json", content), errors=DevicekitError)
    if facts is not None:
        _refused(known_from_facts, facts, errors=DevicekitError)


def _interpreter(content, folder):
    """As the answer of a child that runs in the other interpreter."""
    from devicekit.machine.host import Interpreter

    _from_dict(Interpreter, content)


def _layout(content, folder):
    from devicekit.remedy.layout import Layout

    _from_dict(Layout, content)


def _from_dict(kind, content):
    from devicekit.records import parse_json

    answer = _refused(parse_json, content)
    # What is asked of another interpreter is refused with these.
    record = _refused(kind.from_dict, answer, errors=(ValueError, KeyError, TypeError))
    if record is not None:
        json.dumps(record.to_dict())


def _child_messages(content, folder):
    from devicekit.children.output import Messages

    reading, writing = os.pipe()
    answers = Messages(reading, lambda said: said.get("stage"))
    with os.fdopen(writing, "wb") as stream:
        stream.write(content)
    if not answers.join(30.0) or answers.failure is not None:
        raise AssertionError("the pipe was not read to its end")
    if not all(isinstance(message, dict) for message in answers.messages):
        raise AssertionError("a message is not an object")


def _self_test_cache(content, folder):
    from devicekit.runtime.trial.once import load_result

    _file(folder, "cache/self-test-%s.json" % STATE, _fresh(content))
    load_result(os.path.join(folder, "cache"), STATE)


def _bench_cache(content, folder):
    from devicekit.runtime import speed_cache

    _file(folder, "bench/bench-%s-1.json" % STATE, _fresh(content))
    for row in speed_cache.rows_of(os.path.join(folder, "bench"), STATE):
        json.dumps(row.to_dict())


def _tuning_cache(content, folder):
    from devicekit.measure.tuning.cache import newest

    _file(folder, "tune/tune-%s-1.json" % STATE, _fresh(content))
    newest(os.path.join(folder, "tune"), STATE, "tensorflow", "cpu")


def _journal(content, folder):
    from devicekit.errors import RemedyError
    from devicekit.remedy.journal import FixFolder

    _file(folder, "fix/journal.json", content)
    _refused(FixFolder(os.path.join(folder, "fix")).read, errors=RemedyError)


def _manifest(content, folder):
    from devicekit.errors import RemedyError
    from devicekit.remedy.snapshot import read_manifest

    _refused(read_manifest, _file(folder, "manifest.json", content), errors=RemedyError)


def _direct_url(content, folder):
    """The file of an installed distribution, as `fix` and the snapshot read it."""
    from devicekit.remedy.layout import Layout

    site = os.path.join(folder, "site")
    _file(site, "zoo-1.0.dist-info/direct_url.json", content)
    _file(site, "zoo-1.0.dist-info/RECORD", content)
    layout = Layout.from_dict(dict(LAYOUT, libraries=[site]))
    json.dumps([item.to_dict() for item in layout.installed()])
    layout.recorded(os.path.join(site, "zoo-1.0.dist-info"))


def _cluster(content, folder):
    from devicekit.cluster.strategy.cluster_environment import parse_cluster

    _refused(parse_cluster, {"TF_CONFIG": content.decode("utf-8", "replace")})


def _plugin(content, folder):
    from devicekit.records import Plain, parse_json, plain_data

    answer = _refused(parse_json, content, True)
    plain = _refused(plain_data, answer)
    if plain is not None:
        len(Plain(plain))


def _index_page(content, folder):
    from devicekit.runtime.index.client import parse_html_page, parse_json_page

    _refused(parse_json_page, content, "https://x/simple/a/")
    _refused(parse_html_page, content, "https://x/simple/a/")


def _cached(schema, **values):
    return dict(values, schema=schema, state=STATE, time=THEN)


def readers(machine):
    """Return what is read, by name: an example of it (a tuple for lines), and what takes bytes and a temporary folder."""
    from devicekit.machine.live_host import this_interpreter
    from devicekit.measure.tuning.result import TunedOption
    from devicekit.remedy.journal import Journal
    from devicekit.remedy.layout import Layout
    from devicekit.runtime.trial.fingerprint import SCHEMA
    from devicekit.runtime.trial.result import Trial
    from devicekit.selection.throughput import Throughput

    row = Throughput("mobilenet", "cpu", "tensorflow", "training", "float32", None, 32, "images", (0.1, 0.2), (1.0,))
    option = vars(TunedOption("threads", "4", 1.1, True, "faster", (("A", "4"),), ("x",), (("intra", 4),)))
    tuning = {
        "device": "cpu",
        "framework": "tensorflow",
        "model": "a",
        "gain": 1.2,
        "seconds": 3.0,
        "options": [option],
    }
    trial = Trial("works", "done", devices=("/device:GPU:0",), passed=("product",))
    journal = Journal("begun", "x", "now", Layout.from_dict(LAYOUT))
    return {
        "json": (KERAS_JSON, _json),
        "keras_json": (KERAS_JSON, _keras_json),
        "lease_record": (LEASE, _lease_record),
        "machine_file": (machine, _machine_file),
        "facts_file": (FACTS, _facts_file),
        "interpreter": (this_interpreter().to_dict(), _interpreter),
        "layout": (LAYOUT, _layout),
        "child_messages": (MESSAGES, _child_messages),
        "self_test_cache": (_cached(SCHEMA, trial=trial.to_dict(), files=[["/a.so", 1, 2]]), _self_test_cache),
        "bench_cache": (_cached(1, row=row.to_dict(), key=["a"] * 8, asked=[10, None]), _bench_cache),
        "tuning_cache": (_cached(1, tuning=tuning), _tuning_cache),
        "journal": (journal.to_dict(), _journal),
        "manifest": ({"lib/a.py": [1, 2, 3], "lib/b": "link"}, _manifest),
        "direct_url": ({"url": "file:///a", "dir_info": {"editable": True}}, _direct_url),
        "cluster": (TF_CONFIG, _cluster),
        "plugin": (PLUGIN, _plugin),
        "index_page": (PAGE, _index_page),
    }
