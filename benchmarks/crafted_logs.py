"""Logs that are made to be slow for `explain`: CPU seconds a megabyte of each, as JSON.

    python benchmarks/crafted_logs.py [--megabytes 2] [--patterns] [--seed 1]

``--patterns`` adds, for each of the slowest patterns, a log of nothing but its worst line.
"""

import argparse
import json
import os
import random
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.append(os.path.join(ROOT, "tests"))  # at the end: an installed devicekit is what is measured

from worst_lines import worst_lines  # noqa: E402

from devicekit.logs import explain_log  # noqa: E402
from devicekit.logs.signatures import FILES, signatures  # noqa: E402

LETTERS = "abcdefghijklmnopqrstuvwxyz"

#: How many patterns are slow enough to be tried alone: microseconds a character of their worst line.
SLOW_US = 0.3


class Lines:
    """Makes lines; the methods are the kinds, none of which repeats a line."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.literals = sorted({literal for item in signatures() for literal in item.literals})
        self.pieces = [text[at : at + 4] for text in self.literals for at in range(len(text) - 3)]
        self.examples = []
        for name in FILES:
            with open(os.path.join(ROOT, "tests", "signatures", name + ".json"), encoding="utf-8") as stream:
                self.examples += [line for row in json.load(stream).values() for line in row.get("examples", ())]

    def word(self, length=6):
        return "".join(self.random.choice(LETTERS) for _ in range(length))

    def training(self):
        return "%d/1875 [=====>....] - ETA: %ds - loss: %.4f" % (self.random.randrange(1875), 3, self.random.random())

    def every_example(self):
        return "%s %s" % (self.random.choice(self.examples), self.word())

    def near_misses(self):
        return "%s %s" % (self.random.choice(self.literals), self.word())

    def joined_literals(self):
        return self.word(2) + self.random.choice(self.literals) + self.word(2)

    def long_lines_of_literals(self):
        return (" ".join(self.random.choice(self.literals) for _ in range(120)) + self.word())[:4000]

    def long_lines_of_examples(self):
        return " ".join(self.random.choice(self.examples) for _ in range(40))[:3990] + self.word()

    def repeated_prefixes(self):
        text = self.random.choice(self.literals)
        return text[: self.random.randrange(4, 1 + len(text))] * 8 + self.word()

    def pieces_of_literals(self):
        return " ".join(self.random.choice(self.pieces) + self.word(1) for _ in range(20))

    def short_lines(self):
        return self.word(3)

    def answers(self):
        return "[]"

    def long_lines_with_answers(self):
        return self.random.choice(("x" * 3900 + self.word(), "[]", "[]", "[]"))

    def frames(self):
        return '  File "/x/%s.py", line %d, in %s' % (self.word(), self.random.randrange(999), self.word())

    def exceptions(self):
        return self.random.choice(
            ("%sError: " % self.word().title(), "Traceback (most recent call last) ", "error: ")
        ) + (self.word(20))

    def escapes(self):
        return "\x1b[" + "3" * self.random.randrange(600) + "\x1b]" + self.word(40)

    def letters(self):
        return self.word(self.random.randrange(6, 9))

    def calls(self):
        return "(%s" % self.word(5)

    def questions_and_answers(self):
        return self.random.choice(("[]", self.word(), ".cc:" + self.word(2), "print(%s)" % self.word(3)))

    def lists_of_releases(self):
        return "Windows 1, Windows 2, torch 2.1, jax 3.1, " + self.word()

    def homes(self):
        return "/home/" + self.word(4)

    def any_bytes(self):
        return "".join(chr(self.random.randrange(256)) for _ in range(80))


def joined(make, size, end="\n"):
    """Return about ``size`` bytes of lines."""
    lines, length = [], 0
    while length < size:
        lines.append(make())
        length += len(lines[-1]) + 1
    return end.join(lines).encode("utf-8")


def logs(make, size):
    """Return a log of about ``size`` bytes of each kind."""
    kinds = [name for name in sorted(vars(Lines)) if name not in ("word",) and not name.startswith("_")]
    made = {name: joined(getattr(make, name), size) for name in kinds}
    made["no line feed"] = joined(make.near_misses, size, " ")
    made["carriage returns"] = joined(make.every_example, size, "\r")
    return made


def seconds_per_megabyte(data):
    """Return the CPU seconds that a megabyte of a log takes."""
    started = time.process_time()
    explain_log([data])
    return 1e6 * (time.process_time() - started) / len(data)


def slow_lines():
    """Yield the signatures with a slow pattern, each with its worst line."""
    import re

    for item in signatures():
        if item._pattern is None:
            continue
        pattern, worst = re.compile(item._pattern), (0.0, "")
        for text in worst_lines(item._pattern):
            for line in ((text + item.literals[0])[-3900:], (item.literals[0] + text)[:3900]):
                started = time.process_time()
                pattern.search(line)
                worst = max(worst, ((time.process_time() - started) / len(line), line))
        if 1e6 * worst[0] > SLOW_US:
            yield item.id, worst[1]


def measure(megabytes, patterns, seed):
    """Return the CPU seconds a megabyte by the kind of log."""
    make, size = Lines(seed), int(1e6 * megabytes)
    explain_log([joined(make.every_example, 300000)])  # compiles the patterns
    found = {kind: seconds_per_megabyte(log) for kind, log in logs(make, size).items()}
    for name, line in slow_lines() if patterns else ():
        found["pattern of " + name] = seconds_per_megabyte(joined(lambda line=line: line + make.word(), size))
    return found


def main():
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--megabytes", type=float, default=2.0)
    parser.add_argument("--patterns", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    print(json.dumps(measure(options.megabytes, options.patterns, options.seed)))


if __name__ == "__main__":
    main()
