"""Rules for AMD's, Intel's and Apple's GPUs and for TPUs, in the cases that no machine of `machines` has."""

import pytest

from devicekit import diagnose
from devicekit.machine.probe import read_machine

PCI = "/sys/bus/pci/devices/0000:03:00.0"
BUILD_INFO = "build_info = collections.OrderedDict([('is_cuda_build', False), ('is_rocm_build', %s)])\n"
SITE = "/venv/lib/python3.11/site-packages"


@pytest.fixture
def diagnosed(make_machine):
    """Return a function that diagnoses a machine with a card, a driver for it and TensorFlow."""

    def diagnosed(vendor="1002", driver="", rocm=True, files=(), links=(), installed=(), **host):
        found = {PCI + "/class": "0x030000\n", PCI + "/vendor": "0x%s\n" % vendor, PCI + "/device": "0x73bf\n"}
        found[SITE + "/tensorflow/__init__.py"] = ""
        found[SITE + "/tensorflow/python/platform/build_info.py"] = BUILD_INFO % rocm
        found["/proc/version"] = "Linux version 6.8.0 (gcc) #1\n"
        found.update(files)
        joined = {PCI + "/driver": "/sys/bus/pci/drivers/" + driver} if driver else {}
        joined.update(links)
        version = "2.14.0.600" if rocm else "2.15.1"
        names = dict({"tensorflow-rocm" if rocm else "tensorflow": version, "numpy": "1.26.4"}, **dict(installed))
        folders = ["/sys/bus/pci/drivers/" + driver] if driver else []
        return diagnose(
            read_machine(make_machine(files=found, links=joined, folders=folders, python={"installed": names}, **host))
        )

    return diagnosed


ROCM = {"/opt/rocm/.info/version": "6.0.0\n"}


@pytest.mark.parametrize(
    "driver, words",
    [
        ("", "amdgpu is not loaded"), ("radeon", "bound to the driver radeon"), ("vfio-pci", "bound to the driver vfio-pci"),
        ("amdgpu", "without compute support"),
    ],
)  # fmt: skip
def test_an_amd_gpu_without_its_driver(diagnosed, driver, words):
    finding = diagnosed(driver=driver, files=ROCM).by_code("driver-missing")
    assert words in finding.summary
    assert finding.blocks == ("rocm",)


def test_a_gpu_that_nothing_computes_on_needs_no_driver(diagnosed):
    diagnosis = diagnosed(driver="", rocm=False)
    assert diagnosis.by_code("driver-missing") is None
    assert diagnosis.by_code("device-permission-denied") is None


@pytest.mark.parametrize(
    "mark, more, words",
    [
        ("/run/.containerenv", {}, "podman run --device /dev/kfd"),
        ("/.dockerenv", {"nodes": {"/dev/kfd": True}}, "docker run --device /dev/kfd"),
    ],
)
def test_a_container_without_the_gpu(diagnosed, mark, more, words):
    diagnosis = diagnosed(driver="amdgpu", files=dict(ROCM, **{mark: ""}), **more)
    finding = diagnosis.by_code("container-without-gpu")
    assert finding.fix[0].command.startswith(words)
    assert diagnosis.by_code("driver-missing") is None


def test_a_pod_asks_for_the_gpu_in_its_own_way(diagnosed):
    diagnosis = diagnosed(driver="amdgpu", files=ROCM, env={"KUBERNETES_SERVICE_HOST": "10.0.0.1"})
    assert "amd.com/gpu" in diagnosis.by_code("container-without-gpu").fix[0].text


@pytest.mark.parametrize(
    "groups, text",
    [
        ({"/dev/kfd": "render"}, 'sudo usermod -aG render "$USER"'), ({}, 'sudo usermod -aG render,video "$USER"'),
        ({"/dev/kfd": "109"}, "docker run --group-add 109 IMAGE"), ({"/dev/kfd": "root"}, None),
    ],
)  # fmt: skip
def test_the_group_that_a_node_belongs_to(diagnosed, groups, text):
    nodes = {"/dev/kfd": False, "/dev/dri/renderD128": True}
    diagnosis = diagnosed(driver="amdgpu", files=ROCM, nodes=nodes, groups=groups)
    assert diagnosis.by_code("device-permission-denied").fix[0].command == text


