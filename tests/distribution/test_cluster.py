"""What the environment says of the processes that train together."""

import json

import pytest

from devicekit.cluster.strategy.cluster_environment import check_address, parse_cluster, slurm_port


def tf_config(**changes):
    data = {"cluster": {"worker": ["a:1", "b:1", "b:2"]}, "task": {"type": "worker", "index": 2}}
    return {"TF_CONFIG": json.dumps(dict(data, **changes))}


SLURM = {
    "SLURM_JOB_ID": "4711",
    "SLURM_STEP_ID": "0",
    "SLURM_PROCID": "3",
    "SLURM_LOCALID": "1",
    "SLURM_NTASKS": "5",
    "SLURM_STEP_NODELIST": "node[01-02],gpu5",
    "SLURM_STEP_TASKS_PER_NODE": "2(x2),1",
}
TORCHRUN = {"RANK": "1", "WORLD_SIZE": "4", "LOCAL_RANK": "1", "MASTER_ADDR": "10.0.0.1", "MASTER_PORT": "29500"}
JAX = {"JAX_COORDINATOR_ADDRESS": "head:1234", "JAX_NUM_PROCESSES": "2", "JAX_PROCESS_ID": "1"}


def test_nothing_is_set():
    assert parse_cluster({}) is None
    assert parse_cluster({"TF_CONFIG": "", "RANK": "", "WORLD_SIZE": " "}) is None


def test_tf_config():
    cluster = parse_cluster(tf_config())
    assert (cluster.size, cluster.index, cluster.local_rank, cluster.local_size) == (3, 2, 1, 2)
    assert cluster.workers == ("a:1", "b:1", "b:2")
    assert (cluster.coordinator, cluster.role, cluster.source) == ("a:1", "worker", "TF_CONFIG")


def test_a_chief_is_the_first_worker():
    jobs = {"chief": ["c:1"], "worker": ["a:1"]}
    assert parse_cluster(tf_config(cluster=jobs, task={"type": "chief", "index": 0})).index == 0
    cluster = parse_cluster(tf_config(cluster=jobs, task={"type": "worker", "index": "0"}))
    assert (cluster.index, cluster.workers) == (1, ("c:1", "a:1"))


def test_an_evaluator_takes_no_part():
    cluster = parse_cluster(tf_config(task={"type": "evaluator", "index": 0}))
    assert (cluster.role, cluster.size) == ("evaluator", 3)


def test_one_process_is_no_cluster():
    assert parse_cluster(tf_config(cluster={"worker": ["a:1"]}, task={"type": "worker", "index": 0})) is None
    assert parse_cluster({"TF_CONFIG": "{}"}) is None
    assert parse_cluster(dict(TORCHRUN, WORLD_SIZE="1", RANK="0")) is None
    assert parse_cluster(dict(SLURM, SLURM_NTASKS="1", SLURM_PROCID="0", SLURM_STEP_TASKS_PER_NODE="1")) is None


@pytest.mark.parametrize(
    ("environ", "words"),
    [
        ({"TF_CONFIG": "{'cluster': {}}"}, "is not valid JSON"),
        ({"TF_CONFIG": "[" * 100000}, "is not valid JSON"),
        ({"TF_CONFIG": "[1]"}, "expected a JSON object"),
        ({"TF_CONFIG": '{"cluster": [1]}'}, "expected a JSON object"),
        (tf_config(task={"type": "worker", "index": 3}), "but the list has 3 addresses"),
        (tf_config(task={"type": "worker", "index": -1}), "but the list has 3 addresses"),
        (tf_config(task={"type": "worker"}), "needs a type"),
        (tf_config(task={"type": "worker", "index": True}), "needs a type"),
        (tf_config(task=None), "needs a type"),
        (tf_config(cluster={"worker": ["a", "b:1"]}), "expected host:port, got 'a'"),
        (tf_config(cluster={"worker": ["a:99999", "b:1"]}), "expected host:port"),
        (tf_config(cluster={"worker": [1, 2]}), "expected host:port"),
        (tf_config(cluster={"worker": "a:1,b:1"}), "must be a list"),
        (tf_config(cluster={"worker": {"0": "a:1"}}), "must be a list with all of them"),
        (tf_config(cluster={"worker": ["a:1", "a:1"]}), "twice"),
        (tf_config(cluster={"worker": ["a:1"], "ps": ["p:1"]}), "ParameterServerStrategy"),
    ],
)
def test_an_invalid_tf_config_is_an_error(environ, words):
    with pytest.raises(ValueError, match=words) as raised:
        parse_cluster(dict(environ, **TORCHRUN))
    assert "TF_CONFIG" in str(raised.value)


def test_torchrun():
    cluster = parse_cluster(TORCHRUN)
    assert (cluster.size, cluster.index, cluster.local_rank, cluster.workers) == (4, 1, 1, ())
    assert (cluster.coordinator, cluster.source) == ("10.0.0.1:29500", "torchrun")


def test_a_world_size_without_a_rank_is_somebody_elses():
    assert parse_cluster({"WORLD_SIZE": "4"}) is None


