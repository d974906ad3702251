"""What runs on a node of a Ray cluster: starts devicekit there and returns its snapshot.

The node may have no devicekit, so that nothing of it is used here.
"""

from typing import Callable, Dict


def task_of_node() -> Callable[[float, str], Dict[str, str]]:
    """Return the function that runs on a node. It is defined in here so that Ray sends its code and not its name."""

    def examine(limit_s: float, ours: str) -> Dict[str, str]:
        import json
        import os
        import subprocess
        import sys

        environ = dict(os.environ)
        try:
            with open("/proc/self/environ", "rb") as stream:
                started_with = dict(
                    part.decode("utf-8", "replace").partition("=")[::2] for part in stream.read().split(b"\0") if part
                )
        except OSError:  # no Linux
            started_with = {}
        for name in ("CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES", "ONEAPI_DEVICE_SELECTOR"):
            if started_with and name in started_with:
                environ[name] = started_with[name]
            elif started_with:
                environ.pop(name, None)
        where = "%s, Python %s" % (sys.executable, sys.version.split()[0])
        # What a task of the cluster would import is what matters; Ray puts folders before the interpreter's own.
        program = "import json, sys; sys.path[:] = json.loads(sys.argv.pop(1)); from devicekit.cli.main import main; "
        program += "sys.exit(main(['snapshot']))"
        command = [sys.executable, "-c", program, json.dumps([item for item in sys.path if item != ours])]
        try:
            done = subprocess.run(command, env=environ, stdin=subprocess.DEVNULL, capture_output=True, timeout=limit_s)
        except subprocess.TimeoutExpired:
            return {"problem": "devicekit gave no answer within %g s there (%s)" % (limit_s, where)}
        except OSError as error:
            return {"problem": "%s cannot be started there: %s" % (sys.executable, error)}
        if done.returncode == 0:
            return {"snapshot": done.stdout.decode("utf-8", "replace")}
        said = (done.stderr.decode("utf-8", "replace").strip().splitlines() or ["no message"])[-1]
        if "No module named" in said:
            said += "; install it there: %s -m pip install devicekit" % sys.executable
        return {"problem": "%s (%s)" % (said[:400], where)}

    return examine
