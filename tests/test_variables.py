"""Which values of which variables make TensorFlow give up: each was tried with the real wheels (2.10.1, 2.20.0, 2.21.0)."""

import pytest

from devicekit import diagnose
from devicekit.diagnosis.rules.fatal_variables import environment_variable_fatal, split_flags
from devicekit.machine.probe import read_machine


def found(make_machine, tensorflow, **environ):
    """Return what the rule says of TensorFlow on Linux with some variables."""
    protobuf, minor = ("3.19.6", "3.10") if tensorflow < "2.2" else ("7.36.2", "3.11")
    site = "/venv/lib/python%s/site-packages" % minor
    host = make_machine(
        env=environ,
        python={"version": minor + ".1", "installed": {"tensorflow-cpu": tensorflow, "protobuf": protobuf}},
        files={site + "/tensorflow/__init__.py": ""},
    )
    from devicekit.diagnosis.view import View
    from devicekit.matrix.matrix import Matrix

    machine = read_machine(host)
    assert diagnose(machine)
    findings = list(environment_variable_fatal(View(machine, Matrix())))
    return findings[0].blocks if findings else None


@pytest.mark.parametrize("tensorflow", ["2.10.1", "2.20.0", "2.21.0"])
@pytest.mark.parametrize(
    "value, fatal",
    [
        ("--tf_no_such_flag=1", True), ("nonsense", True), ("tf_xla_auto_jit=2", True), ("--tf_xla_auto_jit 2", True),
        ("-tf_xla_auto_jit=2", True), ("--xla_gpu_autotune_level=2", True), ("--tf_xla_auto_jit=2", False),
        ("--tf_xla_cpu_global_jit", False), ("--tf_xla_auto_jit=2 junk", False),
        (" --tf_xla_cpu_global_jit=True --tf_xla_auto_jit='single-gpu(2)'", False), ("", False),
    ],
)  # fmt: skip
def test_flags(make_machine, tensorflow, value, fatal):
    assert found(make_machine, tensorflow, TF_XLA_FLAGS=value) == (("tensorflow.devices",) if fatal else None)


@pytest.mark.parametrize(
    "value",
    [
        "--tf_xla_auto_jit=abc",
        "--tf_xla_cpu_global_jit=maybe",
        "--tf_xla_min_cluster_size=1.5",
        "--tf_xla_cpu_global_jit=",
    ],
)
def test_values_that_do_not_parse_are_fatal_in_newer_releases_only(make_machine, value):
    assert found(make_machine, "2.21.0", TF_XLA_FLAGS=value) == ("tensorflow.devices",)
    assert found(make_machine, "2.10.1", TF_XLA_FLAGS=value) is None


def test_the_first_tensorflow_with_directml_ignores_what_it_does_not_know(make_machine):
    assert found(make_machine, "1.15.8", TF_XLA_FLAGS="--tf_no_such_flag=1") is None


def test_other_variables(make_machine):
    broken = ("tensorflow",)
    assert found(make_machine, "2.20.0", TF_PLUGGABLE_DEVICE_LIBRARY_PATH="/nowhere") == broken
    assert found(make_machine, "2.10.1", TF_PLUGGABLE_DEVICE_LIBRARY_PATH="/nowhere") is None
    assert found(make_machine, "2.20.0", TF_JITRT_FLAGS="--x=1") == ("tensorflow.devices",)
    assert found(make_machine, "2.20.0", TF_JITRT_FLAGS="--vectorize=1") is None
    # Only what XLA compiles notices these.
    assert found(make_machine, "2.20.0", XLA_FLAGS="--tf_xla_auto_jit=2") == ()
    assert found(make_machine, "2.20.0", XLA_FLAGS="--xla_gpu_no_such_flag=true") is None


def test_how_flags_are_split():
    assert split_flags("--a='b c' --d=\"e f\" --g=h\t--i rest --j") == ["--a=b c", "--d=e f", "--g=h", "--i"]
    assert split_flags("--a=''") == ["--a="]
    assert split_flags("nothing") == []