def test_jax_for_rocm_without_rocm(diagnosed):
    jax = {"jax": "0.8.0", "jaxlib": "0.8.0", "jax-rocm7-plugin": "0.8.0", "jax-rocm7-pjrt": "0.8.0"}
    finding = diagnosed(driver="amdgpu", rocm=False, nodes={"/dev/kfd": True}, installed=jax).by_code("rocm-missing")
    assert finding.blocks == ("jax.rocm",)
    assert "ROCm 7" in finding.summary
    there = {"/opt/rocm/.info/version": "7.0.2\n"}
    diagnosis = diagnosed(driver="amdgpu", rocm=False, nodes={"/dev/kfd": True}, installed=jax, files=there)
    assert diagnosis.by_code("rocm-missing") is None
    assert diagnosis.candidates_for("jax")[0].platform == "rocm"


NODE = "/sys/class/kfd/kfd/topology/nodes/1/properties"


@pytest.mark.parametrize("name", ["HSA_OVERRIDE_GFX_VERSION", "HSA_OVERRIDE_GFX_VERSION_1"])
@pytest.mark.parametrize("value, hidden", [("gfx1030", True), ("9.0.10", False), ("9.0", True)])
def test_a_target_that_rocm_refuses(diagnosed, name, value, hidden):
    files = dict(ROCM, **{NODE: "gfx_target_version 90010\nlocation_id 768\n"})
    diagnosis = diagnosed(driver="amdgpu", files=files, nodes={"/dev/kfd": True}, env={name: value})
    finding = diagnosis.by_code("device-hidden")
    assert (finding is not None) is hidden
    if finding is not None:
        assert finding.fix[0].command == "unset " + name


WSL = {
    "/proc/version": "Linux version 6.6.87.2-microsoft-standard-WSL2 (root@x) (gcc) #1\n",
    PCI + "/vendor": "0x1414\n",
}


@pytest.mark.parametrize(
    "version, value, library, code",
    [
        ("7.2.1", "1", True, None), ("7.2.1", None, True, "device-hidden"), ("7.2.1", "0", True, "device-hidden"),
        ("7.13.0", None, True, None), ("7.13.0", "0", True, "device-hidden"), ("7.2.1", "1", False, "wsl-without-gpu"),
        ("6.4.2", None, False, None), ("6.4.2", None, True, None),
    ],
)  # fmt: skip
def test_the_bridge_of_wsl(diagnosed, version, value, library, code):
    files = dict(WSL, **{"/opt/rocm/.info/version": version + "\n"})
    cache = {"libamdhip64.so.7": "/opt/rocm/lib/libamdhip64.so.7"}
    if library:
        cache["librocdxg.so"] = "/opt/rocm/lib/librocdxg.so"
    env = {} if value is None else {"HSA_ENABLE_DXG_DETECTION": value}
    diagnosis = diagnosed(files=files, nodes={"/dev/dxg": True}, loader_cache=cache, env=env)
    assert [f.code for f in diagnosis.findings if f.code in ("device-hidden", "wsl-without-gpu")] == (
        [code] if code else []
    )
    behind = diagnosis.candidates_for("tensorflow")[0]
    assert behind.platform == "rocm"
    assert (code in behind.blocked_by) is (code is not None)


def test_a_slice_of_a_selector_and_of_a_mask(diagnosed):
    plugin = {SITE + "/tensorflow-plugins/libitex_gpu.so": "\x7fELF"}
    extension = {"intel-extension-for-tensorflow": "2.15.0.2"}
    for name, value, hidden in (
        ("ZE_AFFINITY_MASK", "0", False), ("ZE_AFFINITY_MASK", "1", True), ("ZE_AFFINITY_MASK", "0.1,3", False),
        ("ONEAPI_DEVICE_SELECTOR", "level_zero:3", True), ("ONEAPI_DEVICE_SELECTOR", "", False),
    ):  # fmt: skip
        diagnosis = diagnosed(vendor="8086", rocm=False, files=plugin, installed=extension, env={name: value})
        assert (diagnosis.by_code("device-hidden") is not None) is hidden


