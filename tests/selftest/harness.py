"""A program that runs one trial and then looks at what is left of it: processes, descriptors, threads, files.

Run as ``python harness.py TASK RESULT``: both are JSON files. The task has ``body`` (what the child does after it has said
how far it came), ``limit_s``, ``setup`` (what is done to this process before) and ``command`` (instead of a child in
Python). Everything that is started inherits ``HARNESS_ID``, which is how what is left is found.
"""

import json
import os
import resource
import sys
import threading
import time

START = "import ctypes, json, os, signal, sys, time\n"
START += "print(json.dumps({'protocol': 1, 'say': {'stage': 'product'}}), flush=True)\n"


def processes():
    """Return the processes that carry this test's id, this one left out; zombies have no environment any more."""
    mark, found = ("HARNESS_ID=" + os.environ["HARNESS_ID"]).encode(), []
    for name in os.listdir("/proc"):
        if name.isdigit() and int(name) != os.getpid():
            try:
                with open("/proc/%s/environ" % name, "rb") as stream:
                    if mark in stream.read():
                        found.append(int(name))
            except OSError:
                continue
    return found


def children():
    """Return the state of what waits to be collected by this process."""
    try:
        return list(os.waitpid(-1, os.WNOHANG))
    except ChildProcessError:
        return None


def main():
    """Run the trial that the task describes."""
    from devicekit.children.call import Child, Command
    from devicekit.runtime.trial.run import trial_of

    with open(sys.argv[1]) as stream:
        task = json.load(stream)
    command = task.get("command") or [sys.executable, "-S", "-c", START + task.get("body", "")]
    result = {"outcome": None}
    # Opened now: the setup may leave no descriptor, or take the right to write.
    out = open(sys.argv[2], "w")  # noqa: SIM115
    names = {"os": os, "sys": sys, "time": time, "threading": threading, "command": command, "result": result}
    limit = task.get("limit_s", 20.0)
    names["run"] = lambda limit_s=limit: trial_of(Child(Command(tuple(command))).wait(limit_s))
    exec(task.get("setup", ""), names)
    descriptors, started = len(os.listdir("/proc/self/fd")), time.monotonic()
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    try:
        if "main" in task:
            exec(task["main"], names)
        else:
            trial = names["run"]()
            result.update(outcome=trial.outcome, stage=trial.stage, detail=trial.detail, devices=trial.devices)
            result["output"] = len(trial.output)
    except BaseException as error:
        result["raised"] = type(error).__name__
    result["took_s"] = time.monotonic() - started
    result["grown_kb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - memory
    exec(task.get("after", ""), names)
    result["zombies"] = children()
    result["processes"] = processes()
    # A thread that has ended for Python may still be ending for the C library, which loads libgcc for that.
    deadline = time.monotonic() + 2.0
    while len(os.listdir("/proc/self/fd")) > descriptors and time.monotonic() < deadline:
        time.sleep(0.02)
    result["descriptors"] = len(os.listdir("/proc/self/fd")) - descriptors
    result["threads"] = [item.name for item in threading.enumerate() if item.name == "devicekit-child"]
    json.dump(result, out)
    out.close()


if __name__ == "__main__":
    main()
