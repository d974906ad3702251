"""What the live tests share: programs that are run as a user would run them, and simulated hardware."""

import importlib.util
import os

import pytest

#: The framework that each file needs; those that are not named here need TensorFlow.
NEEDS = {
    # Any of them; NumPy comes with each.
    "test_live_bench.py": "numpy",
    "test_live_monitor.py": "numpy",
    "test_live_nan_guard.py": "numpy",
    "test_live_frameworks.py": "jax",  # next to TensorFlow
    "test_live_compare_jax.py": "jax",
    "test_live_compare_torch.py": "torch",
    "test_live_jax.py": "jax",
    "test_live_launch_jax.py": "jax",
    "test_live_launch_torch.py": "torch",
    "test_live_numerics_jax.py": "jax",
    "test_live_numerics_torch.py": "torch",
    "test_live_tf_keras.py": "tf_keras",
    "test_live_platform_torch.py": "torch",
    "test_live_torch.py": "torch",
    "test_live_wrong_device_torch.py": "torch",
}
collect_ignore = [
    name
    for name in os.listdir(os.path.dirname(os.path.abspath(__file__)))
    if name.startswith("test_live_") and importlib.util.find_spec(NEEDS.get(name, "tensorflow")) is None
]

HERE = os.path.dirname(os.path.abspath(__file__))
HARDWARE = os.path.join(os.path.dirname(HERE), "hardware")


@pytest.fixture
def program(run_json, tmp_path):
    """Return a function that runs a program in a fresh process and returns the JSON object on its last line."""

    def run(code, *arguments, **options):
        # Without byte-code files every import of TensorFlow would take five times as long.
        environ = {
            "PYTHONDONTWRITEBYTECODE": "",
            "TF_CPP_MIN_LOG_LEVEL": "3",
            "DEVICEKIT_CACHE_DIR": str(tmp_path / "cache"),
        }
        environ.update(options.pop("env", {}))
        return run_json(code, *arguments, env=environ, **options)

    return run


def _hardware():
    spec = importlib.util.spec_from_file_location("hardware_build", os.path.join(HARDWARE, "build.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    if module.compiler() is None:
        pytest.fail("simulated hardware needs a C++ compiler (g++)")
    return module


def _two_devices(site, **variables):
    """The variables with which a framework finds a simulated accelerator in a folder, twice."""
    path = os.pathsep.join(filter(None, (os.environ.get("PYTHONPATH"), site)))
    return dict(variables, PYTHONPATH=path, DEVICEKIT_SIM_COUNT="2")


@pytest.fixture(scope="session")
def simulated_gpu(tmp_path_factory):
    """The environment variables with which the real TensorFlow sees two GPUs made of host memory."""
    import devicekit

    python = devicekit.detect().python
    if python.build() is None:
        pytest.skip("these GPUs are simulated for TensorFlow")
    if python.build().cuda.or_none():
        pytest.skip("a build with CUDA kernels of its own dies on a simulated device of type GPU")
    if python.plugins.or_none():
        pytest.skip("TensorFlow takes one plug-in for the type GPU, and the DirectML one is installed")
    build = _hardware()
    folder = importlib.util.find_spec("tensorflow").submodule_search_locations[0]
    site = build.build_pluggable_device(str(tmp_path_factory.mktemp("hardware")), folder)
    return _two_devices(site, DEVICEKIT_SIM_MEMORY_MB="256")


@pytest.fixture(scope="session")
def simulated_nvml(tmp_path_factory):
    """The folder of a simulated libnvidia-ml.so.1, which reports what the variable SIM_NVML says."""
    return _hardware().build_nvml(str(tmp_path_factory.mktemp("nvml")))


@pytest.fixture(scope="session")
def simulated_directx(tmp_path_factory):
    """A function from a list of adapters (or "fail") to variables with which real DirectML builds list them."""
    build = _hardware()
    folder = build.build_directx(str(tmp_path_factory.mktemp("directx")))

    def variables(adapters):
        value = "fail"
        if adapters != "fail":
            value = os.path.join(folder, "adapters.txt")
            with open(value, "w") as stream:
                stream.write("\n".join(adapters) + "\n")
        return {"LD_LIBRARY_PATH": folder, "TF_DIRECTML_PATH": folder, "DEVICEKIT_SIM_ADAPTERS": value}

    return variables


@pytest.fixture(scope="session")
def simulated_torch(tmp_path_factory):
    """The environment variables with which the real PyTorch has two devices made of host memory, and Keras runs on it."""
    build = _hardware()
    folder = importlib.util.find_spec("torch").submodule_search_locations[0]
    site = build.build_torch_device(str(tmp_path_factory.mktemp("hardware")), folder)
    return _two_devices(site, KERAS_BACKEND="torch")
