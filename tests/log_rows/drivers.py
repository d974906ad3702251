"""Rows about drivers, and devices that they lose."""

from log_rows.texts import ANY_INSTALL, DPKG, LIBCUDA, LINUX, NO_DEVICE, NO_DEVICE_0, NVIDIA_SMI, WINDOWS

PTX = "CUDA error: the provided PTX was compiled with an unsupported toolchain."
OLD_DRIVER = (
    "RuntimeError: The NVIDIA driver on your system is too old (found version %s). Please update your GPU driver"
)
NO_DRIVER = "UserWarning: CUDA initialization: Found no NVIDIA driver on your system."
NOT_READY = "failed call to cuInit: CUDA_ERROR_SYSTEM_NOT_READY: system not yet initialized\n"
MANAGER = (
    "nv-fabricmanager[9]: fabric manager NVIDIA GPU driver interface version 550.54.14 don't match with driver version "
    "550.90.07."
)

#: What `explain` reads, what is known, what an answer has, and what it does not have (patterns).
ROWS = [
    (
        "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.",
        {**LINUX, "env": {"SLURM_JOB_ID": "7"}},
        ["--gres"],
        ["modprobe"],
    ),
    (
        "RuntimeError: CUDA unknown error - this may be due to an incorrectly set up environment",
        {"os": "container"},
        ["On the host: if the machine was suspended"],
        [],
    ),
    (
        "nvidia-ctk: symbol lookup error: nvidia-ctk: undefined symbol: nvmlDeviceGetGpuInstances",
        {**LINUX, "gpu": "RTX 2060"},
        ["Update NVIDIA's driver"],
        [],
    ),
    (
        "ptxas application ptx input, line 9; fatal   : Unsupported .version 7.4; current version is '7.0'",
        {**LINUX, "cuda": "11.0", "packages": {"numba": "0.55"}},
        ["CUDA 11.4"],
        ["for CUDA 11.0"],
    ),
    (
        "failed call to cuInit: CUDA_ERROR_NOT_INITIALIZED: initialization error",
        {**LINUX, "gpu": "NVIDIA L4", "driver": "580.65.06"},
        ["uvm_disable_hmm=1"],
        [],
    ),
    (
        "[1] init.cc:99 NCCL WARN Cuda failure 'initialization error'",
        {"os": "wsl2", "gpu": "2x GeForce RTX 3090"},
        ["NCCL_P2P_DISABLE=1"],
        [],
    ),
    # What a Grace superchip lacks is not the fabric manager; what has no process to end hangs.
    (
        "failed call to cuInit: CUDA_ERROR_SYSTEM_NOT_READY: system not yet initialized",
        {**LINUX, "arch": "aarch64", "gpu": "GH200 120GB"},
        ["enable --now nvidia-persistenced", "open kernel modules", "grep -A 2 Fabric"],
        ["fabricmanager"],
    ),
    (
        "CUDA error: all CUDA-capable devices are busy or unavailable",
        {**LINUX, "gpu": "Tesla T4"},
        ["COMPUTE,PIDS", "restart the machine"],
        [],
    ),
    (
        "CUDA error: all CUDA-capable devices are busy or unavailable",
        {"os": "wsl2", "gpu": "GeForce RTX 4070"},
        ["wsl --shutdown"],
        ["reboot"],
    ),
    (
        "OSError: libcuda.so.1: cannot open shared object file: No such file or directory",
        {**LINUX, "os_version": "NixOS 24.05", "gpu": "GeForce RTX 3070", "driver": "550.78"},
        ["/run/opengl-driver/lib"],
        ["videoDrivers"],
    ),
    (
        "RuntimeError: NCCL error in: ../torch/csrc/distributed/c10d/NCCLUtils.hpp:305, invalid argument, NCCL version 2.21.5",
        {"os": "wsl2", "gpu": "2x GeForce RTX 4090"},
        ["NCCL_P2P_DISABLE=1", "NCCL_CUMEM_ENABLE=0", "NCCL_CUMEM_HOST_ENABLE=0"],
        [],
    ),
    # PyTorch before the releases of the data was for CUDA 10 by default; a driver's library that lists no GPU to ollama.
    (
        ">>> torch.cuda.is_available()\nFalse",
        {"os": "linux", "driver": "390.116", "packages": {"torch": "1.4.0"}},
        ["CUDA 10.1 needs driver 418.39"],
        [],
    ),
    (
        'level=INFO source=gpu.go:604 msg="no nvidia devices detected by library /usr/lib64/libcuda.so.570.86.16"',
        {"os": "linux", "gpu": "RTX 5080"},
        ["driver lists no GPU", "modprobe nvidia"],
        [],
    ),
    (
        "RuntimeError: Native API failed. Native API returns: -30 (PI_ERROR_INVALID_VALUE) -30 (PI_ERROR_INVALID_VALUE)",
        {"os": "linux", "gpu": "Intel Arc A750", "packages": {"torch": "2.1.0"}},
        ["refused an operation", "graphics driver"],
        ["usermod"],
    ),
    (
        "CUDA backend failed to initialize: operation cuInit(0) failed: CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE",
        {"os": "linux", "packages": {"jax": "0.5.0"}},
        ["LD_LIBRARY_PATH", "If the driver was updated"],
        [],
    ),
    (
        "RuntimeError: CUDA driver version is insufficient for CUDA runtime version",
        {"os": "container", "gpu": "NVIDIA A10"},
        ["--gpus all", "cuda-compat"],
        [],
    ),
    (
        "cudaError 35: CUDA driver version is insufficient for CUDA runtime version",
        {"os": "linux", "driver": "560.35", "packages": {"tensorrt": "10.16.0"}},
        ["tensorrt-cu12"],
        [],
    ),
    # AMD's word for its newest cards; NCCL where GPUs do not reach each other, or where it finds none of them in /sys.
    (
        "Memory access fault by GPU node-1 (Agent handle: 0x5500) on address 0x7f00. Reason: Unknown.",
        {"os": "linux", "gpu": "AMD Radeon RX 9070 XT", "packages": {"torch": "2.10.0+rocm7.1"}},
        ["TORCH_BLAS_PREFER_HIPBLASLT=0"],
        ["HSA_OVERRIDE"],
    ),
    (
        "rccl/src/transport/p2p.cc:200 NCCL WARN hipIpcGetMemHandle failed : invalid argument",
        {"os": "linux", "gpu": "AMD Radeon RX 7900 XTX"},
        ["NCCL_P2P_DISABLE=1", "rocm-smi"],
        [],
    ),
    # The driver that an old release needs, and a Mac's TensorFlow from before Apple's plug-in.
    (
        "CUDA driver version is insufficient for CUDA runtime version",
        {"os": "linux", "driver": "384.130", "packages": {"tensorflow-gpu": "1.13.1"}, "gpu": "GTX 1080"},
        [r"CUDA 10\.0 \(410\.48 or later\)"],
        [],
    ),
    (
        "CUDA driver version is insufficient for CUDA runtime version",
        {"os": "linux", "driver": "418.67", "packages": {"tensorflow-gpu": "1.13.1"}},
        ["Update NVIDIA's driver"],
        [r"410\.48"],
    ),
    # A driver under another distribution's name, and what conda was asked for.
    (
        "E: Unable to locate package nvidia-driver-535",
        {"os": "linux", "os_version": "Debian 12"},
        ["sudo apt-get update", "install -y linux-headers-amd64 nvidia-driver", "non-free"],
        ["modprobe", "ubuntu-drivers"],
    ),
    (
        "cudaGetDevice() failed. Status: CUDA driver version is insufficient for CUDA runtime version",
        {"os": "linux", "packages": {"tensorflow": "1.12.0"}, "cuda": "9"},
        [r"CUDA 9\.0 \(384\.81 or later\)"],
        [],
    ),
    (
        "E cuda_driver.cc:351] failed call to cuInit: UNKNOWN ERROR (303)\nI cuda_diagnostics.cc:163] no NVIDIA GPU device is "
        "present: /dev/nvidia0 does not exist",
        LINUX,
        ["--gpus all"],
        ["nvidia-modprobe"],
    ),
    (
        "  - package cudnn-7.6.5.32-h2cb8ba8_1 requires cudatoolkit 10.0.*, but none of the providers can be installed\n"
        "   __cuda >=10.0 , which conflicts with any installable versions previously reported;",
        {"os": "windows"},
        ["Update NVIDIA's driver"],
        [],
    ),
    # Lines that name less than others of the same cause.
    (
        "E cuda_driver.cc:351] failed call to cuInit: UNKNOWN ERROR (303)\n"
        "I cuda_diagnostics.cc:163] no NVIDIA GPU device is present: /dev/nvidia0 does not exist",
        {"os": "linux"},
        ["as in a container", "--gpus all"],
        [],
    ),
    (
        "RuntimeError: cuda runtime error (4) : unspecified launch failure at /srv/pytorch/torch/lib/THC/THCTensorCopy.cu:85",
        {"os": "linux", "packages": {"torch": None}},
        ["CUDA_LAUNCH_BLOCKING"],
        ["AT_CHECK"],
    ),
    (
        "UserWarning: CUDA initialization: The NVIDIA driver on your system is too old (found version 11020).",
        {"os": "linux", "packages": {"torch": None}, "cuda": "11.2"},
        ["cu118"],
        [r"for CUDA 11\.2 \("],
    ),
    # Intel's GPU through OpenCL alone, and a loader that is older than oneAPI.
    (
        "[opencl:cpu][opencl:0] Intel(R) OpenCL, Intel(R) Core(TM) i9 OpenCL 3.0\n"
        "[opencl:gpu][opencl:1] Intel(R) OpenCL Graphics, Intel(R) Arc(TM) A770 Graphics OpenCL 3.0 NEO  [23.17.26241.33]",
        {"os": "linux", "os_version": "Ubuntu 22.04"},
        ["OpenCL only", "libze-intel-gpu1"],
        [],
    ),
    (
        "<LOADER>[INFO]: failed to load adapter 'libur_adapter_level_zero.so.0' with error: /x/libur_adapter_level_zero.so.0: "
        "undefined symbol: zeDeviceGetRootDevice\n"
        "<LOADER>[INFO]: failed to load adapter 'libur_adapter_cuda.so.0' with error: libcuda.so.1: cannot open shared object "
        "file: No such file or directory",
        {"os": "linux", "gpu": "Intel"},
        ["libze_loader", "libze1"],
        ["(?i)nvidia|cuda"],
    ),
    ("WARNING  ROCm: no agent was found", {"os": "windows"}, ["hipinfo", "Adrenalin"], ["modprobe"]),
    # The driver runs the CUDA that is stated: it may not answer.
    (
        "CUDA driver version is insufficient for CUDA runtime version",
        {"os": "windows", "driver": "445.75", "cuda": "10.0", "packages": {"torch": "1.2.0"}},
        ["Driver 445\\.75 runs CUDA 10\\.0", "nvidia-smi"],
        [],
    ),
    (
        "CUDA_ERROR_LAUNCH_TIMEOUT: the launch timed out and was terminated",
        {"os": "linux"},
        ["multi-user"],
        ["Tdr"],
    ),
    # What precedes the first error of the driver, on what the GPU shares its memory with, and on ARM without conda.
    (
        "I tensorflow/stream_executor/cuda/cuda_dnn.cc:2259] Unable to load cuDNN DSO\nE cuda_diagnostics.cc:296] kernel "
        "version 367.44.0 does not match DSO version 352.99.0 -- cannot find working devices in this configuration",
        {"os": "linux", "os_version": "Ubuntu 14.04"},
        [r"352\.99\.0\) is older than the module \(367\.44\.0\): remove the older copy"],
        ["built for"],
    ),
    (
        "modprobe: ERROR: could not insert 'nvidia': No such device",
        {"os": "linux"},
        ["lspci"],
        [],
    ),
    (
        "Memory access fault by GPU node-1 (Agent handle: 0x55) on address 0x3f7. Reason: Page not present",
        {"os": "linux", "gpu": "AMD RX 580", "packages": {"tensorflow-rocm": "2.2.0"}},
        ["does not support gfx803", "reboot"],
        ["torch"],
    ),
    (
        "[PhysicalDevice(name='/physical_device:CPU:0', device_type='CPU')]",
        {
            "os": "linux",
            "gpu": "Arc A770",
            "packages": {"tensorflow": "2.12.0", "intel-extension-for-tensorflow": "0.0.0"},
        },
        [r"intel-extension-for-tensorflow\[xpu\]", "libze|level-zero"],
        ["nothing has to be installed"],
    ),
    # The driver's 32-bit library is found on the way to the other.
    (
        'msg="Unable to load nvcuda" error="Unable to load /usr/lib/libcuda.so.418.74 library to query for Nvidia GPUs: '
        '/usr/lib/libcuda.so.418.74: wrong ELF class: ELFCLASS32"\n'
        "dlerr: /usr/lib64/libcuda.so.418.74: undefined symbol: cuCtxCreate_v3",
        {"os": "linux", "driver": "418.74"},
        ["driver is older", "Update NVIDIA's driver"],
        ["processor architecture"],
    ),
    (
        "E cuda_event.cc:29] Error polling for event status: failed to query event: CUDA_ERROR_LAUNCH_FAILED: unspecified "
        "launch failure\nE dnn.cc:616] CUDNN_STATUS_INTERNAL_ERROR",
        {"os": "windows"},
        ["TDR"],
        ["ALLOW_GROWTH"],
    ),
    (
        "$ nvidia-smi\nSegmentation fault",
        {"os": "wsl2", "driver": "551.76"},
        ["In Windows: install NVIDIA's current driver"],
        ["PYTHONFAULTHANDLER"],
    ),
    (
        "rocm_driver.cc:1294] failed to query device memory info: HIP_ERROR_InvalidValue",
        {"os": "container", "gpu": "MI250X", "packages": {"tensorflow-rocm": "2.14.0"}, "rocm": "6.0"},
        [r"image for an older ROCm"],
        [r"LD_LIBRARY_PATH"],
    ),
    (
        "docker run -it --device=/dev/dri image sycl-ls\n[opencl:cpu:0] Intel(R) OpenCL, Intel(R) Core(TM) i7-1270P 3.0",
        {"os": "wsl2", "gpu": "Intel Iris Xe"},
        [r"--device /dev/dxg -v /usr/lib/wsl:/usr/lib/wsl"],
        [r"renderD128"],
    ),
    ("amdgpu, 1.9-307: added", {"os": "linux", "gpu": "Vega 10"}, [r"--no-dkms"], []),
    (
        "torch.distributed.DistBackendError: NCCL error in: PG.cpp:1970, unhandled cuda error, NCCL version 2.21\n"
        "Last error:\nCuda failure 999 'unknown error'",
        {"os": "linux", "gpu": "RTX 3090", "packages": {"torch": "2.5.1+cu124"}},
        ["nvidia-modprobe"],
        [],
    ),
    (
        NO_DEVICE_0 % "'device=0'",
        {"os": "linux", "packages": {"torch": "2.5.1+cu124"}, "driver": "470.256.02", "gpu": "GTX 1660"},
        ["CUDA 12\\.4 needs driver 525", "torch==2\\.5\\.1 .*whl/cu118"],
        ["CPU build", "whl/cu124"],
    ),
    (
        NO_DEVICE_0 % "'device=0'",
        {"os": "windows", "packages": {"torch": "2.5.1+cu124"}, "gpu": "RTX 3060"},
        ["nvidia\\.com/drivers"],
        ["CPU build", "pip install"],
    ),
    (
        "MisconfigurationException: You requested gpu: [0]\n But your machine only has: []",
        {"os": "linux", "packages": {"torch": "2.1.2+cu121"}, "gpu": "RTX 3060"},
        ["build for CUDA", "modprobe nvidia"],
        ["pip install"],
    ),
    (
        "UserWarning: CUDA initialization: The NVIDIA driver on your system is too old (found version 11040).",
        {"os": "linux", "driver": "470.82.01", "gpu": "Tesla K80", "packages": {"torch": "2.2.0+cu121"}},
        ["no such driver for this GPU", "470\\.x is its last", "torch==2\\.2\\.0 .*whl/cu118"],
        ["Update NVIDIA", "ubuntu-drivers"],
    ),
    # What the facts say in words: a job of Slurm, a notebook, a container of LXC.
    (NVIDIA_SMI, {"os": "linux", "note": "Slurm job on a GPU node"}, ["--gres=gpu:1"], ["modprobe"]),
    (
        "Failed to initialize NVML: Unknown Error",
        {"os": "linux", "os_version": "Debian 12 LXC container", "gpu": "RTX 3060"},
        ["nvidia-modprobe -u", "no-kernel-module"],
        ["rmmod"],
    ),
    # A module that was never built for this kernel, as older releases of kmod word it.
    (
        "modprobe: FATAL: Module nvidia not found.",
        {"os": "linux", "os_version": "Ubuntu 20.04", "driver": "470.57"},
        [r"linux-headers-\$\(uname -r\) && sudo dkms autoinstall"],
        ["nvidia-uvm"],
    ),
    # The name of a kernel is not the GPU's maker.
    (
        "Error! Bad return status for module build on kernel: 5.13.18-amdgpu.ubuntu (x86_64)\n"
        "Consult /var/lib/dkms/nvidia/550.90/build/make.log for more information.",
        {"os": "linux", "os_version": "Ubuntu 22.04", "driver": "550.90"},
        ["newer driver", "nvrm"],
        ["kfd"],
    ),
    # RAPIDS: a driver, a GPU, a system that it is not for.
    (
        "cudf.errors.UnsupportedCUDAError: Please update your NVIDIA GPU driver to support CUDA Runtime.\n"
        "Detected CUDA Driver version: 11.4, CUDA Runtime version: 12.0",
        {"os": "linux", "os_version": "Ubuntu 20.04", "driver": "470.182"},
        ["driver is for CUDA 11.4", r"525\.60"],
        [],
    ),
    (
        NVIDIA_SMI,
        {"os": "linux", "os_version": "Ubuntu 22.04 (VMware ESXi)"},
        ["modprobe"],
        ["virtual machines no GPU"],
    ),
    ("Unit nvidia-gridd.service could not be found.", {"os": "windows"}, ["nvidia-smi -q$"], ["grep"]),
    # nouveau, as NVIDIA's installer writes it.
    (
        "ERROR: The Nouveau kernel driver is currently in use by your system.",
        {"os": "linux", "gpu": "GTX 1080"},
        ["blacklist nouveau"],
        [],
    ),
    (
        "modprobe: ERROR: could not insert 'nvidia': No such device",
        {"os": "linux", "os_version": "Ubuntu 24.04", "gpu": "RTX 5090"},
        ["nvidia-driver-580-open"],
        [],
    ),
    (
        "modprobe: ERROR: could not insert 'nvidia': No such device",
        {"os": "linux", "os_version": "Ubuntu 24.04", "gpu": "RTX 3090"},
        ["dmesg"],
        ["-open"],
    ),
    # A card that runs the code of a relative, and the one that it is a relative of.
    (
        "Memory access fault by GPU node-1 on address 0x7f. Reason: Page not present or supervisor privilege.",
        {"os": "linux", "gpu": "RX 7600", "packages": {"torch": "2.3.0+rocm6.0"}},
        ["HSA_OVERRIDE_GFX_VERSION=11.0.0"],
        [],
    ),
    (
        "Memory access fault by GPU node-1 on address 0x7f. Reason: Page not present or supervisor privilege.",
        {"os": "linux", "gpu": "RX 7900 XTX", "packages": {"torch": "2.3.0+rocm6.0"}},
        ["AMD_SERIALIZE_KERNEL"],
        ["HSA_OVERRIDE"],
    ),
    # The registry's PyTorch 2.3 is for CUDA 12.1.
    (
        "torch.cuda.is_available() False",
        {"os": "linux", "gpu": "RTX 4060", "driver": "470.129", "packages": {"torch": "2.3.0"}},
        ["525.60.13 or later"],
        ["Replace it by"],
    ),
    # The version names WSL.
    (
        "Could not load library libcudnn_cnn_infer.so.8. Error: libcuda.so: cannot open shared object file: No such file or "
        "directory",
        {"os": "linux", "os_version": "Ubuntu 22.04 (WSL2)", "packages": {"torch": "2.0.1"}},
        ["/usr/lib/wsl/lib"],
        ["modprobe"],
    ),
    (
        "Framework & Version: 2.6.0+cu124\nNVIDIA Driver Version: 575.64.03\n"
        "CUDA driver version is insufficient for CUDA runtime version, vllm",
        LINUX,
        [r"newer than CUDA 12\.4"],
        ["cu118"],
    ),
    (
        "RuntimeError: The NVIDIA driver on your system is too old (found version 12060).\nOrin NX, L4T 36.4",
        {},
        ["JetPack"],
        ["ubuntu-drivers", "whl/cu"],
    ),
    (
        "RuntimeError: NCCL error in: ProcessGroupNCCL.cpp:825, unhandled cuda error, NCCL version 2.7.8\n"
        "PyTorch 1.8.0, cudatoolkit=11.1, four A100 with the driver Version: 450.51.06",
        {**LINUX, "gpu": "A100"},
        [r"CUDA 11\.1 needs driver 450\.80", r"for CUDA 11\.1"],
        ["10\\.2"],
    ),
    (
        "requirements not met: unsatisfied condition: cuda>=13.0 (cuda=12.6)\nJetPack 6.2, Jetson AGX Orin, "
        "in a docker container",
        {},
        ["JetPack", "jetson-containers"],
        ["On the host: update", "whl/", "pytorch.org"],
    ),
    (
        "RuntimeError: The NVIDIA driver on your system is too old (found version 12080). Please update your GPU driver",
        {**LINUX, "driver": "570.133.20"},
        [r"CUDA 13\.0 \(580", r"whl/cu126"],
        [],
    ),
    # The devices of a container of LXC are its host's; MIG without instances, in pods and in Slurm.
    (
        "E tensorflow/stream_executor/cuda/cuda_driver.cc:328] failed call to cuInit: CUDA_ERROR_UNKNOWN: unknown error\n"
        "inside an lxc container, Proxmox",
        {},
        ["On the host, at each of its starts", "nvidia-modprobe"],
        ["ubuntu-drivers", "modprobe nvidia "],
    ),
    (
        "RuntimeError: No XPU devices are available.\nArc B580, Ubuntu 24.04",
        {},
        ["libze-intel-gpu1"],
        ["On Linux", "NVIDIA"],
    ),
    # NVIDIA's .run installer: the distribution's packages sign the module.
    (
        "Secure boot is on\nERROR: Unable to load the kernel module 'nvidia.ko'.  This happens most frequently when",
        {"os": "Ubuntu 24.04"},
        ["nvidia-installer.log", "has to be signed", "ubuntu-drivers"],
        ["nvidia-uvm"],
    ),
    # XLA of JAX, and not of TensorFlow.
    (
        "F external/xla/xla/service/gpu/nvptx_compiler.cc:614] Check failed: options.is_autotuning_compilation \nimport jax",
        {"os": "Ubuntu 22.04", "driver": "530.30.02"},
        ["Update NVIDIA's driver", "older CUDA"],
        ["TensorFlow"],
    ),
    # Where a user says which system it is, and a distribution that is made from another one.
    ("I'm on Pop!_OS 22.04\n" + NVIDIA_SMI, {}, ["dkms autoinstall"], ["On Linux", "Windows"]),
    ("- **OS**: Nobara Linux 41\n" + NVIDIA_SMI, {}, ["dnf|akmods"], ["apt-get", "Windows"]),
    ("Kernel: 6.15.6-zen1-1-zen\n" + NVIDIA_SMI, {}, ["modprobe nvidia"], ["On Linux", "Windows"]),
    # A pod that lost its devices; modules of the host are not the cause.
    (
        "Failed to initialize NVML: Unknown Error\nAll pods on this node fail after some hours",
        {},
        ["PASS_DEVICE_SPECS"],
        ["modprobe", "driver again"],
    ),
    # An ended branch of the driver, whose module make could not build, in any language.
    (
        "make[1]: *** [/usr/src/kernel-headers-6.12/Makefile:1937: /var/lib/dkms/nvidia/470.239.06/build] Chyba 2",
        {},
        ["has ended branch 470"],
        ["apt-get"],
    ),
    (
        "[talos] error loading module nvidia: load nvidia failed: key was rejected by service",
        {},
        ["Talos signs"],
        ["mokutil"],
    ),
    (
        "Arc A770 on WSL2(Ubuntu24.04LTS)\nAbort was called at 63 line in file:\nAborted (core dumped)",
        {},
        ["In Windows: update Intel's", "libze-intel-gpu1", "ONEAPI_DEVICE_SELECTOR"],
        ["usermod", "PYTHONFAULTHANDLER"],
    ),
    # The container toolkit starts on the host.
    (
        "docker: stderr: nvidia-container-cli: initialization error:\nnvml error: driver/library version mismatch: unknown",
        {"os": "container"},
        [r"^The NVIDIA driver.*\nOn the host: restart"],
        ["libcuda1"],
    ),
    (
        "F dml_command_recorder.cc:366] Check failed: (((HRESULT)((dml_device_->GetDeviceRemovedReason()))) >= 0) == true",
        {"os": "windows", "packages": {"tensorflow-directml": "1.15.3"}},
        ["--upgrade tensorflow-directml", "TdrDelay"],
        ["dmesg"],
    ),
    (
        "root@ct7:~# nvidia-smi   # an LXC of Proxmox\nFailed to initialize NVML: Driver/library version mismatch",
        {},
        ["host's release in the container", "--no-kernel-module"],
        ["purge", "ubuntu-drivers"],
    ),
    ("$ sbatch train.sh\n" + NVIDIA_SMI, {}, [r"--gres=gpu:1", "administrators"], ["apt-get", "modprobe"]),
    # The tools and the key of this distribution build and sign the driver's module.
    (
        "Fedora Linux 40, RTX 4060\n" + NVIDIA_SMI,
        {},
        [r"kernel-devel-\$\(uname -r\) && sudo akmods --force", "akmods/certs", r"free-release-40\."],
        ["dkms", "apt-get"],
    ),
    ("fedora\n" + NVIDIA_SMI, {"os": "linux"}, ["package manager of the distribution"], [r"release-\."]),
    (
        "Rocky Linux 9.4\nmodprobe: ERROR: could not insert 'nvidia': Key was rejected by service",
        {},
        ["--import /var/lib/dkms/mok.pub"],
        ["shim-signed"],
    ),
    (
        "openSUSE Leap 15.6\nmodprobe: ERROR: could not insert 'nvidia': Required key not available",
        {},
        ["KEY_OF_THE_PACKAGE"],
        ["shim-signed", "dkms"],
    ),
    (
        "modprobe: FATAL: Module nvidia-current not found in directory /lib/modules/6.1.0-18-amd64",
        {},
        ["linux-headers", "dkms autoinstall"],
        ["ubuntu-drivers"],
    ),
    (
        "modprobe: FATAL: Module nvidia-current not found in directory /lib/modules/6.1.0-18-amd64\n"
        "modprobe: ERROR: could not insert 'nvidia': Operation not permitted",
        {},
        ["linux-headers", "dkms autoinstall"],
        ["modprobe nvidia"],
    ),
    (
        "nvidia-container-cli: initialization error: load library failed: libnvidia-ml.so.1: cannot open shared object file\n"
        "$ nvidia-smi\n| NVIDIA-SMI 525.60.11    Driver Version: 525.60.11    CUDA Version: 12.0     |",
        {"os": "arch"},
        ["docker context ls", "Docker Engine"],
        ["install NVIDIA's driver"],
    ),
    (
        "CentOS 7\nnvidia-driver-latest-dkms-545.23.08-1.el7.x86_64\ncuda runtime error (802) : system not yet initialized",
        {},
        ["yum install nvidia-fabric-manager-545.23.08"],
        ["dnf", "manager-VERSION"],
    ),
    (
        "my nvidia driver version is 390.77\ncupy.cuda.runtime.CUDARuntimeError: cudaErrorInsufficientDriver: CUDA driver "
        "version is insufficient for CUDA runtime version",
        {},
        ["older CUDA"],
        ["cupy-cuda11x"],
    ),
    (" cuda : Depends: cuda-12-6 (>= 12.6.2) but it is not going to be installed", {}, ["--fix-broken"], ["pip"]),
    # Packages that apt does not install, a GPU that is newer than the kernel, clusters, and a library's own package.
    (
        "The following packages have unmet dependencies:\n libnvidia-gl-550 : Depends: libnvidia-common-550 but it is not "
        "installable",
        {"os": "Ubuntu 24.04"},
        ["--fix-broken install", "do not mix", "ubuntu-drivers"],
        ["modprobe", "pip"],
    ),
    (
        "Ubuntu 24.04\n[    3.7] amdgpu 0000:c5:00.0: amdgpu: Fatal error during GPU init",
        {},
        [r"linux-generic-hwe-24\.04", "linux-firmware"],
        ["nvidia"],
    ),
    (
        "Unable to determine the device handle for GPU 0000:0B:00.0: Unknown Error",
        {"os": "openSUSE Leap 15.2"},
        ["cables sit firmly", "reboot|[Rr]estart the machine"],
        ["apt"],
    ),
    # What PyTorch was built with is not the toolkit that is there.
    (
        "PyTorch version: 1.5.1\nCUDA used to build PyTorch: 10.2\nIs CUDA available: No\nCUDA runtime version: 10.0.130\n"
        "Nvidia driver version: 410.104",
        {**LINUX, "gpu": "Tesla P100", "driver": "410.104", "cuda": "10.0"},
        [r"\ACUDA 10\.2 needs driver 440\.33", r"torch==1\.5\.1\+cu92"],
        [],
    ),
    # Only Ubuntu has ubuntu-drivers.
    (
        "Failed to initialize NVML: Driver/library version mismatch",
        {**LINUX, "os_version": "Debian 12"},
        [r"purge .* && sudo apt-get install nvidia-driver"],
        ["ubuntu-drivers"],
    ),
    # In Proxmox a host has a host: the driver's libraries are needed in between as well.
    (
        "nvidia-container-cli: initialization error: load library failed: libnvidia-ml.so.1: cannot open shared object file: "
        "no such file or directory: unknown\ndocker in an LXC container of Proxmox",
        LINUX,
        ["LXC container too, without the kernel module"],
        [],
    ),
    # The system is not known: the steps for Linux say so.
    (NVIDIA_SMI, {}, ["On Linux: load the driver's kernel module", "dkms autoinstall", "no driver yet"], []),
    (NVIDIA_SMI, WINDOWS, [], ["modprobe", "dkms"]),
    # What the text says of docker and of the container decides where the GPU is missing.
    (
        "nvidia-container-cli: initialization error: load library failed: libnvidia-ml.so.1: cannot open shared object file: "
        "no such file or directory: unknown\nDocker Desktop 4.19.0, Pop!_OS 22.04",
        LINUX,
        ["docker context use default"],
        ["driver on the host"],
    ),
    # The kernel refuses to open the device; a missing group has another message.
    (
        "Unable to open /dev/kfd read-write: Operation not permitted\nme is member of render group",
        LINUX,
        ["dmesg", "amdgpu-dkms"],
        ["usermod"],
    ),
    (PTX, {"os": "Manjaro", "driver": "460.80"}, ["pacman"], ["ubuntu"]),
    (PTX + "\nManjaro, nvidia-utils 460.80", LINUX, ["pacman"], ["ubuntu"]),
    # OpenVINO's other devices, a virtual GPU without CUDA, a Jetson's containers.
    (
        "src\\plugins\\intel_npu\\src\\plugin\\src\\backends.cpp:247:\nNo NPU devices were found.",
        {"os": "Windows 11"},
        [r"Windows Update", r"NPU driver"],
        [r"usermod", r"/dev/accel"],
    ),
    (
        'RuntimeError: Device with "NPU" name is not registered in the OpenVINO Runtime',
        {"os": "Ubuntu 24.04"},
        [r"intel-level-zero-npu", r"usermod -aG render", r"/dev/accel"],
        [r"Windows Update", r"libze-intel-gpu1"],
    ),
    (
        "WARNING: You do not appear to have an NVIDIA GPU supported by the 470.63.01",
        {},
        [r"lspci", r"newer one for a new GPU"],
        [r"Secure Boot"],
    ),
    (
        "CentOS 7\nNVRM: nouveau, rivafb, nvidiafb or rivatv\n" + NVIDIA_SMI,
        {},
        [r"sudo dracut"],
        [r"\bsudo update-initramfs"],
    ),
    # Xid 13 is of a program; its words are not those of a processor.
    (
        "NVRM: Xid (PCI:0000:41:00): 13, pid=7, name=python3, Graphics SM Warp Exception on (GPC 0, TPC 1, SM 0): Illegal "
        "Instruction Encoding",
        {},
        [r"CUDA_LAUNCH_BLOCKING=1", r"compute-sanitizer"],
        [r"AVX", r"power"],
    ),
    # A library of the driver that only the cache of the host's linker has.
    (
        "nvidia-container-cli: detection error: open failed: /usr/lib64/libnvidia-tls.so.525.60.11: no such file or directory",
        {},
        [r"sudo ldconfig", r"libnvidia-tls\.so\.525"],
        [r"--gpus"],
    ),
    # Intel's Arc A series on the driver xe; a runtime that is there, and too old for the kernel.
    (
        "Number of platforms                               0\nIntel Arc A380, booted with xe.force_probe=56a5",
        {},
        [r"xe\.force_probe", r"i915"],
        [r"usermod", r"apt-get install"],
    ),
    (
        "Number of platforms                               0",
        {**LINUX, "gpu": "Intel Arc A770"},
        [r"installed already: update it"],
        [r"force_probe"],
    ),
    # What stops the build of NVIDIA's module: another gcc; a branch that has ended, which no package of today replaces.
    (
        "Compiler version check failed:\n\nThe major and minor number of the compiler used to\ncompile the kernel:\n",
        {},
        [r"IGNORE_CC_MISMATCH=1", r"--no-cc-version-check"],
        [r"nouveau", r"mokutil"],
    ),
    (
        "Error! Bad return status for module build on kernel: 6.6.1-arch1-1 (x86_64)\n"
        "Consult /var/lib/dkms/nvidia/390.154/build/make.log for more information.",
        {},
        [r"branch 390", r"linux-lts", r"nvidia-390xx-dkms"],
        [r"nvidia-open"],
    ),
    (
        "Error! Bad return status for module build on kernel: 6.6.1-arch1-1 (x86_64)\n"
        "Consult /var/lib/dkms/nvidia/550.1.2/build/make.log for more information.",
        {},
        [r"newer driver"],
        [r"has ended"],
    ),
    (
        "NVRM kgspInitRm_IMPL: missing NVDEC0 engine, cannot initialize GSP-RM\nNVRM: GPU 0000:0a:00.0: RmInitAdapter failed!",
        {},
        [r"open kernel modules", r"without -open"],
        [r"Switch the machine off"],
    ),
    # A machine without NVSwitch needs no fabric manager; with one, its version counts.
    (
        "systemd[1]: nvidia-fabricmanager.service: Failed with result 'exit-code'.",
        {},
        [r"nvidia-fabricmanager-BRANCH"],
        [],
    ),
    (
        "slurmd: We were configured with nvml functionality, but that lib wasn't found on the system.",
        {},
        [r"nvidia-smi", r"restart slurmd"],
        [r"--gres"],
    ),
    # PaddlePaddle words CUDA's errors its own way.
    (
        "Error: cudaGetDeviceCount failed in paddle::platform::GetCUDADeviceCountImpl, error code : 35, Please see detail",
        {},
        [r"Update NVIDIA's driver", r"label"],
        [r"pip install torch", r"tensorflow"],
    ),
    # The driver container of the GPU Operator.
    (
        "Resolving Linux kernel version...\nCould not resolve Linux kernel version",
        {},
        [r"driver\.enabled=false", r"DNS"],
        [r"docker run"],
    ),
    # The toolkit of the driver's CUDA, for Numba; the folder of a DLL, for CuPy; the library of Windows' driver, in WSL.
    (
        "numba.cuda.cudadrv.driver.LinkerError: [222] Call to cuLinkAddData results in UNKNOWN_CUDA_ERROR\n"
        "ptxas application ptx input, line 9; fatal   : Unsupported .version 7.5; current version is '7.4'",
        {},
        [r"cudatoolkit=11\.4"],
        [],
    ),
    # The line of modprobe says why nvidia-smi reaches no driver.
    (
        "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.\n"
        "modprobe: ERROR: could not insert 'nvidia': Key was rejected by service",
        {},
        [r"^Secure Boot refuses", r"mokutil --import"],
        [],
    ),
    (
        "cudaGetDevice() failed. Status: CUDA driver version is insufficient for CUDA runtime version",
        {**LINUX, "python": "3.6", "driver": "390.87", "packages": {"tensorflow-gpu": "1.12.0"}, "note": "conda"},
        [r"release of TensorFlow for an older CUDA"],
        [r"conda install"],
    ),
    (
        "$ conda activate tf\ncudaGetDevice() failed. Status: CUDA driver version is insufficient for CUDA runtime version",
        {**LINUX, "python": "3.6", "driver": "390.87", "packages": {"tensorflow-gpu": "1.12.0"}},
        [r"conda install tensorflow-gpu cudatoolkit=9\.0"],
        [r"9\.1"],
    ),
    (
        "nothing provides __cuda needed by tensorflow-2.9.1-cuda112py310",
        LINUX,
        [r"ENV CONDA_OVERRIDE_CUDA="],
        [r"PowerShell"],
    ),
    # The container has the GPU, and the linker takes the stub of the toolkit for the driver's library.
    (
        "$ docker run --runtime=nvidia -it nvidia/cuda:9.0-devel bash\n"
        "\tlibcuda.so.1 => /usr/local/cuda-9.0/lib64/stubs/libcuda.so.1 (0x00007f0000000000)\n"
        "I cuda_diagnostics.cc:189] libcuda reported version is: Not found: was unable to find libcuda.so DSO loaded into "
        "this program",
        {},
        [r"grep -v stubs"],
        [r"docker run --gpus", r"container toolkit", r"without the GPU"],
    ),
    ("Reason=gres/gpu count reported lower than configured (3 < 4)", LINUX, [r"nvidia-smi -L", r"state=resume"], []),
    (
        "NVRM: Xid (PCI:0000:41:00): 119, pid=911, name=python, Timeout after 6s of waiting for RPC response from GPU0 GSP!",
        {**LINUX, "gpu": "NVIDIA A100"},
        [r"sudo reboot", r"NVreg_EnableGpuFirmware=0 \| sudo tee"],
        [r"dmesg"],
    ),
    (
        "NVRM: Xid (PCI:0000:41:00): 119, pid=911, name=python, Timeout after 6s of waiting for RPC response from GPU0 GSP!",
        {**LINUX, "gpu": "NVIDIA GeForce RTX 5090"},
        [r"another release of the driver"],
        [r"NVreg_"],
    ),
    (
        "NotImplementedError: Using RTX 4000 series doesn't support faster communication broadband via P2P or IB. Please set "
        '`NCCL_P2P_DISABLE="1"` and `NCCL_IB_DISABLE="1"` or use `accelerate launch`',
        LINUX,
        [r"export NCCL_P2P_DISABLE=1", r"export NCCL_IB_DISABLE=1"],
        [r"topo"],
    ),
    (
        "RuntimeError: CUDA failed with error CUDA driver version is insufficient for CUDA runtime version",
        {"os": "linux", "driver": "470.256.02", "packages": {"ctranslate2": "4.1.0"}},
        ["for CUDA 12", r"ctranslate2==3\.24\.0 nvidia-cublas-cu11"],
        ["torch"],
    ),
    # Intel's GPUs, and others that OpenVINO does not know.
    (
        "[W Device.cpp:120] Warning: XPU Device count is zero! (function initGlobalDevicePoolState)\nSegmentation fault",
        {**LINUX, "gpu": "Intel Arc A750"},
        [r"\A.*compute runtime"],
        ["doctor", "CPU"],
    ),
    (
        'Device with "GPU" name is not registered in the OpenVINO Runtime',
        {**LINUX, "gpu": "Intel Iris Xe"},
        ["compute runtime"],
        ["another maker"],
    ),
    (
        "E external/xla/xla/stream_executor/cuda/cuda_dnn.cc:439] Could not create cudnn handle: "
        "CUDNN_STATUS_NOT_INITIALIZED\n"
        "E external/xla/xla/stream_executor/cuda/cuda_dnn.cc:443] Memory usage: 15707198976 bytes free, 16231397376 bytes "
        "total.\n"
        "E external/xla/xla/stream_executor/cuda/cuda_dnn.cc:453] Possibly insufficient driver version: 470.129.6",
        LINUX,
        [r"\A.*older than CUDA 12 needs.*\nUpdate NVIDIA's driver"],
        ["memory at once"],
    ),
    (
        "ImportError: Could not find 'nvcuda.dll'. TensorFlow requires that this DLL be installed in a directory that "
        "is named "
        "in your %PATH% environment variable.",
        {},
        [r"nvidia\.com/drivers", r"uninstall -y tensorflow-gpu; python -m pip install tensorflow$"],
        [],
    ),
    (
        "enqueue.cc:77 NCCL WARN Cuda failure 'CUDA driver version is insufficient for CUDA runtime version'\n"
        "Illegal instruction (core dumped)",
        {"os": "linux", "driver": "515.65.01", "packages": {"torch": "2.0.1"}},
        [r"\.\s+Update NVIDIA's driver(?! for)", r"newer than CUDA 11\.7"],
        [r"\bAVX\b", r"cu118"],
    ),
    (
        "GPU 0: NVIDIA GeForce GTX 1650 (UUID: GPU-1)\nnumba.cuda.cudadrv.error.CudaSupportError: Error at driver init: "
        "Call to cuInit results in CUDA_ERROR_NO_DEVICE (100)",
        {"os": "wsl2"},
        ["LD_LIBRARY_PATH=/usr/lib/wsl/lib", "NUMBA_CUDA_DRIVER"],
        ["wsl --update"],
    ),
    (
        "numba LinkerError\nptxas application ptx input, line 9; fatal   : Unsupported .version 7.3; current version is '7.1'",
        {"os": "windows", "packages": {"torch": "1.7.1"}},
        ["toolkit of the driver"],
        ["PyTorch"],
    ),
    (
        "RuntimeError: The NVIDIA driver on your system is too old (found version 11040). Please update your GPU driver by "
        "downloading and installing a new version\n| NVIDIA-SMI 470.86       Driver Version: 470.86      CUDA Version: 11.4 |",
        LINUX,
        [r"cu118"],
        ["cu126"],
    ),
    (OLD_DRIVER % "11040", LINUX, [r"CUDA 11\.8", "whl/cu118"], ["previous-versions"]),
    (
        "PS C:\\app> docker run --gpus all IMAGE\nnvidia-container-cli: requirement error: unsatisfied condition: cuda>=12.8, "
        "please update your driver to a newer version\n"
        "| NVIDIA-SMI 551.78                 Driver Version: 551.78         CUDA Version: 12.4     |",
        {},
        [r"572\.61 or later"],
        [r"570\.124"],
    ),
    # What the kernel says of the GPU is the cause, and not that the driver does not answer.
    (
        NVIDIA_SMI
        + "\nNVRM: The NVIDIA GPU 0000:3b:00.0 (PCI ID: 10de:1b06)\nNVRM: installed in this system is not supported "
        "by open\nNVRM: nvidia.ko because it does not include the required GPU",
        {},
        ["too old for NVIDIA's open kernel modules", "nvidia-driver-580"],
        ["modprobe", "Secure Boot"],
    ),
    # A kernel of Arch that has headers and modules of its own.
    (
        "Error! Bad return status for module build on kernel: 6.12.41-1-lts (x86_64)",
        {},
        ["linux-lts-headers", "nvidia-open-dkms"],
        [r"-S linux-headers", r"nvidia-open "],
    ),
    # Slurm: the driver is the cluster's, and so are the GPUs that a job gets.
    (
        "conda install pytorch cudatoolkit=10.2 -c pytorch\n"
        "| NVIDIA-SMI 418.87.01    Driver Version: 418.87.01    CUDA Version: 10.1     |\nGPU available: False",
        LINUX,
        [r"CUDA 10\.2 needs driver 440\.33", r"cudatoolkit=10\.1"],
        ["TensorFlow", "cu126"],
    ),
    # OpenVINO computes on Intel's GPUs only.
    (
        "RuntimeError: Exception from src/inference/src/cpp/core.cpp:1:\n[GPU] Can't get FULL_DEVICE_NAME property as no "
        "supported devices found or an error happened during devices query.",
        {**LINUX, "gpu": "Intel UHD Graphics 620"},
        ["intel-opencl-icd", "legacy1", "render"],
        ["nvidia", "NVIDIA"],
    ),
    (
        ">>> torch.cuda.is_available()\nFalse\n| NVIDIA-SMI 550.54.14    Driver Version: 550.54.14    CUDA Version: 12.4 |",
        {"os": "linux", "packages": {"torch": "2.5.1+cu124"}},
        [r"torch\.zeros\(1\)\.cuda\(\)", "CUDA_VISIBLE_DEVICES", "nvidia-uvm"],
        ["without CUDA", "pip install"],
    ),
    (
        ">>> torch.cuda.is_available()\nFalse\n| NVIDIA-SMI 550.54.14    Driver Version: 550.54.14    CUDA Version: 12.4 |",
        {"os": "linux", "packages": {"torch": "2.9.0+cu130"}},
        ["CUDA 13.0 needs driver 580", "whl/cu128"],
        [],
    ),
    (
        "RuntimeError: jaxlib/cuda/versions_helpers.cc:113: operation cuInit(0) failed: CUDA_ERROR_SYSTEM_NOT_READY",
        {"os": "linux", "driver": "570.86.15"},
        [r"nvidia-fabricmanager-570=570\.86\.15"],
        ["modprobe"],
    ),
    (
        OLD_DRIVER % "10000",
        {"packages": {"torch": "1.3.0"}, "os": "linux"},
        ["CUDA 9.2, which the driver runs"],
        [r"10\.2"],
    ),
    (
        ">>> torch.cuda.is_available()\nFalse",
        {"os": "colab", "packages": {"torch": "2.5.1+cu124"}},
        ["Change runtime type"],
        ["install torch", "uninstall"],
    ),
    (
        "RuntimeError: Found no NVIDIA driver on your system. Please check that you have an NVIDIA GPU and installed a driver",
        {"os": "colab"},
        ["Change runtime type"],
        ["modprobe", "ubuntu-drivers"],
    ),
    (
        "NVRM: The NVIDIA GPU 0000:01:00.0 (PCI ID: 10de:2684) installed in this system is not supported by the "
        "NVIDIA 470.223.02 driver release.",
        {"os": "linux"},
        ["the newest for a new GPU", "ubuntu-drivers devices"],
        ["modprobe"],
    ),
    (
        "tensorflow/stream_executor/cuda/cuda_dnn.cc:353] Could not create cudnn handle: CUDNN_STATUS_NOT_INITIALIZED\n"
        "tensorflow/stream_executor/cuda/cuda_dnn.cc:361] Possibly insufficient driver version: 387.26.0",
        {"os": "linux", "cuda": "9.1", "packages": {"tensorflow-gpu": "1.12"}},
        ["CUDA 9.1 .390.46 or later"],
        ["memory"],
    ),
    (
        'docker: Error response from daemon: error gathering device information while adding custom device "/dev/kfd": no '
        "such file or directory.",
        {"os": "linux", "os_version": "Ubuntu 22.04", "gpu": "AMD Radeon RX 6800"},
        ["modprobe amdgpu", "Docker Engine"],
        ["LD_LIBRARY_PATH"],
    ),
    (
        "Unable to open /dev/kfd read-write: Invalid argument\nroot is member of nogroup group",
        {"os": "container", "gpu": "AMD Instinct MI300X"},
        ["all of /dev/dri", "dmesg"],
        ["LD_LIBRARY_PATH"],
    ),
    (
        "$ prime-select query\nintel\nNVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.",
        {},
        ["prime-select on-demand"],
        ["modprobe", "Install NVIDIA"],
    ),
    (
        "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.\n"
        "01:00.0 3D controller: NVIDIA Corporation GA107M [GeForce RTX 3050 Mobile] (rev ff)",
        {},
        ["switchable graphics", "dmesg"],
        ["Install NVIDIA"],
    ),
    (
        "Unit nvidia-gridd.service could not be found.\nRuntimeError: CUDA error: CUDA-capable device(s) is/are busy or "
        "unavailable",
        LINUX,
        ["license", "nvidia-gridd"],
        ["End the other process"],
    ),
    ("Error 999: unknown error: CUDA unknown error\nimport torch", LINUX, ["rmmod nvidia_uvm"], []),
    (
        "nvidia-container-cli: initialization error: load library failed: libnvidia-ml.so.1: cannot open shared object file\n"
        "desktop-linux *   Docker Desktop",
        {"os": "Ubuntu 24.04"},
        ["docker context use default"],
        ["ubuntu-drivers"],
    ),
    (
        "NVRM: Xid (PCI:0000:65:00): 79, GPU has fallen off the bus.\nRuntimeError: CUDA error: unspecified launch failure",
        LINUX,
        ["power supply", "reboot"],
        ["CUDA_LAUNCH_BLOCKING", "compute-sanitizer"],
    ),
    (
        NO_DEVICE + DPKG,
        {"os": "wsl2"},
        ["apt-get purge", "wsl --shutdown", "/usr/lib/wsl/lib"],
        ["Install NVIDIA's driver"],
    ),
    (
        NOT_READY + MANAGER,
        {"os": "Ubuntu 22.04"},
        [r"nvidia-fabricmanager-550=550\.90\.07"],
        ["modprobe", "ubuntu-drivers"],
    ),
    (NOT_READY, {"os": "Rocky 9"}, ["nvidia-fabric-manager-", "restart nvidia-fabricmanager"], ["apt-get", "modprobe"]),
    (LIBCUDA, {"os": "NixOS 24.05"}, ["/run/opengl-driver/lib"], ["ubuntu", "dkms", "modprobe"]),
    (
        "Docker Desktop, WSL2\nE cuda_driver.cc:328] failed call to cuInit: CUDA_ERROR_OPERATING_SYSTEM: OS call failed or "
        "operation not supported on this OS",
        {},
        ["engine for WSL 2", "wsl --update"],
        ["modprobe", "dmesg"],
    ),
    (
        "DKMS make.log for nvidia-550.1\ncc: error: unrecognized command-line option '-ftrivial-auto-var-init=zero'\n",
        {},
        ["update-alternatives"],
        [],
    ),
    # an older build of the same release, for a driver that stays
    (
        OLD_DRIVER % "10000",
        {"os": "linux", "driver": "410.104", "packages": {"torch": "1.5.0"}, "gpu": "Tesla P100"},
        [r"torch==1.5.0\+cu92 -f "],
        ["cu118"],
    ),
    (
        OLD_DRIVER % "11040",
        {"os": "linux", "driver": "470.82", "packages": {"torch": "2.5.1+cu124"}},
        ["torch==2.5.1 --index-url https://download.pytorch.org/whl/cu118"],
        ["cu121"],
    ),
    (OLD_DRIVER % "11040" + "\n/content/drive/MyDrive", {}, ["hosted notebook cannot be changed"], ["ubuntu-drivers"]),
    (OLD_DRIVER % "11040", {"os": "Ubuntu 18.04"}, ["sudo ubuntu-drivers autoinstall"], []),
    # a build for AMD's GPUs gets no tools of CUDA's, and Windows no word of DirectML
    (
        "torch.AcceleratorError: HIP error: unspecified launch failure\nSearch for hipErrorLaunchFailure",
        {**WINDOWS, "gpu": "RX 9070 XT"},
        ["AMD_SERIALIZE_KERNEL", "graphics driver"],
        ["CUDA"],
    ),
    (
        "GGML_ASSERT: C:/Users/u/ggml-sycl.cpp:9: main_gpu_id<g_all_sycl_device_count",
        {},
        ["sycl-ls", "Compatibility Pack", "Intel's graphics driver"],
        ["nvidia", "apt"],
    ),
    # the kernel's name tells the distribution
    (
        "Error! Bad return status for module build on kernel: 6.9.4-200.fc40.x86_64 (x86_64)",
        LINUX,
        ["kernel-devel", "release-40.noarch", "kernel that was used before"],
        ["apt"],
    ),
    ("Error! Bad return status for module build on kernel: 6.9.1-arch1-1 (x86_64)", LINUX, ["pacman"], ["apt", "dnf"]),
    ("Error! Bad return status for module build on kernel: 6.8.0-45-generic (x86_64)", LINUX, ["apt-get"], ["dnf"]),
    (
        "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.\nNVRM: nouveau, rivafb or rivatv",
        LINUX,
        ["nouveau holds the GPU", "blacklist nouveau"],
        [],
    ),
    (
        "No devices were found\nNVRM: GPU 0000:01:00.0: RmInitAdapter: Cannot initialize GSP firmware RM",
        LINUX,
        ["GSP", "power"],
        [ANY_INSTALL],
    ),
    # what the container toolkit reports is of the host
    (
        "nvidia-container-cli: initialization error: nvml error: driver/library version mismatch: unknown",
        {"os": "container"},
        ["On the host: restart the machine"],
        ["from the image"],
    ),
    (
        "n1:7:9 [0] transport/nvls.cc:288 NCCL WARN Cuda failure 1 'invalid argument'",
        LINUX,
        ["nvidia-fabricmanager", "NCCL_NVLS_ENABLE=0"],
        [ANY_INSTALL],
    ),
    # conda and the driver's CUDA
    (
        "  - package cudatoolkit-11.3.1-h0 has constraint __cuda >=11.3 conflicting with __cuda-10.1-0",
        LINUX,
        [r"for CUDA 11\.3", r"cudatoolkit=10\.1", r"CONDA_OVERRIDE_CUDA=11\.3"],
        ["pip install", "tensorflow"],
    ),
    (
        "  └─ __cuda =* *, which is missing on the system.",
        LINUX,
        ["CONDA_OVERRIDE_CUDA", "nvidia-smi"],
        ["pip install"],
    ),
    (
        "RuntimeError: cuda runtime error (30) : unknown error at ..\\aten\\src\\THC\\THCGeneral.cpp:50",
        {},
        ["Restart Windows"],
        ["sudo", "modprobe"],
    ),
    # what a build's label says
    (
        ">>> torch.cuda.is_available()\nFalse",
        {**LINUX, "gpu": "GeForce RTX 3080", "driver": "450.51", "packages": {"torch": "2.5.1+cu121"}},
        [r"for CUDA 12\.1"],
        ["uninstall -y torch &&"],
    ),
    (
        ">>> torch.cuda.is_available()\nFalse",
        {**LINUX, "gpu": "GeForce RTX 3080", "packages": {"torch": "2.5.1+cu121"}},
        ["driver"],
        ["most likely a build without CUDA", "uninstall -y torch"],
    ),
    (
        ">>> torch.cuda.is_available()\nFalse",
        {**LINUX, "gpu": "Radeon RX 7900 XTX", "packages": {"torch": "2.5.1+rocm6.2"}},
        ["usermod -aG render,video", "amdgpu"],
        ["uninstall -y torch", "nvidia"],
    ),
    ("Submitted batch job 71\n" + NVIDIA_SMI, {}, ["--gres=gpu:1", "login node"], ["apt-get", "dkms", "reboot"]),
    (
        "srun: job 8 has been allocated resources\nRuntimeError: Found no NVIDIA driver on your system. Please check that you "
        "have an NVIDIA GPU and installed a driver",
        {},
        ["--gres=gpu:1"],
        ["modprobe", "apt-get"],
    ),
    ("NVRM:  supported through the NVIDIA 470.xx Legacy drivers. Please", LINUX, ["nvidia-driver-470"], ["tensorflow"]),
    ("Intel MKL FATAL ERROR: Error on loading function 'clGetPlatformIDs'.", LINUX, ["intel-opencl-icd"], ["conda"]),
    ("ggml_vulkan: No devices found.", LINUX, ["mesa-vulkan-drivers", "render"], ["winget", "tensorflow"]),
    (
        "LinkerError: ptxas application ptx input, line 9; fatal   : Unsupported .version 8.4; current version is '8.2'",
        LINUX,
        ["driver is older", "driver"],
        ["nvidia-cuda-nvcc", "PyTorch build for CUDA 8", "tensorflow"],
    ),
    ("ggml_cuda_init: failed to initialize CUDA: unknown error", LINUX, ["nvidia-uvm"], ["tensorflow", "jax"]),
    (
        "RuntimeError: Native API failed. Native API returns: -999 (Unknown PI error) -999 (Unknown PI error)",
        LINUX,
        ["Intel"],
        ["nvidia", "modprobe"],
    ),
    (OLD_DRIVER % "11040", {**LINUX, "packages": {"torch": "2.4.0"}}, [r"11\.4"], ["11040", "tensorflow"]),
    # drivers, by this distribution
    (
        NVIDIA_SMI,
        {**LINUX, "os_version": "Ubuntu 22.04", "gpu": "RTX 3060"},
        ["ubuntu-drivers install", "modprobe nvidia", "Secure Boot"],
        ["dnf", "pacman"],
    ),
    (NVIDIA_SMI, {**LINUX, "os_version": "Fedora 41", "gpu": "RTX 3060"}, ["akmod-nvidia"], ["apt", "ubuntu"]),
    (NVIDIA_SMI, {**LINUX, "os_version": "Arch Linux", "gpu": "RTX 3060"}, ["pacman"], ["apt-get", "dnf"]),
    (
        PTX,
        {**LINUX, "packages": {"torch": "2.1.0"}, "gpu": "Tesla V100", "driver": "470.57", "cuda": "12.1"},
        [r"530\.30", "branch 580"],
        ["tensorflow"],
    ),
    (PTX, {"os": "container", "packages": {"torch": "2.1.0"}, "cuda": "12.1"}, ["host"], ["apt", "reboot"]),
    (
        "libze_loader.so.1: cannot open shared object file: No such file or directory",
        {**LINUX, "os_version": "Fedora 40", "packages": {"torch": None}},
        ["level-zero"],
        ["nvidia", "apt"],
    ),
    (
        "failed call to cuInit: CUDA_ERROR_NOT_FOUND: named symbol not found",
        {"os": "wsl2", "container": "docker", "packages": {"tensorflow": "2.17.0"}},
        ["Docker Desktop", "libnvdxgdmal"],
        [ANY_INSTALL, "compute capability"],
    ),
    ("OS: Fedora 40\n" + NO_DRIVER, {}, ["dnf install"], ["ubuntu", "apt-get"]),
    ("Operating System: CentOS Linux 7 (Core)\n" + NO_DRIVER, {}, ["package manager"], ["ubuntu", "apt-get"]),
    ("OS: Arch Linux\n" + NO_DRIVER, {"os_version": "Debian 12"}, ["apt-get"], ["pacman"]),
    # The kernel has the driver, the loader does not find its library.
    (LIBCUDA, {**LINUX, "os_version": "Ubuntu 20.04"}, ["libnvidia-compute-460"], ["modprobe", "dkms"]),
    (LIBCUDA, {**LINUX, "os_version": "Debian 11"}, ["libcuda1"], ["modprobe", "dkms"]),
    (
        "failed call to cuInit: CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE: forward compatibility was attempted on non "
        "supported HW",
        {"os": "container", "gpu": "RTX 3070"},
        ["update the host's driver"],
        ["--gpus", "nvidia-ctk"],
    ),
    (
        "cupy_backends.cuda.api.runtime.CUDARuntimeError: cudaErrorInsufficientDriver: CUDA driver version is insufficient "
        "for CUDA runtime version",
        {**LINUX, "driver": "470.182"},
        ["cupy-cuda11x"],
        ["torch", "tensorflow"],
    ),
    (
        "RuntimeError: The NVIDIA driver on your system is too old (found version 9010). Please update your GPU driver",
        {**LINUX, "gpu": "GTX 580", "packages": {"torch": "1.13.0"}, "driver": "390.157"},
        [r"390\.x is its last branch", "No release of PyTorch"],
        ["cu118", "ubuntu-drivers"],
    ),
    # Containers, WSL and distributions: a command is for the shell and the system that it is typed in.
    (
        "Unable to determine the device handle for GPU0000:01:00.0: GPU is lost.  Reboot the system to recover this GPU",
        {"os": "wsl2", "gpu": "RTX 3060", "note": "Docker"},
        ["wsl --shutdown", "containers too", "restart Windows"],
        ["dmesg", "sudo"],
    ),
    (
        "Failed to initialize NVML: Driver/library version mismatch",
        {"os": "wsl2", "gpu": "RTX 3060"},
        ["wsl --shutdown", "Linux driver from WSL"],
        ["Restart the machine", "module"],
    ),
]
