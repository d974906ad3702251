"""``devicekit mcp``: a server of the Model Context Protocol, through which agents and editors ask what the command answers.

Whatever an agent was talked into, nothing is installed or changed, no file is read whose path comes from it, and the only
interpreter that is started is the one that the server was started for. Each question has a process with a time limit.
"""

import argparse
import functools
import sys
from typing import Any, Callable, Dict, List, Sequence, Type

from ..errors import DevicekitError

_TIMEOUT_S = 180.0

#: Characters of all arguments of a question together.
_LONGEST = 4 << 20

_INSTRUCTIONS = (
    "devicekit finds out why Keras, TensorFlow, JAX or PyTorch do not use the GPU or cannot be imported, and which releases "
    "work together. Begin with doctor. Nothing is changed: to apply what fix returns, the user runs 'devicekit fix'."
)


def add_mcp(verbs: Any) -> None:
    """Add the verb to the command's parser."""
    parser: argparse.ArgumentParser = verbs.add_parser(
        "mcp",
        example="claude mcp add devicekit -- devicekit mcp --python .venv/bin/python",
        status="0: the client has ended the connection; 2: wrong use",
        help="answer agents and editors over the Model Context Protocol (standard input and output)",
    )
    parser.add_argument("--python", metavar="PATH", help="examine another Python interpreter or virtual environment")
    parser.set_defaults(run=_mcp)


def _mcp(options: argparse.Namespace) -> int:
    try:
        try:
            from mcp.server.mcpserver import MCPServer
            from mcp.server.mcpserver.exceptions import ToolError
        except ImportError:  # before mcp 2
            from mcp.server.fastmcp import FastMCP as MCPServer
            from mcp.server.fastmcp.exceptions import ToolError
        from mcp.types import ToolAnnotations
    except ImportError:
        raise DevicekitError(
            'devicekit mcp needs the protocol\'s library, and Python 3.10 or later: %s -m pip install "devicekit[mcp]"'
            % (sys.executable or "python")
        ) from None
    server = MCPServer("devicekit", instructions=_INSTRUCTIONS)
    hints = ToolAnnotations(readOnlyHint=True, destructiveHint=False)
    for tool in tools(["--python=" + options.python] if options.python else []):
        server.tool(annotations=hints)(_refusing(tool, ToolError))
    server.run("stdio")
    return 0


def _refusing(tool: Callable[..., Dict[str, Any]], error: Type[Exception]) -> Callable[..., Dict[str, Any]]:
    """Return a tool whose reasons are shown to the agent, as those of the protocol's own error are."""

    @functools.wraps(tool)
    def call(**arguments: Any) -> Dict[str, Any]:
        try:
            return tool(**arguments)
        except DevicekitError as refused:
            raise error(str(refused)) from None

    return call


def tools(examined: List[str]) -> Sequence[Callable[..., Dict[str, Any]]]:
    """Return the tools: their names, docstrings and types are what an agent sees. ``examined``: the environment's option."""

    def doctor(device: str = "auto", snapshot: str = "") -> Dict[str, Any]:
        """Check this machine: the device that would be used, what is wrong and how to fix it, each framework and device.

        device: auto, cpu, gpu, gpu:1, cuda:0, ...; snapshot: the content of a snapshot of another machine, if that is meant.
        Returns what `devicekit doctor --json` prints.
        """
        return _ask(["doctor", "--json", "--device=" + device, *(["--machine=-"] if snapshot else examined)], snapshot)

    def explain(text: str) -> Dict[str, Any]:
        """Explain a log, a traceback, an error message or a finding code such as cudnn-missing: the causes and their fixes.

        Returns what `devicekit explain --json` prints; of a code its page, as Markdown.
        """
        from ..diagnosis.codes import CODES, MEASURED_CODES
        from .inputs import as_code

        code = as_code(text[:200])
        return _ask(["explain", code] if code in CODES + MEASURED_CODES else ["explain", "--json", "-"], text)

    def resolve(
        goal: str = "fastest", framework: str = "tensorflow", python: str = "", platform: str = "", gpu: str = "",
        driver: str = "", keep: Sequence[str] = (),
    ) -> Dict[str, Any]:  # fmt: skip
        """Find the newest releases of a framework, Keras, CUDA and their dependencies that work together, without installing.

        goal: fastest, gpu, cpu, ...; framework: tensorflow, keras, jax, torch; python: 3.11; platform: linux-x86_64, ...;
        gpu: RTX 4090, ...; driver: 535; keep: requirements that must hold. Without them: for this environment.
        Returns what `devicekit resolve --json` prints.
        """
        if examined and not python:
            python = ".".join(_ask(["doctor", "--json", *examined])["machine"]["python"].split(".")[:2])
        named = {"framework": framework, "python": python, "platform": platform, "gpu": gpu, "driver": driver}
        words = ["--%s=%s" % item for item in named.items() if item[1]] + ["--keep=" + item for item in keep]
        return _ask(["resolve", "--json", *words, "--", goal])

    def fix(goal: str = "auto") -> Dict[str, Any]:
        """Show what `devicekit fix` would install or set to make the environment work. A dry run: nothing is changed.

        goal: auto (make work what is installed), gpu, cpu, ... Returns what `devicekit fix --dry-run --json` prints.
        """
        return _ask(["fix", "--dry-run", "--json", "--goal=" + goal, *examined])

    return doctor, explain, resolve, fix


def _ask(arguments: List[str], text: str = "") -> Dict[str, Any]:
    from ..children.call import run_child

    if sum(map(len, arguments), len(text)) > _LONGEST:
        raise DevicekitError("the question is longer than %d MiB" % (_LONGEST >> 20))
    task = {"arguments": arguments, "input": text}
    report = run_child("devicekit.cli.answer:answer", task, timeout_s=_TIMEOUT_S)
    if report.outcome != "done":
        raise DevicekitError(report.detail or report.outcome)
    return dict(report.result)
