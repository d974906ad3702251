"""Slurm's short forms of lists: host lists such as ``node[01-03,07],gpu5`` and counts such as ``2(x3),1``. Pure.

Source: ``man scontrol`` (``show hostnames``) and ``man srun`` (``SLURM_TASKS_PER_NODE``) of Slurm 23.11.
"""

import re
from typing import List

#: More hosts than this in one list are a mistake.
LARGEST = 100000

_RANGE = re.compile(r"(\d+)(?:-(\d+))?$")
_COUNT = re.compile(r"(\d+)(?:\(x(\d+)\))?$")


def expand_hosts(text: str) -> List[str]:
    """Return the hosts of a list in Slurm's short form, in its order; raise ValueError if it is invalid or too long.

    >>> expand_hosts("node[01-03,07],gpu5")
    ['node01', 'node02', 'node03', 'node07', 'gpu5']
    >>> expand_hosts("r[1-2]n[1-2]-ib")
    ['r1n1-ib', 'r1n2-ib', 'r2n1-ib', 'r2n2-ib']
    """
    hosts: List[str] = []
    for word in _split(text):
        hosts += _expand_word(word, text)
        if len(hosts) > LARGEST:
            raise ValueError("the host list %r names more than %d hosts" % (text[:80], LARGEST))
    return hosts


def _split(text: str) -> List[str]:
    """Split at the commas outside brackets.

    >>> _split("a[1,2],b")
    ['a[1,2]', 'b']
    """
    words, depth, word = [], 0, ""
    for character in text.strip():
        depth += (character == "[") - (character == "]")
        if depth not in (0, 1):
            raise ValueError("invalid host list %r: its brackets do not match" % text[:80])
        if character == "," and depth == 0:
            words.append(word)
            word = ""
        else:
            word += character
    if depth:
        raise ValueError("invalid host list %r: its brackets do not match" % text[:80])
    words.append(word)
    if any(not word.strip() or re.search(r"\s", word.strip()) for word in words):
        raise ValueError("invalid host list %r: a host name is empty or has a space in it" % text[:80])
    if any(word.strip().startswith("-") for word in words):  # ssh and srun would take it for an option
        raise ValueError("invalid host list %r: a host name must not start with '-'" % text[:80])
    return [word.strip() for word in words]


def _expand_word(word: str, text: str) -> List[str]:
    head, bracket, rest = word.partition("[")
    if not bracket:
        return [word]
    inside, _, tail = rest.partition("]")
    tails = _expand_word(tail, text) if tail else [""]
    found: List[str] = []
    for item in inside.split(","):
        match = _RANGE.match(item.strip())
        if match is None:
            raise ValueError("invalid host list %r: [%s] must hold numbers or ranges" % (text[:80], inside[:40]))
        first, last = match.group(1), match.group(2) or match.group(1)
        if int(last) < int(first) or (int(last) - int(first) + 1) * len(tails) > LARGEST:
            raise ValueError("invalid host list %r: %s is not a range, or too long" % (text[:80], item.strip()[:40]))
        for number in range(int(first), int(last) + 1):
            # The width of the first number applies to all: node[08-10] is node08, node09, node10.
            found += [head + str(number).zfill(len(first)) + end for end in tails]
    return found


def expand_counts(text: str) -> List[int]:
    """Return the numbers of a list in Slurm's short form, one for each node; raise ValueError if it is invalid.

    >>> expand_counts("2(x3),1")
    [2, 2, 2, 1]
    """
    counts: List[int] = []
    for item in text.split(","):
        match = _COUNT.match(item.strip())
        if match is None or int(match.group(2) or 1) > LARGEST:
            raise ValueError("invalid list of counts %r: write it as 2(x3),1" % text[:80])
        counts += [int(match.group(1))] * int(match.group(2) or 1)
    return counts
