"""Rows about ROCm and AMD's GPUs."""

from log_rows.texts import ANY_INSTALL, HIP, LINUX, NO_CUDA_TORCH, WINDOWS

NO_BINARY = '"hipErrorNoBinaryForGpu: Unable to find code object for all current devices!"'
NO_HIP_CODE = "RuntimeError: HIP error: invalid device function"
WSL_ROCM = "ls: cannot access '/dev/kfd': No such file or directory\nhipGetDeviceCount: Returned hipErrorNoDevice\n"

#: What `explain` reads, what is known, what an answer has, and what it does not have (patterns).
ROWS = [
    (
        "ERROR: No matching distribution found for torch==2.3.0+rocm6.0",
        {"os": "windows", "gpu": "Radeon RX 7900 XTX"},
        ["AMD has some for Windows"],
        ["index-url", "pip install torch"],
    ),
    *(
        (
            '  File "/env/lib/python3.10/site-packages/flash_attn/flash_attn_interface.py", line 51, in _flash_attn_forward\n'
            + NO_HIP_CODE,
            {**LINUX, "gpu": gpu, "packages": {"torch": "2.3.0"}},
            has,
            lacks,
        )
        for gpu, has, lacks in (
            ("AMD Instinct MI250X", ["GPU_ARCHS=gfx90a .*flash-attn"], ["pip install torch"]),
            ("Radeon RX 6800", [], ["GPU_ARCHS"]),
        )
    ),
    (
        "RuntimeError: DeviceGemm_Xdl_CShuffle<256, 128, 128> does not support this problem",
        {**LINUX, "gpu": "Instinct MI50"},
        ["sdpa"],
        ["Ampere"],
    ),
    (
        "llama.cpp: rocBLAS error: Cannot read TensileLibrary.dat: No such file or directory for GPU arch : gfx1103",
        {"os": "windows", "gpu": "Radeon 780M"},
        ["build for Vulkan", "gfx1103"],
        ["HSA_OVERRIDE", "DirectML"],
    ),
    # FlashAttention for AMD's GPUs: no words about NVIDIA's.
    (
        "RuntimeError: FlashAttention only supports AMD MI200 GPUs or newer.",
        {**LINUX, "gpu": "Radeon RX 7800 XT"},
        ["sdpa", "FLASH_ATTENTION_TRITON_AMD_ENABLE=TRUE"],
        ["Ampere|Turing"],
    ),
    (
        "rocBLAS error: Cannot read /opt/rocm-6.4.1/lib/rocblas/library/TensileLibrary.dat: No such file or directory for GPU "
        "arch : gfx906",
        {"os": "linux", "gpu": "Radeon VII", "rocm": "6.4.1"},
        [r"ROCm 6\.3 is the last"],
        ["HSA_OVERRIDE"],
    ),
    (
        "rocBLAS error: Cannot read /opt/rocm-5.7.0/lib/rocblas/library/TensileLibrary.dat: No such file or directory",
        {"os": "linux", "gpu": "Radeon RX 7900 XTX", "rocm": "5.4.0"},
        ["AMD's own, newer builds"],
        ["is the last"],
    ),
    (
        "RuntimeError: No HIP GPUs are available",
        {"os": "windows", "gpu": "AMD Radeon RX 9070 XT", "packages": {"torch": "2.9.0+rocm7"}},
        ["integrated GPU off"],
        [],
    ),
    (
        "[    3.044705] amdgpu 0000:04:00.0: kfd not supported on this ASIC",
        {"os": "linux", "os_version": "kernel 4.15", "gpu": "AMD Radeon RX Vega"},
        ["newer kernel"],
        ["too old"],
    ),
    # A program of HIP itself, in a container and outside of it; results of one operation on two devices.
    (
        "error: 'hipErrorInvalidDevice'(101) at square.cpp:61",
        {"os": "linux", "gpu": "AMD Vega 56", "rocm": "5.1.3"},
        ["usermod -aG render,video"],
        ["that the build was made for"],
    ),
    (
        "hsa api call failure at: /src/rocminfo/rocminfo.cc:1102",
        {"os": "container", "gpu": "AMD"},
        ["--device=/dev/kfd", "host's kernel driver and the image's ROCm"],
        ["that the build was made for"],
    ),
    # AMD: a processor's Vega, and what MIOpen compiles.
    (
        HIP,
        {"os": "linux", "packages": {"tensorflow-rocm": None}, "gpu": "AMD Radeon Vega 11 (Ryzen 5 2400G)"},
        [r"GFX_VERSION=9\.0\.0", "gfx902"],
        [r"10\.3\.0"],
    ),
    (
        "/tmp/comgr-9b418c/include/miopen_rocrand.hpp:45:10: fatal error: 'rocrand/rocrand_xorwow.h' file not found",
        {"os": "linux", "packages": {"torch": "2.8.0+rocm6.4"}},
        ["rocrand-dev"],
        ["/dev/kfd"],
    ),
    (
        "hipGetDeviceCount: Returned hipErrorNoDevice :",
        {"os": "windows", "gpu": "AMD Radeon RX 7900 XT", "rocm": "5.7.1"},
        ["Adrenalin"],
        ["use Linux"],
    ),
    (
        "RuntimeError: HIP error: no kernel image is available for execution on the device",
        {"os": "wsl2", "packages": {"torch": "2.4.0+rocm6.1"}, "gpu": "AMD Radeon RX 7900 XTX"},
        ["libhsa-runtime64"],
        ["nvidia"],
    ),
    # No build of the registry has code for it, though AMD supports it.
    (
        "Created device /job:localhost/replica:0/task:0/device:GPU:0 with 23754 MB memory\nSegmentation fault (core dumped)",
        {"os": "linux", "packages": {"tensorflow-rocm": "2.11"}, "gpu": "AMD Radeon RX 7900 XTX", "rocm": "5.5"},
        ["no code for this GPU", "newer builds"],
        ["OVERRIDE"],
    ),
    # rocminfo itself fails: ROCm is installed, and no library is missing.
    (
        "hsa api call failure at: /src/rocminfo.cc:1282\nCall returned HSA_STATUS_ERROR_OUT_OF_RESOURCES",
        {"os": "linux", "gpu": "AMD Radeon PRO W7800", "rocm": "6.3"},
        ["usermod", "dmesg", "reboot"],
        ["LD_LIBRARY_PATH", "Install the ROCm", "does not support [^t]", r"usermod(?:.|\n)*usermod"],
    ),
    (
        "hsa api call failure at: /src/rocminfo.cc:1140\nCall returned HSA_STATUS_ERROR_OUT_OF_RESOURCES",
        {"os": "linux", "gpu": "RX 580", "packages": {"torch": None}},
        ["does not support gfx803"],
        ["tensorflow"],
    ),
    # MIOpen fails on a GPU that it has kernels for.
    (
        "MIOpen Error: handleocl.cpp:332: Cannot Initialize Handle from Queue\ncould not create miopen handle",
        {"os": "linux", "gpu": "AMD Radeon VII (gfx906)", "packages": {"tensorflow-rocm": "1.14"}},
        ["other releases", r"rm -rf ~/\.cache/miopen"],
        ["no code", "use the CPU"],
    ),
    (
        "F gpu_launch_config.h:174] Check failed: err == hipSuccess (98 vs. 0)",
        {"os": "linux", "gpu": "MI100 (gfx908)", "packages": {"tensorflow-rocm": "2.12.0"}},
        [r"gfx908"],
        [r"venv fresh"],
    ),
    # AMD's GPUs: what the time of HCC printed, a driver that is too old, a processor's GPU.
    (
        "  what():  No device code available for function: _ZN5Eigen8internal15EigenMetaKernel\nAborted (core dumped)",
        {"os": "linux", "gpu": "RX 580 (gfx803)", "packages": {"tensorflow-rocm": "1.10.0"}},
        [r"gfx803 is 2\.2\.0"],
        [r"venv fresh"],
    ),
    (
        "#0  0x00007fffa6ed9cd8 in  () at /opt/rocm/hip/lib/libamdhip64.so.5\ninterrupted by signal 11: SIGSEGV",
        {"os": "linux", "gpu": "Ryzen 7 5825U", "packages": {"torch": "2.0.1"}, "rocm": "5.4.3"},
        [r"HSA_OVERRIDE_GFX_VERSION=9\.0\.0"],
        [r"venv fresh"],
    ),
    # ROCm: a library that is missing ends the program as well, and so does an error of its runtime.
    (
        "NotFoundError: librccl.so: cannot open shared object file: No such file or directory\n  what():  std::bad_alloc",
        {"os": "linux", "os_version": "Fedora 39", "packages": {"tensorflow-rocm": "2.13.0.570"}, "rocm": "5.7"},
        [r"dnf install rccl"],
        [r"RAM|--mem"],
    ),
    (
        "### HCC STATUS_CHECK Error: HSA_STATUS_ERROR (0x1000) at file:mcwamp_hsa.cpp line:3655\nAborted (core dumped)",
        {"os": "linux", "gpu": "RX Vega 64", "rocm": "1.8"},
        [r"rocminfo"],
        [r"venv fresh"],
    ),
    (
        "Error invalid device function at line 224 in file /src/csrc/ops.hip",
        {"os": "linux", "gpu": "RX 6700 XT"},
        [r"HSA_OVERRIDE_GFX_VERSION=10\.3\.0"],
        [],
    ),
    # A release has wheels for some Pythons, and was measured to fail with what pip would bring.
    (
        HIP,
        {"os": "linux", "python": "3.12", "packages": {"tensorflow-rocm": "2.4.3"}, "gpu": "gfx1030", "rocm": "4.2"},
        [r"--python 3\.11 env && .* tensorflow-rocm==2\.13\.1\.600"],
        ["python -m pip install tensorflow-rocm"],
    ),
    (
        "ImportError: librccl.so.1: cannot open shared object file: No such file or directory",
        {"os": "linux", "python": "3.8", "packages": {"tensorflow-rocm": "2.3.0"}, "rocm": "3.5.1"},
        [r'python -m pip install tensorflow-rocm==2\.2\.0 "numpy<1\.20" "protobuf<4\.21"$'],
        ["h5py"],
    ),
    (
        "Process exit code: -1073741819 (0xC0000005, Access Violation)",
        {"os": "windows", "gpu": "AMD Radeon RX 6700 XT", "packages": {"torch": "2.9.0+rocm7.1"}},
        ["no code for this GPU", "gfx1031"],
        ["PYTHONFAULTHANDLER"],
    ),
    (
        "OSError: [WinError 1114] A dynamic link library (DLL) initialization routine failed. Error loading "
        '"D:\\env\\Lib\\site-packages\\torch\\lib\\c10_hip.dll" or one of its dependencies.',
        {"os": "windows", "gpu": "RX 7900 XTX", "packages": {"torch": "2.9.0+rocm7.1"}},
        ["Adrenalin", "rocm-sdk"],
        ["VCRedist"],
    ),
    (
        "RuntimeError: Unable to initialize backend 'rocm': NOT_FOUND: No visible GPU devices. (set JAX_PLATFORMS=cpu to "
        "skip this backend.)",
        {"os": "linux", "gpu": "RX 7900 XTX", "packages": {"jax": "0.4.35", "jax-rocm60-plugin": "0.4.35"}},
        ["finds no AMD GPU", "usermod -aG render"],
        ["has no part", "pip install"],
    ),
    ("/bin/sh: 1: hipcc: not found", {"os": "linux", "gpu": "RX 7900 XTX"}, ["/opt/rocm/bin"], ["cuda"]),
    (
        "GPU model: 5500 XT\nRuntimeError: HIP error: invalid device function",
        LINUX,
        ["gfx1012"],
        ["rocminfo"],
    ),
    (
        "Ubuntu 24.04\n hipsolver : Depends: libcholmod3 but it is not installable",
        {},
        ["Register AMD's repository"],
        ["LD_LIBRARY_PATH"],
    ),
    # A machine in one line: the GPU by its short name, Python without "version".
    (
        "RuntimeError: HIP error: invalid device function\ntorch: 2.5.0.dev20240710+rocm6.1\nRX 6700S, Ubuntu, python 3.10",
        {},
        [r"export HSA_OVERRIDE_GFX_VERSION=10\.3\.0"],
        ["On Linux", "CUDA"],
    ),
    # A variable before the command.
    (
        "ODD_MODE=1 HSA_OVERRIDE_GFX_VERSION=11.0.0 python t.py\nMemory access fault by GPU node-1 (Agent handle: 0x1b37) on "
        "address 0x7f76. Reason: Page not present or supervisor privilege.\nAMD Radeon 8060S (Strix Halo)\nimport torch",
        {},
        ["unset HSA_OVERRIDE", "gfx1151"],
        ["AMD_SERIALIZE"],
    ),
    (
        "ImportError: libamdhip64.so.5: cannot open shared object file: No such file or directory",
        {"os": "linux", "rocm": "5.0.0"},
        [r"/opt/rocm\*/hip/lib"],
        ["CUDA"],
    ),
    (
        "torch 2.9.0+rocm6.4\nMIOpen Error: hipoc_program.cpp:299: Code object build failed. Source: naive_conv.cpp\n"
        "RuntimeError: miopenStatusUnknownError",
        {"os": "linux", "gpu": "Radeon RX 9060 XT"},
        [r"cudnn\.enabled = False"],
        ["CUDA_"],
    ),
    (
        "ImportError: librocm_smi64.so.5: cannot open shared object file: No such file or directory",
        {"os": "arch", "packages": {"tensorflow-rocm": "2.8.0"}},
        ["pacman -S rocm-smi-lib"],
        ["apt"],
    ),
    # ollama looks for NVIDIA's driver on every machine; the GPU is AMD's.
    (
        'level=INFO source=gpu.go:343 msg="Unable to load libcudart.so.11.0: your nvidia driver is too old or missing"\n'
        'level=WARN source=amd_linux.go:346 msg="amdgpu is not supported" gpu=0 gpu_type=gfx1032 supported_types="[gfx1030]"',
        LINUX,
        [r"HSA_OVERRIDE_GFX_VERSION=10\.3\.0"],
        ["nvidia"],
    ),
    # It works in a container: the program that fails is outside of it.
    (
        "RuntimeError: No HIP GPUs are available\nIt works in any docker container (docker run --device /dev/kfd ubuntu)",
        LINUX,
        ["usermod -aG render,video"],
        ["docker run"],
    ),
    (
        "WSL environment detected.\nROCR: unsupported GPU\nhsa api call failure at: /src/rocminfo/rocminfo.cc:1306\n"
        "Call returned HSA_STATUS_ERROR_OUT_OF_RESOURCES",
        {"os": "wsl2", "gpu": "Radeon RX 7600"},
        ["wsl_compatibility", "dual boot"],
        ["HSA_ENABLE_DXG_DETECTION", "HSA_OVERRIDE"],
    ),
    # A GPU by its short name next to the log: the override runs the code of its relative, or a build with its own code.
    (
        "RuntimeError: HIP error: invalid device function\ntorch 2.6.0+rocm6.2.4, RX 7600 XT, Ubuntu 24.04",
        LINUX,
        [r"HSA_OVERRIDE_GFX_VERSION=11\.0\.0", "gfx1102"],
        [r"10\.3\.0", "rocminfo"],
    ),
    ("| GPU  | RX 570 |\n" + HIP, LINUX, ["gfx803"], ["10.3.0"]),
    (
        "MIOpen(HIP): Error [BuildHip] HIPRTC status = HIPRTC_ERROR_COMPILATION (6), source file: MIOpenNeuron.cpp\n"
        "/tmp/comgr-1-2-3a/include/miopen_cstdint.hpp:36:34: error: typedef redefinition with different types\n"
        "RuntimeError: miopenStatusUnknownError",
        {**LINUX, "gpu": "Radeon RX 6650 XT"},
        [r"cudnn\.enabled = False"],
        ["HSA_OVERRIDE"],
    ),
    (
        "RuntimeError: No HIP GPUs are available\nRyzen 7 5700U with Radeon Graphics\ntorch\\csrc\\",
        WINDOWS,
        ["gfx90c", "CPU"],
        ["Linux"],
    ),
    # rocBLAS: the old folder that a loader finds first, and an SDK without the GPU.
    (
        "rocBLAS error: Cannot read /opt/rocm-5.4.0/rocblas/lib/rocblas/library/TensileLibrary.dat: No such file or directory",
        {},
        [r"ROCBLAS_TENSILE_LIBPATH", r"LD_LIBRARY_PATH=/opt/rocm/lib\n"],
        [r"HSA_OVERRIDE"],
    ),
    (
        "rocBLAS error: Cannot read C:\\Program Files\\AMD\\ROCm\\6.2\\bin\\/rocblas/library/TensileLibrary.dat: No such file "
        "or directory for GPU arch : gfx1200",
        {},
        [r"HIP SDK 6\.4\.2"],
        [r"HSA_OVERRIDE", r"DirectML"],
    ),
    # apt: AMD's packages next to those of the distribution, and what AMD has no more.
    (
        " rocm-dev : Depends: rocm-cmake (= 0.14.0.60300-9~24.04) but 6.0.0-1 is to be installed",
        {},
        [r"Pin-Priority: 600", r"takes rocm-cmake 6\.0\.0-1"],
        [r"amdgpu-install"],
    ),
    (
        " rocm-dkms : Depends: rock-dkms but it is not installable",
        {},
        [r"amdgpu-install"],
        [r"Pin-Priority"],
    ),
    # The web UI for AMD's GPUs takes PyTorch for the CPU where it finds no HIP SDK: no build for CUDA helps.
    (
        "ROCm: version=None\nZLUDA support: experimental\nFailed to install ZLUDA: name 'HIPSDK' is not defined\n"
        "Using CPU-only torch\n" + NO_CUDA_TORCH,
        {},
        [r"HIP SDK", r"HIP_PATH", r"6\.4\.2", r"venv and \.zluda", r"--directml"],
        [r"whl/cu", r"git clone"],
    ),
    # A container in WSL gets /dev/dxg.
    (
        "$ uname -r\n6.6.87.2-microsoft-standard-WSL2\n$ docker run --device=/dev/kfd --device=/dev/dri rocm/pytorch\n"
        'docker: Error response from daemon: error gathering device information while adding custom device "/dev/kfd": no '
        "such file or directory.",
        {},
        [
            r"WSL have no /dev/kfd",
            r"docker run --device=/dev/dxg -e HSA_ENABLE_DXG_DETECTION=1 -v /usr/lib/wsl/lib/libdxcore",
        ],
        [r"export HSA_ENABLE", r"rm \""],
    ),
    (
        "rocblaslt warning: No paths matched /e/torch/lib/hipblaslt/library/*gfx906*co. Make sure that it is set correctly.\n"
        "RuntimeError: CUDA error: HIPBLAS_STATUS_NOT_SUPPORTED when calling `HIPBLAS_STATUS_NOT_SUPPORTED`",
        LINUX,
        [r"export TORCH_BLAS_PREFER_HIPBLASLT=0"],
        [r"HSA_OVERRIDE"],
    ),
    (
        ">>> torch.version.hip\n'6.4.43482-0f2d60242'\n>>> torch.cuda.is_available()\nFalse\n"
        "Linux-6.6.87.2-microsoft-standard-WSL2-x86_64-with-glibc2.39",
        {},
        ["HSA_ENABLE_DXG_DETECTION"],
        ["NVIDIA", "index-url"],
    ),
    (
        "pytorch version: 2.6.0+rocm6.3\nHIP error: invalid device function",
        {"os": "linux", "gpu": "gfx1201", "packages": {"torch": "2.6.0+rocm6.3", "torchvision": "0.21.0+rocm6.3"}},
        [r"uninstall -y torch torchvision"],
        [],
    ),
    (HIP, {**LINUX, "gpu": "AMD Radeon RX 580 (gfx803)"}, [r"580 \(gfx803\):"], []),
    # The newest build with code for the GPU has no wheel for this Python.
    (
        "rocBLAS error: Cannot read /x/lib/python3.9/site-packages/torch/lib/rocblas/library/TensileLibrary.dat: No such file",
        {**LINUX, "gpu": "AMD Radeon RX 7900 XTX", "python": "3.9", "packages": {"torch": "2.0.1"}},
        [r"torch==2\.8\.0 --index-url \S+/rocm6\.4"],
        [r"rocm7"],
    ),
    # ROCm as pip's packages is not under /opt/rocm.
    (
        "/e/lib/python3.12/site-packages/_rocm_sdk_core/lib/libamdhip64.so.7\nImportError: libMIOpen.so.1: cannot open shared "
        "object file: No such file or directory",
        LINUX,
        ["LD_LIBRARY_PATH", "_rocm_sdk_"],
        ["/opt/rocm"],
    ),
    # WSL has no kernel module for the GPU and no groups that own it.
    (
        ">>> torch.cuda.is_available()\nFalse",
        {"os": "wsl2", "gpu": "AMD Radeon RX 7900 XT", "packages": {"torch": "2.9.1+rocm7.2"}},
        ["rm .*libhsa-runtime64", "HSA_ENABLE_DXG_DETECTION"],
        ["usermod", "/dev/kfd", "modprobe"],
    ),
    (
        "WARNING:jax_plugins.xla_rocm7:rocm_plugin_extension not found\nRuntimeError: Unable to initialize backend 'rocm': "
        "Backend 'rocm' is not in the list of known backends: ['cpu', 'tpu']. (set JAX_PLATFORMS='' to automatically choose",
        {**LINUX, "gpu": "AMD Radeon RX 7900 XTX", "packages": {"jax": "0.9.1", "jaxlib": "0.9.1"}},
        ["Install ROCm 7", "LD_LIBRARY_PATH"],
        ["JAX_PLATFORMS", "install jax"],
    ),
    # A variable that lets a GPU with code of its own pass as another one.
    (
        "RuntimeError: HIP error: invalid device function",
        {
            **LINUX,
            "gpu": "RX 7900 XTX",
            "packages": {"torch": "2.6.0+rocm6.2.4"},
            "env": {"HSA_OVERRIDE_GFX_VERSION": "10.3.0"},
        },
        ["unset HSA_OVERRIDE_GFX_VERSION"],
        [],
    ),
    (
        "RuntimeError: HIP error: invalid device function",
        {
            **LINUX,
            "gpu": "RX 6600",
            "packages": {"torch": "2.4.1+rocm6.1"},
            "env": {"HSA_OVERRIDE_GFX_VERSION": "11.0.0"},
        },
        [r"export HSA_OVERRIDE_GFX_VERSION=10\.3\.0"],
        ["unset HSA_OVERRIDE_GFX_VERSION"],
    ),
    (
        "ImportError: libhipsparse.so.4: cannot open shared object file: No such file or directory",
        {**LINUX, "gpu": "Radeon AI PRO R9700", "packages": {"tensorflow-rocm": "2.21.0"}},
        [r"hipconfig -R"],
        [],
    ),
    # An override that is set already is not the cure, and may be the cause.
    (
        "Callback: Queue 0x7f aborting with error : HSA_STATUS_ERROR_INVALID_ISA: The instruction set architecture is "
        "invalid. code: 0x100f",
        {"os": "linux", "gpu": "gfx1150", "env": {"HSA_OVERRIDE_GFX_VERSION": "11.0.0"}},
        ["unset HSA_OVERRIDE_GFX_VERSION"],
        ["export HSA_OVERRIDE"],
    ),
    (
        "RuntimeError: HIP error: invalid device function",
        {
            "os": "linux",
            "gpu": "gfx1103",
            "packages": {"torch": "2.4.0+rocm6.1"},
            "env": {"HSA_OVERRIDE_GFX_VERSION": "11.0.0"},
        },
        ["gfx1103"],
        ["export HSA_OVERRIDE"],
    ),
    (
        "rocBLAS error: Cannot read /opt/rocm-6.4.0/lib/rocblas/library/TensileLibrary.dat: No such file or directory for GPU "
        "arch : gfx906",
        {"os": "linux", "gpu": "AMD Radeon VII", "packages": {"torch": "2.9.0+rocm6.4"}},
        ["newest build with code for gfx906 is that for ROCm 6.3", "torch==2.7.1"],
        [],
    ),
    (
        "MIOpen Error: /MIOpen/src/gemm_geometry.cpp:131: Failed to find any solver\n"
        "UnknownError: Failed to get convolution algorithm. This is probably because cuDNN failed to initialize",
        {"os": "linux", "gpu": "RX 580", "packages": {"tensorflow-rocm": "2.3.1"}},
        ["MIOpen", "gfx803"],
        ["cuDNN did not start", "smaller batch"],
    ),
    (
        "hsa_init Failed, possibly no supported GPU devices\nfailed call to hipInit: HIP_ERROR_InvalidDevice",
        {"os": "linux", "gpu": "RX Vega 56", "packages": {"tensorflow-rocm": "1.13.1"}},
        ["usermod -aG render,video"],
        [],
    ),
    (
        'guarantee(false && "hipErrorNoBinaryForGpu: Coudn\'t find binary for current devices!")',
        {"os": "linux", "gpu": "RX 580", "packages": {"tensorflow-rocm": None}},
        ["too old for it", "tensorflow-rocm that runs on gfx803 is 2.2.0"],
        ["too new"],
    ),
    (
        WSL_ROCM + "hsa-runtime-rocr4wsl-amdgpu 1.14.0\nimport torch\n",
        {"os": "wsl2", "gpu": "RX 7900 XT"},
        ["libhsa-runtime64"],
        [],
    ),
    (NO_HIP_CODE + "\nGPU: Radeon 8060S\n", {}, ["gfx1151"], ["11.0.0"]),
    (NO_HIP_CODE + "\nStrix Halo, Ubuntu 24\n", {}, ["gfx1151"], ["11.0.0"]),
    (
        "RuntimeError: No HIP GPUs are available",
        {"os": "Ubuntu 22.04", "packages": {"torch": "2.4.0+rocm6.1"}},
        ["usermod -aG render,video", "/dev/kfd"],
        ["LD_LIBRARY_PATH"],
    ),
    (
        "RuntimeError: Unknown backend rocm. Available backends are ['cpu']",
        {**LINUX, "gpu": "gfx1151"},
        ["jax-rocm7-pjrt", "rocminfo"],
        ["cuda"],
    ),
    # AMD's GPUs by what people call them
    (
        "RuntimeError: HIP error: invalid device function",
        {**LINUX, "gpu": "Strix Halo"},
        ["gfx1151"],
        [r"10\.3\.0", "nvidia-smi"],
    ),
    (
        "RuntimeError: HIP error: invalid device function",
        {**LINUX, "gpu": "2x AMD Radeon Pro WX 4100"},
        ["gfx803", "does not support"],
        ["HSA_OVERRIDE"],
    ),
    # ollama runs as a service, which no shell's variables reach
    (
        'ollama[801]: level=WARN msg="amdgpu is not supported (supported types:[gfx1030])" gpu_type=gfx1032',
        LINUX,
        ["systemctl edit ollama", r"HSA_OVERRIDE_GFX_VERSION=10\.3\.0"],
        [ANY_INSTALL],
    ),
    (
        'msg="amdgpu is not supported (supported types:[])" gpu_type=gfx1036 library=ollama',
        WINDOWS,
        ["OLLAMA_VULKAN", "user's environment variables"],
        ["systemctl", "export"],
    ),
    (
        "RuntimeError: No HIP GPUs are available",
        {**LINUX, "gpu": "RX 7800 XT"},
        ["rocminfo", "render,video"],
        ["nvidia"],
    ),
    (
        'msg="amdgpu is not supported (supported types:[gfx1030 gfx1100])" gpu_type=gfx1035 library=/usr/lib/ollama',
        LINUX,
        [r"HSA_OVERRIDE_GFX_VERSION=10\.3\.0", "OLLAMA_VULKAN=1"],
        [ANY_INSTALL, "AMD's own builds"],
    ),
    # ROCm's own numbers
    (
        "ImportError: libhipsparse.so.4: cannot open shared object file: No such file or directory",
        {**LINUX, "packages": {"tensorflow-rocm": "2.20.0"}, "rocm": "7.1"},
        ["LD_LIBRARY_PATH", "hipconfig -R"],
        [r"ROCm 4\b"],
    ),
    (
        "Ignoring visible gpu device (device: 0, name: AMD Radeon Pro W6800, pci bus id: 0000:03:00.0) with AMDGPU version : "
        "gfx1030. The supported AMDGPU versions are gfx1030gfx1100, gfx900, gfx906.",
        LINUX,
        ["newer TensorFlow from AMD's own index"],
        ["HSA_OVERRIDE_GFX_VERSION=", "nvidia"],
    ),
    (
        "/usr/lib/python3.8/dist-packages/tensorflow/libtensorflow_framework.so.2: undefined symbol: _ZN8hip_impl8hipThing",
        {**LINUX, "packages": {"tensorflow-rocm": "2.3.0"}, "rocm": "4.0"},
        ["ROCm"],
        ["uninstall", "venv"],
    ),
    ("RuntimeError: HIP error: shared object initialization failed", LINUX, ["AMD"], ["tensorflow", "nvidia"]),
    # AMD: the override of the GPU's own family, or none
    (
        HIP,
        {**LINUX, "packages": {"torch": None}, "gpu": "Radeon RX 6700 XT"},
        [r"HSA_OVERRIDE_GFX_VERSION=10\.3\.0"],
        [r"=11\.0", "nvidia"],
    ),
    (
        HIP,
        {**LINUX, "packages": {"torch": None}, "gpu": "Radeon RX 7600"},
        [r"HSA_OVERRIDE_GFX_VERSION=11\.0\.0"],
        [r"=10\.3", "nvidia"],
    ),
    (
        HIP,
        {**LINUX, "packages": {"tensorflow-rocm": "2.4.3"}, "gpu": "Radeon RX 580"},
        ["not support"],
        ["HSA_OVERRIDE_GFX_VERSION=", "nvidia"],
    ),
    (HIP, {**LINUX, "packages": {"torch": None}}, ["rocminfo"], ["HSA_OVERRIDE_GFX_VERSION=", "tensorflow"]),
    ("i have an rx 6600\n" + NO_BINARY, LINUX, [r"HSA_OVERRIDE_GFX_VERSION=10\.3\.0"], [r"11\.0\.0"]),
    (
        "E rocm_driver.cc:606] failed to allocate 127.99TiB (140729850295296 bytes) from device: HIP_ERROR_OutOfMemory",
        {**LINUX, "packages": {"tensorflow-rocm": "2.9.1"}},
        ["not a real size", r"needs ROCm 5\.1"],
        ["smaller batch"],
    ),
]
