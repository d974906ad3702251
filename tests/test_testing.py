"""`devicekit.testing`: simulated machines, in a block and nowhere else."""

import asyncio
import contextvars
import json
import logging
import os
import subprocess
import sys
import threading

import pytest

import devicekit
from devicekit import auto, detect, device_scope, diagnose, resolve, select_device
from devicekit.errors import MachineFileError
from devicekit.machine.detect import real_machine, stand_ins
from devicekit.testing import describe, load, machines, simulated_machine

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


@pytest.fixture(autouse=True)
def _nothing_is_left():
    yield
    assert stand_ins.get() == ()


@pytest.mark.parametrize("name", machines())
def test_every_bundled_machine_can_be_simulated(name):
    assert describe(name).endswith(".")
    with simulated_machine(name) as machine:
        assert detect() is machine
        assert detect(refresh=True) is machine
        assert diagnose() == diagnose(machine)
        selection = select_device()
        assert selection == select_device(machine=machine)
    # The description of a machine agrees with what is decided for it.
    assert ("all is right" in describe(name)) <= (selection.device != "cpu")


def test_names_that_users_rely_on():
    assert {"windows-amd-stock-tf", "linux-cpu", "linux-nvidia", "linux-eight-gpus", "mac-apple-silicon"} <= set(
        machines()
    )
    assert list(machines()) == sorted(machines())


def test_an_example():
    with simulated_machine("windows-amd-stock-tf"):
        selection = select_device("gpu")
    assert (selection.device, selection.fallback) == ("cpu", True)
    assert selection.findings[0].code == "gpu-vendor-unsupported"


def test_it_nests_and_restores_after_an_exception():
    real = detect()
    with simulated_machine("linux-nvidia") as outer:
        with pytest.raises(KeyError), simulated_machine("linux-cpu"):
            raise KeyError(detect() == load("linux-cpu"))
        assert detect() == outer
    assert detect() is real


def test_one_object_may_be_entered_again():
    machine = simulated_machine("linux-cpu")
    with machine, machine:
        assert detect() == load("linux-cpu")
    with machine:
        assert detect() == load("linux-cpu")


def test_a_machine_a_snapshot_and_its_path(tmp_path):
    machine = load("linux-mig")
    path = tmp_path / "machine.json"
    path.write_text(json.dumps(machine.to_dict()), encoding="utf-8")
    for given in (machine, path, str(path)):
        with simulated_machine(given):
            assert detect() == machine


def test_variables():
    with simulated_machine("linux-eight-gpus", environ={"CUDA_VISIBLE_DEVICES": "3"}):
        usable = [item for item in diagnose().candidates if item.platform == "cuda" and item.usable]
        assert len(usable) == 1
    with simulated_machine("linux-eight-gpus", environ={"CUDA_VISIBLE_DEVICES": "-1"}):
        assert select_device().findings[0].code == "device-hidden"
    with simulated_machine("linux-gpu-hidden", environ={"CUDA_VISIBLE_DEVICES": None}):
        assert select_device().device == "gpu:0"
    assert load("linux-gpu-hidden").process.env("CUDA_VISIBLE_DEVICES") == "-1"


@pytest.mark.parametrize(
    "environ, message",
    [
        ({"NO_SUCH": "1"}, "does not read the variable 'NO_SUCH'"),
        ({"LD_LIBRARY_PATH": "/opt"}, "LD_LIBRARY_PATH determines which files are found"),
        ({"CUDA_VISIBLE_DEVICES": 1}, "must be a string, or None to remove it, not 1"),
    ],
)
def test_variables_that_cannot_be_set(environ, message):
    with pytest.raises(ValueError, match=message):
        simulated_machine("linux-nvidia", environ=environ)


def test_wrong_machines(tmp_path):
    with pytest.raises(ValueError, match="unknown machine 'amiga'; bundled are .*windows-amd-stock-tf"):
        simulated_machine("amiga")
    with pytest.raises(ValueError, match="unknown machine"):
        load("../data/cuda")
    with pytest.raises(ValueError, match="not a int"):
        simulated_machine(3)
    with pytest.raises(MachineFileError, match="cannot be read"):
        simulated_machine(tmp_path / "none.json")
    with pytest.raises(MachineFileError, match="cannot be read"):
        simulated_machine("none.json")


def test_functions_generators_and_coroutines_are_decorated():
    @simulated_machine("linux-nvidia")
    def plain(number):
        """Of a function."""
        return number, select_device().device

    @simulated_machine("linux-nvidia")
    def steps():
        for _ in range(2):
            yield select_device().device

    @simulated_machine("linux-nvidia")
    async def later():
        await asyncio.sleep(0)
        return select_device().device

    assert plain(2) == (2, "gpu:0")
    assert plain.__doc__ == "Of a function."
    for device in steps():
        assert device == "gpu:0"
        assert stand_ins.get() == ()
    loop = asyncio.new_event_loop()
    try:
        assert loop.run_until_complete(later()) == "gpu:0"
    finally:
        loop.close()


def test_what_cannot_be_decorated():
    async def items():
        yield 1

    for wrong in (items, type("Test", (), {})):
        with pytest.raises(TypeError, match="write 'with simulated_machine"):
            simulated_machine("linux-cpu")(wrong)


