"""Rows about GPUs that a container, WSL, a variable or a permission hides."""

from log_rows.texts import ANY_INSTALL, DPKG, LIBCUDA, LINUX, MAC, NO_DEVICE, NO_DEVICE_0, NVIDIA_SMI, WINDOWS

CUINIT = "E cuda_driver.cc:271] failed call to cuInit: CUDA_ERROR_NO_DEVICE: no CUDA-capable device is detected"
DOCKER = 'docker: Error response from daemon: could not select device driver "" with capabilities: [[gpu]].'
NO_VENDOR = "docker: Error response from daemon: failed to discover GPU vendor from CDI: no known GPU vendor found"
NO_TOOLKIT = 'docker: Error response from daemon: could not select device driver "" with capabilities: [[gpu]].'
NO_CUINIT = (
    "I external/local_xla/xla/tsl/cuda/cudart_stub.cc:32] Could not find cuda drivers on your machine, GPU will not be used.\n"
    "E external/local_xla/xla/stream_executor/cuda/cuda_platform.cc:51] failed call to cuInit: INTERNAL: CUDA error: Failed "
    "call to cuInit: UNKNOWN ERROR (303)\n"
)

#: What `explain` reads, what is known, what an answer has, and what it does not have (patterns).
ROWS = [
    ("SystemError: GPU device not found", {"os": "Colab"}, ["Change runtime type"], ["pip install"]),
    ("You cannot currently connect to a GPU due to usage limits in Colab.", {}, ["Wait", "Manage sessions"], ["pip"]),
    ("KeyError: 'COLAB_TPU_ADDR'", {}, [r'tpu="local"'], ["pip install"]),
    (
        "RuntimeError: TPU is already in use by process with pid 31. Not attempting to load libtpu.so in this process.",
        LINUX,
        ["lsof"],
        [],
    ),
    (
        "nvidia-device-plugin: Nvml init failed: ERROR_LIBRARY_NOT_FOUND",
        {**LINUX, "gpu": "NVIDIA A10"},
        ["--set-as-default"],
        [],
    ),
    (
        "RuntimeError: device >= 0 && device < num_gpus INTERNAL ASSERT FAILED at CUDAContext.cpp:49",
        {**LINUX, "gpu": "A100-PCIE-40GB", "env": {"CUDA_VISIBLE_DEVICES": "MIG-GPU-5c1f/0/0"}},
        ["nvidia-smi -L", "MIG-UUID"],
        ["unset"],
    ),
    # The bridge to Windows' GPU is switched off; a terminal has broken the line in a word.
    (
        ">>> torch.cuda.is_available()\nFalse",
        {
            "os": "wsl2",
            "gpu": "RX 9070 XT",
            "packages": {"torch": "2.9.1+rocm7.2"},
            "env": {"HSA_ENABLE_DXG_DETECTION": "0"},
        },
        ["keeps ROCm from", "export HSA_ENABLE_DXG_DETECTION=1"],
        ["unset", "rm "],
    ),
    (
        'run.sh[10]: gpu-server: docker: Error response from daemon: could not select dev\nice driver "" with capabilities: '
        "[[gpu]].",
        {"os": "linux", "gpu": "nvidia"},
        ["container toolkit"],
        [],
    ),
    # Docker under Kubernetes, Apptainer without a driver, a task of Slurm, and a Jetson's container with pip's PyTorch.
    (
        'Failed to create pod sandbox: rpc error: RuntimeHandler "nvidia" not supported',
        {},
        ["runtimeClassName out", "--runtime=docker --set-as-default"],
        ["--runtime=containerd"],
    ),
    (
        "INFO:    Could not find any NVIDIA binaries on this host!",
        {"os": "linux"},
        ["no NVIDIA driver files", "node with a GPU"],
        [],
    ),
    (
        "#SBATCH --gres=gpu:1\nMisconfigurationException: You requested gpu: [0, 1]\n But your machine only has: [0]",
        {"os": "linux", "packages": {"lightning": None}},
        ["--gres=gpu:N", "ntasks-per-node"],
        ["nvidia-smi"],
    ),
    (
        ">>> torch.cuda.is_available()\nFalse",
        {"os": "container", "arch": "aarch64", "gpu": "Jetson Orin NX", "packages": {"torch": "2.3.0"}},
        ["NVIDIA's image l4t-pytorch", "--runtime nvidia"],
        ["whl/cu"],
    ),
    (
        ">>> torch.cuda.is_available()\nFalse",
        {"os": "container", "gpu": "Jetson Orin NX", "packages": {"torch": "2.3.0a0+ebedce2.nv24.2"}},
        ["--runtime nvidia"],
        ["image with PyTorch"],
    ),
    (
        "CUDA failure 100: no CUDA-capable device is detected ; GPU=0",
        {"os": "linux", "gpu": "none", "packages": {"onnxruntime-gpu": "1.7.0"}},
        [r"uninstall -y onnxruntime-gpu && python -m pip install onnxruntime$"],
        ["nothing has to be installed"],
    ),
    (
        "failed call to cuInit: CUDA_ERROR_NO_DEVICE: no CUDA-capable device is detected",
        {"os": "container", "gpu": "Jetson Nano", "packages": {"tensorflow": "2.4.0"}},
        ["docker run --runtime nvidia"],
        ["--gpus all"],
    ),
    # bitsandbytes of the time before 0.42 searches LD_LIBRARY_PATH, which in WSL need not have the driver's folder.
    (
        "CUDA SETUP: WARNING! libcuda.so not found! Do you have a CUDA driver installed?\n"
        "UserWarning: WARNING: No GPU detected! Check your CUDA paths. Proceeding to load CPU-only library...",
        {"os": "wsl2"},
        ["LD_LIBRARY_PATH=/usr/lib/wsl/lib"],
        [],
    ),
    (
        "failed call to cuInit: UNKNOWN ERROR (-1)",
        {"os": "container", "gpu": "GTX 1060"},
        ["--gpus all"],
        [],
    ),
    (
        'Error response from daemon: error gathering device information while adding custom device "/dev/kfd": no such file',
        {"os": "windows", "rocm": "5.5.1"},
        ["on Linux itself"],
        ["Adrenalin"],
    ),
    (
        "RuntimeError: Command ['singularity', '--silent', 'run', 'image.sif', 'prog'] exited 1: stderr=\n"
        "Error: No GPU device found!",
        {"os": "linux"},
        ["exec --nv IMAGE"],
        [],
    ),
    ("$ singularity run tf-gpu.img\nDevice mapping: no known devices.", {}, ["exec --nv IMAGE"], ["tensorflow-gpu=="]),
    (
        "$ singularity run --nv my.sif\nWARNING: The NVIDIA Driver was not detected.  GPU functionality will not be "
        "available.",
        {"os": "linux"},
        ["outside of the container", "gres"],
        ["Start the container"],
    ),
    ("Error: No GPU device found!", {}, ["nvidia-smi"], ["nothing has to be installed"]),
    (
        "warning: gpu support may not be enabled, check that you have installed GPU drivers: nvidia-smi command failed",
        {"os": "wsl2", "gpu": "NVIDIA GeForce RTX 4080"},
        ["Update ollama", "wsl --update"],
        [],
    ),
    (
        "WARNING: No NVIDIA/AMD GPU detected. Ollama will run in CPU-only mode.",
        {"os": "wsl2", "gpu": "NVIDIA"},
        ["wsl --update"],
        [],
    ),
    (
        "ValueError: Requested 4 devices but only 1 are visible",
        {"os": "linux"},
        ["nvidia-smi -L", "CUDA_VISIBLE_DEVICES"],
        ["doctor"],
    ),
    (
        "I tensorflow/stream_executor/cuda/cuda_dnn.cc:1562] Unable to load cuDNN DSO\nI cuda_diagnostics.cc:146] libcuda "
        "reported version is: Not found: was unable to find libcuda.so DSO loaded into this program",
        {"os": "container"},
        ["--gpus all"],
        ["and-cuda"],
    ),
    # A card for data centers is not in WDDM by itself.
    (
        "Failed to initialize NVML: GPU access blocked by the operating system",
        {"os": "wsl2", "gpu": "NVIDIA L40S"},
        ["nvidia-smi -g 0 -dm 0", "wsl --update"],
        ["apt"],
    ),
    (
        "Failed to initialize NVML: GPU access blocked by the operating system",
        {"os": "wsl2", "gpu": "NVIDIA RTX A5000"},
        ["wsl --update"],
        ["-dm 0"],
    ),
    ("Error: couldn't find any HIP devices", {"os": "container", "gpu": "Radeon PRO W6800"}, ["--device=/dev/kfd"], []),
    # Docker on a Mac.
    (
        "nvidia-container-cli: initialization error: load library failed: libnvidia-ml.so.1: cannot open shared object file",
        {"os": "macos"},
        ["outside of"],
        ["nvidia's driver"],
    ),
    (
        "docker run --rm --gpus=all nvcr.io/nvidia/k8s/cuda-sample:nbody nbody -gpu -benchmark\n"
        "Error: only 0 Devices available, 1 requested.  Exiting.",
        {"os": "linux"},
        ["driver answers in another container"],
        ["pip"],
    ),
    (
        "nvidia-container-cli: mount error: stat failed: /usr/lib/wsl/lib/libcuda.so.1: no such file or directory",
        {"os": "wsl2"},
        ["wsl --update"],
        ["apt"],
    ),
    # WSL's runtime of ROCm ends with an assertion, and HIP's numbers of errors.
    (
        "rocminfo: ./wsl/thunk_proxy.cpp:111: void thunk_proxy::QueryAdapterInfo(D3DKMT_HANDLE): Assertion `ret == 0' failed.",
        {"os": "wsl2", "gpu": "RX 7900 XTX"},
        [r"wsl --update", r"AMD's current driver"],
        [r"venv fresh"],
    ),
    # A container: the group by its number; in WSL through another device.
    ("Error response from daemon: Unable to find group render: no matching", LINUX, [r"stat -c %g"], []),
    (
        NO_DEVICE_0.replace("False", "True").replace("count(): 0", "count(): 1") % "'device=0,1'",
        {"os": "linux", "gpu": "RTX 3090", "packages": {"torch": "2.4.0+cu121"}},
        ["GPU number", "nvidia-smi -L"],
        ["modprobe", "pip install"],
    ),
    (
        "RuntimeError: Unable to initialize backend 'cuda': FAILED_PRECONDITION: No visible GPU devices.",
        {"os": "wsl2", "gpu": "none", "packages": {"jax": "0.4.31"}},
        ["CPU"],
        ["driver", "wsl --"],
    ),
    # MIG is named by UUIDs; SELinux refuses podman's containers the nodes.
    (
        "RuntimeError: CUDA error: invalid device ordinal",
        {"os": "linux", "gpu": "A100-SXM4-40GB MIG 1g.5gb", "packages": {"torch": "2.1.0"}},
        ["nvidia-smi -L", "CUDA_VISIBLE_DEVICES=MIG"],
        ["torchrun"],
    ),
    (
        "$ podman run --rm --device nvidia.com/gpu=all fedora nvidia-smi\nFailed to initialize NVML: Insufficient Permissions",
        {"os": "linux", "os_version": "Fedora 41"},
        ["label=disable"],
        [],
    ),
    # Slurm gives a job that asks for no GPU an empty list: without that variable there is none either.
    (
        "RuntimeError: No CUDA GPUs are available",
        {"os": "linux", "env": {"CUDA_VISIBLE_DEVICES": "", "SLURM_JOB_ID": "4711"}, "packages": {"torch": "2.3.0"}},
        ["--gres=gpu:1"],
        ["unset"],
    ),
    # VirtualBox has no GPU for its guests: no driver helps there.
    (
        NVIDIA_SMI,
        {"os": "linux", "os_version": "Ubuntu 22.04 in VirtualBox on Windows 11"},
        ["VirtualBox gives its virtual machines no GPU", "WSL 2"],
        ["modprobe", "ubuntu-drivers"],
    ),
    (
        "RuntimeError: CUDA error: invalid device ordinal",
        LINUX,
        ["cuda:0", "nvidia-smi -L"],
        [],
    ),
    (
        "panic: At least one device with migEnabled=true was not configured correctly: No MIG devices associated with "
        "/dev/nvidia0: GPU-fe14a161-d1f3-7706-c257-3b22fe15c684",
        {},
        ["nvidia-smi mig -cgi 0 -C"],
        [],
    ),
    (
        "slurmd: fatal: MIG mode is enabled, but no MIG devices were found. Please either create MIG instances",
        {},
        ["nvidia-smi mig -cgi 0 -C"],
        [],
    ),
    # /dev/kfd on Windows; AMD's repository for another release of Ubuntu.
    (
        'Error response from daemon: error gathering device information while adding custom device "/dev/kfd": no such file '
        "or directory\n - OS + Distro and Version: Windows 11",
        {},
        ["on Linux itself"],
        ["ls -l /dev/kfd", "modprobe"],
    ),
    # An image of Intel's GPUs gets the device, and not the host's packages.
    (
        "Intel Iris Xe, Ubuntu 24.04\nWARNING  No GPU device found in OpenVINO. Falling back to CPU",
        {},
        ["--device /dev/dri"],
        ["usermod", "apt-get"],
    ),
    # Systems that install the driver in their own way.
    (
        'level=error msg="failed to start container" error="unknown or invalid runtime name: nvidia"\nTrueNAS 25.10',
        {},
        ["Install NVIDIA Drivers"],
        ["nvidia-ctk"],
    ),
    (
        NO_TOOLKIT + "\nUnraid 6.12.8",
        {},
        ["Nvidia-Driver"],
        ["nvidia-ctk"],
    ),
    # The number of a GPU: of one process, and of several.
    (
        "W platform_util.cc:206] unable to create StreamExecutor for CUDA:6: CUDA error: Failed call to cuDeviceGet: "
        "CUDA_ERROR_INVALID_DEVICE: invalid device ordinal\nexport CUDA_VISIBLE_DEVICES=0,1,2,3\nimport jax",
        {},
        ["local_device_ids", "--ntasks-per-node"],
        ["unset CUDA"],
    ),
    (
        "RuntimeError: CUDA error: invalid device ordinal",
        {"env": {"CUDA_VISIBLE_DEVICES": "0"}},
        ["unset CUDA"],
        ['= "-1"'],
    ),
    # What a user says of WSL, and Intel's runtime in it.
    (
        "It runs on Windows with WSL1\nnvidia-container-cli: initialization error: WSL environment detected but no adapters "
        "were found: unknown",
        {},
        ["--set-version"],
        [],
    ),
    # The form for issues of WSL names the Windows around it first.
    (
        "Microsoft Windows [Version 10.0.19043.1]\n\n- [x] WSL 2\n- [ ] WSL 1\n\n$ nvidia-smi\n" + NVIDIA_SMI,
        {},
        [r"wsl --update", "21H2", "purge"],
        ["Restart Windows"],
    ),
    # Services of docker compose, docker from the snap, pods, LXC containers and jobs.
    (
        '$ docker compose up\nError response from daemon: could not select device driver "nvidia" with capabilities: [[gpu]]',
        {"os": "Linux Mint 21"},
        ["apt-get install -y nvidia-container-toolkit", "docker compose up -d", "snap"],
        ["reservations", "docker run"],
    ),
    (
        "$ docker run --gpus all nvcr.io/nvidia/k8s/cuda-sample:nbody\ndocker: Error response from daemon: could not select "
        'device driver "" with capabilities: [[gpu]].',
        {},
        ["docker run --gpus all", "nvidia-ctk runtime configure"],
        ["limits: nvidia"],
    ),
    (
        "$ kubectl exec -it train-0 -- nvidia-smi\nFailed to initialize NVML: Unknown Error",
        {"os": "container"},
        ["compatWithCPUManager", "PASS_DEVICE_SPECS"],
        ["docker run", "--device="],
    ),
    (
        "$ docker exec train nvidia-smi\nFailed to initialize NVML: Unknown Error",
        {"os": "container"},
        ["--device=/dev/nvidia0", "create-dev-char-symlinks"],
        ["PASS_DEVICE_SPECS"],
    ),
    ("#PBS -q long\nRuntimeError: No CUDA GPUs are available", {}, [r"ngpus=1"], ["apt-get", "modprobe"]),
    (
        "$ kubectl describe pod a\n0/1 nodes are available: 1 Insufficient nvidia.com/gpu.\nCRI-O 1.28",
        {},
        ["--runtime=crio --set-as-default", "restart crio", "microk8s enable", "runtimeClassName"],
        ["containerd"],
    ),
    # Kubernetes: a device plugin that finds no GPU, and more than one node has.
    (
        "0/2 nodes are available: 2 Insufficient nvidia.com/gpu.\ndocker: 19.03.4, nvidia-docker2=2.0.3, kubernetes:1.15.3",
        LINUX,
        ["runtime configure --runtime=docker --set-as-default", "single node"],
        ["docker run"],
    ),
    ("0/2 nodes are available: 2 Insufficient amd.com/gpu.", LINUX, [r"amd\.com/gpu: 1"], ["nvidia"]),
    (
        "E itex/core/devices/gpu/itex_gpu_runtime.cc:174] Can not found any devices.\nThis is in a docker container, Arc A770",
        LINUX,
        ["--device /dev/dri"],
        ["usermod"],
    ),
    # An image has its own numbers for the groups' names, and a rootless container has none of the user's.
    (
        "Unable to open /dev/kfd read-write: Permission denied",
        {"os": "container", "gpu": "Radeon RX 7900 XTX"},
        [r"--group-add \$\(stat -c %g /dev/kfd\)"],
        ["usermod"],
    ),
    (
        "podman rootless\nUnable to open /dev/kfd read-write: Permission denied",
        {**LINUX, "gpu": "Radeon RX 7900 XTX"},
        ["keep-groups"],
        ["usermod"],
    ),
    (
        "I am using wsl 1 on windows 10.\nRuntimeError: Found no NVIDIA driver on your system.",
        {},
        ["^This is WSL 1", "wsl"],
        ["modprobe"],
    ),
    (
        'msg="no compatible GPUs were discovered"\n|   0  NVIDIA A16-4A          WDDM  | 00000000:02:01.0  On |     N/A |',
        {},
        [r"ends in Q or C"],
        [r"install the graphics driver again"],
    ),
    (
        "NVIDIA Jetson Nano\nINFO:    Could not find any nv files on this host!",
        {},
        [r"--runtime nvidia", r"aarch64-linux-gnu/tegra"],
        [r"node with a GPU"],
    ),
    (
        'level=INFO msg="Unable to load cudart CUDA management library /usr/lib/libcudart.so.12: cudart init failure: 100"',
        {"os": "Ubuntu 22.04"},
        [r"nvidia-smi", r"CUDA_VISIBLE_DEVICES"],
        [r"nothing has to be installed"],
    ),
    (
        'RunPodSandbox failed: no runtime for "nvidia" is configured',
        {},
        [r"--runtime=containerd", r"toolkit\.env"],
        [r"--gpus"],
    ),
    (
        "kernel 5.15.90.1-microsoft-standard-WSL2\n" + NVIDIA_SMI,
        {},
        [r"purge 'nvidia-driver", r"wsl --update"],
        [r"modprobe", r"ubuntu-drivers"],
    ),
    # A jaxlib for CUDA that was asked for "gpu", which the JAX of its time takes for AMD's as well.
    (
        "RuntimeError: Unable to initialize backend 'rocm': NOT_FOUND: Could not find registered platform with name: "
        '"rocm". Available platform names are: Host CUDA',
        {},
        [r'"jax_platforms", "cuda"', r"JAX_PLATFORMS=cuda"],
        [r"rocm7"],
    ),
    # NVML: a device node that may not be opened is not a call that is not allowed.
    ("pynvml.nvml.NVMLError_NoPermission: Insufficient Permissions", {}, [r"Mig", r"SYS_ADMIN"], [r"usermod"]),
    ("Failed to initialize NVML: Insufficient Permissions", {}, [r"usermod", r"ls -l /dev/nvidia"], [r"SYS_ADMIN"]),
    (
        "RuntimeError: Failed to dlopen libcuda.so\nLinux version 5.15.90.1-microsoft-standard-WSL2",
        {},
        [r"LD_LIBRARY_PATH=/usr/lib/wsl/lib"],
        [],
    ),
    (
        "failed call to cuInit: CUDA_ERROR_NO_DEVICE: no CUDA-capable device is detected\n"
        "kernel driver does not appear to be running on this host (8a1c6f9d2b3e): /proc/driver/nvidia/version does not exist\n"
        "root@8a1c6f9d2b3e:/content#",
        {},
        [r"Change runtime type"],
        [r"docker"],
    ),
    # The GPU of a container: Intel's for vLLM, AMD's under Docker Desktop; providers as a text; an old GPU; torchao.
    (
        "RuntimeError: Failed to infer device type, please set the environment variable\nWarning: XPU device count is zero! "
        "(Triggered internally at /pytorch/c10/xpu/XPUFunctions.cpp:113.)",
        LINUX,
        [r"\A.*Intel.*\n.*\n.*--device /dev/dri"],
        [r"nvidia-smi", r"install vllm|force-reinstall"],
    ),
    (
        "docker: Error response from daemon: error gathering device information while adding custom device "
        '"/dev/kfd": no such file or directory.\nNAME DESCRIPTION DOCKER ENDPOINT\n'
        "desktop-linux *   Docker Desktop   unix:///home/u/.docker/desktop/docker.sock",
        LINUX,
        [r"\A.*virtual machine.*\n.*\n.*docker context use default"],
        [r"modprobe"],
    ),
    # A docker build has no GPU.
    (
        "Step 5/7 : RUN python3 train.py\nE cuda_driver.cc:397] failed call to cuInit: CUresult(-1)",
        {"os": "linux"},
        [r"build has no GPU", r"docker run --gpus all", r"stubs"],
        [r"modprobe", r"install NVIDIA"],
    ),
    # docker run --gpus without a CDI description: NVIDIA's comes with the toolkit, for others leave the option out.
    (
        NO_VENDOR,
        {**LINUX, "gpu": "Intel UHD 630"},
        [r"Without --gpus", r"docker run --device /dev/dri"],
        [r"nvidia-ctk|oolkit"],
    ),
    (
        NO_VENDOR,
        {**LINUX, "gpu": "NVIDIA RTX A2000"},
        [r"docker run --gpus all", r"nvidia-ctk cdi generate"],
        [r"podman"],
    ),
    # Slurm's nodes, the GPU's own processor, JAX's memory, and what is for another maker's GPU.
    (
        "slurmstepd: error: pyxis:     [ERROR] Command not found: nvidia-container-cli, see https://github.com/x\n"
        "slurmstepd: error: pyxis: couldn't start container",
        {},
        [r"install -y libnvidia-container-tools"],
        [r"docker", r"first error"],
    ),
    (
        "$ docker run --rm --gpus all cuda nvidia-smi\nFailed to initialize NVML: GPU access blocked by the operating system",
        {"os": "wsl2"},
        [r"no-cgroups=false --in-place && sudo systemctl restart docker"],
        [],
    ),
    (
        "|   0  Tesla P40                    TCC   |   00000000:65:00.0 Off |                    0 |\n"
        "Failed to initialize NVML: GPU access blocked by the operating system",
        {},
        [r"nvidia-smi -g 0 -dm 0"],
        [r"wsl --update"],
    ),
    (
        "Unable to determine the device handle for GPU1: 0000:65:00.0: Unknown Error\nNo devices were found",
        {"os": "wsl2"},
        [r"nvidia-smi -g 0 -dm 0"],
        [r"dmesg"],
    ),
    # Slurm's GPUs, each task's number 0.
    (
        "srun: job 7 has been allocated resources\nRuntimeError: Unable to initialize backend 'cuda': INTERNAL: no supported "
        "devices found for platform CUDA (you may need to uninstall the failing plugin package, or set JAX_PLATFORMS=cpu)",
        {},
        ["--gres=gpu:N", r"local_device_ids=\[0\]"],
        ["uninstall", "CPU"],
    ),
    # ROCm in WSL.
    (
        "WSL environment detected.\nhsa_init Failed, possibly no supported GPU devices",
        {},
        ["HSA_ENABLE_DXG_DETECTION=1", "AMD's current driver"],
        ["usermod", "NVIDIA"],
    ),
    # The container toolkit is there, and this docker does not use it.
    (
        DOCKER + "\nii  nvidia-container-toolkit  1.16.1-1  amd64  NVIDIA Container toolkit",
        LINUX,
        [r"\.\s+.*Restart docker", r"sudo systemctl restart docker"],
        [r"install nvidia", r"package repository"],
    ),
    (
        DOCKER
        + "\n$ docker context ls\ndefault       Current DOCKER_HOST based configuration   unix:///var/run/docker.sock\n"
        "desktop-linux *   Docker Desktop   unix:///home/u/.docker/desktop/docker.sock",
        LINUX,
        [r"docker context use default"],
        [r"package repository"],
    ),
    (DOCKER + "\n$ snap services docker\ndocker.dockerd  enabled  active", LINUX, [r"sudo snap remove docker"], []),
    (
        "Failed to initialize NVML: Unknown Error\nGPU 0: NVIDIA A10 (UUID: GPU-f)",
        LINUX,
        ["container"],
        ["modprobe", "ubuntu-drivers"],
    ),
    ("Failed to open file '/dev/accel/accel0': Permission denied", LINUX, ["usermod -aG render"], ["TPU"]),
    (
        "OSError: libcuda.so: cannot open shared object file",
        {"os": "wsl2"},
        ["export LD_LIBRARY_PATH=/usr/lib/wsl/lib"],
        [],
    ),
    (
        "Failed to initialize NVML: could not load NVML library.\nIf this is a GPU node, did you set the docker default "
        "runtime to `nvidia`?",
        {},
        ["runtimeClassName: nvidia"],
        ["docker run"],
    ),
    (
        "$ which nvidia-smi\n/usr/bin/nvidia-smi\n" + NVIDIA_SMI,
        {"os": "wsl2"},
        ["apt-get purge", "wsl --update"],
        ["Secure Boot", "nouveau"],
    ),
    (
        '$ python -c "import torch; print(torch.cuda.is_available())"\nTrue\n'
        '$ srun python -c "import torch; print(torch.cuda.is_available())"\nFalse',
        {},
        ["--gpus=1"],
        ["install"],
    ),
    (
        "GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-0b1c)\n"
        "  MIG 2g.20gb     Device  0: (UUID: MIG-1f2e3d4c-aaaa-5bbb-8ccc-0123456789ab)\n"
        "RuntimeError: device >= 0 && device < num_gpus INTERNAL ASSERT FAILED at CUDAContext.cpp:49, please report a bug",
        LINUX,
        ["export CUDA_VISIBLE_DEVICES=MIG-1f2e3d4c-aaaa-5bbb-8ccc-0123456789ab"],
        ["unset"],
    ),
    (
        "WARNING  No GPU device found in OpenVINO. Falling back to CPU.",
        {"os": "container"},
        ["--device /dev/dri --group-add"],
        ["--gpus", "NVIDIA"],
    ),
    (
        CUINIT
        + "\nI cuda_diagnostics.cc:204] kernel reported version is: 535.54.3\nI cuda_diagnostics.cc:310] kernel version "
        "seems to match DSO: 535.54.3",
        LINUX,
        ["--gres=gpu:1", "unset CUDA_VISIBLE_DEVICES"],
        ["docker"],
    ),
    ("RuntimeError: No CUDA GPUs are available", {"os": "colab"}, ["Change runtime type"], []),
    # WSL is updated in Windows, and an AMD A10 is not NVIDIA's.
    (
        "2026-07-13 22:54:35.547805: F tensorflow/core/common_runtime/dml/dml_adapter_impl.cc:305] HRESULT failed with "
        "0xd0000001: DXCoreCreateAdapterFactory(IID_PPV_ARGS(&adapter_factory))\nPython 3.7.13 on [GCC 7.5.0] on linux",
        {"gpu": "AMD A10-7850K"},
        ["wsl --update", "AMD's current driver"],
        ["NVIDIA"],
    ),
    (
        "E: Unable to locate package nvidia-container-toolkit",
        {"os": "linux"},
        ["its package repository"],
        [],
    ),
    (
        "rocBLAS error: Could not initialize Tensile host: No devices found",
        {"os": "container", "gpu": "Radeon RX 7900 XTX"},
        ["--device=/dev/kfd"],
        ["compile the framework"],
    ),
    (
        "#SBATCH --gres=gpu:2\nexport CUDA_VISIBLE_DEVICES=0,1\nfailed call to cuInit: CUDA_ERROR_NO_DEVICE: no CUDA-capable "
        "device is detected",
        {},
        ["remove that line"],
        ["modprobe"],
    ),
    (
        "crw-rw---- 1 root render 234, 0 Mar  3 09:12 /dev/kfd\n>>> torch.cuda.is_available()\nFalse",
        {},
        ["usermod -aG render"],
        ["nvidia-smi"],
    ),
    ("CUDA_VISIBLE_DEVICES=NoDevFiles\nimport jax", LINUX, ["--gres=gpu:1"], ["torch"]),
    (
        "export CUDA_VISIBLE_DEVICES=MIG-0b6f53a7-0000,MIG-e18c2d94-0000\nRuntimeError: CUDA error: invalid device ordinal",
        LINUX,
        ["one MIG instance", "one process"],
        ["unset"],
    ),
    (
        "nvidia-smi\n|   0  NVIDIA A100-PCIE-40GB   On  |\nNo MIG devices found\n[]\n",
        LINUX,
        ["nvidia-smi mig -cgi 0 -C", "nvidia-smi -mig 0"],
        ["CUDA_VISIBLE_DEVICES"],
    ),
    (
        "$ docker compose up\n" + NO_CUINIT,
        {"os": "container"},
        ["compose.yaml", r"capabilities: \[gpu\]"],
        ["and-cuda"],
    ),
    (NO_CUINIT, {"os": "container"}, ["docker run --gpus all"], ["compose", "and-cuda"]),
    (NO_DEVICE + DPKG, {"os": "Ubuntu 22.04"}, [], ["apt-get purge", "wsl"]),
    ("WSL1 Ubuntu 20.04\n" + LIBCUDA, {}, ["wsl --set-version Ubuntu 2"], ["modprobe"]),
    (
        "srun --container-image=cuda\n" + CUINIT,
        LINUX,
        ["ConstrainDevices=yes"],
        [],
    ),
    (
        "docker run --gpus all -it tensorflow/tensorflow:latest-gpu\nE tensorflow/stream_executor/cuda/cuda_driver.cc:313] "
        "failed call to cuInit: UNKNOWN ERROR (-1)\nI cuda_diagnostics.cc:200] libcuda reported version is: Not found: was "
        "unable to find libcuda.so DSO loaded into this program",
        {},
        ["capabilities=compute,utility"],
        [],
    ),
    # what hides the GPU, what builds nothing for it
    (
        "RayTaskError(RuntimeError)\nMisconfigurationException: You requested gpu: [0]\n But your machine only has: []",
        {},
        ["num_gpus=1"],
        [],
    ),
    (
        "nvcc fatal   : Unsupported gpu architecture 'compute_No CUDA devices found.'",
        {},
        ["CMAKE_CUDA_ARCHITECTURES"],
        ["too old"],
    ),
    # what JAX only notes, and what ends the program
    (
        "RuntimeError: Unable to initialize backend 'rocm': module 'jaxlib.xla_extension' has no attribute "
        "'GpuAllocatorConfig' (set JAX_PLATFORMS='' to automatically choose an available backend)",
        {**LINUX, "gpu": "RTX 3090"},
        ["JAX_PLATFORMS=cuda"],
        ["plug-in for ROCm"],
    ),
    ('Error: could not select device driver "cdi" with capabilities: [[gpu]]', LINUX, ["daemon.json"], [ANY_INSTALL]),
    (
        "NvRmMemInitNvmap failed with No such file or directory",
        {"os": "container"},
        ["--runtime nvidia", "l4t"],
        ["pip "],
    ),
    ("NvRmMemInitNvmap failed with Permission denied", {}, ["."], ["l4t-"]),
    (
        "$ apptainer exec app.sif python a.py\nRuntimeError: CUDA driver version is insufficient for CUDA runtime version",
        LINUX,
        ["--nv"],
        ["update NVIDIA's driver", "ubuntu-drivers"],
    ),
    (
        "ValueError: The number of required GPUs exceeds the total number of available GPUs in the placement group.",
        LINUX,
        ["ray status", "--num-gpus"],
        ["tensorflow"],
    ),
    (
        "nvidia-container-cli: initialization error: load library failed: libnvidia-ml.so.1: cannot open shared object file",
        WINDOWS,
        ["wsl --update", "driver in Windows"],
        ["snap", "apt "],
    ),
    (
        'level=INFO msg="no compatible GPUs were discovered" ollama',
        {"os": "container", "gpu": "RTX 4070"},
        ["--gpus"],
        [ANY_INSTALL],
    ),
    (
        "nvidia-container-cli: initialization error: change root failed: no such file or directory: unknown.",
        LINUX,
        ["snap", "nvidia-ctk"],
        ["pip install"],
    ),
    (NVIDIA_SMI, {"os": "wsl2", "gpu": "RTX 3060"}, ["In Windows", "purge"], ["apt-get install", "modprobe"]),
    (
        "RuntimeError: No HIP GPUs are available",
        {"os": "container", "gpu": "AMD Instinct MI210", "packages": {"torch": None}},
        ["/dev/kfd"],
        ["--gpus", "nvidia"],
    ),
    (CUINIT, {**WINDOWS, "env": {"CUDA_VISIBLE_DEVICES": "3"}}, ["Remove-Item Env:CUDA_VISIBLE_DEVICES"], ["unset"]),
    (CUINIT, {**LINUX, "env": {"CUDA_VISIBLE_DEVICES": "3"}}, ["unset CUDA_VISIBLE_DEVICES"], ["Remove-Item"]),
    (DOCKER, LINUX, ["--gpus all", "nvidia-ctk"], ["winget", "/dev/kfd"]),
    (DOCKER, WINDOWS, ["WSL 2", "wsl --update", "--gpus all"], ["nvidia-ctk", "sudo", "host"]),
    (DOCKER, {**WINDOWS, "gpu": "AMD Radeon RX 7900 XTX"}, ["NVIDIA's GPUs only"], ["nvidia-ctk", "--gpus"]),
    (DOCKER, MAC, ["Mac"], ["nvidia-ctk", "--gpus", "sudo"]),
    ("OS: Fedora 40\n" + NO_TOOLKIT, LINUX, ["dnf install -y nvidia-container-toolkit", "nvidia-ctk"], ["apt-get"]),
    (NO_TOOLKIT, {**LINUX, "os_version": "Ubuntu 20.04"}, ["apt-get install -y nvidia-container-toolkit"], ["dnf"]),
    ("ValueError: Please provide a TPU Name to connect to.", {}, ["local", "Colab"], ["GPU"]),
]
