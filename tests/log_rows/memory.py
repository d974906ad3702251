"""Rows about memory, of the device and of the host."""

from log_rows.texts import IMPORTED, LINUX, MAC, WINDOWS

SHM = (
    "RuntimeError: DataLoader worker (pid 411) is killed by signal: Bus error. It is possible that "
    "dataloader's workers are out of shared memory."
)
OOM_TORCH = (
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 8.00 GiB"
)
OOM_TF = (
    "ResourceExhaustedError: OOM when allocating tensor with shape[64,512] and type float on "
    "/job:localhost/device:GPU:0 by allocator GPU_0_bfc"
)
OOM_JAX = "jax.errors.JaxRuntimeError: RESOURCE_EXHAUSTED: Out of memory while trying to allocate 4294967296 bytes."
JAXLIB_CUDNN = (
    "E external/org_tensorflow/tensorflow/compiler/xla/stream_executor/cuda/cuda_dnn.cc:429] Could not create cudnn handle: "
    "CUDNN_STATUS_INTERNAL_ERROR"
)
TORCH_OOM = (
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate %s. GPU 0 has a total capacity of 8.00 GiB of which %s is "
    "free. %sIncluding non-PyTorch memory, this process has %s memory in use. Of the allocated memory %s is allocated by "
    "PyTorch, and %s is reserved by PyTorch but unallocated. If reserved but unallocated memory is large try setting "
    "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation."
)
OLD_OOM = (
    "RuntimeError: CUDA out of memory. Tried to allocate %s (GPU 0; 8.00 GiB total capacity; %s already allocated; %s "
    "free; %s reserved in total by PyTorch)"
)
TF_OOM = (
    "2024-01-02 03:04:05.678901: I tensorflow/core/common_runtime/gpu/gpu_device.cc:2021] Created device /job:localhost/"
    "replica:0/task:0/device:GPU:0 with %d MB memory:  -> device: 0, name: NVIDIA RTX A5000, compute capability: 8.6\n"
    "tensorflow.python.framework.errors_impl.ResourceExhaustedError: OOM when allocating tensor with shape[64,64,112,112] and "
    "type float on /job:localhost/replica:0/task:0/device:GPU:0 by allocator GPU_0_bfc"
)
FULL_OOM = TORCH_OOM % ("512.00 MiB", "100.00 MiB", "", "7.80 GiB", "7.60 GiB", "90.00 MiB")
TAKEN_OOM = TORCH_OOM % (
    "20.00 MiB",
    "10.00 MiB",
    "Process 4711 has 6.90 GiB memory in use. ",
    "1.00 GiB",
    "0.9 GiB",
    "9.00 MiB",
)
PIECES_OOM = TORCH_OOM % ("1.00 GiB", "500.00 MiB", "", "7.40 GiB", "4.90 GiB", "2.40 GiB")
HUGE_OOM = TORCH_OOM % ("64.00 GiB", "7.00 GiB", "", "0.90 GiB", "0.60 GiB", "9.00 MiB")
CUDNN_HANDLE = (
    "2024-01-02 03:04:05.678901: E tensorflow/compiler/xla/stream_executor/cuda/cuda_dnn.cc:417] Could not create cudnn "
    "handle: CUDNN_STATUS_NOT_INITIALIZED\n"
)
SMI_ROW = "|    0   N/A  N/A     %d      %s   ...envs/tf/bin/python     %dMiB |\n"

