"""Many processes that lease devices, each with two witnesses that devicekit knows nothing of.

``crowd.py FOLDER WITNESS PROCESSES ROUNDS DEVICES``: a file that only one process can make while it holds a device, and a
log of when each began and ended, its place in the queue, and when it got that and was served. Prints one JSON object.
"""

import json
import os
import random
import sys
import time

from devicekit.cluster.lease.folder import open_folder
from devicekit.cluster.lease.holder_records import read_record
from devicekit.cluster.lease.queue import Queue, own_record


def work(number, folder, witness, rounds, devices):
    chance = random.Random(number)
    for turn in range(rounds):
        # One of any; two of any; a certain one.
        kind = (number + turn) % 5
        keys = [devices[number % len(devices)]] if kind == 4 else devices
        wanted = 2 if kind == 3 else 1
        queue, places = Queue(open_folder(folder)), []

        def note(seconds, queue=queue, places=places):
            places.append((queue.number, time.time()))

        taken = queue.wait(keys, wanted, {key: own_record("x") for key in keys}, None, note, 0.01)
        queue.leave()
        begun, lines = time.monotonic(), []
        served = read_record(os.path.join(folder, "device.%s.json" % taken[0][0]))["since"]
        for key, _ in taken:
            os.close(os.open(os.path.join(witness, key), os.O_CREAT | os.O_EXCL))  # fails where another one has it
        time.sleep(0.005 + 0.02 * chance.random())
        ended = time.monotonic()
        for key, _ in taken:
            os.unlink(os.path.join(witness, key))
            place, queued = places[0] if places and wanted == 1 and len(keys) > 1 else (0, 0.0)
            lines.append(json.dumps([key, begun, ended, number, place, queued, served]))
        queue.give_back(taken)
        log = os.open(os.path.join(witness, "log"), os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        os.write(log, ("\n".join(lines) + "\n").encode())
        os.close(log)


def main(folder, witness, processes, rounds, count):
    devices = ["gpu-%d" % number for number in range(int(count))]
    children = []
    for number in range(int(processes)):
        child = os.fork()
        if child == 0:
            status = 1
            try:
                work(number, folder, witness, int(rounds), devices)
                status = 0
            finally:
                sys.stdout.flush()
                sys.stderr.flush()
                if sys.exc_info()[1] is not None:
                    import traceback

                    traceback.print_exc()
                os._exit(status)
        children.append(child)
    failed = [child for child in children if os.waitpid(child, 0)[1] != 0]
    print(json.dumps({"failed": len(failed)}))


if __name__ == "__main__":
    main(*sys.argv[1:])
