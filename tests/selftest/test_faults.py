"""Whatever a child does: a result within the limit, and no zombie, orphan, descriptor, thread or file is left."""

import os
import sys

import pytest

from devicekit.children.call import Child, Command

SAYS_IT_WORKS = "print(json.dumps({'protocol': 1, 'result': {'outcome': 'works'}}), flush=True)\n"

#: A daemon as in the books: two forks, its own session. It still holds the pipes.
DAEMON = """
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        time.sleep(600)
    os._exit(0)
os.wait()
"""


#: Long enough for a child to come up on a busy machine.
SHORT_S = 5.0


def test_it_is_killed_by_a_signal(harness):
    names = ["SIGSEGV", "SIGILL", "SIGABRT", "SIGKILL", "SIGBUS", "SIGFPE", "SIGTERM"]
    tasks = {name: {"body": "os.kill(os.getpid(), signal.%s)" % name} for name in names}
    tasks["SIGSEGV "] = {"body": "ctypes.string_at(0)"}  # a real one
    for name, result in harness.all(tasks).items():
        assert (result["outcome"], result["stage"]) == ("died", "product"), name
        assert name.strip() in result["detail"]


def test_it_leaves_without_a_word(harness):
    for status, result in harness.all({n: {"body": "os._exit(%d)" % n} for n in (0, 3, 255)}).items():
        assert (result["outcome"], result["detail"]) == ("died", "it ended with status %d and no answer" % status)


HANGS = {
    "sleeps": "time.sleep(600)",
    "ignores every signal": "[signal.signal(n, signal.SIG_IGN) for n in range(1, 32) if n not in (9, 17, 19)]\n"
    "while True: time.sleep(600)",
    "is stopped": "os.kill(os.getpid(), signal.SIGSTOP)",
    "holds Python's lock": "ctypes.PyDLL(None).sleep(600)",
    "is busy": "while True: pass",
    "has closed everything": "os.closerange(0, 256); time.sleep(600)",
}


def test_it_hangs(harness):
    results = harness.all({name: {"body": body, "limit_s": SHORT_S} for name, body in HANGS.items()})
    for name, result in results.items():
        said = (result["outcome"], result["stage"], result["detail"])
        assert said == ("hung", "product", "no answer within 5 s"), name


SIXTY = "for n in range(60):\n if os.fork() == 0:\n  n % 2 and os.setsid()\n  time.sleep(600)\n"
LEAVES = {
    "child": ("if os.fork() == 0: time.sleep(600)", "died"),
    "child of a hanging one": ("if os.fork() == 0: time.sleep(600)\ntime.sleep(600)", "hung"),
    "daemon": (DAEMON, "died"),
    "daemon of a hanging one": (DAEMON + "time.sleep(600)", "hung"),
    "daemon of one that works": (DAEMON + SAYS_IT_WORKS, "works"),
    "daemon of one that works and aborts": (DAEMON + SAYS_IT_WORKS + "os.abort()", "works"),
    "sixty": (SIXTY, "died"),
    "another program": ("import subprocess; subprocess.Popen(['sleep', '600'], start_new_session=True)", "died"),
}


def test_what_it_leaves_running_is_ended(harness):
    limits = {"hung": SHORT_S}
    tasks = {name: {"body": body, "limit_s": limits.get(said, 20.0)} for name, (body, said) in LEAVES.items()}
    results = harness.all(tasks)
    assert {name: results[name]["outcome"] for name in LEAVES} == {name: said for name, (_, said) in LEAVES.items()}


def test_what_multiplies_is_ended(harness):
    """Each makes another one and goes, out of its session: the one that is seen is not there any more when it is killed."""
    body = "end = time.time() + 4\nwhile time.time() < end and os.fork() == 0:\n os.setsid(); time.sleep(0.02)\n"
    assert harness(body, after="time.sleep(0.2)")["outcome"] == "died"


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_it_prints_a_gigabyte(harness, stream):
    body = "data = b'x' * (1 << 20)\nfor _ in range(1024): os.write(%d, data)\nos._exit(3)"
    result = harness(body % (1 if stream == "stdout" else 2), limit_s=60.0)
    assert result["outcome"] == "died"
    assert result["output"] <= 81 << 10
    assert result["grown_kb"] < 30 << 10


def test_the_beginning_and_the_end_of_what_it_prints_are_kept():
    body = "import sys; sys.stderr.write('the cause\\n' + 'x' * 1000000 + '\\nthe end')"
    output = Child(Command((sys.executable, "-S", "-c", body))).wait(20.0).output
    assert output.startswith("the cause" + os.linesep)
    assert output.endswith(os.linesep + "the end")
    assert "bytes left out" in output


def test_it_closes_its_descriptors(harness):
    assert harness("os.closerange(0, 256)")["outcome"] == "died"
    assert harness(SAYS_IT_WORKS + "os.closerange(0, 256)")["outcome"] == "works"


NO_ANSWERS = {
    "no text": r"os.write(1, b'\xff\xfe\x00garbage\n{\n[]\nnull\n\n')",
    "deep": "print('[' * 60000)",
    "a large number": "print('9' * 60000)",
    "wrong types": "print(json.dumps({'protocol': 1, 'result': {'outcome': ['works'], 'devices': {'a': 1}}}))",
    "another version": "print(json.dumps({'protocol': 2, 'result': {'outcome': 'works'}}))",
    "another outcome": "print(json.dumps({'protocol': 1, 'result': {'outcome': 'splendid'}}))",
    "a huge line": "print(json.dumps({'protocol': 1, 'result': {'outcome': 'works', 'message': 'x' * 100000000}}))",
    "cut": "print(json.dumps({'protocol': 1, 'result': {'outcome': 'works'}})[:30])",
}


def test_what_is_no_answer(harness):
    for name, result in harness.all({name: {"body": body} for name, body in NO_ANSWERS.items()}).items():
        assert result["outcome"] == "died", name


def test_an_answer_among_garbage(harness):
    body = r"os.write(1, b'\xff' * 100000 + b'\n'); " + SAYS_IT_WORKS + r"os.write(1, b'\xff\n')"
    assert harness(body)["outcome"] == "works"
