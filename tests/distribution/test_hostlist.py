"""Slurm's short forms of lists."""

import pytest

from devicekit.cluster.strategy.cluster_environment import expand_counts, expand_hosts


@pytest.mark.parametrize(
    ("text", "hosts"),
    [
        ("node1", ["node1"]),
        ("node1,gpu5", ["node1", "gpu5"]),
        ("node[01-03,07],gpu5", ["node01", "node02", "node03", "node07", "gpu5"]),
        ("node[8-11]", ["node8", "node9", "node10", "node11"]),
        ("node[08-10]", ["node08", "node09", "node10"]),
        ("node[098-101]", ["node098", "node099", "node100", "node101"]),
        ("rack[1-2]-n[1,3].lab", ["rack1-n1.lab", "rack1-n3.lab", "rack2-n1.lab", "rack2-n3.lab"]),
        ("10.0.0.[1-2]", ["10.0.0.1", "10.0.0.2"]),
        ("a[5]", ["a5"]),
        (" a , b ", ["a", "b"]),
    ],
)
def test_hosts(text, hosts):
    assert expand_hosts(text) == hosts


@pytest.mark.parametrize(
    "text",
    [
        "",
        ",",
        "a,",
        "n[1-",
        "n1-3]",
        "n[[1]]",
        "n[]",
        "n[a-b]",
        "n[3-1]",
        "n[1-999999999]",
        "a b",
        "n[1-2]m[1",
        "a,-oProxyCommand=x",
    ],
)
def test_what_is_no_list_is_refused_with_the_text(text):
    with pytest.raises(ValueError, match="invalid host list|names more than"):
        expand_hosts(text)


def test_a_list_of_thousands_of_machines():
    assert len(expand_hosts("n[00001-10000]")) == 10000
    with pytest.raises(ValueError, match="too long"):
        expand_hosts("n[1-1000]m[1-1000]")


@pytest.mark.parametrize(("text", "counts"), [("2(x3),1", [2, 2, 2, 1]), ("4", [4]), ("1,2,3(x2)", [1, 2, 3, 3])])
def test_counts(text, counts):
    assert expand_counts(text) == counts


@pytest.mark.parametrize("text", ["", "2(3)", "x", "2(x3", "1(x999999999)"])
def test_what_is_no_list_of_counts_is_refused(text):
    with pytest.raises(ValueError, match="invalid list of counts"):
        expand_counts(text)