#: What `explain` reads, what is known, what an answer has, and what it does not have (patterns).
ROWS = [
    *(
        (line, MAC, ["machine's memory"], ["pip install"])
        for line in ("Killed: 9", "Epoch 1/9\nzsh: killed     python fit.py")
    ),
    (
        "onnxruntime RuntimeException: CUBLAS failure 3: CUBLAS_STATUS_ALLOC_FAILED ; expr=cublasCreate(&cublas_handle_);",
        {**LINUX, "packages": {"onnxruntime-gpu": "1.17.0"}},
        ["Other programs hold", "nvidia-smi"],
        ["smaller batch"],
    ),
    # A Mac with CUDA has an NVIDIA GPU with memory of its own; one with Apple's processor runs wheels for arm64.
    (
        "W tensorflow/core/common_runtime/bfc_allocator.cc:271] Ran out of memory trying to allocate 12.5MiB.",
        {**MAC, "packages": {"tensorflow-gpu": "1.0.0"}, "cuda": "8.0"},
        ["allow_growth"],
        ["shares the Mac"],
    ),
    (
        "RuntimeError: GET was unable to find an engine to execute this computation",
        {"os": "linux", "gpu": "Tesla T4", "packages": {"torch": "2.7.0"}},
        ["use float16"],
        [],
    ),
    # What pip was asked for, a build for the CPU on Windows, and a release that the facts say is installed.
    (
        "$ sudo pip3 install tensorflow\n  Downloading https://a/tensorflow-1.13.1-cp37-none-linux_armv7l.whl (93.2MB)\n"
        "    99% | 44.1MB 28.6MB/s eta 0:00:01Killed",
        LINUX,
        ["pip install --no-cache-dir tensorflow"],
        [],
    ),
    (
        "E cuda_blas.cc:238] failed to create cublas handle: CUBLAS_STATUS_NOT_INITIALIZED",
        {"os": "linux", "packages": {"tfjs-node-gpu": "1.5.1"}, "gpu": "GeForce RTX 2070"},
        ["export TF_FORCE_GPU_ALLOW_GROWTH=true"],
        ["pip install", "tf\\.config"],
    ),
    # Old TensorFlow: what the facts say is there already, which wheel is the smallest change, and whose memory it is.
    (
        "OOM when allocating tensor with shape[1,2080,4160,3] and type float on /job:a/device:CPU:0 by allocator cpu",
        {"os": "windows", "packages": {"tensorflow": "1.5"}},
        [r"memory \(RAM\)"],
        ["nvidia-smi", "allow_growth"],
    ),
    # XPU's error without a free figure; kernels that do not know the GPU; xFormers; NixOS; RNN; a DLL without its name.
    (
        "RuntimeError: XPU out of memory. Tried to allocate 1.00 GiB (GPU 0; 15.56 GiB total capacity; "
        "990.00 MiB already allocated; 990.00 MiB reserved in total by PyTorch)",
        {"os": "wsl2", "packages": {"torch": None, "intel-extension-for-pytorch": None}, "gpu": "Intel Arc A770"},
        ["smaller batch"],
        ["14.6"],
    ),
    # What the machine's own memory, another program's XLA and the driver's own CUDA are not.
    (
        "OOM when allocating tensor with shape[9,9] and type float on /job:localhost/replica:0/task:0/device:CPU:0 by "
        "allocator cpu",
        {"os": "linux", "packages": {"tensorflow": "1.12.0"}},
        [r"main memory \(RAM\)", "load the data in parts"],
        ["nvidia-smi", "growth"],
    ),
    (
        "bfc_allocator.cc:419] Allocator (cuda_host_bfc) ran out of memory trying to allocate 3.73GiB",
        {"os": "linux", "packages": {"tensorflow": "1.14.0"}},
        [r"RAM\)", "TF_GPU_HOST_MEM_LIMIT_IN_MB"],
        ["nvidia-smi", "growth"],
    ),
    # How much memory TensorFlow 1 found, and which releases have code for an old GPU.
    (
        "Free memory: 190.31MiB\nE cuda_driver.cc:1002] failed to allocate 190.31M from device: CUDA_ERROR_OUT_OF_MEMORY",
        {"os": "linux", "packages": {"tensorflow-gpu": "1.0"}},
        ["only 190 MB free at its start"],
        [],
    ),
    (
        "failed to allocate 5.04G (5412929536 bytes) from device: CUDA_ERROR_OUT_OF_MEMORY",
        {"os": "linux", "gpu": "Jetson TX2", "arch": "aarch64", "packages": {"tensorflow": "1.7"}},
        ["shares the machine's memory"],
        ["nvidia-smi"],
    ),
    (
        "E cuda_blas.cc:652] failed to run cuBLAS routine cublasSgemm_v2: CUBLAS_STATUS_EXECUTION_FAILED",
        {"os": "linux", "python": "2.7", "packages": {"tensorflow-gpu": "1.12"}},
        ["GPU is newer than this TensorFlow's CUDA"],
        [],
    ),
    (
        "E cuda_dnn.cc:332] could not create cudnn handle: CUDNN_STATUS_NOT_INITIALIZED\n"
        "E cuda_dnn.cc:340] possibly insufficient driver version: 410.79.0",
        {"os": "linux", "driver": "410.79", "cuda": "9.0", "packages": {"tensorflow-gpu": ""}},
        [r"tf\.Session\(config"],
        ["update the driver"],
    ),
    # Before the first tensor, the size of the batch does not matter.
    (
        "UserWarning: CUDA initialization: Unexpected error from cudaGetDeviceCount(). Did you run some cuda functions before "
        "calling NumCudaDevices() that might have already set an error? Error 2: out of memory (Triggered internally at "
        "CUDAFunctions.cpp:109.)",
        {"os": "wsl2", "packages": {"torch": "1.13.0"}},
        ["CUDA_VISIBLE_DEVICES=0", "wslconfig", "nvidia-smi"],
        ["smaller batch"],
    ),
    # In a container NCCL lacks shared memory first of all; AMD's HIP SDK on Windows needs AMD's driver there.
    (
        "RuntimeError: NCCL error in: ProcessGroupNCCL.cpp:839, unhandled system error, NCCL version 2.8.3",
        {"os": "container", "packages": {"torch": "1.8.0"}},
        ["shared memory", "ipc=host"],
        ["SOCKET_IFNAME"],
    ),
    (
        "2019-03-01 00:00:00.000000: E tensorflow/stream_executor/cuda/cuda_dnn.cc:353] Could not create cudnn handle: "
        "CUDNN_STATUS_NOT_INITIALIZED",
        {"os": "linux"},
        [r"tf\.Session"],
        ["set_memory_growth"],
    ),
    (
        "E c:\\tf_jenkins\\home\\workspace\\cuda_blas.cc:372] failed to create cublas handle: CUBLAS_STATUS_ALLOC_FAILED\n"
        "W tensorflow/stream_executor/stream.cc:1390] attempting to perform BLAS operation without BLAS support",
        WINDOWS,
        ["allow_growth=True"],
        ["set_memory_growth"],
    ),
    # TensorFlow 1, whose sessions have options of their own: by its release, by how it prints nodes, by its contrib.
    (
        "E cuda_dnn.cc:334] Could not create cudnn handle: CUDNN_STATUS_INTERNAL_ERROR",
        {"os": "linux", "packages": {"tensorflow-gpu": "1.12.0"}},
        ["allow_growth=True"],
        ["set_memory_growth", "TF_FORCE_GPU"],
    ),
    (
        "F tensorflow/core/common_runtime/dml/dml_heap_allocator.cc:76] Check failed: (((HRESULT)((device_->"
        "CreateCommittedResource(&heap, flags, &desc, state, nullptr, IID_PPV_ARGS(&resource))))) >= 0) == true (0 vs. 1)",
        {"os": "windows", "packages": {"tensorflow-directml": "1.15.5"}},
        ["smaller batch"],
        ["nvidia"],
    ),
    (
        "torch.cuda.OutOfMemoryError: HIP out of memory. Tried to allocate 2.00 MiB (GPU 0; 512.00 MiB total capacity",
        {"os": "linux", "gpu": "Radeon 680M"},
        [r"UMA frame buffer"],
        [],
    ),
    (
        "torch.cuda.OutOfMemoryError: HIP out of memory. Tried to allocate 2.00 GiB (GPU 0; 24.00 GiB total capacity",
        {"os": "linux", "gpu": "RX 7900 XTX"},
        [r"smaller batch"],
        [r"UMA"],
    ),
    (
        "W external/xla/xla/service/platform_util.cc:206] unable to create StreamExecutor for CUDA:0: : "
        "CUDA_ERROR_OUT_OF_MEMORY: out of memory; total memory reported: 12884246528",
        {"os": "linux", "gpu": "RTX 3060", "packages": {"jax": "0.4.30"}},
        ["XLA_PYTHON_CLIENT_PREALLOCATE"],
        ["TensorFlow", "TF_FORCE"],
    ),
    # A pipeline is not pip.
    (IMPORTED % "transformers/pipelines/base.py" + "MemoryError", {"os": "linux"}, ["batch"], ["no-cache-dir"]),
    (IMPORTED % "pip/_vendor/cachecontrol/cache.py" + "MemoryError", {"os": "linux"}, ["--no-cache-dir"], ["batch"]),
    # pip reads what it puts into its cache whole.
    (
        "Collecting torch\n  Downloading torch-2.1.0-cp39-cp39-manylinux1_x86_64.whl (670.2 MB)\nMemoryError",
        {"os": "linux"},
        ["--no-cache-dir"],
        ["batch"],
    ),
    ("MemoryError", {"os": "linux"}, ["batch"], ["no-cache-dir"]),
    (
        "RuntimeError: CUDA error: CUBLAS_STATUS_NOT_INITIALIZED when calling `cublasCreate(handle)`",
        {"os": "linux", "gpu": "RTX 3090", "packages": {"torch": "2.1.0+cu121"}},
        ["smaller batch"],
        ["whl/cu"],
    ),
    # conda's PyTorch 1.12 may be for CUDA 11.
    (
        "RuntimeError: CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`",
        {"os": "linux", "gpu": "RTX 3080", "cuda": "11.6", "packages": {"torch": "1.12.1"}},
        ["smaller batch"],
        ["whl/cu"],
    ),
    (
        "Failed to get convolution algorithm. This is probably because cuDNN failed to initialize",
        {"os": "linux", "gpu": "RTX 2080 Ti", "cudnn": "7.6.5", "packages": {"tensorflow": "2.1.0"}},
        ["GROWTH"],
        [],
    ),
    (
        "RuntimeError: level_zero backend failed with error: 40 (UR_RESULT_ERROR_OUT_OF_RESOURCES)",
        {"os": "windows", "gpu": "Arc A770"},
        [],
        ["DirectML"],
    ),
    # DirectML has no allocator of CUDA or HIP.
    (
        "ComfyUI\nRuntimeError: Could not allocate tensor with 9831040 bytes. There is not enough GPU video memory available!",
        {"os": "windows", "gpu": "RX 6600", "packages": {"torch-directml": None}},
        ["--lowvram", "DirectML shares"],
        ["ALLOC_CONF"],
    ),
    # What Windows says in other languages has no number before Python 3.8, and little of it is ASCII.
    ("ImportError: DLL load failed: Файл подкачки слишком мал для завершения операции.", {}, ["aging file"], ["AVX"]),
    (
        "ImportError: DLL load failed while importing _pywrap_tensorflow_internal: "
        "Le fichier de pagination est insuffisant pour terminer cette opération.",
        {},
        ["exhausted.\nLet Windows manage"],
        ["AVX"],
    ),
    # Windows has no memory that grows in place.
    (
        "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 50.00 MiB. If reserved memory is >> allocated "
        "memory try setting max_split_size_mb to avoid fragmentation.",
        {**WINDOWS, "packages": {"torch": "2.1.0"}},
        [r"PYTORCH_CUDA_ALLOC_CONF = \"max_split_size_mb:128\""],
        ["expandable_segments"],
    ),
    (
        "ValueError: Some modules are dispatched on the CPU or the disk. Make sure you have enough GPU RAM",
        LINUX,
        ["4 ?bit", "offload"],
        [],
    ),
    (
        "RuntimeError: cusolver error: CUSOLVER_STATUS_INTERNAL_ERROR, when calling `cusolverDnCreate(handle)`",
        LINUX,
        ["magma"],
        [],
    ),
    # Memory of the machine, not of the GPU; and a cuDNN that does not start.
    (
        "E xla/stream_executor/cuda/cuda_driver.cc:1629] failed to alloc 2147483648 bytes on host: CUDA_ERROR_OUT_OF_MEMORY: "
        "out of memory",
        {"os": "wsl2"},
        [r"wslconfig", r"prefetch"],
        [r"memory growth", r"nvidia-smi"],
    ),
    (
        "W gpu_host_allocator.h:46] could not allocate pinned host memory of size: 8589934592",
        {"os": "Ubuntu 22.04"},
        [r"ulimit -l", r"shuffle"],
        [r"wslconfig", r"nvidia-smi"],
    ),
    # NVIDIA's installer: a driver in use, and a GPU that it does not know.
    (
        "ERROR: An NVIDIA kernel module 'nvidia-uvm' appears to already be loaded in your kernel.",
        {},
        [r"isolate multi-user", r"--toolkit"],
        [r"pip", r"doctor"],
    ),
    ("Could not unload NVIDIA driver kernel modules, driver is in use", {}, [r"Drain the node"], [r"nvidia-ctk"]),
    # An array that is copied as a whole; the two copies of a plug-in; a hosted notebook without a GPU.
    (
        "InternalError: Failed copying input tensor from CPU:0 to GPU:0 in order to run _EagerConst: "
        "Dst tensor is not initialized.",
        {"packages": {"tensorflow": "2.9.1"}},
        [r"tf\.data\.Dataset"],
        [r"smaller batch"],
    ),
    # Of one block there may be too much where memory is free: Intel's older GPUs take none of 4 GiB.
    (
        "torch.OutOfMemoryError: XPU out of memory. Tried to allocate 5.50 GiB. GPU 0 has a total capacity of 15.91 GiB. "
        "Of the allocated memory 210.00 MiB is allocated by PyTorch, and 4.00 MiB is reserved by PyTorch but unallocated.",
        {**LINUX, "gpu": "Intel Arc A770"},
        [r"export UR_L0_ENABLE_RELAXED_ALLOCATION_LIMITS=1"],
        [r"xpu-smi", r"exhausted"],
    ),
    (
        "RuntimeError: Current platform can NOT allocate memory block with size larger than 4GB! Tried to allocate 4.50 GiB",
        {**LINUX, "gpu": "Intel Arc A750"},
        [r"4 GiB or more", r"in slices"],
        [r"RELAXED", r"xpu-smi"],
    ),
    # TensorFlow before 1.3 does not name the allocator, conda has builds for an old driver, and a Dockerfile sets variables.
    (
        "W tensorflow/core/common_runtime/bfc_allocator.cc:277] Ran out of memory trying to allocate 1.25GiB.  See logs for "
        "memory state.",
        {"os": "linux"},
        [r"device's memory", r"nvidia-smi\n(?s:.*)allow_growth=True"],
        [r"does not say whether", r"set_memory_growth"],
    ),
    (
        "Limit:                    73400320\nInUse:                        4096\n"
        "tensorflow.python.framework.errors_impl.InternalError: Dst tensor is not initialized.",
        LINUX,
        [r"(?s)only 73 MB.*nvidia-smi.*smaller batch"],
        [],
    ),
    (
        "jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: Failed to allocate request for 3.00GiB on device ordinal 0",
        LINUX,
        [r"three quarters.*\n.*export XLA_PYTHON_CLIENT_PREALLOCATE=false"],
        [r"batch; JAX"],
    ),
    (
        "InternalError: 2 root error(s) found.\n  (0) Internal:  NCCL: unhandled system error. Set NCCL_DEBUG=WARN for it.",
        {"os": "container", "packages": {"tensorflow": "2.3.1"}},
        [r"\A.*shared memory", r"--ipc=host", r"NCCL_DEBUG"],
        [r"devicekit doctor"],
    ),
    (
        "E cuda_blas.cc:238] failed to create cublas handle: CUBLAS_STATUS_ALLOC_FAILED",
        {**WINDOWS, "packages": {"tensorflow": "2.3.0"}},
        [r"\A.*\n.*end them; restart the kernels.*\nnvidia-smi", r"set_memory_growth(?:.*\n)+.*smaller batch"],
        [],
    ),
    # cuDNN suspects the driver.
    (
        "E tensorflow/stream_executor/cuda/cuda_dnn.cc:353] Could not create cudnn handle: CUDNN_STATUS_NOT_INITIALIZED\n"
        "E tensorflow/stream_executor/cuda/cuda_dnn.cc:361] Possibly insufficient driver version: 396.54.0",
        {**LINUX, "packages": {"tensorflow": "1.13.1"}},
        [r"\A.*\nThe driver \(396\.54\S*\) runs CUDA up to 9\.2"],
        [],
    ),
    # Nothing was computed yet: the memory is another program's.
    (
        "failed call to cuDevicePrimaryCtxRetain: CUDA_ERROR_OUT_OF_MEMORY: out of memory; total memory reported: 8510701568",
        LINUX,
        [r"\A.*\n.*\nnvidia-smi\nUse another GPU"],
        ["batch", "growth"],
    ),
    # Whether it is a container that has too little shared memory is not known.
    (SHM, {}, [r"\.\s+.*If it runs in a container.*\n.*--shm-size(?:.*\n)+.*num_workers=0(?:.*\n)+.*remount"], []),
    (
        "E external/xla/xla/stream_executor/cuda/cuda_dnn.cc:443] Memory usage: 6995392 bytes free, 8721572352 bytes total.\n"
        "E external/xla/xla/stream_executor/cuda/cuda_dnn.cc:453] Possibly insufficient driver version: 510.47.3\n"
        "XlaRuntimeError: FAILED_PRECONDITION: DNN library initialization failed.",
        LINUX,
        ["nvidia-smi"],
        [r"jax\[cuda12\]"],
    ),
    (
        OOM_TORCH
        + " of which 30.0 MiB is free. Process 77 has 7.90 GiB memory in use. Of the allocated memory 7.10 GiB is "
        "allocated by PyTorch, and 300.0 MiB is reserved by PyTorch but unallocated.",
        {"os": "linux"},
        ["smaller batch"],
        ["kill"],
    ),
    # vLLM says which share is too much, and how much is free.
    (
        "ValueError: Free memory on device (30.00/40.00 GiB) on startup is less than desired GPU memory utilization (0.9, "
        "36.0 GiB). Decrease GPU memory utilization or reduce GPU memory used by other processes.",
        LINUX,
        [r"--gpu-memory-utilization 0\.73"],
        ["larger share", "max-model-len"],
    ),
    (
        "RuntimeError: Could not allocate tensor with 1048576 bytes. There is not enough GPU video memory available!",
        WINDOWS,
        ["smaller"],
        ["nvidia-smi"],
    ),
    (
        "torch.OutOfMemoryError: HIP out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 15.98 GiB",
        {"os": "wsl2", "gpu": "AMD Radeon RX 7800 XT", "packages": {"torch": "2.8.0+rocm6.4"}},
        ["smaller"],
        ["rocm-smi", "nvidia-smi"],
    ),
    (
        "F tsl/platform/default/env.cc:74] Check failed: ret == 0 (11 vs. 0)Thread tf_Compute creation via pthread_create() "
        "failed.",
        LINUX,
        ["ulimit -u", "pids", "fewer threads"],
        ["venv fresh", "devicekit doctor"],
    ),
    (
        "import torch\nRuntimeError: can't start new thread",
        LINUX,
        ["ulimit -u"],
        ["TensorFlow", r"tf\."],
    ),
    (
        "RuntimeError: Could not allocate tensor with 1073741824 bytes. There is not enough GPU video memory available!",
        {"os": "windows", "packages": {"torch-directml": "0.2.5"}},
        ["DirectML shares it with the desktop"],
        ["nvidia-smi", "TensorFlow"],
    ),
    (
        'RuntimeError: NVML_SUCCESS == r INTERNAL ASSERT FAILED at "../c10/cuda/CUDACachingAllocator.cpp":1',
        {"os": "linux", "packages": {"torch": "2.1.0"}},
        ["smaller batch"],
        ["systemctl isolate", "drop_caches"],
    ),
    (
        (TORCH_OOM % (("1.2.3 GiB",) * 6)).replace("Including", "Process 1 has ... MiB memory in use. Including"),
        LINUX,
        ["smaller batch"],
        [],
    ),
    (FULL_OOM, LINUX, ["smaller batch"], ["expandable_segments", "kill", "one piece"]),
    (TAKEN_OOM, LINUX, [r"Process 4711 holds 6\.9 GiB of the GPU's 8 GiB", "kill 4711"], ["expandable_segments"]),
    (TAKEN_OOM, WINDOWS, ["taskkill /PID 4711 /F"], [r"\bkill 4711"]),
    (TAKEN_OOM, {"os": "container"}, ["outside of the container"], []),
    (PIECES_OOM, LINUX, [r"(?s)2\.4 GiB of PyTorch.*expandable_segments.*smaller batch"], ["kill"]),
    (HUGE_OOM, LINUX, ["64 GiB in one piece is more than the GPU has"], ["kill", "expandable_segments"]),
    (
        OLD_OOM % ("20.00 MiB", "1.00 GiB", "0 bytes", "1.10 GiB"),
        LINUX,
        [r"up to 6\.9 GiB"],
        ["expandable_segments", "kill"],
    ),
    (OLD_OOM % ("1.00 GiB", "4.00 GiB", "500.00 MiB", "7.20 GiB"), LINUX, [r"3\.2 GiB of PyTorch"], ["hold up"]),
    (TF_OOM % 376, LINUX, ["only 376 MB free", "nvidia-smi"], ["kill"]),
    (TF_OOM % 9641, LINUX, ["smaller batch"], ["MB free at its start"]),
    (
        CUDNN_HANDLE + SMI_ROW % (812, "C", 900) + SMI_ROW % (4711, "C", 23508),
        LINUX,
        ["process 4711 .*23508", "kill 4711"],
        ["812"],
    ),
    (CUDNN_HANDLE + SMI_ROW % (812, "G", 900), LINUX, ["nvidia-smi"], ["kill"]),
    (JAXLIB_CUDNN, LINUX, ["XLA_PYTHON_CLIENT_PREALLOCATE=false"], ["ensorFlow", "TF_"]),
    ("torch.OutOfMemoryError: HIP out of memory.", {**WINDOWS, "gpu": "RX 9070 XT"}, ["smaller batch"], ["DirectML"]),
    (
        "NCCL WARN Error: failed to extend /dev/shm/nccl-ab to 9 bytes, error: No space left on device (28)\nCUDA error: an "
        "illegal memory access was encountered",
        {"os": "container"},
        ["--shm-size"],
        ["compute-sanitizer", "num_workers"],
    ),
    (
        "ValueError: Free memory on device xpu:0 (1.2/15.5 GiB) on startup is less than desired GPU memory utilization (0.9). "
        "vllm",
        LINUX,
        ["gpu-memory-utilization", "xpu-smi"],
        ["nvidia-smi", "CUDA_ALLOC"],
    ),
    (
        "ncclSystemError: System call (socket, malloc, munmap, etc) failed.",
        {"os": "container"},
        ["--ipc=host"],
        ["batch"],
    ),
    ("OSError: [Errno 28] No space left on device: '/dev/shm/psm_1a2b'", {"os": "container"}, ["--shm-size"], ["jax"]),
    (
        "RuntimeError: MPS backend out of memory (MPS allocated: 0 bytes, other allocations: 0 bytes, max allowed: 7 GB).",
        MAC,
        ["virtual machine", "CPU"],
        ["nvidia-smi"],
    ),
    (
        "llama_model_load: error loading model: unable to allocate CUDA0 buffer",
        LINUX,
        ["-ngl"],
        ["TensorFlow", "JAX"],
    ),
    (
        "sglang: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB",
        LINUX,
        ["--mem-fraction-static"],
        ["tensorflow"],
    ),
    ("numba: Call to cuInit results in CUDA_ERROR_OUT_OF_MEMORY (2)", LINUX, ["smaller"], ["TensorFlow", "JAX"]),
    # memory
    (OOM_TORCH, {**LINUX, "packages": {"torch": "2.5.0"}}, ["batch"], ["TF_", "tf\\.config", "XLA"]),
    (OOM_TF, WINDOWS, [r"\$env:TF_FORCE_GPU_ALLOW_GROWTH"], ["export", "torch"]),
    (OOM_JAX, LINUX, ["XLA_PYTHON_CLIENT_PREALLOCATE"], ["TF_FORCE", "torch"]),
    ("RuntimeError: MPS backend out of memory (MPS allocated: 5.05 GB)", MAC, ["batch"], ["nvidia", "CUDA"]),
    (SHM, {"os": "container", "packages": {"torch": None}}, ["--shm-size"], ["nvidia-smi"]),
    (SHM, {**LINUX, "packages": {"torch": None}}, ["/dev/shm"], ["nvidia-smi"]),
    (
        "Internal: Blas xGEMM launch failed : a.shape=[1,20000,3], b.shape=[1,3,20000], m=20000, n=20000, k=3",
        {**LINUX, "gpu": "GTX 1080", "packages": {"tensorflow-gpu": "1.14.0"}, "cuda": "10.0"},
        ["batch"],
        ["compute capability"],
    ),
    (
        "E cuda_event.cc:29] Error polling for event status: failed to query event: CUDA_ERROR_DEVICE_UNAVAILABLE",
        {"os": "container"},
        ["On the host: if the mode is exclusive"],
        [],
    ),
]