def test_every_thread_has_its_own():
    seen = {}
    ready = threading.Barrier(3)

    def work(name):
        with simulated_machine(name):
            ready.wait(60)
            seen[name] = detect() == load(name)

    def outside():
        ready.wait(60)
        seen["outside"] = detect() is real_machine()

    with simulated_machine("mac-intel"):
        threads = [threading.Thread(target=work, args=(name,)) for name in ("linux-nvidia", "linux-cpu")]
        threads.append(threading.Thread(target=contextvars.Context().run, args=(outside,)))
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(120)
        assert detect() == load("mac-intel")
    assert seen == {"linux-nvidia": True, "linux-cpu": True, "outside": True}


def test_a_thread_in_a_copy_of_the_context_sees_it():
    seen = []
    with simulated_machine("linux-cpu"):
        run = contextvars.copy_context().run
        thread = threading.Thread(target=run, args=(lambda: seen.append(detect()),))
        thread.start()
        thread.join(120)
    assert seen == [load("linux-cpu")]


def test_every_task_has_its_own():
    async def ask(name):
        with simulated_machine(name):
            for _ in range(3):
                await asyncio.sleep(0)
                assert detect() == load(name)

    async def main():
        await asyncio.gather(*[ask(name) for name in ("linux-cpu", "linux-nvidia", "mac-intel")])

    loop = asyncio.new_event_loop()
    try:
        loop.run_until_complete(main())
    finally:
        loop.close()


def test_functions_that_run_something_use_the_real_machine(run_json, tmp_path):
    code = (
        "import json, warnings, devicekit\n"
        "from devicekit.testing import simulated_machine\n"
        "warnings.simplefilter('ignore')\n"
        "with simulated_machine('linux-tpu'):\n"
        "    inside = devicekit.auto(verify='never').to_dict()\n"
        "    with devicekit.device_scope('cpu') as scope: pass\n"
        "with simulated_machine('linux-no-framework'):\n"
        "    with devicekit.device_scope('cpu') as other: pass\n"
        "    again = devicekit.auto(verify='never').to_dict()\n"
        "outside = devicekit.auto(verify='never').to_dict()\n"
        "print(json.dumps([inside == outside == again, scope == other, outside['platform']]))"
    )
    same, scopes, platform = run_json(code, env={"DEVICEKIT_CACHE_DIR": str(tmp_path)})
    assert same
    assert scopes
    assert platform != "tpu"


def test_auto_logs_a_warning(caplog):
    with caplog.at_level(logging.INFO, "devicekit"), simulated_machine("linux-cpu"):
        with pytest.raises(ValueError, match="unknown verify"):
            auto(verify="perhaps")
        assert not caplog.records
    code = (
        "import warnings, devicekit; from devicekit.testing import simulated_machine\n"
        "warnings.simplefilter('ignore')\n"
        "with simulated_machine('linux-cpu'): devicekit.auto(verify='never')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", "import logging; logging.basicConfig()\n" + code],
        capture_output=True,
        timeout=300,
        env=dict(os.environ, PYTHONPATH=os.path.dirname(os.path.dirname(devicekit.__file__))),
    )
    assert b"WARNING:devicekit:auto() sets up this real machine" in done.stderr


def test_resolve_uses_the_simulated_machine():
    with simulated_machine("windows-amd-stock-tf") as machine:
        assert resolve("gpu") == resolve("gpu", machine=machine)


def test_figures_of_the_real_machine_do_not_leak(run_json, tmp_path):
    # Nothing is even looked up: in this process the module that reads them is loaded for the real machine first.
    seen = (
        "import json, sys, devicekit\n"
        "from devicekit.testing import simulated_machine\n"
        "with simulated_machine('linux-eight-gpus'):\n"
        "    selection = devicekit.select_device('fastest')\n"
        "loaded = 'devicekit.runtime.speed_cache' in sys.modules\n"
        "devicekit.select_device('fastest')\n"
        "print(json.dumps([selection.reason, loaded, 'devicekit.runtime.speed_cache' in sys.modules]))"
    )
    reason, inside, outside = run_json(seen, env={"DEVICEKIT_CACHE_DIR": str(tmp_path)})
    assert "their speeds were not measured yet" in reason
    assert (inside, outside) == (False, True)


def test_device_scope_is_not_simulated():
    assert "device_scope" in simulated_machine.__doc__
    with simulated_machine("linux-cpu"), pytest.raises(ValueError, match="unknown device"):
        device_scope("gpuu")


def test_the_bundled_machines_are_those_of_the_tests():
    tool = os.path.join(ROOT, "tools", "bundle_machines.py")
    done = subprocess.run([sys.executable, tool, "--check"], capture_output=True, timeout=300)
    assert done.returncode == 0, done.stdout.decode() + done.stderr.decode()


def test_strategies_are_planned_for_the_simulated_machine():
    with simulated_machine("linux-eight-gpus"):
        assert len(devicekit.cluster.plan_strategy("auto").devices) == 8
    with simulated_machine("linux-cpu"):
        assert devicekit.cluster.plan_strategy("auto").devices == ("cpu",)


@pytest.mark.parametrize("name", machines())
def test_a_machine_shows_itself_in_a_few_words(name):
    machine = load(name)
    assert len(str(machine)) < 320
    assert len(repr(machine)) < 400
    assert len(machine._repr_html_()) < 5000


def test_what_a_machine_says_of_itself():
    text = str(load("linux-eight-gpus"))
    assert "8 x NVIDIA A100-SXM4-40GB (40.0 GiB)" in text
    assert "TensorFlow 2.20.0" in text
    assert "GPU: none" in str(load("linux-cpu"))