@pytest.mark.parametrize(
    "tensorflow, severity",
    [
        ("2.12.1", "error"), ("2.13.1", "warning"), ("2.14.1", "warning"), ("2.15.1", None), ("2.18.1", "warning"),
        ("2.19.1", "error"),
    ],
)  # fmt: skip
def test_intels_extension_loads_in_more_releases_than_it_is_for(diagnosed, tensorflow, severity):
    plugin = {SITE + "/tensorflow-plugins/libitex_cpu.so": "\x7fELF"}
    installed = {"tensorflow": tensorflow, "intel-extension-for-tensorflow": "2.15.0.0"}
    finding = diagnosed(vendor="8086", rocm=False, files=plugin, installed=installed).by_code("plugin-version-mismatch")
    assert (finding.severity if finding else None) == severity


def mac(make_machine, version="14.5", **installed):
    plist = "<key>ProductVersion</key>\n<string>%s</string>" % version
    told = {"machdep.cpu.brand_string": "Apple M2\n", "sysctl.proc_translated": "0\n"}
    names = dict({"tensorflow": "2.18.1", "numpy": "1.26.4"}, **installed)
    return diagnose(
        read_machine(
            make_machine(
                system="macos",
                architecture="arm64",
                release="23.5.0",
                commands={"/usr/sbin/sysctl -n " + name: {"stdout": text} for name, text in told.items()},
                files={"/System/Library/CoreServices/SystemVersion.plist": plist} if version else {},
                python={"installed": {name.replace("_", "-"): text for name, text in names.items()}},
            )
        )
    )


@pytest.mark.parametrize(
    "version, installed, blocks",
    [
        ("14.5", {"tensorflow_metal": "1.2.0"}, None), ("12.0", {"tensorflow_metal": "1.2.0"}, ("tensorflow.metal",)),
        ("12.0", {"tensorflow_metal": "0.4.0"}, None), ("14.3", {"jax_metal": "0.1.1"}, ("jax.metal",)),
        ("14.4", {"jax_metal": "0.1.1"}, None), ("", {"tensorflow_metal": "1.2.0"}, None), ("", {"jax_metal": "0.1.1"}, None),
    ],
)  # fmt: skip
def test_a_macos_that_is_too_old_for_a_plugin(make_machine, version, installed, blocks):
    finding = mac(make_machine, version, **installed).by_code("platform-unsupported")
    assert (finding.blocks if finding else None) == blocks


@pytest.mark.parametrize(
    "tensorflow, metal, severity",
    [
        ("2.18.1", "1.2.0", None), ("2.16.2", "1.2.0", None), ("2.19.1", "1.2.0", None), ("2.20.0", "1.2.0", "error"),
        ("2.18.1", "1.1.0", "error"), ("2.17.1", "1.1.0", None), ("2.14.1", "1.0.1", "error"), ("2.9.0", "0.6.0", "warning"),
    ],
)  # fmt: skip
def test_pairs_of_metal(make_machine, tensorflow, metal, severity):
    finding = mac(make_machine, tensorflow=tensorflow, tensorflow_metal=metal).by_code("plugin-version-mismatch")
    assert (finding.severity if finding else None) == severity
    if finding is not None:
        assert finding.blocks == (("tensorflow",) if severity == "error" else ())


def test_a_tpu_that_this_user_may_not_open(diagnosed):
    tpu = {PCI + "/vendor": "0x1ae0\n", PCI + "/device": "0x0063\n", PCI + "/class": "0x088000\n"}
    installed = {"jax": "0.7.2", "jaxlib": "0.7.2", "libtpu": "0.0.23"}
    diagnosis = diagnosed(rocm=False, files=tpu, nodes={"/dev/vfio/0": False}, installed=installed)
    assert diagnosis.by_code("device-permission-denied").blocks == ("tpu",)
    (chip,) = [item for item in diagnosis.candidates_for("jax") if item.platform == "tpu"]
    assert (chip.device, chip.usable) == ("tpu:0", False)
    assert "device-permission-denied" in chip.blocked_by
    assert diagnosis.by_code("no-gpu") is None


def test_tensorflow_on_a_tpu_machine(diagnosed):
    tpu = {PCI + "/vendor": "0x1ae0\n", PCI + "/device": "0x005e\n"}
    finding = diagnosed(rocm=False, files=tpu, nodes={"/dev/accel0": True}).by_code("cpu-only-build")
    assert (finding.severity, finding.blocks) == ("info", ("tensorflow.tpu",))
    assert "jax[tpu]" in finding.fix[0].command
