"""Rows about programs themselves, harmless lines, and causes that are not known."""

from log_rows.texts import ANY_INSTALL, IMPORTED, LINUX, MAC

NO_INDEX = (
    "WARNING: Retrying (Retry(total=0, connect=None, read=None, redirect=None, status=None)) after connection broken by "
    "'ConnectTimeoutError(...)': /simple/jax/\nERROR: Could not find a version that satisfies the requirement jax "
    "(from versions: none)\nERROR: No matching distribution found for jax"
)

#: What `explain` reads, what is known, what an answer has, and what it does not have (patterns).
ROWS = [
    ("ValueError: Expected a cuda device, but got: cpu", {}, ["device.type"], ["pip install"]),
    (
        "RuntimeError: \n        An attempt has been made to start a new process before the\n        current process has "
        "finished its bootstrapping phase.",
        {},
        ["__main__"],
        ["pip install"],
    ),
    (
        "ModuleNotFoundError: No module named 'torch._C'\nImportError: Failed to load PyTorch C extensions:\n"
        "    It appears that PyTorch has loaded the `torch/_C` folder of the PyTorch repository",
        {},
        ["another folder"],
        ["force-reinstall"],
    ),
    (
        "tensor(10433.3145, device='cuda:0', grad_fn=<SumBackward0>)\ntensor(1619.2983, grad_fn=<SumBackward0>)",
        {"os": "linux", "packages": {"torch": "2.0.1+rocm5.4.2"}, "gpu": "AMD Instinct MI250X"},
        [r"gives 10433\.3145 where the CPU gives"],
        [],
    ),
    (
        "python run.py --device mps:0\nValueError: loss is nan",
        {"os": "macos", "gpu": "Apple M3"},
        ["PyTorch"],
        ["tensorflow-metal"],
    ),
    ("ValueError: No GPU devices detected", {"os": "linux"}, ["getDeviceCount", "CuPy"], ["devicekit doctor"]),
    (
        "PermissionError: [Errno 13] Permission denied: 'C:\\\\ProgramData\\\\Anaconda3\\\\pkgs\\\\cache\\\\2.json'",
        {"os": "windows"},
        ["as administrator"],
        ["chown"],
    ),
    (
        "OMP: Error #179: Function pthread_mutex_init failed:\nOMP: System error #22: Invalid argument",
        {"os": "macos", "packages": {"torch": "2.2.2"}},
        ["other order"],
        ["shm", "KMP_DUPLICATE_LIB_OK"],
    ),
    # A compiler's error below the sentence that only announces it.
    (
        "RuntimeError: NVCC returned an error. See below for full command line and output log:\n"
        "C:/env/tensorflow/include\\absl/strings/string_view.h(52): fatal error C1189: #error:  C++ versions less than C++14 "
        "are not supported.",
        {"os": "windows"},
        [r"C\+\+14"],
        ["NVCC returned"],
    ),
    # TensorFloat-32 came with compute capability 8.0, and with TensorFlow 2.4.
    (
        "NaN loss during training.",
        {"os": "linux", "packages": {"tensorflow-gpu": "1.12.0"}, "gpu": "GTX 1080"},
        ["lower the learning rate", "device diverges"],
        ["float_32"],
    ),
    (
        "Not equal to tolerance rtol=1e-07, atol=0",
        {"packages": {"torch": "2.4.0"}, "gpu": "RTX 2080 Ti"},
        ["on the CPU to compare"],
        ["TF32", "learning rate"],
    ),
    (
        "Not equal to tolerance rtol=1e-07, atol=0",
        {"packages": {"torch": "2.4.0"}, "gpu": "RTX 3080"},
        ["TF32"],
        ["learning rate"],
    ),
    (
        "Process finished with exit code 134 (interrupted by signal 6: SIGABRT)",
        {"os": "macos", "packages": {"tensorflow-macos": "2.9.2", "tensorflow-metal": "0.5.1"}},
        ["uninstall -y tensorflow-metal"],
        ["cuda"],
    ),
    (
        "run.py: error: argument --execution-provider: invalid choice: 'directml' (choose from 'dml', 'cpu')",
        {"os": "windows"},
        ["--execution-provider dml"],
        ["pip install"],
    ),
    # A process that has forked, and one whose shared memory ends.
    (
        "RuntimeError: cuda runtime error (3) : initialization error at ../torch/csrc/cuda/Module.cpp:33",
        LINUX,
        [r"spawn"],
        [r"notebook"],
    ),
    # A tensor that a device and the CPU compute differently.
    (
        "tensor([[[[1.5, 2.5]]]], grad_fn=<ReluBackward0>)\ntensor([[[[7.5, 2.5]]]], device='mps:0', grad_fn=<ReluBackward0>)",
        {"os": "macos", "arch": "arm64", "packages": {"torch": "1.13.0"}},
        [r"Update PyTorch and macOS"],
        [],
    ),
    # What a computation on a GPU that ROCm has dropped needs is the last build that was right on it.
    (
        "Epoch 1/10\n32/32 [==============================] - 1s 10ms/step - loss: nan",
        {"os": "linux", "packages": {"tensorflow-rocm": "2.3.0"}, "gpu": "RX 580", "rocm": "3.8"},
        [r"gfx803 is 2\.2\.0, with ROCm 3\.5"],
        [r"Update the framework"],
    ),
    (
        '  File "/srv/train.py", line 5, in <module>\n'
        "ValueError: Cannot load file containing pickled data when allow_pickle=False",
        {"os": "linux", "python": "3.10"},
        ["allow_pickle=True"],
        ["numpy<"],
    ),
    (
        "ValueError: No model config found in the file at <GFile>.",
        {"packages": {"tensorflow": "2.13.0"}},
        ["load the weights"],
        ["doctor"],
    ),
    # What a POSIX shell has, and PowerShell does not.
    (
        "wrong results on GPU, correct on CPU",
        {"os": "windows", "packages": {"tensorflow-directml-plugin": "0.4.0.dev230202"}},
        [r'\n\$env:DEVICEKIT_VERIFY = "always"; python -c '],
        [r"\nDEVICEKIT"],
    ),
    (
        "SSLError(SSLCertVerificationError(1, '[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed')",
        {"os": "windows"},
        ["global.cert"],
        ["Install Certificates"],
    ),
    ("TypeError: 'type' object is not subscriptable", {"python": "3.11"}, [], ["uv venv"]),
    (
        IMPORTED % "peft/config.py" + "AttributeError: 'NoneType' object has no attribute 'shape'",
        {},
        ["doctor"],  # what made it None is not known
        ["--upgrade"],
    ),
    (
        IMPORTED % "diffusers/a.py" + "OSError: [Errno 28] No space left on device: '/tmp/torchinductor_u/x.py'",
        {},
        ["Free room"],
        ["force-reinstall"],
    ),
    (
        IMPORTED % "huggingface_hub/utils/_http.py" + "GatedRepoError: 403 Client Error. (Request ID: Root=1-6)",
        {},
        ["hf auth login"],
        ["doctor"],
    ),
    (
        IMPORTED % "matplotlib/a.py" + "PermissionError: [Errno 13] Permission denied: '/opt/cache/m'",
        {},
        ["chown"],
        [],
    ),
    (
        'ERROR: failed to solve: process "/bin/sh -c make" did not complete successfully: exit code: 2',
        {},
        ["--progress=plain"],
        [],
    ),
    (
        "RuntimeError: NCCL error in: ProcessGroupNCCL.cpp:825, unhandled cuda error, NCCL version "
        "2.14.3\nDriver Version: 535.54.03",
        {**LINUX, "packages": {"torch": "2.0.1+cu118"}},
        ["NCCL_DEBUG"],
        ["driver for CUDA"],
    ),
    (
        "Ultralytics YOLOv8.2.0 Python-3.10.12  torch-2.1.2+cu118 CUDA:0 (NVIDIA GeForce GTX 1650, 3904MiB)\n"
        "      2/50      2.31G        nan        nan        nan         31        640:",
        {},
        ["amp=False", "float32"],
        ["TF32 off.*amp"],
    ),
    (
        IMPORTED
        % "transformers/utils/import_utils.py"
        + "RuntimeError: Failed to import transformers.models.opt.modeling_opt because of the following error (look up to see "
        "its traceback):\nNo module named 'leftpad.inner'",
        {**LINUX, "packages": {"torch": "2.4.0"}},
        [r"leftpad\.inner"],
        ["look up to see"],
    ),
    (
        '  File "/e/lib/python3.9/site-packages/torch/nn/modules/module.py", line 741, in __getattr__\n'
        "    raise AttributeError(\n"
        "AttributeError: 'Sequential' object has no attribute '_non_persistent_buffers_set'",
        {**LINUX, "python": "3.9", "packages": {"torch": "2.1.0"}},
        [r"The first error is"],
        ["Keras"],
    ),
    (
        "RuntimeError: The exporter of this operation met a shape that it does not know in\nthe second of its inputs.",
        {},
        [r"does not know in the second of its inputs\. What caused it is not known"],
        [],
    ),
    ("OSError: SavedModel file does not exist at: out/best.keras/{saved_model.pb}", {}, ["relative", "2.12 on"], []),
    (
        "TF_GPU_ALLOCATOR=cuda_malloc_async\nInternalError: No allocator statistics",
        {},
        ["unset TF_GPU_ALLOCATOR"],
        ["doctor"],
    ),
    ("InvalidArgumentError: input depth must be evenly divisible by filter depth: 4 vs 3", {}, ["4 channels"], []),
    (
        "ValueError: You can't train a model that has been loaded in 8-bit or 4-bit precision on a different device than "
        "the one you're training on.",
        LINUX,
        ["process_index"],
        ["doctor"],
    ),
    (
        "RuntimeError: [gloo/transport/tcp/pair.cc:598] Connection closed by peer [10.0.0.2]:4242",
        LINUX,
        ["ended first"],
        [],
    ),
    (
        "RuntimeError: Input type (float) and bias type (c10::Half) should be the same",
        MAC,
        ["--no-half", r"x\.to\(model\.dtype\)"],
        ["doctor"],
    ),
    ("RuntimeError: invalid low watermark ratio 1.4", MAC, ["unset PYTORCH_MPS_HIGH"], []),
    (
        "ValueError: Error initializing torch.distributed using env:// rendezvous: environment variable RANK expected, "
        "but not set",
        {},
        ["torchrun"],
        ["doctor"],
    ),
    ("RuntimeError: No backend type associated with device type cpu", {}, ["cpu:gloo"], ["torchrun"]),
    ("SafetensorError: Error while deserializing header: HeaderTooLarge", {}, ["download it again", "git lfs"], []),
    (
        "ValueError: Total number of attention heads (28) must be divisible by tensor parallel size (8).",
        LINUX,
        ["divides 28"],
        [],
    ),
    ("NotImplementedError: Cannot copy out of meta tensor; no data!", {}, ["device_map", "low_cpu_mem_usage"], []),
    ("RuntimeError: Gloo connectFullMesh failed with [pair.cc:144] no error", LINUX, ["GLOO_SOCKET_IFNAME="], []),
    (
        "RuntimeError: [enforce fail at device.cc:84] rp != nullptr. Unable to find address for: eno9",
        LINUX,
        ["^eno9 is not", "ip -br addr"],
        [],
    ),
    (
        "RuntimeError: unable to open shared memory object </torch_7_8> in read-write mode: Too many open files (24)",
        LINUX,
        ["ulimit -n"],
        ["shm"],
    ),
    # NCCL's own file of connections matters where it fails, and there alone.
    (
        "h:1:9 [0] NCCL INFO NCCL_GRAPH_FILE set by environment to /opt/x.xml\nNCCL error in: x.cpp:1, unhandled system error",
        {},
        [r"unset NCCL_GRAPH_FILE", r"/etc/nccl\.conf"],
        [r"NCCL_P2P", r"Env:"],
    ),
    (
        "ValueError: CUDAExecutionProvider does not contain a subset of available providers ['CUDAExecutionProvider', "
        "'CPUExecutionProvider']",
        {},
        [r'providers=\["CUDAExecutionProvider"'],
        [r"doctor"],
    ),
    # Names that Keras and TensorFlow gave up, or have only since a release.
    (
        "AttributeError: 'Functional' object has no attribute 'predict_classes'",
        {},
        [r"argmax\(model\.predict"],
        [r"doctor"],
    ),
    ("AttributeError: 'Model' object has no attribute 'fit_generator'", {}, [r"model\.fit\b"], [r"argmax"]),
    # What is decided by one variable, or by the releases of the system or of the toolkit.
    (
        "Error: mkl-service + Intel(R) MKL: MKL_THREADING_LAYER=INTEL is incompatible with libgomp.so.1 library.",
        LINUX,
        [r"export MKL_THREADING_LAYER=GNU"],
        [],
    ),
    # Variables of JAX.
    (
        IMPORTED % "jax/_src/xla_bridge.py" + "    assert _default_backend is not None\nAssertionError",
        LINUX,
        [r"unset JAX_PLATFORMS"],
        [r"doctor"],
    ),
    (
        "RuntimeError: Unable to initialize backend 'CUDA': Backend 'CUDA' is not in the list of known backends: "
        "['cpu', 'tpu'].",
        LINUX,
        [r"lower case", r"unset JAX_PLATFORMS"],
        [r"pip install"],
    ),
    (
        "ValueError: File not found: filepath=net.keras. Please ensure the file is an accessible `.keras` zip file.",
        {},
        [r"os\.path\.exists", r"zipfile\.is_zipfile"],
        ["devicekit doctor", ANY_INSTALL],
    ),
    (
        "OSError: [Errno 2] Unable to open file (unable to open file: name = 'net.h5', errno = 2, error message = 'No such "
        "file or directory', flags = 0, o_flags = 0)",
        {},
        [r"os\.path\.exists"],
        ["devicekit doctor", "zipfile"],
    ),
    # Keras reads its backend once.
    (
        ">>> import keras\n>>> import os\n>>> os.environ['KERAS_BACKEND'] = 'torch'\n>>> keras.config.backend()\n'tensorflow'",
        LINUX,
        ["very top", "restart"],
        ["pip"],
    ),
    # Types that meet in an operation.
    (
        "InvalidArgumentError: cannot compute AddV2 as input #1(zero-based) was expected to be a half tensor but is a float "
        "tensor [Op:AddV2]",
        {},
        [r"tf\.cast", "mixed_float16"],
        ["driver", "install"],
    ),
    (
        "TypeError: Input 'b' of 'MatMul' Op has type float64 that does not match type int32 of argument 'a'.",
        {},
        [r"tf\.cast"],
        ["float16", "install"],
    ),
    (
        "Duplicate GPU detected : rank 0 and rank 1 both on CUDA device 1000",
        {},
        [r"accelerate launch --num_processes"],
        [],
    ),
    ("Duplicate GPU detected : rank 3 and rank 1 both on CUDA device 6000", LINUX, [r"set_device"], [r"-c DEFAULT"]),
    (
        "terminate called after throwing an instance of 'boost::filesystem::filesystem_error'\n  what():  "
        'boost::filesystem::permissions: Permission denied: "/home/u/.config/miopen//gfx908_120.HIP.2_16_0.ufdb.txt"',
        LINUX,
        ["MIOPEN_USER_DB_PATH", "MIOPEN_CUSTOM_CACHE_DIR"],
        ["usermod"],
    ),
    (
        "_pickle.UnpicklingError: Weights only load failed. This file can still be loaded",
        {},
        ["If you trust the file.*weights_only=False", "FORCE_NO_WEIGHTS_ONLY"],
        ["devicekit doctor"],
    ),
    (
        "torch.distributed.DistBackendError: [5] is setting up NCCL communicator and retrieving ncclUniqueId from [0] via "
        "c10d key-value store by key '0', but store->get('0') got error: Socket Timeout",
        LINUX,
        ["did not arrive", "the one that ended first"],
        [ANY_INSTALL],
    ),
    (
        "RuntimeError: Expected a 'cuda' device type for generator but found 'cpu'",
        LINUX,
        [r'torch\.Generator\(device="cuda"\)'],
        [ANY_INSTALL, "driver"],
    ),
    (
        "RuntimeError: Cannot re-initialize CUDA in forked subprocess.",
        {**LINUX, "packages": {"vllm": "0.6.1", "torch": "2.4.0"}},
        ["VLLM_WORKER_MULTIPROC_METHOD=spawn", "__main__"],
        ["tensorflow"],
    ),
    (NO_INDEX, {**LINUX, "python": "3.11"}, ["HTTPS_PROXY", "pip config"], [ANY_INSTALL]),
    (
        "*** Received signal 11 ***\n*** BEGIN MANGLED STACK TRACE ***\n0   train    0x0000000100003f50 main + 20",
        {"packages": {"tensorflow": "2.12.0"}},
        ["Received signal 11", "PYTHONFAULTHANDLER"],
        [ANY_INSTALL],
    ),
    (
        "NotFoundError: dlopen(/Users/me/ops/area.so, 6): image not found",
        {**MAC, "packages": {"tensorflow": "2.0.0"}},
        [r"area\.so"],
        ["tensorflow-metal"],
    ),
]
