"""A program that leases devices of a snapshot, says so, and waits to be told to go on.

``holder.py MACHINE DEVICE COUNT TIMEOUT``: prints one JSON object, then gives back what it has when its input ends.
"""

import json
import sys

import devicekit
from devicekit.machine.snapshot import load_machine


def main(path, device, count, timeout):
    machine = load_machine(path)
    try:
        with devicekit.lease(device, int(count), machine=machine, timeout_s=float(timeout)) as held:
            print(json.dumps({"devices": held.devices, "environment": held.environment}), flush=True)
            sys.stdin.read()
    except devicekit.LeaseError as error:
        print(json.dumps({"error": type(error).__name__, "message": str(error)}), flush=True)


main(*sys.argv[1:])
