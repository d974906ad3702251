"""What amdgpu's files say of AMD's GPUs while a program runs, on recorded machines."""

import os

import pytest

from devicekit.machine.probe.amdgpu import find_amd_gpus, parse_clocks, read_amd_loads
from devicekit.watch import CommandReport
from devicekit.watch.command_watch import CommandWatch
from devicekit.watch.gpu_loads import GpuLoads

NODES = "/sys/class/kfd/kfd/topology/nodes"
GIB = 2**30


def machine_files(*minors, **files):
    """Return the files of a machine with a processor and these GPUs."""
    found = {
        NODES + "/0/properties": "cpu_cores_count 16\nsimd_count 0\ndrm_render_minor 0\n",
        NODES + "/0/gpu_id": "0\n",
    }
    for number, minor in enumerate(minors, 1):
        device = "/sys/class/drm/renderD%d/device/" % minor
        found.update(
            {
                "%s/%d/properties" % (NODES, number): "simd_count 160\ndrm_render_minor %d\n" % minor,
                "%s/%d/gpu_id" % (NODES, number): "%d\n" % (1000 + minor),
                device + "gpu_busy_percent": "87\n",
                device + "mem_info_vram_total": "%d\n" % (16 * GIB),
                device + "mem_info_vram_used": "%d\n" % (5 * GIB),
                device + "pp_dpm_sclk": "0: 500Mhz\n1: 1265Mhz *\n2: 2615Mhz\n",
                device + "hwmon/hwmon3/temp1_input": "71500\n",
                device + "hwmon/hwmon3/power1_average": "203000000\n",
                device + "hwmon/hwmon3/power1_cap": "250000000\n",
                device + "hwmon/hwmon3/freq1_input": "1900000000\n",
            }
        )
    return dict(found, **files)


def test_every_figure_with_its_unit(make_machine):
    host = make_machine(files=machine_files(128))
    (load,) = read_amd_loads(host, find_amd_gpus(host))
    assert load == {
        "index": 0, "source": "amdgpu", "utilization_percent": 87, "memory": [16 * GIB, 11 * GIB, 5 * GIB],
        "clock_mhz": 1900, "clock_max_mhz": 2615, "temperature_c": 71, "power_w": 203.0, "power_limit_w": 250.0,
    }  # fmt: skip


def test_what_a_gpu_does_not_say_is_left_out(make_machine):
    device = "/sys/class/drm/renderD128/device/"
    files = machine_files(128)
    kept = {path: text for path, text in files.items() if "hwmon" not in path and not path.endswith("vram_used")}
    kept[device + "gpu_busy_percent"] = "N/A\n"
    host = make_machine(files=kept)
    (load,) = read_amd_loads(host, find_amd_gpus(host))
    assert load == {"index": 0, "source": "amdgpu", "clock_mhz": 1265, "clock_max_mhz": 2615}
    newer = machine_files(128)
    newer[device + "hwmon/hwmon3/power1_input"] = newer.pop(device + "hwmon/hwmon3/power1_average")
    host = make_machine(files=newer)
    assert read_amd_loads(host, find_amd_gpus(host))[0]["power_w"] == 203.0


@pytest.mark.parametrize(
    "text, clocks", [("", (None, None)), ("S: 132Mhz *\n0: 500Mhz\n", (132, 500)), ("0: 500Mhz\n", (None, 500))]
)
def test_clocks_in_a_table(text, clocks):
    assert parse_clocks(text) == clocks


@pytest.mark.parametrize("system, files", [("linux", {}), ("linux", machine_files()), ("windows", machine_files(128))])
def test_a_machine_without_them(make_machine, system, files):
    assert find_amd_gpus(make_machine(system=system, files=files)) == ()


def test_the_gpu_of_a_process_is_kept(make_machine):
    own = "/sys/class/kfd/kfd/proc/%d/" % os.getpid()
    files = machine_files(128, 129)
    files.update(
        {own + "vram_1128": "0\n", own + "vram_1129": "%d\n" % GIB, "/sys/class/kfd/kfd/proc/7/vram_1129": "9\n"}
    )
    loads = GpuLoads(lambda: 2.5, None, host=make_machine(files=files))
    loads.look()
    (sample,) = loads.samples()
    assert (sample.at_s, sample.index, sample.source, sample.utilization_percent) == (2.5, 1, "amdgpu", 87)
    assert (sample.memory_used_bytes, sample.memory_bytes, sample.temperature_c) == (5 * GIB, 16 * GIB, 71)
    assert sample.others == 1


def test_nvidia_s_gpus_have_the_same_numbers_and_come_first(make_machine):
    loads = GpuLoads(lambda: 0.0, {"pynvml": os.devnull}, host=make_machine(files=machine_files(128)))
    loads.look()
    loads.close()
    assert loads.samples() == ()


def test_a_watched_command_on_a_machine_with_them(make_machine):
    files = machine_files(128)
    files["/sys/class/kfd/kfd/proc/4321/vram_1128"] = "%d\n" % GIB
    files["/proc/4321/stat"] = "4321 (python) S 1 1 1 0 -1 0 0 0 0 0 300 100 0 0 20 0 1 0 5 1000 250 1844"
    watch = CommandWatch(make_machine(files=files), {})
    watch.begin(4321)
    watch.look()
    report = CommandReport.of(watch.record("train.py"))
    (sample,) = report.record.gpus
    assert (sample.own, sample.others) == (1, 0)
    text = " ".join(str(report).split())
    assert "GPU 0 utilization 87 %, memory 5.0 GiB of 16.0 GiB at most, clock 1900 of 2615 MHz" in text
    assert "power 203 of 250 W; unknown: PCIe" in text
