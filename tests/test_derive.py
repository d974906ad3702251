"""From what an index lists and wheels say to rows of the data, on names and texts that the tests make."""

from test_tools import tool

from devicekit.matrix import derive
from devicekit.matrix.derive import Link

RULE = {"since": "1.15", "keep": "final", "read": "all", "extras": ["and-cuda"], "protobuf": True, "build": True}


def test_which_releases_are_kept():
    names = ["1.14.0", "1.15.0", "2.0.0", "2.0.1", "2.1.0rc0"]
    links = [Link("tensorflow-%s-cp37-cp37m-manylinux2010_x86_64.whl" % version) for version in names]
    links.append(Link("tensorflow-2.0.0-cp27-cp27mu-manylinux2010_x86_64.whl"))
    links.append(Link("tensorflow-2.0.0-cp37-cp37m-win32.whl"))
    kept = derive.releases_of(links, RULE)
    assert list(kept) == ["1.15.0", "2.0.0", "2.0.1"]
    assert [link.filename for link, _ in kept["2.0.0"]] == ["tensorflow-2.0.0-cp37-cp37m-manylinux2010_x86_64.whl"]
    assert list(derive.releases_of(links, dict(RULE, keep="newest"))) == ["1.15.0", "2.0.1"]
    assert list(derive.releases_of(links, dict(RULE, keep="newest", pinned=["2.0.0"]))) == ["1.15.0", "2.0.0", "2.0.1"]


def test_wheels_with_equal_contents_become_one_build(monkeypatch):
    links = [
        Link("tensorflow-2.10.0-cp39-cp39-manylinux_2_17_x86_64.manylinux2014_x86_64.whl"),
        Link("tensorflow-2.10.0-cp310-cp310-manylinux_2_17_x86_64.manylinux2014_x86_64.whl"),
        Link("tensorflow-2.10.0-cp310-cp310-win_amd64.whl"),
    ]
    files = derive.releases_of(links, RULE)["2.10.0"]
    info = {"cuda_version": "11.2", "cudnn_version": "8", "is_cuda_build": True, "cuda_compute_capabilities": ["sm_35"]}
    linux = {
        "requires_python": ">=3.7",
        "requires": ["numpy (>=1.20)", "x; extra == 'no'"],
        "build": info,
        "protobuf": "direct",
    }
    empty = {"requires_python": ">=3.7", "requires": ["tensorflow-intel==2.10.0"]}
    readings = {link.filename: empty if "win" in link.filename else linux for link in links}
    sets = {}
    row = derive.make_row("2.10.0", files, readings, RULE, sets)
    one, two = row["builds"]
    assert one["wheels"] == {"manylinux_2_17_x86_64": "cp39 cp310"}
    assert (one["kind"], one["cuda"], one["cudnn"], one["capabilities"]) == ("cuda", "11.2", "8", "sm_35")
    assert sets[one["requires"]] == ["numpy>=1.20"]
    assert (two["wheels"], two["kind"]) == ({"win_amd64": "cp310"}, "empty")
    is_known = tool("refresh_matrix", monkeypatch).is_known
    assert is_known(row, files)
    assert not is_known(row, files[:2])
    assert not is_known(dict(row, yanked=True), files)
