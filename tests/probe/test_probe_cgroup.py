"""Control groups: what the files of both versions say, and whose limits hold for this process."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from devicekit.machine.live_host import LiveHost
from devicekit.machine.probe.cgroup import (
    Mount,
    group_folders,
    memory_left,
    parse_cgroup,
    parse_cpu_list,
    parse_cpu_max,
    parse_cpu_quota,
    parse_memory_limit,
    parse_memory_stat,
    parse_mounts,
    read_limits,
)

SECOND = "32 24 0:28 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n"
WORDS = st.text(alphabet="0123456789-, \nmax:/.+_\u0663\0abc", max_size=40)


@given(st.text(), st.text())
def test_garbage_is_refused_in_one_way(first, second):
    parse_cgroup(first)
    for mount in parse_mounts(first):
        group_folders(second, mount)
    for parse, arguments in (
        (parse_cpu_max, (first,)),
        (parse_cpu_quota, (first, second)),
        (parse_memory_limit, (first,)),
        (numbers, (first,)),
    ):
        try:
            found = parse(*arguments)
        except ValueError:
            continue
        assert found is None or found > 0 or parse is parse_memory_limit


def numbers(text):
    return sum(map(len, parse_cpu_list(text)))


@given(WORDS)
def test_what_looks_nearly_right_is_refused_too(text):
    for parse in (parse_cpu_max, parse_memory_limit, numbers):
        try:
            found = parse(text)
        except ValueError:
            continue
        assert found is None or found > 0 or parse is parse_memory_limit


@given(st.integers(1, 1 << 40), st.integers(1, 1 << 40))
def test_a_quota_is_the_ratio(quota, period):
    assert parse_cpu_quota("%d\n" % quota, "%d\n" % period) == quota / period
    assert parse_cpu_max("%d %d\n" % (quota, period)) == quota / period
    assert parse_cpu_max("max %d\n" % period) == math.inf


@pytest.mark.parametrize(
    "text", ["", "0 100000", "100000 0", "-1 100000", "1 2 3", "many 100000", "1e5 1", "\u0661 \u0662"]
)
def test_a_strange_quota(text):
    with pytest.raises(ValueError):
        parse_cpu_max(text)


@given(st.lists(st.tuples(st.integers(0, 2000), st.integers(0, 30)), min_size=1, max_size=20))
def test_a_list_of_processors_is_counted(parts):
    text = ",".join("%d" % first if not more else "%d-%d" % (first, first + more) for first, more in parts)
    assert numbers(text + "\n") == sum(more + 1 for _, more in parts)


@pytest.mark.parametrize("text", ["", "\n", "3-1", "a", "1-", "-1", "0,,1", "99999999999"])
def test_a_strange_list_of_processors(text):
    with pytest.raises(ValueError):
        parse_cpu_list(text)


def test_memory_limits():
    assert parse_memory_limit("536870912\n") == 536870912
    # Version 1 shows the largest number of whole pages, which depends on the page's size.
    assert parse_memory_limit("9223372036854771712\n") is None
    assert parse_memory_limit("9223372036854710272\n") is None
    assert parse_memory_limit("18446744073709551615\n") is None


def test_mounts_of_both_versions():
    text = (
        "25 30 0:23 / /proc rw - proc proc rw\n"
        "36 31 0:31 /docker/5f2c /sys/fs/cgroup/cpu,cpuacct ro master:14 - cgroup cgroup rw,cpu,cpuacct\n"
        "40 31 0:35 / /a\\040folder rw - cgroup2 none rw\n"
        "41 31 0:36 / /x - cgroup\n"
    )
    assert parse_mounts(text) == (
        Mount(("cpu", "cpuacct"), "/docker/5f2c", "/sys/fs/cgroup/cpu,cpuacct"),
        Mount((), "/", "/a folder"),
    )


@pytest.mark.parametrize(
    "path, root, folders",
    [
        ("/", "/", ["/m"]),
        ("/a/b", "/", ["/m/a/b", "/m/a", "/m"]),
        ("/docker/5f/init", "/docker/5f", ["/m/init", "/m"]),
        ("/docker/5f", "/docker/5f", ["/m"]),
        ("/docker/5fff", "/docker/5f", ["/m"]),  # another group, whose name begins alike
        ("/../other", "/", ["/m"]),
        ("/", "/../..", ["/m"]),
    ],
)
def test_the_folders_from_a_group_to_the_top(path, root, folders):
    assert list(group_folders(path, Mount((), root, "/m"))) == folders


def limits(make_machine, files, **host):
    files = {path if path.startswith("/proc") else "/sys/fs/cgroup" + path: text for path, text in files.items()}
    found = read_limits(make_machine(files=files, **host))
    return found.quota, found.processors, found.memory_bytes


def test_the_least_limit_on_the_way_to_the_root_holds(make_machine):
    quota, processors, memory = limits(
        make_machine,
        {
            "/proc/self/cgroup": "0::/a.slice/b.scope\n",
            "/proc/self/mountinfo": SECOND,
            "/a.slice/b.scope/cpu.max": "800000 100000\n",
            "/a.slice/cpu.max": "250000 100000\n",
            "/a.slice/b.scope/memory.max": "max\n",
            "/a.slice/b.scope/memory.high": "4000000000\n",
            "/a.slice/memory.max": "5000000000\n",
            "/a.slice/memory.high": "max\n",
            "/a.slice/cpuset.cpus.effective": "0-2\n",
            "/cpuset.cpus.effective": "0-7\n",
        },
    )
    assert (quota.value, quota.source) == (2.5, "/sys/fs/cgroup/a.slice/cpu.max")
    assert (memory.value, memory.source) == (4000000000, "/sys/fs/cgroup/a.slice/b.scope/memory.high")
    assert (processors.value, processors.source) == (3, "/sys/fs/cgroup/a.slice/cpuset.cpus.effective")


def test_both_versions_at_the_same_time(make_machine):
    """The limits stand in version 1, and version 2 is mounted next to it without a controller."""
    quota, _, memory = limits(
        make_machine,
        {
            "/proc/self/cgroup": "5:cpu,cpuacct:/box\n4:memory:/box\n1:name=systemd:/\n0::/init.scope\n",
            "/proc/self/mountinfo": (
                "33 31 0:30 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"
                "34 31 0:31 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
                "35 31 0:32 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n"
            ),
            "/cpu,cpuacct/box/cpu.cfs_quota_us": "-1\n",
            "/cpu,cpuacct/box/cpu.cfs_period_us": "100000\n",
            "/cpu,cpuacct/cpu.cfs_quota_us": "75000\n",
            "/cpu,cpuacct/cpu.cfs_period_us": "50000\n",
            "/memory/box/memory.limit_in_bytes": "1000000000\n",
            "/memory/memory.limit_in_bytes": "9223372036854771712\n",
            "/unified/cgroup.procs": "1\n",
        },
    )
    assert quota.value == 1.5
    assert memory.value == 1000000000


def test_of_several_mounts_the_one_that_shows_the_group_counts(make_machine):
    quota, _, _ = limits(
        make_machine,
        {
            "/proc/self/cgroup": "5:cpu:/docker/5f2c\n",
            "/proc/self/mountinfo": (
                "33 31 0:30 /other /elsewhere rw - cgroup cgroup rw,cpu\n"
                "34 31 0:30 /docker/5f2c /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n"
            ),
            "/cpu/cpu.cfs_quota_us": "100000",
            "/cpu/cpu.cfs_period_us": "100000",
        },
    )
    assert quota.value == 1.0


def test_nothing_limits(make_machine):
    for files in ({}, {"/proc/self/cgroup": "0::/\n", "/proc/self/mountinfo": SECOND, "/cpu.max": "max 100000\n"}):
        assert [fact.status for fact in limits(make_machine, files)] == ["absent"] * 3


def test_what_cannot_be_read_or_understood_is_unknown(make_machine):
    files = {
        "/proc/self/cgroup": "0::/\n",
        "/proc/self/mountinfo": SECOND,
        "/cpu.max": "100000 100000\n",
        "/memory.max": "plenty\n",
        "/cpuset.cpus.effective": "some\n",
    }
    quota, processors, memory = limits(make_machine, files, denied=["/sys/fs/cgroup/cpu.max"])
    assert [fact.known for fact in (quota, processors, memory)] == [False, False, False]
    assert "plenty" in memory.problem
    assert "Permission denied" in quota.problem
    hidden = limits(
        make_machine, {"/proc/self/cgroup": "0::/\n", "/proc/self/mountinfo": "25 30 0:23 / / rw - ext4 a rw\n"}
    )
    assert not any(fact.known for fact in hidden)
    denied = limits(make_machine, files, denied=["/proc/self/cgroup"])
    assert not any(fact.known for fact in denied)


def test_a_limit_that_is_known_beside_one_that_is_not(make_machine):
    quota, _, _ = limits(
        make_machine,
        {
            "/proc/self/cgroup": "0::/a\n",
            "/proc/self/mountinfo": SECOND,
            "/a/cpu.max": "200000 100000\n",
            "/cpu.max": "what\n",
        },
    )
    assert quota.value == 2.0
    assert "what" in quota.problem


def test_this_machine():
    host = LiveHost()
    found = read_limits(host)
    if host.system != "linux":
        return
    assert found.quota.status in ("value", "absent", "unknown")
    assert found.processors.or_none() is None or found.processors.or_none() >= host.affinity()


def test_what_the_groups_still_grant_is_the_least_of_all_above(make_machine):
    inner, outer = "/sys/fs/cgroup/a.slice/b.scope", "/sys/fs/cgroup/a.slice"
    files = {
        "/proc/self/cgroup": "0::/a.slice/b.scope\n", "/proc/self/mountinfo": SECOND,
        inner + "/memory.max": "max\n", inner + "/memory.high": "900\n", inner + "/memory.current": "100\n",
        inner + "/memory.stat": "anon 60\ninactive_file 30\n",
        outer + "/memory.max": "1000\n", outer + "/memory.high": "max\n", outer + "/memory.current": "700\n",
        outer + "/memory.stat": "anon 700\n",
    }  # fmt: skip
    assert memory_left(make_machine(files=files)) == 300
    assert memory_left(make_machine(files=dict(files, **{outer + "/memory.current": "100\n"}))) == 830
    # More is in use than is granted: nothing is left.
    assert memory_left(make_machine(files=dict(files, **{outer + "/memory.current": "2000\n"}))) == 0
    # What cannot be understood limits nothing.
    assert memory_left(make_machine(files=dict(files, **{outer + "/memory.current": "many\n"}))) == 830
    assert memory_left(make_machine(files={})) is None


def test_what_is_kept_of_files_that_nobody_uses():
    assert parse_memory_stat("cache 5\ntotal_inactive_file 7\n", False) == 7
    assert parse_memory_stat("total_inactive_file 7\n", True) == 0
    assert parse_memory_stat("inactive_file\ninactive_file -3\ninactive_file 4\n", True) == 4
