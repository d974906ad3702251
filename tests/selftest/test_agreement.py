"""Many processes call `auto()` at once and nothing is known yet: one tries for all, and all agree."""

import json
import os
import time

AUTO = """
import json, sys, warnings
warnings.simplefilter("ignore")
import devicekit
sys.stdin.read(1)  # all start together
selection = devicekit.auto()
print(json.dumps([selection.device, selection.verified, "tensorflow" in sys.modules, selection.findings[0].code]))
"""


def all_at_once(patient, count):
    processes = [patient.start(AUTO) for _ in range(count)]
    for process in processes:
        process.stdin.write(b"x")
        process.stdin.close()
        process.stdin = None
    return processes


def answers(processes):
    found = []
    for process in processes:
        out, err = process.communicate(timeout=180)
        assert process.returncode == 0, err.decode()[-3000:]
        found.append(json.loads(out.decode().splitlines()[-1]))
    return found


def tried(patient):
    return patient.notes().count("trial import")


def cached(patient):
    """Return the cached results, each of them whole. Nothing else is in the folder."""
    return [json.loads((patient.cache / name).read_text()) for name in os.listdir(str(patient.cache))]


def test_fifty_processes_agree_with_one_trial(patient):
    patient.behaves(list="time.sleep(2) if 'DEVICEKIT_TRIAL' in os.environ else None")
    found = answers(all_at_once(patient, 50))
    assert found == [["cpu", True, True, found[0][3]]] * 50
    assert tried(patient) == 1
    (result,) = cached(patient)
    assert result["trial"]["outcome"] == "works"
    patient.wait_until_running([])


def test_they_agree_on_a_failure(patient):
    patient.behaves(**{"import": "time.sleep(2); os.abort()"})
    assert answers(all_at_once(patient, 4)) == [["cpu", False, False, "framework-broken"]] * 4
    assert tried(patient) == 1
    (result,) = cached(patient)
    assert result["trial"]["outcome"] == "died"


def test_the_one_that_tries_is_killed(patient):
    patient.behaves(**{"import": "'DEVICEKIT_TRIAL' in os.environ and time.sleep(3)"})
    (first,) = all_at_once(patient, 1)
    patient.wait_for("trial import")
    others = all_at_once(patient, 4)
    time.sleep(1.0)
    assert tried(patient) == 1  # the others wait
    patient.kill(first)
    found = answers(others)
    assert found == [["cpu", True, True, found[0][3]]] * 4
    assert tried(patient) == 2
    assert len(cached(patient)) == 1
    patient.wait_until_running([])


def test_those_in_different_states_do_not_wait_for_one_another(patient):
    patient.behaves(**{"import": "'DEVICEKIT_TRIAL' in os.environ and time.sleep(600)"})
    (first,) = all_at_once(patient, 1)
    patient.wait_for("trial import")
    patient.behaves()
    patient.environ["CUDA_VISIBLE_DEVICES"] = "1"
    found = answers(all_at_once(patient, 4))
    assert [item[:3] for item in found] == [["cpu", True, True]] * 4
    assert tried(patient) == 2
    patient.kill(first)
    patient.wait_until_running([])
    left = sorted(name.rpartition(".")[2] for name in os.listdir(str(patient.cache)))
    assert left == ["json", "lock"]  # the lock is free, and is removed with the next result after an hour


def test_without_a_place_for_the_lock_everybody_tries(patient):
    patient.cache.write_text("a file, where a folder should be")
    found = answers(all_at_once(patient, 4))
    assert [item[:3] for item in found] == [["cpu", True, True]] * 4
    assert tried(patient) == 4
    assert patient.cache.read_text() == "a file, where a folder should be"


def test_a_process_that_waits_too_long_tries_itself(patient):
    patient.behaves(**{"import": "time.sleep(600) if os.environ.get('WHO') == 'first' else None"})
    patient.environ["WHO"] = "first"
    code = """
import json, sys
from devicekit.runtime.trial.once import find_out
from devicekit.runtime.trial.result import DeviceTask
from devicekit.runtime.trial.run import try_device
trial, _ = find_out(sys.argv[1], "0abc", lambda: try_device(DeviceTask(None)), timeout_s=2.0)
print(json.dumps(trial.outcome))
"""
    first = patient.start(code, str(patient.cache))
    patient.wait_for("trial import")
    patient.environ["WHO"] = "second"
    assert patient.run(code, str(patient.cache)) == "works"
    assert tried(patient) == 2
    patient.kill(first)
    patient.wait_until_running([])