def test_an_indexed_job_of_kubernetes():
    environ = {"JOB_COMPLETION_INDEX": "2", "WORLD_SIZE": "4", "MASTER_ADDR": "job-0.svc"}
    cluster = parse_cluster(environ)
    assert (cluster.index, cluster.coordinator) == (2, "job-0.svc:29500")
    # By itself the index says nothing of others: such jobs also compute apart from each other.
    assert parse_cluster({"JOB_COMPLETION_INDEX": "2"}) is None


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"RANK": "4"}, "RANK is 4, but with 4 processes"),
        ({"RANK": "one"}, "RANK: expected a whole number, got 'one'"),
        ({"WORLD_SIZE": "0"}, "WORLD_SIZE: .* got 0"),
        ({"WORLD_SIZE": "-2"}, "WORLD_SIZE: .* got '-2'"),
        ({"MASTER_ADDR": ""}, "MASTER_ADDR"),
        ({"MASTER_PORT": "port"}, "expected host:port"),
        ({"LOCAL_RANK": "x"}, "LOCAL_RANK"),
    ],
)
def test_broken_variables_of_torchrun(changes, words):
    with pytest.raises(ValueError, match=words):
        parse_cluster(dict(TORCHRUN, **changes))


def test_jax():
    cluster = parse_cluster(JAX)
    assert (cluster.size, cluster.index, cluster.coordinator, cluster.source) == (2, 1, "head:1234", "jax")
    assert parse_cluster({"JAX_COORDINATOR_ADDRESS": "head:1234"}) is None  # JAX finds the rest out by itself
    with pytest.raises(ValueError, match="JAX_PROCESS_ID is 2"):
        parse_cluster(dict(JAX, JAX_PROCESS_ID="2"))


def test_keras():
    prefix = "KERAS_DISTRIBUTION_"
    environ = {prefix + "JOB_ADDRESSES": "a:1, b:1", prefix + "PROCESS_ID": "1"}
    cluster = parse_cluster(environ)
    assert (cluster.size, cluster.index, cluster.workers, cluster.source) == (2, 1, ("a:1", "b:1"), "keras")
    head = {prefix + "JOB_ADDRESSES": "a:1", prefix + "NUM_PROCESSES": "8", prefix + "PROCESS_ID": "7"}
    assert parse_cluster(head).workers == ()
    with pytest.raises(ValueError, match="2 addresses for 3 processes"):
        parse_cluster(dict(environ, **{prefix + "NUM_PROCESSES": "3"}))


def test_slurm():
    cluster = parse_cluster(SLURM)
    port = slurm_port(SLURM)
    assert (cluster.size, cluster.index, cluster.local_rank, cluster.local_size) == (5, 3, 1, 2)
    assert cluster.workers == tuple(
        "%s:%d" % (host, port + local)
        for host, local in [("node01", 0), ("node01", 1), ("node02", 0), ("node02", 1), ("gpu5", 0)]
    )
    assert cluster.source == "slurm"


def test_tasks_that_slurm_dealt_out_in_turns():
    # srun --distribution=cyclic: task 3 is the second one of the first node.
    cluster = parse_cluster(dict(SLURM, SLURM_DISTRIBUTION="cyclic"))
    port = slurm_port(SLURM)
    assert cluster.workers[:4] == tuple(
        "%s:%d" % pair for pair in [("node01", port), ("node02", port), ("gpu5", port), ("node01", port + 1)]
    )
    assert cluster.local_rank == 1


def test_all_tasks_of_a_step_come_to_the_same_addresses():
    places = [("0", "0"), ("1", "1"), ("2", "0"), ("3", "1"), ("4", "0")]
    found = {parse_cluster(dict(SLURM, SLURM_PROCID=task, SLURM_LOCALID=local)).workers for task, local in places}
    assert len(found) == 1
    assert 12000 <= slurm_port(SLURM) < 32768
    assert slurm_port(SLURM) != slurm_port(dict(SLURM, SLURM_STEP_ID="1"))


def test_a_batch_script_is_no_step():
    assert parse_cluster({key: value for key, value in SLURM.items() if "STEP" not in key}) is None
    assert parse_cluster(dict(SLURM, SLURM_STEP_ID="batch")) is None


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"SLURM_PROCID": "5"}, "SLURM_PROCID is 5"),
        ({"SLURM_NTASKS": "many"}, "SLURM_NTASKS"),
        ({"SLURM_STEP_NODELIST": "node[1-"}, "SLURM_STEP_NODELIST: "),
        ({"SLURM_STEP_TASKS_PER_NODE": "2(x2)"}, "5 tasks on 3 nodes"),
        ({"SLURM_STEP_TASKS_PER_NODE": "x"}, "SLURM_STEP_TASKS_PER_NODE: "),
    ],
)
def test_broken_variables_of_slurm(changes, words):
    with pytest.raises(ValueError, match=words.replace("(", r"\(")):
        parse_cluster(dict(SLURM, **changes))


def test_who_wins():
    everything = dict(SLURM, **TORCHRUN, **JAX)
    assert parse_cluster(dict(everything, **tf_config())).source == "TF_CONFIG"
    assert parse_cluster(everything).source == "torchrun"
    assert parse_cluster(dict(SLURM, **JAX)).source == "jax"


def test_json_has_no_names_of_machines():
    text = json.dumps(parse_cluster(SLURM).to_dict())
    assert "node01" not in text
    assert json.loads(text)["size"] == 5


@pytest.mark.parametrize("address", ["[::1]:80", "a:1", "10.0.0.1:65535"])
def test_addresses(address):
    assert check_address(address, "X") == address


@pytest.mark.parametrize("address", [":1", "a:", "a", "a b:1", "a:0", "a:65536", None, 3, "a:-1", "a:1.5"])
def test_no_addresses(address):
    with pytest.raises(ValueError, match="X: expected host:port"):
        check_address(address, "X")
