"""Questions to the matrix: compatible, incompatible because, unknown."""

import pytest

import devicekit


@pytest.mark.parametrize(
    "question, status, said",
    [
        (("tensorflow", "2.10.1", "numpy", "2.0.2"), "incompatible", "the import fails"),
        (("tensorflow", "2.10.1", "numpy", "1.26.4"), "compatible", ""),
        (("tensorflow-cpu", "2.18.0", "numpy", "2.0.2"), "compatible", ""),
        (("tensorflow", "2.10.1", "protobuf", "4.25.0"), "incompatible", "generated code"),
        (("tensorflow", "2.12.0", "protobuf", "5.29.0"), "compatible", "declare"),
        (("tensorflow", "2.20.0", "protobuf", "5.28.0"), "incompatible", "5.28.3"),
        (("tensorflow", "2.10.1", "keras", "3.0.0"), "incompatible", "keras"),
        (("tensorflow", "2.15.1", "ml-dtypes", "0.5.0"), "compatible", "declare"),
        (("tensorflow", "2.15.1", "ml_dtypes", "0.3.2"), "compatible", ""),
        (("tensorflow", "2.15.1", "pandas", "2.0"), "unknown", "says nothing"),
        (("tensorflow", "2.99.0", "numpy", "1.0"), "unknown", "nearest known release"),
        (("tensorflow-metal", "1.2.0", "tensorflow", "2.15.0"), "incompatible", "2.18"),
        (("left-pad", "1.0", "numpy", "1.0"), "unknown", "nothing of left-pad"),
    ],
)
def test_goes_with(question, status, said):
    answer = devicekit.matrix.goes_with(*question)
    assert answer.status == status
    assert said in answer.because
    assert answer.to_dict()["status"] == status
    if status == "incompatible":
        assert answer.source


def test_requirements_of_some_pythons_only():
    assert (
        devicekit.matrix.goes_with("tensorflow", "2.16.2", "setuptools", "84.2.1", python="3.12").status == "compatible"
    )
    assert (
        devicekit.matrix.goes_with("tensorflow", "2.18.0", "tensorflow-io-gcs-filesystem", "0.1", python="3.13").status
        == "unknown"
    )
    assert (
        devicekit.matrix.goes_with("tensorflow", "2.18.0", "tensorflow-io-gcs-filesystem", "0.1", python="3.10").status
        == "incompatible"
    )


@pytest.mark.parametrize(
    "question, status, said",
    [
        (("tensorflow", "2.15.1", "3.11", "linux-x86_64"), "compatible", ""),
        (("tensorflow", "2.15.1", "3.12", "linux-x86_64"), "incompatible", "3.9, 3.10, 3.11"),
        (("tensorflow", "2.15.1", "3.11", "windows-amd64"), "compatible", "empty"),
        (("tensorflow", "2.17.0", "3.11", "macos-x86_64"), "incompatible", "no wheel for macos-x86_64"),
        (("tensorflow", "2.99.0", "3.11", "linux-x86_64"), "unknown", "nearest"),
        (("numpy", "1.26.4", "3.9", "macos-arm64"), "compatible", ""),
        (("keras", "3.15.1", "3.10", "linux-x86_64"), "incompatible", "for Python >=3.11"),
    ],
)
def test_has_wheel(question, status, said):
    answer = devicekit.matrix.has_wheel(*question)
    assert (answer.status, said in answer.because) == (status, True)


def test_drivers():
    assert devicekit.matrix.driver_runs("12.5", "560.28.03").because == ""
    older = devicekit.matrix.driver_runs("12.5", "530.30.02")
    assert older.status == "compatible"
    assert "minor-version" in older.because
    assert devicekit.matrix.driver_runs("12.5", "470.82.01").status == "incompatible"
    assert devicekit.matrix.driver_runs("12.5", "527.41", "windows").status == "incompatible"
    # Of a branch alone, as people write it.
    assert devicekit.matrix.driver_runs("12.5", "525").status == "unknown"
    assert devicekit.matrix.driver_runs("12.5", "535").status == "compatible"
    assert devicekit.matrix.driver_runs("12.5", "470").status == "incompatible"
    assert devicekit.matrix.driver_runs("99.0", "600").status == "unknown"
    assert devicekit.matrix.driver_runs("12.5", "new").status == "unknown"
    # Before CUDA 11 every toolkit needed its own driver.
    assert devicekit.matrix.driver_runs("10.1", "410.48").status == "incompatible"


@pytest.mark.parametrize(
    "version, capability, status, said",
    [
        ("2.20.0", "8.6", "compatible", ""),
        ("2.20.0", "9.0", "compatible", ""),
        ("2.15.1", "9.0", "compatible", "first use"),
        ("2.20.0", "12.0", "unknown", "users report"),
        ("2.20.0", "10.0", "unknown", "only a run can tell"),
        ("2.17.1", "5.2", "incompatible", "sm_60"),
        ("2.16.2", "5.2", "compatible", ""),
        ("2.2.0", "7.5", "unknown", "does not say"),
        ("2.99.0", "8.6", "unknown", "nearest"),
    ],
)
def test_gpu_code(version, capability, status, said):
    answer = devicekit.matrix.has_code_for("tensorflow", version, capability)
    assert (answer.status, said in answer.because) == (status, True)


@pytest.mark.parametrize(
    "project, version, capability, status, said",
    [
        ("torch", "2.15.0", "6.1", "incompatible", "sm_75"),
        ("torch", "2.15.0", "8.9", "compatible", ""),
        ("torch", "2.5.1", "6.1", "compatible", ""),
        # One of its two plug-ins for CUDA is enough.
        ("jax", "0.10.2", "6.1", "compatible", ""),
        ("jax", "0.10.2", "3.7", "incompatible", "sm_50"),
    ],
)
def test_gpu_code_of_jax_and_pytorch(project, version, capability, status, said):
    answer = devicekit.matrix.has_code_for(project, version, capability)
    assert (answer.status, said in answer.because) == (status, True)


def test_bad_questions():
    with pytest.raises(ValueError, match="accepted are"):
        devicekit.matrix.has_wheel("tensorflow", "2.15.1", "3.11", "beos")
    with pytest.raises(ValueError, match="accepted are"):
        devicekit.matrix.driver_runs("12.5", "550", "beos")


def test_the_first_question_loads_no_parser(python):
    code = (
        "import sys, devicekit; devicekit.matrix.goes_with('tensorflow', '2.10.1', 'numpy', '2.0.2');"
        "print(sorted({'packaging', 'resolvelib', 'tensorflow'} & set(sys.modules)))"
    )
    assert python(code).strip() == "[]"


def test_an_answer_is_a_sentence():
    from devicekit.matrix import goes_with

    text = str(goes_with("tensorflow", "2.15.1", "numpy", "2.0.0"))
    assert text.startswith("Incompatible: tensorflow 2.15.1 with numpy 2.0.0: the import fails")
    assert text.endswith(").")
    assert str(goes_with("tensorflow", "2.15.1", "numpy", "1.26.0")).startswith("Compatible (")
