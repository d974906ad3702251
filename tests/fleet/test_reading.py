"""Snapshots in what commands print, and lists of nodes."""

import json

import pytest
from fleets import template

from devicekit.cluster.fleet.groups import LIMIT_BYTES
from devicekit.cluster.fleet.parse import node_names, snapshots_in

DATA = template()
LINE = json.dumps(DATA).encode("ascii")
PRETTY = json.dumps(DATA, indent=1).encode("ascii")


def read(*lines):
    return [(item.node, item.content) for item in snapshots_in(lines)]


def labelled(label, content):
    return [label + line + b"\n" for line in content.split(b"\n")]


@pytest.mark.parametrize(
    "label, name",
    [
        (b"node07: ", "node07"),  # pdsh, clush, and `devicekit snapshot --line`
        (b" 12: ", "12"),  # srun --label
        (b"12: node07: ", "node07"),  # both
        (b"[1,3]<stdout>: ", "3"),  # mpirun --tag-output
    ],
)
def test_who_says_a_line_is_told_by_what_stands_before_it(label, name):
    assert read(label + LINE + b"\n") == [(name, LINE)]
    (found,) = read(*labelled(label, PRETTY))
    assert found[0] == name
    assert json.loads(found[1].decode("ascii")) == DATA


def test_lines_of_many_nodes_may_be_mixed():
    one, other = labelled(b"a: ", PRETTY), labelled(b"b: ", PRETTY)
    mixed = [line for pair in zip(one, other) for line in pair]
    assert [(name, json.loads(text.decode("ascii"))) for name, text in read(*mixed)] == [("a", DATA), ("b", DATA)]


def test_what_others_print_is_passed_over():
    noise = [b"Loading module cuda/12.4\n", b"Welcome to node07: be nice\n", b"\n", b"warning: {} unused\n"]
    found = read(*noise, b"node07: " + LINE + b"\n", b"bye\n")
    assert ("node07", LINE) in found


def test_snapshots_without_names_are_numbered_and_one_that_is_cut_short_is_kept():
    assert [name for name, _ in read(LINE + b"\n", LINE + b"\n")] == ["snapshot 1", "snapshot 2"]
    assert [name for name, _ in read(*[line + b"\n" for line in PRETTY.split(b"\n")[:-3]])] == ["snapshot 1"]


def test_what_has_no_end_is_forgotten_beyond_the_limit():
    row = b"a:  " + b"x" * 100000 + b"\n"
    ((name, content),) = read(b"a: {\n", *[row] * (2 * LIMIT_BYTES // 100000))
    assert name == "a"
    assert len(content) + 100002 > LIMIT_BYTES
    assert len(content) < LIMIT_BYTES + 200000


def test_lists_of_nodes():
    assert node_names("") == ()
    assert node_names("login,gpu[01-03,07],10.0.0.5,gpu01") == ("login", "gpu01", "gpu02", "gpu03", "gpu07", "10.0.0.5")


@pytest.mark.parametrize(
    "text", ["-oProxyCommand=id", "a;b", "a b", "$(id)", "gpu[1-999999999]", "gpu[3-1]", "a[", "a/b"]
)
def test_what_is_no_node_is_refused(text):
    with pytest.raises(ValueError):
        node_names(text)
