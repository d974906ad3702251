"""``devicekit mcp`` asked by the protocol's own client; `nox -s mcp` installs it."""

import json
import os
import sys

import anyio
import jsonschema
import pytest
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

from devicekit.testing import load

SCHEMAS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs", "reference", "schemas")


def ask(*questions, options=(), folder=None):
    """Start the server, ask it, and return its tools and, of each answer, the document or the text of the error."""
    environ = dict(os.environ, DEVICEKIT_OFFLINE="1")
    words = ["-m", "devicekit", "mcp", *options]
    server = StdioServerParameters(command=sys.executable, args=words, env=environ, cwd=folder)

    async def talk():
        with anyio.fail_after(300):
            async with stdio_client(server) as streams, ClientSession(*streams) as session:
                await session.initialize()
                listed = (await session.list_tools()).tools
                return listed, [await session.call_tool(name, arguments) for name, arguments in questions]

    listed, results = anyio.run(talk)
    listed = {item.name: item.model_dump(by_alias=True) for item in listed}
    return listed, [_document(item.model_dump(by_alias=True)) for item in results]


def _document(result):
    if result["isError"]:
        return result["content"][0]["text"]
    document = result["structuredContent"]
    return document["result"] if set(document) == {"result"} else document


def check(document, schema):
    with open(os.path.join(SCHEMAS, schema + ".json"), encoding="utf-8") as stream:
        jsonschema.validate(document, json.load(stream))
    return document


@pytest.fixture(scope="module")
def answers():
    snapshot = json.dumps(load("linux-cudnn-missing").to_dict())
    log = "W0000 Could not load dynamic library 'libcudnn.so.8'; dlerror: libcudnn.so.8: cannot open shared object file"
    return ask(
        ("doctor", {}),
        ("doctor", {"device": "gpu", "snapshot": snapshot}),
        ("explain", {"text": log}),
        ("explain", {"text": "cudnn-missing"}),
        ("resolve", {"goal": "gpu", "python": "3.11", "platform": "linux-x86_64", "keep": ["tensorflow==2.15.*"]}),
        ("fix", {}),
    )


def test_the_tools_say_what_they_take_and_that_they_change_nothing(answers):
    tools = answers[0]
    assert sorted(tools) == ["doctor", "explain", "fix", "resolve"]
    assert sorted(tools["resolve"]["inputSchema"]["properties"]) == [
        "driver", "framework", "goal", "gpu", "keep", "platform", "python",
    ]  # fmt: skip
    for tool in tools.values():
        assert tool["annotations"]["readOnlyHint"] is True
        assert len(tool["description"]) > 80


def test_the_answers_are_those_of_the_command(answers):
    here, missing, explained, page, resolved, fixed = answers[1]
    assert check(here, "doctor")["machine"]["python"] == "%d.%d.%d" % sys.version_info[:3]
    assert "cudnn-missing" in [item["code"] for item in check(missing, "doctor")["findings"]]
    assert "cudnn-missing" in [item["code"] for item in check(explained, "explanation")["findings"]]
    assert page["page"].startswith("# cudnn-missing")
    assert "tensorflow" in json.dumps(check(resolved, "resolution"))
    assert check(fixed, "remedy")["outcome"] in ("planned", "impossible", "nothing-wrong")


def test_inputs_are_only_what_they_are(tmp_path):
    """No option is slipped in, no file is read, nothing is started, and the server lives on."""
    (tmp_path / "secret.txt").write_text("RuntimeError: CUDA error: out of memory\nsecret-word")
    evil = tmp_path / "evil"
    evil.write_text("#!/bin/sh\ntouch %s/ran\n" % tmp_path)
    evil.chmod(0o755)
    questions = [
        ("explain", {"text": str(tmp_path / "secret.txt")}),
        ("explain", {"text": "--clipboard"}),
        ("doctor", {"device": "gpu --python=%s" % evil}),
        ("doctor", {"device": "cpu", "python": str(evil)}),
        ("doctor", {"snapshot": str(tmp_path / "secret.txt")}),
        ("doctor", {"snapshot": "[" * 100000}),
        ("resolve", {"goal": "--install"}),
        ("resolve", {"keep": ["x", "--into=%s/made" % tmp_path]}),
        ("resolve", {"python": "3.11\n--install"}),
        ("fix", {"goal": "auto --yes"}),
        ("fix", {"goal": "--yes"}),
        ("fix", {"yes": True}),
        ("explain", {"text": "\x00\ud7ff\x1b[2J" * 1000}),
        ("explain", {}),
        ("doctor", {"snapshot": "x" * (5 << 20)}),
        ("doctor", {"device": "cpu"}),
    ]
    answers = ask(*questions, folder=str(tmp_path))[1]
    assert "secret-word" not in json.dumps(answers)
    assert sorted(os.listdir(str(tmp_path))) == ["evil", "secret.txt"]
    assert answers[0]["findings"] == answers[1]["findings"] == []
    refused = [number for number, item in enumerate(answers) if isinstance(item, str)]
    assert set(refused) >= {2, 4, 5, 6, 8, 9, 10, 13, 14}
    check(answers[-1], "doctor")


def test_the_environment_is_the_one_that_the_server_was_started_for(tmp_path):
    (answer,) = ask(("doctor", {}), options=["--python", str(tmp_path / "none")])[1]
    assert "does not exist" in answer
