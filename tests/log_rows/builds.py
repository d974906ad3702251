"""Rows about builds for the CPU, and builds without code for the GPU."""

from log_rows.texts import (
    ANY_INSTALL,
    CUDNN_RNN,
    GPU_REQUESTED,
    LINUX,
    MAC,
    NO_CUDA_TORCH,
    NO_DEVICE_0,
    NO_KERNEL,
    WINDOWS,
)

NVRTC_ARCH = "cupy.cuda.compiler.CompileException: nvrtc: error: invalid value for --gpu-architecture (-arch)"
NOT_COMPILED = "AssertionError: Torch not compiled with CUDA enabled"
DESERIALIZE = (
    "RuntimeError: Attempting to deserialize object on a CUDA device but torch.cuda.is_available() is False. If you are "
    "running on a CPU-only machine, please use torch.load with map_location=torch.device('cpu')"
)
JAX_WITHOUT_PLUGIN = (
    "WARNING:jax._src.xla_bridge:794: An NVIDIA GPU may be present on this machine, but a CUDA-enabled jaxlib is not "
    "installed. Falling back to cpu."
)
NO_CUDA_PROVIDER = (
    "onnxruntime_inference_collection.py:197: UserWarning: Specified provider 'CUDAExecutionProvider' is not in available "
    "provider names.Available providers: 'AzureExecutionProvider, CPUExecutionProvider'"
)

#: What `explain` reads, what is known, what an answer has, and what it does not have (patterns).
ROWS = [
    # A GPU that is newer than TensorFlow's build and its ptxas; a record of the log is not the end of the line above it.
    (
        "2024-08-01 09:12:00.1: W py_utils.cc:38] TF-TRT Warning: Could not find TensorRT\nEpoch 1/10\n2024-08-01 09:12:01: F "
        "nvptx_compiler.cc:619] ptxas exited with non-zero error code 65280, output: ptxas fatal   : Unsupported .version "
        "8.7; current version is '8.4'",
        {**LINUX, "gpu": "NVIDIA GeForce RTX 5090", "packages": {"tensorflow": "2.18.0"}},
        [r"nvcr\.io/nvidia/tensorflow"],
        [],
    ),
    # What conda installed, conda replaces.
    (
        "RuntimeError: CUDA error: no kernel image is available for execution on the device\n"
        "pytorch                   1.8.1           py3.8_cuda10.2_cudnn8.0.5_0    pytorch",
        {**LINUX, "gpu": "RTX 3060", "packages": {"torch": "1.8.1"}},
        [r"conda install -c pytorch -c nvidia pytorch=1\.8\.1 torchvision cudatoolkit=11\.1"],
        ["pip install"],
    ),
    (
        "$ conda install pytorch==1.6.0 -c pytorch\n"
        "RuntimeError: CUDA error: no kernel image is available for execution on the device",
        {**LINUX, "gpu": "RTX 3060", "packages": {"torch": "1.6.0"}},
        ["pip install torch"],
        ["pytorch=1"],
    ),
    (
        "$ conda install pytorch==1.12.1 torchvision -c pytorch\nAssertionError: Torch not compiled with CUDA enabled",
        {**LINUX, "gpu": "RTX 3060", "packages": {"torch": "1.12.1"}},
        [r"conda install -c pytorch -c nvidia pytorch=1\.12\.1"],
        ["pip install"],
    ),
    (
        "NVIDIA GeForce RTX 5070 with CUDA capability sm_120 is not compatible with the current PyTorch installation.",
        {"os": "container", "gpu": "RTX 5070"},
        ["newer tag of the image", "cu128"],
        [],
    ),
    # What lists onnxruntime's providers has none for CUDA in a container either; PyTorch sees no GPU as others are compiled.
    (
        "['AzureExecutionProvider', 'CPUExecutionProvider']",
        {"os": "container", "gpu": "GeForce RTX 4080"},
        ["build without CUDA", "onnxruntime-gpu"],
        ["--gpus all"],
    ),
    (
        "OSError: Unknown compute capability. Specify the target compute capabilities in the TCNN_CUDA_ARCHITECTURES "
        "environment variable or install PyTorch with the CUDA backend to detect it automatically.",
        {**LINUX, "gpu": "GeForce RTX 3060"},
        ["TCNN_CUDA_ARCHITECTURES", "whl/cu"],
        [],
    ),
    (
        "No CUDA runtime is found, using CUDA_HOME='/usr/local/cuda-11.8'",
        {**LINUX, "gpu": "GeForce RTX 3060", "packages": {"torch": None}},
        ["a build without CUDA", "whl/cu"],
        [],
    ),
    (
        "WARNING: no GPU detected, will be using CPU",
        {**LINUX, "gpu": "GeForce GTX 1080"},
        [r"jax\[cuda"],
        ["PyTorch"],
    ),
    (
        "RuntimeError: Not compiled with CUDA support",
        {**LINUX, "gpu": "GeForce RTX 2080", "packages": {"torch": "2.0.1+cu118", "torch-cluster": "1.6.1"}},
        [r"--only-binary :all: .*torch_cluster.* -f \S*/torch-2\.0\.0\+cu118", "FORCE_CUDA=1"],
        [],
    ),
    # As the user calls Python; a driver's number of three and two digits is NVIDIA's.
    (
        "$ python3 -c 'import torch; print(torch.cuda.is_available())'\nFalse",
        {"os": "linux", "driver": "535.54.03"},
        ["\npython3 -m pip uninstall -y torch && python3 -m pip install torch ", '\npython3 -c "import torch'],
        ["\npython -", "&& python -"],
    ),
    (
        'C:\\> python3 -c "import torch; print(torch.cuda.is_available())"\nFalse',
        {"os": "windows", "gpu": "RTX 3060"},
        ["\npython -m pip uninstall"],
        ["python3"],
    ),
    (">> Using device_type cpu", {"os": "windows", "gpu": "GTX 1080 Ti"}, ["whl/cu"], []),
    (">> Using device_type cuda\nValueError: no", {"os": "windows", "gpu": "GTX 1080 Ti"}, ["ValueError"], ["whl/cu"]),
    ("10:20:30-111111 INFO     Torch 2.2.0+cpu", {"os": "windows", "gpu": "nvidia"}, ["whl/cu"], []),
    # Of another library than a framework.
    (
        "OSError: libnvrtc.so.12: cannot open shared object file: No such file or directory",
        {"os": "linux", "gpu": "AMD Instinct MI250", "packages": {"kernelkit": "0.3"}},
        ["its build for this GPU"],
        ["TensorFlow", "nvidia-cuda-nvrtc"],
    ),
    (
        "xFormers can't load C++/CUDA extensions. xFormers was built for: PyTorch 2.1.0+cu121 with CUDA 1201 "
        "(you have 2.1.0+cpu)",
        {"os": "windows", "gpu": "nvidia"},
        ["build without GPU", "whl/cu121"],
        [],
    ),
    # PyTorch for ARM: what has code for the newest GPUs is in the index for CUDA 13.
    (
        "NVIDIA Thor with CUDA capability sm_110 is not compatible with the current PyTorch installation.",
        {"os": "linux", "arch": "aarch64", "gpu": "NVIDIA Thor"},
        ["whl/cu130"],
        ["cu128"],
    ),
    (
        "NVIDIA GH200 480GB with CUDA capability sm_90 is not compatible with the current PyTorch installation.",
        {"os": "linux", "arch": "aarch64"},
        [],
        ["cu130"],
    ),
    # A container: its image lacks the compiler, or the host's driver.
    (
        "OSError: CUDA_HOME environment variable is not set. Please set it to your CUDA install root.",
        {"os": "container", "packages": {"torch": "2.7.1+cu126"}},
        ["the one with devel"],
        [],
    ),
    (
        "AssertionError: Torch not compiled with CUDA enabled\nOSError: CUDA_HOME environment variable is not set.",
        {"os": "linux", "gpu": "NVIDIA A10"},
        ["build for CUDA", "whl/cu|pip install torch"],
        ["conda install -c nvidia"],
    ),
    (
        "InternalError: Blas GEMM launch failed : a.shape=(32, 784), b.shape=(784, 10), m=32, n=10, k=784",
        {"os": "linux", "gpu": "2x RTX 3090", "packages": {"tensorflow": "2.2.0"}},
        ["TensorFlow 2.5 or newer"],
        ["TF_FORCE_GPU_ALLOW_GROWTH"],
    ),
    # JAX's first words for it, and a release of ONNX Runtime that raises where there is no GPU.
    (
        "UserWarning: No GPU found, falling back to CPU.",
        {"os": "linux", "gpu": "RTX 3090", "packages": {"jax": "0.1.50", "jaxlib": "0.1.40"}, "python": "3.10"},
        [r"jax\[cuda12\]"],
        ["torch"],
    ),
    (
        "[ONNXRuntimeError] : 1 : FAIL : CUDA failure 209: no kernel image is available for execution on the device ; GPU=0",
        {"os": "linux", "gpu": "RTX 5080", "packages": {"onnxruntime-gpu": "1.20.1"}},
        [r"onnxruntime-gpu\[cuda,cudnn\]>=1\.22,<1\.27"],
        ["compile it"],
    ),
    (
        "RuntimeError: This TensorFlow binary is not built with CUDA support.",
        {"os": "linux", "gpu": "GeForce GTX 970"},
        [r"and-cuda\]==2\.16\."],
        [],
    ),
    (
        "WARNING:tensorflow:TensorFlow GPU support is not available on native Windows for TensorFlow >= 2.11.",
        {"os": "windows", "gpu": "GeForce RTX 5090"},
        ["wsl --install", "fail at the first operation", "Keras on JAX or PyTorch"],
        [r"2\.10"],
    ),
    (
        "RuntimeError: This TensorFlow binary is not built with CUDA support.",
        {"os": "linux", "gpu": "GeForce GT 750M"},
        ["from 2.3 on has no code for", r"3\.0", "use the CPU"],
        ["and-cuda", "pip install"],
    ),
    (
        "An NVIDIA GPU may be present on this machine, but a CUDA-enabled jaxlib is not installed. Falling back to cpu.",
        {"os": "linux", "gpu": "Radeon RX 580"},
        ["does not run on gfx803: compute on the CPU"],
        ["rocm7"],
    ),
    # JAX on GPUs from before Maxwell.
    (
        "No GPU/TPU found, falling back to CPU. (Set TF_CPP_MIN_LOG_LEVEL=0 and rerun for more info.)",
        {"os": "linux", "gpu": "Tesla K80", "packages": {"jax": "0.3.14"}},
        [r"jax\[cuda11_cudnn82\]==0\.3\.14"],
        ["cuda12"],
    ),
    (
        "No GPU/TPU found, falling back to CPU. (Set TF_CPP_MIN_LOG_LEVEL=0 and rerun for more info.)",
        {"os": "linux", "gpu": "Tesla K40m", "packages": {"jax": "0.4.30"}, "python": "3.12"},
        [r"0\.4\.3 is the last"],
        ["cuda12"],
    ),
    (
        "No GPU/TPU found, falling back to CPU. (Set TF_CPP_MIN_LOG_LEVEL=0 and rerun for more info.)",
        {"os": "linux", "gpu": "Quadro K4000", "packages": {"jax": "0.1.40"}},
        [r"compute capability 3\.5 or later.* JAX computes on the CPU"],
        ["pip install"],
    ),
    (
        "Cannot assign a device for operation: node was explicitly assigned to /device:GPU:0 but available devices are [ "
        "/job:localhost/replica:0/task:0/device:CPU:0 ].",
        {"os": "macos", "packages": {"tensorflow": "1.15.0"}},
        ["no GPU support from 1.2 to 2.4", "soft placement"],
        [],
    ),
    (
        ">>> tf.test.is_built_with_cuda()\nFalse",
        {"os": "windows", "packages": {"tensorflow": "2.3.0"}},
        [r"uninstall -y tensorflow; python -m pip install \"tensorflow==2\.3\.\*", r"CUDA 10\.1"],
        ["wsl", r"2\.10"],
    ),
    (
        'Setting up TensorFlow plugin "fused_bias_act.cu": Compiling... Failed!',
        {"packages": {"tensorflow": "1.15"}},
        ["GCC 7", "CUDA toolkit"],
        [],
    ),
    (
        "Ignoring visible gpu device (device: 0, name: Quadro M1200, pci bus id: 0000:01:00.0) with Cuda compute capability "
        "5.0. The minimum required Cuda capability is 5.2.",
        {"os": "linux", "packages": {"tensorflow": "1.2.0rc2"}, "gpu": "Quadro M1200"},
        [r"tensorflow-gpu==1\.2\.\*"],
        [r"2\.16"],
    ),
    (
        "Device mapping: no known devices.",
        {"os": "linux", "python": "3.5", "packages": {"tensorflow-gpu": "1.1.0"}, "gpu": "GeForce GTX 1080"},
        ["uninstall -y tensorflow tensorflow-gpu"],
        [],
    ),
    # What has a kernel of its own, and a program that is newer than its TensorFlow.
    (
        "Error no kernel image is available for execution on the device at line 167 in file D:\\bitsandbytes\\csrc\\ops.cu",
        {"os": "windows", "python": "3.10"},
        ["--upgrade bitsandbytes"],
        ["arch_list"],
    ),
    (
        "Launching Web UI with arguments: --force-enable-xformers\n"
        "xformers-0.0.14.dev0-cp310-cp310-win_amd64.whl\n"
        "RuntimeError: CUDA error: no kernel image is available for execution on the device",
        {"os": "windows", "gpu": "RTX 2070"},
        ["xFormers"],
        ["uninstall -y torch"],
    ),
    (
        "torch                        2.7.1+cu128\n"
        "torchaudio               2.7.1+cu128\n"
        "torchvision               0.22.1+cu128\n"
        "xformers                  0.0.32.dev1073\n"
        "RuntimeError: CUDA error: no kernel image is available for execution on the device",
        {"os": "windows", "gpu": "RTX 5090"},
        ["xFormers"],
        [],
    ),
    (
        "UserWarning: No GPU/TPU found, falling back to CPU.",
        {"os": "linux", "python": "3.6", "packages": {"jax": None}, "cuda": "10.1"},
        [r"jaxlib==0\.1\.69\+cuda101"],
        ["cuda12", "uv venv"],
    ),
    (
        "RuntimeError: CUDA error: no kernel image is available for execution on the device (nms_cuda at "
        "/tmp/torchvision/csrc/cuda/nms_cuda.cu:127)",
        {"os": "linux", "gpu": "Tesla V100"},
        ["What has no code for the GPU is torchvision", "TORCH_CUDA_ARCH_LIST=7\\.0"],
        ["get_arch_list"],
    ),
    (
        "CUDA error 209 at vendor/llama.cpp/ggml-cuda.cu:22: no kernel image is available for execution on the device",
        {"os": "windows", "packages": {"torch": None, "llama-cpp-python": None}},
        ["build of llama\\.cpp"],
        ["get_arch_list", "whl/cu"],
    ),
    (
        "CUDA Error: No kernel image is available for execution on the device",
        {"gpu": "Quadro P4000"},
        ["compute capability 6\\.1"],
        [],
    ),
    (
        'CMAKE_ARGS="-DLLAMA_CUBLAS=on" pip install llama-cpp-python\nAVX = 1 | WASM_SIMD = 0 | BLAS = 0 | SSE3 = 1 |',
        {"os": "linux"},
        ["build for the CPU", "llama-cpp-python"],
        [],
    ),
    (
        "INFO --> Using torch device: CPU",
        {"gpu": "NVIDIA A100", "packages": {"torch": "2.4.1+cpu"}},
        ["without CUDA"],
        [],
    ),
    (
        "tensorflow.python.framework.errors_impl.InternalError: no kernel image is available for execution on the device",
        {"os": "windows", "packages": {"tensorflow": "2.3.0"}, "gpu": "GTX 960M"},
        [r"2\.4\.0 is the next release, 2\.10\.1 the newest"],
        [],
    ),
    # A GPU that is newer than the CUDA that a build has, by what is known of it.
    (
        "RuntimeError: NVCC returned an error.\nnvcc fatal   : Unsupported gpu architecture 'compute_86'",
        {"os": "windows", "packages": {"tensorflow-gpu": "1.15"}, "gpu": "RTX 3080", "cuda": "10.0"},
        ["in WSL 2: NVIDIA's container"],
        [r"11\.1 or later"],
    ),
    (
        "E cuda_blas.cc:428] failed to run cuBLAS routine: CUBLAS_STATUS_EXECUTION_FAILED\n"
        "tensorflow.python.framework.errors_impl.InternalError: Blas GEMM launch failed : a.shape=(100, 300)",
        {"os": "linux", "gpu": "RTX 3060 Ti", "cuda": "10.0"},
        ["no code for this GPU"],
        ["smaller batch"],
    ),
    (
        "AssertionError: Torch not compiled with CUDA enabled",
        {"os": "linux", "gpu": "none"},
        ['device "cpu"'],
        ["whl/cu"],
    ),
    # A machine for which CUDA is stated has an NVIDIA GPU.
    # Who states CUDA has an NVIDIA GPU.
    (
        "tf.config.list_physical_devices('GPU') # result show []",
        {"os": "windows", "packages": {"tensorflow": "2.11.0"}, "cuda": "11.6"},
        ["wsl --install"],
        [],
    ),
    # Python 2.7 is of the time of TensorFlow 1, whose program does not run on 2.
    (
        "ERR [DataParallel] TensorFlow was not built with CUDA support!",
        {"os": "linux", "python": "2.7"},
        ["tensorflow-gpu==RELEASE"],
        [r"python 3\.", "and-cuda"],
    ),
    (
        "Applied providers: ['CPUExecutionProvider'], with options: {'CPUExecutionProvider': {}}",
        {"cuda": "10.1", "packages": {"onnxruntime-gpu": "1.9.0"}},
        ["not CUDA 10.1"],
        ["CUDA 12"],
    ),
    # Nothing is printed of it: the results are wrong, or the program hangs.
    (
        "The program prints nothing and hangs.",
        {"gpu": "GeForce RTX 3090", "packages": {"tensorflow-gpu": "1.13.1"}},
        ["CUDA 10 or older", r"TensorFlow 2\.5 or newer"],
        [],
    ),
    # The date of TensorFlow's lines: what came later did not print them.
    (
        "2018-11-14 07:13:40.421997: E T:\\src\\github\\tensorflow\\tensorflow\\stream_executor\\cuda\\cuda_blas.cc:654] "
        "failed to run cuBLAS routine cublasSgemm_v2: CUBLAS_STATUS_EXECUTION_FAILED",
        {"os": "windows", "gpu": "GeForce RTX 2070"},
        ["TensorFlow before 1.13", "compute capability 7.5"],
        [r"11\.2"],
    ),
    # A GPU that is too old for cuDNN of any PyTorch.
    (
        'RuntimeError: "cuDNN error: CUDNN_STATUS_NOT_INITIALIZED"\n  File "torch\\nn\\modules\\conv.py", line 459',
        {"os": "windows", "gpu": "GeForce GTX 760"},
        [r"compute capability 3\.0"],
        ["--upgrade"],
    ),
    # A launcher quotes the error of the command that it ran.
    (
        'Traceback (most recent call last):\n  File "/home/u/webui/launch.py", line 34, in run\n'
        "    raise RuntimeError(message)\nRuntimeError: Error running command.\nCommand: python -c 1\nError code: 1\n"
        'stderr: Traceback (most recent call last):\n  File "<string>", line 1, in <module>\n'
        "AssertionError: Torch is not able to use GPU; add --skip-torch-cuda-test to COMMANDLINE_ARGS",
        {"os": "linux"},
        ["sees no GPU that it can use", "torch.version.cuda"],
        ["Error running command"],
    ),
    (
        "llm_load_tensors: offloaded 0/33 layers to GPU",
        {"gpu": "NVIDIA GeForce RTX 3060", "packages": {"llama-cpp-python": "0.2.60"}},
        ["n_gpu_layers=-1"],
        [],
    ),
    # llama.cpp, compiled without a library for the GPU.
    (
        "llm_load_tensors: offloaded 0/33 layers to GPU\nAVX = 1 | WASM_SIMD = 0 | BLAS = 0 | SSE3 = 1 | VSX = 0 |",
        {"os": "linux", "cuda": "12.6", "packages": {"llama-cpp-python": "0.2.89"}},
        ["GGML_CUDA", "llama-cpp-python/whl/cu"],
        [],
    ),
    (
        "cellpose version: \t4.1.1\nplatform:       \twin32\npython version: \t3.12.4\ntorch version:  \t2.8.0\n"
        "[INFO] Neither TORCH CUDA nor MPS version not installed/working.\n[INFO] >>>> using CPU\n",
        {"gpu": "NVIDIA GeForce RTX 3060"},
        ["CPU build|without CUDA", r"torch==2\.8\.0\S* --index-url \S+/cu12"],
        ["MPS\\)"],
    ),
    # The errors of TensorFlow 1's sessions, which end the program that asks for a GPU.
    (
        "InvalidArgumentError (see above for traceback): Cannot assign a device for operation a: Operation was explicitly "
        "assigned to /device:GPU:0 but available devices are [ /job:localhost/replica:0/task:0/device:CPU:0 ].",
        {},
        ["The program requests a GPU that TensorFlow does not list"],
        [],
    ),
    (
        "InternalError (see above for traceback): CUB reduce errorinvalid device function",
        {"os": "linux", "packages": {"tensorflow-gpu": "1.4.0"}},
        ["no code for this GPU"],
        [],
    ),
    (
        "InvalidArgumentError: Cannot assign a device for operation a: {{node a}} was explicitly assigned to /device:GPU:0 "
        "but available devices are [ /job:localhost/replica:0/task:0/device:CPU:0 ]. Make sure the device specification "
        "refers to a valid device. The requested device appears to be a GPU, but CUDA is not enabled.",
        {"os": "linux", "packages": {"tensorflow": "2.8.4"}},
        ["set_soft_device_placement"],
        ["and-cuda"],
    ),
    (
        "Using provider ['CPUExecutionProvider'] - Device:cpu",
        {"os": "windows", "gpu": "AMD Radeon RX 7800 XT", "packages": {"torch": "2.1.2+cu118"}},
        ["install onnxruntime-directml"],
        ["torch"],
    ),
    (
        "run.py: error: argument --execution-provider: invalid choice: 'directml' (choose from 'cuda', 'cpu')",
        {"os": "windows", "gpu": "AMD Radeon RX 6700 XT"},
        ["install onnxruntime-directml", r"uninstall -y [^;]*onnxruntime-gpu"],
        ["tensorflow", "nvidia"],
    ),
    (
        "run.py: error: argument --execution-provider: invalid choice: 'openvino' (choose from 'cpu')",
        {"os": "windows"},
        ["install onnxruntime-openvino"],
        ["cudnn"],
    ),
    ("RuntimeError: Triton Error [ZE]: 0x78000011", {"os": "windows", "gpu": "Arc B580"}, [r"graphics driver"], []),
    (
        "Available devices: [CpuDevice(id=0)]",
        {"os": "linux", "gpu": "gfx1103", "packages": {"jax": "0.4.23"}, "rocm": "6.0.0"},
        [r"HSA_OVERRIDE_GFX_VERSION=11\.0\.0"],
        [],
    ),
    (
        "Available devices: [CpuDevice(id=0)]",
        {"os": "linux", "gpu": "gfx1100", "packages": {"jax": "0.4.23"}, "rocm": "6.0.0"},
        [r"jax-rocm60-plugin"],
        [r"HSA_OVERRIDE"],
    ),
    (
        '  File "train.py", line 9, in main\n    assert torch.cuda.is_available()\nAssertionError',
        WINDOWS,
        [r"whl/cu"],
        [],
    ),
    (
        "Num GPUs Available:  0",
        {"os": "Windows 8.1", "python": "3.8", "packages": {"tensorflow": "2.12.0"}, "gpu": "GTX 970"},
        ["tensorflow==2.10.1"],
        ["(?i)wsl"],
    ),
    # A program that requests a GPU which TensorFlow does not list: the facts decide why.
    (
        GPU_REQUESTED,
        {"os": "windows", "packages": {"tensorflow": "1.12.0"}, "gpu": "GTX 1060"},
        ["tensorflow-gpu==1.12.0"],
        ["set_soft", "DirectML"],
    ),
    (
        "InvalidArgumentError: Could not satisfy device specification '/job:localhost/replica:0/task:0/device:GPU:0'. "
        "enable_soft_placement=0. Supported device types [CPU]. All available devices "
        "[/job:localhost/replica:0/task:0/device:CPU:0].",
        {"os": "windows", "packages": {"tensorflow": "2.15.0"}, "gpu": "RTX 4060"},
        ["WSL"],
        ["set_soft"],
    ),
    (
        "    xFormers wasn't build with CUDA support",
        {"os": "windows", "gpu": "RTX 3060", "packages": {"torch": "2.0.1+cpu", "xformers": "0.0.20"}},
        ["torch==2\\.0\\.1 .*whl/cu118"],
        [],
    ),
    (
        "The program was built for 1 devices\n -11 (PI_ERROR_BUILD_PROGRAM_FAILURE)Exception caught at file:/s/ggml.cpp",
        {"os": "linux", "gpu": "Intel Arc A730M"},
        ["Intel's compute runtime"],
        ["CUDA", "RTX"],
    ),
    (
        "RuntimeError: GET was unable to find an engine to execute this computation",
        {"os": "linux", "gpu": "Tesla P100", "packages": {"torch": "2.8.0+cu128"}},
        ["no code for compute capability 6\\.0", "whl/cu126"],
        ["memory"],
    ),
    (
        "CUDA error (/src/xformers/third_party/flash-attention/hopper/flash_fwd_launch_template.h:188): invalid argument",
        {"os": "linux", "gpu": "RTX 5090", "packages": {"torch": "2.7.1+cu128", "xformers": "0.0.31"}},
        ["Hopper", "uninstall -y xformers"],
        ["nvidia-smi"],
    ),
    (
        "RuntimeError: FlashAttention only supports Ampere GPUs or newer.",
        {"os": "linux", "gpu": "RTX 5090", "packages": {"flash-attn": "2.7.0"}},
        ["newer than it", "--upgrade .*flash-attn"],
        ["flash-attn<2", "RTX 20"],
    ),
    (
        "RuntimeError: FlashAttention only supports Ampere GPUs or newer.",
        {"os": "linux", "gpu": "RTX 2080 Ti", "packages": {"flash-attn": "2.7.0"}},
        ["flash-attn<2"],
        ["newer than it"],
    ),
    (
        '  File "C:\\app\\nodes\\render.py", line 30, in rasterize\n    indices = raster_kernel.rasterize_image(pos, tri)\n'
        "RuntimeError: CUDA error: no kernel image is available for execution on the device",
        {"os": "windows", "packages": {"torch": "2.6.0+cu126"}, "gpu": "NVIDIA GeForce RTX 2070 SUPER"},
        ["PyTorch 2\\.6\\.0 has code", "TORCH_CUDA_ARCH_LIST=7\\.5"],
        ["pip install torch"],
    ),
    (
        "RuntimeError: CUDA error: no kernel image is available for execution on the device",
        {"os": "windows", "packages": {"torch": "2.6.0+cu126"}, "gpu": "NVIDIA GeForce RTX 5060 Ti"},
        ["install torch .*whl/cu128"],
        ["ARCH_LIST"],
    ),
    (
        NO_DEVICE_0 % "'--device 0'",
        {"os": "windows", "packages": {"torch": "1.13.1+cpu"}},
        ["without CUDA", "torch==1\\.13\\.1 .*whl/cu117"],
        ["torch\\.version"],
    ),
    (
        "AssertionError: Invalid `--device 0` request, valid devices are 0 - -1.",
        {"packages": {"torch": None}},
        ["torch\\.version\\.cuda"],
        [],
    ),
    (
        "UserWarning: You will need a GPU with NVIDIA Volta™ architecture or newer. Detected GPU 0: NVIDIA GeForce GTX 1080",
        {"os": "linux", "packages": {"cudf-cu12": "24.4.0"}},
        [r"rapids=23\.12"],
        [],
    ),
    (
        "F tensorflow/core/kernels/conv_2d_gpu.h:714] Non-OK-status: GpuLaunchKernel(kernel) status: Internal: invalid device "
        "function",
        {"os": "windows", "gpu": "AMD Radeon RX 6800", "packages": {"tensorflow": "2.10.1"}},
        ["DirectML"],
        ["install tensorflow-rocm"],
    ),
    (
        "ImportError: Using `bitsandbytes` 8-bit quantization requires the latest version of bitsandbytes",
        {"os": "windows", "packages": {"torch": "2.3.0+cpu", "bitsandbytes": "0.43.1"}},
        ["whl/cu121"],
        [],
    ),
    (
        "Unable to initialize backend 'cuda': INTERNAL: no supported devices found for platform CUDA",
        {"os": "linux", "gpu": "GTX 680", "packages": {"jax": "0.4.30", "jax-cuda12-plugin": "0.4.30"}},
        ["leaves that GPU out"],
        ["modprobe"],
    ),
    # A library of CUDA that does not start, on a GPU that this build has no code for; and on one that it has.
    (
        "RuntimeError: CUDA error: CUBLAS_STATUS_NOT_INITIALIZED when calling `cublasCreate(handle)`",
        {"os": "linux", "gpu": "RTX 5090", "packages": {"torch": "2.5.1+cu124"}},
        ["whl/cu128"],
        ["smaller batch"],
    ),
    (
        "RuntimeError: cuDNN error: CUDNN_STATUS_NOT_INITIALIZED",
        {"os": "windows", "gpu": "RTX 3060", "cuda": "10.2", "packages": {"torch": "1.5.0"}},
        ["whl/cu126"],
        ["library path"],
    ),
    (
        "failed to create cublas handle: CUBLAS_STATUS_NOT_INITIALIZED",
        {"os": "linux", "gpu": "RTX 3080", "packages": {"tensorflow-gpu": "1.15.0"}},
        ["TensorFlow 2.5 or newer"],
        ["GROWTH"],
    ),
    (
        "#SBATCH -N 2\n#SBATCH -t 00:30:00\nMisconfigurationException('No supported gpu backend found!')",
        LINUX,
        ["--gpus=1"],
        [],
    ),
    (
        "#SBATCH --gpus-per-node=4\nMisconfigurationException('No supported gpu backend found!')",
        LINUX,
        [r"torch\.version\.cuda"],
        ["Ask for a GPU"],
    ),
    (
        "E tensorflow/stream_executor/cuda/cuda_blas.cc:428] failed to run cuBLAS routine: CUBLAS_STATUS_EXECUTION_FAILED",
        {"gpu": "RTX 3090"},
        [r"TensorFlow 2\.5 or newer", "tf1-py3"],
        ["and-cuda"],
    ),
    # A session of TensorFlow 1 that looked for no GPU.
    (
        "conda 4.5\n2019-03-01 10:00:00.000000: I direct_session.cc:307] Device mapping: no known devices.",
        {"os": "linux", "gpu": "Quadro P1000", "packages": {"tensorflow-gpu": "1.9.0"}},
        [r'conda install "tensorflow=1\.9\.0=gpu\*"', r"tensorflow-gpu==1\.9\.0"],
        [r"\[and-cuda\]"],
    ),
    (
        "JetPack 6.0 on a Jetson Orin Nano\njax 0.4.31\nINTERNAL: Failed call to cudaGetFuncBySymbol: no kernel image is "
        "available for execution on the device",
        {},
        [r"pypi\.jetson-ai-lab\.io", "jetson-containers"],
        ["install-tf-jetson", r"jax\[cuda"],
    ),
    # A machine in one line, as people write it; what is offered or asked for in such a line is no machine.
    (
        "TensorFlow 2.18, Windows 11, RTX 3060, Python 3.11\n>>> tf.config.list_physical_devices('GPU')\n[]",
        {},
        [r"wsl --install", r"tensorflow==2\.10"],
        ["nvidia-driver", "apt"],
    ),
    # A GPU of AMD by its number alone, and a variable that names a library of bitsandbytes.
    (
        "GPU :- AMD 6600xt\n"
        + NO_CUDA_TORCH
        + '\nFile "C:\\Users\\w\\ComfyUI\\comfy\\sd.py", line 459, in load_checkpoint',
        {"os": "windows"},
        ["AMD's build of PyTorch", "--directml"],
        ["cu126"],
    ),
    # The web UI's check says no cause: both are named, and its fork for AMD's GPUs has its own way.
    (
        "RuntimeError: Torch is not able to use GPU; add --skip-torch-cuda-test to COMMANDLINE_ARGS variable to disable this",
        {"os": "linux"},
        ["torch.version.hip", "nvidia-smi", r"pip install torch --index-url \S+/cu126"],
        ["doctor"],
    ),
    (
        'File "C:\\stable-diffusion-webui-directml\\launch.py", line 48, in <module>\n'
        "RuntimeError: Torch is not able to use GPU; add --skip-torch-cuda-test to COMMANDLINE_ARGS variable to disable this",
        {"os": "windows"},
        ["--use-directml"],
        ["index-url"],
    ),
    # A question for a GPU names it, and a list in a log names its packages.
    (
        "Is NVIDIA GeForce RTX 5060 Laptop GPU supported?\n"
        "RuntimeError: CUDA error: no kernel image is available for execution on the device\n"
        "[2025-10-13 18:27:05,692][DEBUG]  - torch                       2.5.1",
        {"os": "linux"},
        [r"pip install torch --index-url \S+/cu128"],
        ["RTX 40", "get_arch_list"],
    ),
    # The kernels of vLLM are compiled for one PyTorch: both are replaced, or the image that has them.
    (
        "docker run --gpus all vllm/vllm-openai:latest --model Qwen/Qwen3-4B-AWQ\n"
        "RuntimeError: CUDA error: no kernel image is available for execution on the device\n"
        "|   0  NVIDIA GeForce RTX 5090        Off |   00000000:01:00.0 Off |                  N/A |",
        {"os": "linux"},
        ["docker pull vllm/vllm-openai"],
        ["pip install torch", "uninstall"],
    ),
    (
        "RuntimeError: CUDA error: no kernel image is available for execution on the device",
        {"os": "linux", "gpu": "NVIDIA GeForce RTX 5090", "packages": {"torch": "2.6.0", "vllm": "0.8.4"}},
        [r"uv pip install .*vllm --torch-backend=auto"],
        ["pip install torch", "docker"],
    ),
    # CuPy compiles with its own CUDA: the one that knows the GPU and that the driver runs.
    (
        NVRTC_ARCH,
        {"os": "linux", "gpu": "GeForce GTX 1080", "driver": "580.95"},
        [r"cupy-cuda12x\[ctk\]"],
        ["13x", "cuda11x"],
    ),
    (
        NVRTC_ARCH,
        {"os": "linux", "gpu": "GeForce RTX 3090", "driver": "470.57"},
        ["cupy-cuda11x", "toolkit"],
        ["from source"],
    ),
    (
        NVRTC_ARCH,
        {"os": "linux", "gpu": "GeForce RTX 2080", "driver": "435.21"},
        ["install cupy-cuda101", "525"],
        ["cuda11x"],
    ),
    # A GPU that is newer than the CUDA which the build loads.
    (
        "name: GeForce RTX 3060 computeCapability: 8.6\nSuccessfully opened dynamic library cublas64_10.dll",
        {},
        [r"tensorflow==2\.10"],
        ["2\\.21", "leaves that GPU out"],
    ),
    (
        "I use tensorflow 1.8.0\nCannot assign a device for operation 'a/Softmax': Could not satisfy explicit device "
        "specification '/device:GPU:0' because no supported kernel for GPU devices is available.",
        {},
        [r"tensorflow-gpu==1\.8"],
        [],
    ),
    (
        "RuntimeError: Expected is_sm90 || is_sm8x || is_sm75 to be true, but got false.",
        {},
        ["sdpa", "USE_FLASH_ATTENTION", "Turing"],
        ["doctor", "flash-attn<2"],
    ),
    ("RuntimeError: SGLang only supports sm75 and above.", LINUX, ["llama.cpp"], ["doctor", "flash-attn<2"]),
    (
        "AttributeError: 'NoneType' object has no attribute 'fully_fused_projection_fwd'",
        LINUX,
        ["CUDA_HOME"],
        ["doctor"],
    ),
    (
        "AttributeError: module 'torch._C' has no attribute '_cuda_setDevice'",
        LINUX,
        ["without CUDA", "whl/cu"],
        ["pip check"],
    ),
    # A package that was compiled where it saw no CUDA raises an error of its own code.
    ("NameError: name '_C' is not defined", LINUX, ["CUDA_HOME", "no-build-isolation"], ["doctor"]),
    (
        "ImportError: cannot import name '_C' from 'groundingdino' (/e/groundingdino/__init__.py)",
        LINUX,
        ["CUDA_HOME"],
        ["--upgrade groundingdino"],
    ),
    ("RuntimeError: PyTorch is not linked with support for mps devices", MAC, ["MPS"], ["whl/cu"]),
    (
        "ValueError: ProcessGroupNCCL is only supported with GPUs, no GPUs found!",
        LINUX,
        ["cuda"],
        ["nothing has to be"],
    ),
    # The names of PyTorch's own libraries tell which PyTorch an add-on was compiled for.
    (
        "ImportError: libc10_cuda.so: cannot open shared object file: No such file or directory",
        {**LINUX, "python": "3.11"},
        ["without CUDA", "whl/cu"],
        ["of the same"],
    ),
    # A PyTorch that is older than the GPU fails in cuDNN first.
    (
        "RuntimeError: cuDNN error: CUDNN_STATUS_EXECUTION_FAILED",
        {**LINUX, "gpu": "RTX 2060", "packages": {"torch": "1.0.1"}, "python": "3.8"},
        ["CUDA 9", "whl/cu"],
        ["ldconfig"],
    ),
    (
        "RuntimeError: cuDNN error: CUDNN_STATUS_EXECUTION_FAILED\ntorch 1.5.1, CUDA 10.2, RTX 3080",
        LINUX,
        ["whl/cu"],
        [],
    ),
    ("AssertionError: Torch not compiled with CUDA enabled\nJetson AGX Orin", LINUX, [r"3\.8 in 5"], []),
    (
        "INVALID_ARGUMENT: DLPack tensor is on GPU, but no GPU backend was provided.\njax 0.4.20\njaxlib 0.4.20",
        {},
        [r'"jax\[cuda12_pip\]==0\.4\.20" -f https', r'upgrade "jax\[cuda12\]"'],
        [],
    ),
    (
        "RuntimeError: Unable to initialize backend 'rocm': NOT_FOUND: Could not find registered platform with name: "
        '"rocm". Available platform names are: Host CUDA',
        {**LINUX, "gpu": "AMD Instinct MI210"},
        [r"jax-rocm7-plugin"],
        [r"JAX_PLATFORMS=cuda"],
    ),
    # Slurm: built without the library, and without it on the node.
    (
        "slurmd: fatal: We were configured to autodetect nvml functionality, but we weren't able to find that lib when Slurm "
        "was configured.",
        {},
        [r"built without", r"slurm-wlm-nvml-plugin", r"File=/dev/nvidia"],
        [r"--gres", r"pip install"],
    ),
    # A GPU that people name in a sentence.
    (
        "Status Message: CUDA error cudaErrorNoKernelImageForDevice:no kernel image is available for execution on the "
        "device\nI have an RTX 5080 and onnxruntime-gpu==1.23.0",
        {},
        [r"onnxruntime-gpu==1\.22\.0"],
        [],
    ),
    # TensorFlow with pip's CUDA: 2.21.0 takes no GPU with them, and cuDNN from 9.11 on has no code for Pascal.
    (
        ">>> tf.config.list_physical_devices('GPU')\n[]",
        {**WINDOWS, "python": "3.11", "packages": {"tensorflow": "2.14.0"}, "gpu": "GTX 1060"},
        [r"and-cuda\]==2\.20\.\*\" \"nvidia-cudnn-cu12<9\.11"],
        [],
    ),
    # Lightning asks for a GPU, and raises: a build for the CPU is replaced, and without a GPU the program has to change.
    (
        "MisconfigurationException: You requested GPUs: [0, 1]\n But your machine only has: []\n"
        "_pytorch_select           0.1                       cpu_0  ",
        {},
        [r'conda install "pytorch=\*=\*cuda'],
        [r"nothing has to be installed", r"hidden GPU"],
    ),
    (
        "MisconfigurationException: You requested GPUs: [0]\n But your machine only has: []",
        {**LINUX, "python": "3.10", "packages": {"torch": "1.13.1+cpu"}},
        [r"build without CUDA", r"torch==1\.13\.1.*whl/cu117"],
        [r"nothing has to be installed", r"hidden GPU"],
    ),
    (
        'venv "D:\\sd\\stable-diffusion-webui-amdgpu-forge\\venv\\Scripts\\Python.exe"\n' + NO_CUDA_TORCH,
        {"os": "windows"},
        [r"--directml", r"HIP SDK"],
        [r"whl/cu", r"git clone"],
    ),
    # No kernel of cuDNN's layer at all: a build for the CPU. With kernels for a GPU it is the right one, and sees none.
    (
        CUDNN_RNN + "Registered devices: [CPU, XLA_CPU]\nRegistered kernels:\n  <no registered kernels>\n",
        {"os": "linux", "packages": {"tensorflow": "1.13.1", "tensorflow-gpu": "1.13.1"}},
        [r"without GPU support", r"uninstall -y tensorflow tensorflow-gpu && .*install tensorflow-gpu==1\.13\.1"],
        [r"is listed", r"2\.6"],
    ),
    (
        CUDNN_RNN + "Registered devices: [CPU]\nRegistered kernels:\n  <no registered kernels>\n",
        {},
        [r"tensorflow-gpu==RELEASE"],
        [r"tensorflow==\d"],
    ),
    (
        "RuntimeError: GPUs with compute capability below 7.0 are not supported.",
        {**LINUX, "gpu": "Tesla P100", "packages": {"vllm": "0.11.0", "torch": "2.8.0"}},
        [r"capability 7\.0 or later", r"llama\.cpp"],
        [r"doctor", ANY_INSTALL],
    ),
    (
        "[E:onnxruntime:, sequential_executor.cc:572] Non-zero status code returned while running Mul node. Name:'a' Status "
        "Message: CUDA error cudaErrorNoKernelImageForDevice:no kernel image is available for execution on the device",
        {**LINUX, "gpu": "RTX 5080", "packages": {"onnxruntime-gpu": "1.23.0"}},
        [r"onnxruntime-gpu==1\.22\.0"],
        [r"pytorch\.org"],
    ),
    (
        "WARNING _custom_ops.py:15] Failed to import from vllm._C with ImportError('libcudart.so.12: cannot open shared "
        "object file: No such file or directory')\nValueError: Bfloat16 is only supported on GPUs with compute capability of "
        "at least 8.0. Your Tesla V100 GPU has compute capability 7.0. You can use float16 instead by explicitly setting the "
        "`dtype` flag in CLI, for example: --dtype=half.",
        {},
        [r"\A.*bfloat16.*\n.*--dtype half"],
        [],
    ),
    # The file that fails names the package to update; a JAX keeps its CUDA.
    (
        "cupy.cuda.compiler.CompileException: /u/site-packages/cupy/_core/include/cupy/_cuda/cuda-12.6/cuda_fp16.h(131): "
        'catastrophic error: cannot open source file "vector_types.h"',
        LINUX,
        [r'"nvidia-cuda-runtime-cu12==12\.6\.\*"', r'--upgrade "cupy-cuda12x\[ctk\]"'],
        [r"another CUDA", r"cupy-cuda11x"],
    ),
    (
        "W gpu_device.cc:2433] TensorFlow was not built with CUDA kernel binaries compatible with compute capability "
        "12.0. CUDA "
        "kernels will be jit-compiled from PTX, which could take 30 minutes or longer.",
        {**LINUX, "gpu": "GeForce RTX 5080", "packages": {"tensorflow": "2.19.0"}},
        [r"docker run --gpus all .*tensorflow:25\.02-tf2-py3"],
        [],
    ),
    (
        "whisper/transcribe.py:126: UserWarning: FP16 is not supported on CPU; using FP32 instead",
        {"os": "windows", "gpu": "NVIDIA GeForce RTX 3060", "python": "3.11"},
        [r"torch\.version\.cuda", r"download\.pytorch\.org/whl/cu"],
        [],
    ),
    (
        "RuntimeError: Not compiled with GPU support (deform_conv_forward at layers/csrc/deformable/deform_conv.h:137)",
        {"os": "linux"},
        ["FORCE_CUDA=1", "CUDA_HOME", "folder build"],
        [r"uninstall -y torch\b"],
    ),
    (
        "Ultralytics YOLOv8.2.0 Python-3.11.4 torch-2.2.0+cpu\nValueError: Invalid CUDA 'device=0' requested.",
        {"os": "windows", "gpu": "NVIDIA GeForce RTX 3070"},
        [r"torch==2\.2\.0\S* torchvision"],
        [],
    ),
    # A build of ONNX Runtime without OpenVINO, and of JAX without CUDA.
    (
        "ValueError: ['OpenVINOExecutionProvider'] does not contain a subset of available providers ['CPUExecutionProvider']",
        LINUX,
        ["onnxruntime-openvino"],
        ["preload_dlls", r"install \W?onnxruntime-gpu"],
    ),
    (
        "WARNING: jax 0.4.14 does not provide the extra 'cuda12_pip'",
        {"os": "windows"},
        ["WSL 2"],
        [],
    ),
    (
        JAX_WITHOUT_PLUGIN,
        {**LINUX, "python": "3.11", "packages": {"jax": "0.5.2", "jaxlib": "0.5.1", "numpy": "2.0.2"}},
        [r'"jax\[cuda12\]==0\.5\.2"'],
        ["numpy", "scipy"],
    ),
    # TPUs.
    (
        "WARNING:jax._src.xla_bridge:970: A Google TPU may be present on this machine, but either a TPU-enabled jaxlib or "
        "libtpu is not installed. Falling back to cpu.",
        {**LINUX, "packages": {"jax": "0.6.2"}},
        [r'"jax\[tpu\]==0\.6\.2"'],
        ["cuda"],
    ),
    (
        "NotImplementedError: No operator found for `memory_efficient_attention_forward` with inputs:\n"
        "`cutlassF-pt` is not supported because:\n"
        "    requires device with capability <= (9, 0) but your GPU has capability (12, 0) (too new)",
        WINDOWS,
        [r"no kernel for a GPU this new", r"\A.*\n.*\n.*uninstall -y xformers"],
        [r"xformers\.info"],
    ),
    # A GPU that PyTorch's builds for CUDA 12.8 and later leave out.
    (
        "/usr/local/lib/python3.12/dist-packages/torch/cuda/__init__.py:300: UserWarning: \nTesla P100-PCIE-16GB with CUDA "
        "capability sm_60 is not compatible with the current PyTorch installation.\nFileNotFoundError: /kaggle/input/x.csv",
        {},
        [r"install torch --index-url \S+/cu126", r"T4"],
        [r"torch==", r"cudnn"],
    ),
    # A program's own Python, and what belongs to its PyTorch.
    (
        r'  File "D:\Tools\maker 2\system\python\lib\site-packages\torch\cuda\__init__.py", line 9, in _lazy_init'
        + "\n"
        "AssertionError: Torch not compiled with CUDA enabled",
        {},
        [r"D:\\Tools\\maker 2\\system\\python\\python\.exe", r"torchvision and torchaudio"],
        [],
    ),
    (
        r'  File "D:\venv\python\lib\site-packages\torch\cuda\__init__.py", line 9, in _lazy_init'
        + "\n"
        + NO_CUDA_TORCH,
        {"packages": {"torch": "2.4.0", "torchvision": "0.19.0"}},
        [r"torch==2\.4\.0 torchvision"],
        [r"its own Python", "if they are there"],
    ),
    (
        "tensorflow                2.3.0           mkl_py37h04bc1aa_0\n>>> tf.config.list_physical_devices('GPU')\n[]",
        {**LINUX, "gpu": "GeForce RTX 2070"},
        [r'conda install "tensorflow=2\.3\.0=gpu\*"'],
        [r"pip install tensorflow==2\.3\.0", r"conda-forge"],
    ),
    # PyTorch and its add-ons.
    (
        "/srv/env/lib/python3.8/site-packages/torch/cuda/__init__.py:155: UserWarning: \nNVIDIA GeForce RTX 5080 with CUDA "
        "capability sm_120 is not compatible with the current PyTorch installation.",
        LINUX,
        [r"\.\s+PyTorch's builds .{0,60}newer Pythons than 3\.8", r"whl/cu128"],
        [r"uninstall"],
    ),
    (
        "Ultralytics YOLOv8.2.0 Python-3.10.12 torch-2.1.2+cu118 CUDA:0 (NVIDIA GeForce RTX 2060, 6144MiB)\n"
        "NotImplementedError: Could not run 'torchvision::nms' with arguments from the 'CUDA' backend.",
        WINDOWS,
        [r"torchvision==0\.16\.2\+cu118"],
        [r"uninstall"],
    ),
    (
        "Found GPU0 GeForce GT 710 which is of cuda capability 3.5.\n"
        "PyTorch no longer supports this GPU because it is too old.\n"
        "The minimum cuda capability supported by this library is 3.7.",
        WINDOWS,
        [r"use the CPU, or another GPU"],
        [r"previous-versions", r"uninstall"],
    ),
    (
        "UnsupportedCUDAError: A GPU with NVIDIA Volta™ (Compute Capability 7.0) or newer architecture is required.",
        LINUX,
        [r"rapids=23\.12"],
        [],
    ),
    (
        NO_CUDA_PROVIDER,
        {**LINUX, "driver": "580.95.05", "gpu": "NVIDIA H200", "python": "3.12", "packages": {"onnxruntime": "1.30.0"}},
        [r"install \"?onnxruntime-gpu\[cuda,cudnn\]>=1\.28", "preload_dlls"],
        [r"<1\.27"],
    ),
    # CUDA 13 has no code for Pascal, and its builds begin with Python 3.11.
    (
        NO_CUDA_PROVIDER,
        {**LINUX, "driver": "580.95.05", "gpu": "GTX 1080", "python": "3.12"},
        [r"install \"?onnxruntime-gpu\[cuda,cudnn\]<1\.27"],
        [r">=1\.28"],
    ),
    (
        NO_CUDA_PROVIDER,
        {**WINDOWS, "driver": "581.15", "gpu": "RTX 4090", "python": "3.10"},
        [r"install \"?onnxruntime-gpu\[cuda,cudnn\]<1\.27", "preload_dlls"],
        [r">=1\.28"],
    ),
    (
        "UserWarning: Specified provider 'CUDAExecutionProvider' is not in available provider\nnames.Available providers: "
        "'CPUExecutionProvider'",
        {"packages": {"onnxruntime": "1.18.0"}},
        ["without CUDA"],
        [],
    ),
    (
        "NVIDIA A10 with CUDA capability sm_86 is not compatible with the current PyTorch installation.",
        {"python": "3.6", "packages": {"torch": "1.8.1"}},
        ["previous-versions"],
        ["cu126"],
    ),
    (
        "NotImplementedError: Could not run 'torchvision::nms' with arguments from the 'CUDA' backend. This could be because "
        "the operator doesn't exist for this backend",
        {"packages": {"torch": "2.5.1+cu124", "torchvision": "0.20.1+cpu"}},
        [r"torchvision==0\.20\.1\+cu124 --index-url \S+/cu124"],
        ["torch==", "uninstall"],
    ),
    # A build that conda took from PyTorch's own channel, in a release that no current index has.
    (
        "cpuonly                   2.0                           0    pytorch\n"
        "pytorch                   1.10.2              py3.9_cpu_0    pytorch",
        {**LINUX, "gpu": "RTX 3080"},
        ["conda remove cpuonly", r"pytorch=1\.10\.2 torchvision cudatoolkit=11\.3"],
        ["whl/cu126"],
    ),
    # What ComfyUI prints at its start.
    (
        "pytorch version: 2.8.0+cu128\nDevice: cuda:0 NVIDIA GeForce GTX 1070 : cudaMallocAsync\n" + NO_KERNEL,
        LINUX,
        ["GTX 1070 .compute capability 6.1", "whl/cu126"],
        ["cu128"],
    ),
    (
        "conda activate ds\nraise MissingCUDAException('CUDA_HOME does not exist, unable to compile CUDA op(s)')",
        {**LINUX, "packages": {"torch": "2.4.1+cu121"}},
        [r"cuda-nvcc=12\.1", r"CUDA_HOME=\W?\$CONDA_PREFIX"],
        ["/usr/local/cuda"],
    ),
    (
        "I tensorflow/stream_executor/platform/default/dso_loader.cc:49] Successfully opened dynamic library "
        "libcudart.so.10.1\nInternalError: CUDA_ERROR_NO_BINARY_FOR_GPU: no kernel image is available for execution on the "
        "device",
        {**LINUX, "python": "3.8", "gpu": "RTX 3060"},
        [r"TensorFlow 2\.5 or newer"],
        ["newest release", "leaves that GPU out"],
    ),
    (  # only Windows' nvidia-smi has this column
        ">>> tf.config.list_physical_devices('GPU')\n[]\n>>> tf.__version__\n'2.16.1'\n"
        "| GPU  Name                  Driver-Model | Bus-Id          Disp.A | Volatile Uncorr. ECC |\n"
        "|   0  NVIDIA GeForce RTX 3060      WDDM  |   00000000:01:00.0  On |                  N/A |",
        {},
        ["2.10 was the last", "wsl --install"],
        [r"tensorflow\[and-cuda\](?:==2\.16|$)", "LD_LIBRARY_PATH"],
    ),
    (
        NO_CUDA_TORCH,
        {"gpu": "RTX 5090", "python": "3.8", "os": "linux"},
        ["newer Pythons than 3.8", "whl/cu128"],
        ["cu124"],
    ),
    (
        NO_CUDA_TORCH,
        {"gpu": "Tesla K80", "python": "3.9", "os": "linux", "driver": "470.82"},
        ["whl/cu11"],
        ["[Uu]pdate NVIDIA's driver"],
    ),
    (NO_CUDA_TORCH, {}, ["RTX 50 and other Blackwell GPUs: cu128"], []),
    (
        ">>> torch.cuda.is_available()\nFalse",
        {"os": "container", "gpu": "RTX 3070", "packages": {"torch": "2.5.1+cpu"}},
        ["without CUDA", r"torch==2\.5\.1"],
        ["docker run"],
    ),
    (
        ">>> tf.config.list_physical_devices('GPU')\n[]",
        {**LINUX, "arch": "aarch64", "gpu": "GH200", "packages": {"tensorflow": "2.17.0"}},
        ["nvcr.io/nvidia/tensorflow"],
        ["and-cuda"],
    ),
    # What an interpreter answers to the question which GPUs there are.
    (
        ">>> torch.cuda.device_count()\n0",
        {**LINUX, "gpu": "RTX 3070", "packages": {"torch": "2.5.1+cpu"}},
        ["without CUDA", r"torch==2\.5\.1"],
        ["modprobe"],
    ),
    (
        ">>> jax.default_backend()\n'cpu'",
        {**LINUX, "gpu": "RTX 3070", "packages": {"jax": "0.4.35"}},
        [r"jax\[cuda12\]"],
        [],
    ),
    (
        ">>> ort.get_available_providers()\n['CPUExecutionProvider', 'AzureExecutionProvider']",
        {**WINDOWS, "gpu": "RTX 3070", "packages": {"onnxruntime": "1.20.0"}},
        ["onnxruntime-gpu"],
        [],
    ),
    # The driver is not known: CUDA 13's builds need a newer one than CUDA 12's.
    (
        "AssertionError: Torch not compiled with CUDA enabled",
        {**WINDOWS, "gpu": "GTX 1650", "python": "3.12", "packages": {"torch": "2.9.1+cpu"}},
        ["whl/cu126"],
        ["cu130"],
    ),
    (
        "AssertionError: Torch not compiled with CUDA enabled",
        {**WINDOWS, "gpu": "GTX 1650", "python": "3.12", "packages": {"torch": "2.9.1+cpu"}, "driver": "581.29"},
        ["whl/cu130"],
        [],
    ),
    # A hosted notebook has its own driver, and the CUDA of its own TensorFlow.
    (
        "import torch\nprint(torch.__version__)\ntorch.cuda.is_available()\n1.3.1\nFalse",
        {"os": "linux", "gpu": "T4", "python": "3.7"},
        ["whl/cu117"],
        ["cu126"],
    ),
    (
        "|   0  A100-SXM4-40GB      Off  | 00000000:00:04.0 Off |                    0 |\n"
        "RuntimeError: CUDA error: no kernel image is available for execution on the device",
        {"os": "linux", "packages": {"torch": "1.9.0+cu102"}, "python": "3.7"},
        [r"torch==1\.13\.1"],
        ["cu128"],
    ),
    # A home folder tells Linux, and PyTorch's release stays where a build of it has code for the GPU.
    (
        '  File "/home/user/miniconda3/envs/one/lib/python3.7/site-packages/torch/nn/functional.py", line 9, in relu\n'
        "RuntimeError: CUDA error: no kernel image is available for execution on the device",
        {"gpu": "RTX 3080", "packages": {"torch": "1.12.1+cu102"}},
        [r"torch==1\.12\.1\+cu116 --index-url \S+/cu116"],
        ["cu126"],
    ),
    # JAX keeps its release where it has a plug-in for CUDA and is not older than the GPU.
    (
        JAX_WITHOUT_PLUGIN,
        {"os": "linux", "gpu": "RTX 3090", "packages": {"jax": "0.5.0"}, "python": "3.11"},
        [r'"jax\[cuda12\]==0\.5\.0"'],
        ["upgrade"],
    ),
    (
        JAX_WITHOUT_PLUGIN,
        {"os": "linux", "gpu": "RTX 5090", "packages": {"jax": "0.4.30"}, "python": "3.11"},
        [r'"jax\[cuda12\]=='],
        [r"0\.4\.30"],
    ),
    (
        JAX_WITHOUT_PLUGIN,
        {"os": "linux", "gpu": "RTX 3090", "packages": {"jax": "0.5.0"}, "python": "3.11", "driver": "470.82"},
        ["525 or later", r"jax\[cuda12\]"],
        [],
    ),
    (
        "jaxlib.xla_extension.XlaRuntimeError: INVALID_ARGUMENT: DLPack tensor is on GPU, but no GPU backend was provided.",
        {"os": "linux", "packages": {"jax": "0.4.13", "jaxlib": "0.4.13"}},
        [r"jax\[cuda12\]"],
        ["tensorflow"],
    ),
    (
        "RuntimeError: Found GeForce GTX 1070 which is too old to be supported by the triton GPU compiler, which is used as",
        {"os": "linux", "packages": {"torch": "2.4.0"}},
        ["torch.compile", "TORCHDYNAMO_DISABLE=1"],
        ["index-url"],
    ),
    (
        "tensorflow/core/common_runtime/gpu/gpu_device.cc:1618] Found device 0 with properties: \n"
        "name: NVIDIA GeForce RTX 3070 major: 8 minor: 6 memoryClockRate(GHz): 1.725\n"
        "tensorflow/stream_executor/platform/default/dso_loader.cc:44] Successfully opened dynamic library libcudart.so.10.0",
        {"os": "linux", "packages": {"tensorflow-gpu": "1.15"}},
        ["TensorFlow 2.5", "tf1-py3"],
        ["tensorflow-directml"],
    ),
    (
        "AssertionError: Torch not compiled with CUDA enabled",
        {"os": "linux", "gpu": "AMD Radeon RX 580", "packages": {"torch": "2.5.0+cpu"}},
        ["ROCm does not support RX 580|ROCm does not support AMD Radeon RX 580"],
        ["whl/rocm"],
    ),
    (
        "AssertionError: Torch not compiled with CUDA enabled",
        {"os": "linux", "gpu": "AMD Radeon VII", "packages": {"torch": "2.9.0+cpu"}},
        ["whl/rocm6.3"],
        ["rocm7"],
    ),
    (
        "Num GPUs Available:  0",
        {"os": "linux", "arch": "aarch64", "gpu": "Jetson AGX Orin", "packages": {"tensorflow": "2.13.1"}},
        ["ARM processors have no GPU support", "NVIDIA's wheel"],
        ["and-cuda"],
    ),
    (
        "tensorflow         conda-forge/linux-64::tensorflow-2.14.0-cpu_py311h6aa969b_0\n"
        ">>> tf.config.list_physical_devices('GPU')\n[]",
        {"os": "linux", "gpu": "NVIDIA A40"},
        ["tensorflow=\\*=\\*cuda", "CONDA_OVERRIDE_CUDA"],
        [],
    ),
    (NOT_COMPILED + "\nGPU 0: NVIDIA A100-SXM4-40GB (UUID: GPU-1)\n", LINUX, ["for CUDA"], ["ARM", "macOS"]),
    (
        "$ python -c 'import torch; print(torch.__version__, torch.version.cuda, torch.cuda.is_available())'\n"
        "2.6.0+cpu None False\n"
        "NVIDIA GeForce RTX 3060, 570.133.07\n",
        LINUX,
        [r"2\.6\.0\+cpu is the build without GPU support", "torch==2.6.0 "],
        [],
    ),
    (
        NOT_COMPILED + "\nimport torchvision\nNVIDIA GeForce RTX 5070, 577.00\n",
        {**WINDOWS, "python": "3.12", "packages": {"torch": "2.8.0"}},
        ["uninstall -y torch torchvision", r"torch==2\.8\.0\S* torchvision --index-url \S+cu12[89]"],
        ["cu130", "cu126"],
    ),
    (
        NO_KERNEL + "\nNVIDIA GeForce RTX 5070, 580.95.05\n",
        {**LINUX, "packages": {"torch": "2.5.1", "torchvision": "0.20.1"}},
        ["uninstall -y torch torchvision", r"torch\S* torchvision"],
        ["2.5.1"],
    ),
    (
        NOT_COMPILED + "\nNVIDIA GeForce RTX 4060, 577.00\n",
        {**LINUX, "python": "3.12", "packages": {"torch": "2.8.0"}},
        [r"torch==2\.8\.0\S* --index-url \S+cu12[68]"],
        ["cu130"],
    ),
    (
        "RuntimeError: Unable to initialize backend 'tpu': module 'jaxlib.xla_extension' has no attribute 'get_tpu_client' "
        "(set JAX_PLATFORMS='' to automatically choose an available backend)",
        LINUX,
        ["Change runtime type", r"jax\[tpu\]"],
        ['"-1"', "nvidia"],
    ),
    (
        "AssertionError: Torch not compiled with CUDA enabled",
        {**LINUX, "arch": "aarch64", "gpu": "GH200"},
        [r"torch --index-url \S+/whl/cu128"],
        [],
    ),
    (
        "MisconfigurationException: You requested gpu: [0]\n But your machine only has: []",
        {**LINUX, "gpu": "RTX 3060"},
        [r"torch\.version\.cuda"],
        ["num_gpus"],
    ),
    (
        "common.cuh:9: ggml was not compiled with any CUDA arch <= 860",
        LINUX,
        ["CMAKE_CUDA_ARCHITECTURES"],
        [ANY_INSTALL],
    ),
    # xFormers: PyTorch changes, or xFormers
    (
        "xFormers can't load C++/CUDA extensions. xFormers was built for:\n    PyTorch 2.3.1+cu121 with CUDA 1201 "
        "(you have 2.3.1+cpu)",
        WINDOWS,
        [r"torch==2\.3\.1 --index-url \S+/whl/cu121"],
        ["sudo", "Or keep"],
    ),
    (
        ">>> jax.devices()\n[CpuDevice(id=0)]",
        {**LINUX, "gpu": "AMD Instinct MI250", "rocm": "6.2.0", "packages": {"jax": "0.4.35"}},
        ["jax-rocm60-plugin==0.5.0"],
        ["cuda", "nvidia"],
    ),
    (
        ">>> jax.devices()\n[CpuDevice(id=0)]",
        {**LINUX, "gpu": "AMD Instinct MI300X", "rocm": "7.0", "python": "3.12", "packages": {"jax": "0.9.1"}},
        [r"jax==0\.9\.1 jaxlib==0\.9\.1 jax-rocm7-plugin==0\.9\.1 jax-rocm7-pjrt==0\.9\.1"],
        ["cuda", "nvidia"],
    ),
    (
        "UserWarning: Specified provider 'OpenVINOExecutionProvider' is not in available provider names.",
        LINUX,
        ["uninstall -y onnxruntime", "force-reinstall .*onnxruntime-openvino"],
        [r"install onnxruntime-gpu", "CUDA"],
    ),
    (
        "RuntimeError: Unable to initialize backend 'rocm': Backend 'rocm' is not in the list of known backends: ['cpu']",
        {**LINUX, "gpu": "AMD Instinct MI300X", "rocm": "7.1", "python": "3.12"},
        [r"jax-rocm7-plugin==\d", "unset JAX_PLATFORMS"],
        ["nvidia", "cuda"],
    ),
    ("LINK : fatal error LNK1181: cannot open input file 'cuda.lib'", WINDOWS, ["triton-windows"], ["sudo"]),
    (
        "ValueError: The quantization method fp8 is not supported for the current GPU. Minimum capability: 89.",
        LINUX,
        ["AWQ"],
        ["tensorflow"],
    ),
    (
        "RuntimeError: Failed to infer device type",
        {"os": "linux", "gpu": "Radeon RX 7900 XTX"},
        ["amdsmi", "rocm/vllm"],
        ["nvidia-smi"],
    ),
    (
        NO_CUDA_TORCH
        + '\n  File "C:\\ComfyUI_windows_portable\\python_embeded\\Lib\\torch\\cuda\\__init__.py", line 3',
        WINDOWS,
        [r"python_embeded\\python\.exe", "whl/cu"],
        ["sudo"],
    ),
    # of lines that say the same, the one that names the GPU decides, wherever it is
    (
        "RuntimeError: CUDA error: no kernel image is available for execution on the device\n"
        "NVIDIA GeForce RTX 5070 Ti with CUDA capability sm_120 is not compatible with the current PyTorch installation.",
        {},
        ["sm_120", "cu128"],
        ["nvidia-smi"],
    ),
    # builds: for the system and the GPU, of this framework
    (NO_CUDA_TORCH, {**WINDOWS, "gpu": "GeForce RTX 3060"}, [r"whl/cu1\d\d", "torch"], ["tensorflow", "wsl"]),
    (NO_CUDA_TORCH, {**WINDOWS, "gpu": "Radeon RX 7900 XTX"}, ["AMD"], [r"whl/cu", "tensorflow"]),
    (
        "AssertionError: Torch not compiled with XPU enabled",
        {**LINUX, "gpu": "Arc A770"},
        ["whl/xpu"],
        ["whl/cu", "tensorflow"],
    ),
    (
        "tf.test.is_built_with_cuda() -> False",
        {**WINDOWS, "packages": {"tensorflow": "2.16.1"}, "gpu": "RTX 4070", "python": "3.11"},
        [r"WSL 2", r"2\.10"],
        ["and-cuda]==2.16"],
    ),
    (
        "tf.test.is_built_with_cuda() -> False",
        {**LINUX, "packages": {"tensorflow-cpu": "2.18.0"}, "gpu": "RTX 4070", "python": "3.11"},
        [r"tensorflow\[and-cuda\]==2.18.0", "uninstall -y tensorflow-cpu"],
        ["wsl", "directml"],
    ),
    (
        "An NVIDIA GPU may be present on this machine, but a CUDA-enabled jaxlib is not installed. Falling back to cpu.",
        {**LINUX, "gpu": "RTX 4090"},
        [r"jax\[cuda1[23]\]"],
        ["tensorflow", "torch"],
    ),
    (
        "An NVIDIA GPU may be present on this machine, but a CUDA-enabled jaxlib is not installed. Falling back to cpu.",
        {**WINDOWS, "gpu": "RTX 4090"},
        ["WSL 2"],
        [r"install.*jax\[cuda"],
    ),
    # generations of NVIDIA GPUs
    (
        "RuntimeError: CUDA error: no kernel image is available for execution on the device",
        {**LINUX, "packages": {"torch": "2.3.0"}, "gpu": "GeForce RTX 5090", "python": "3.11"},
        [r"12\.8|whl/cu1[23]\d|torch=="],
        ["tensorflow"],
    ),
    (
        "RuntimeError: CUDA error: no kernel image is available for execution on the device",
        {**WINDOWS, "packages": {"torch": "2.9.0"}, "gpu": "GeForce GTX 1080", "python": "3.11"},
        ["whl/cu12"],
        ["cu130", "tensorflow"],
    ),
    (
        "W gpu_device.cc:2431] TensorFlow was not built with CUDA kernel binaries compatible with compute capability 12.0.",
        {**LINUX, "packages": {"tensorflow": "2.19.0"}, "gpu": "RTX 5080"},
        ["nvcr.io"],
        [ANY_INSTALL + ".*(jax|torch)", "let it finish"],
    ),
    (
        "The installed version of bitsandbytes was compiled without GPU support.",
        WINDOWS,
        ["--upgrade bitsandbytes", r"torch\.version\.cuda"],
        ["tensorflow"],
    ),
    (
        "PyTorch no longer supports this GPU because it is too old. The minimum cuda capability that it supports is 3.7.",
        {**LINUX, "gpu": "GeForce GT 730"},
        ["CPU", "previous-versions"],
        ["Blackwell", "cu128"],
    ),
    (
        "Internal: Blas xGEMM launch failed : a.shape=[1,20000,3], b.shape=[1,3,20000], m=20000, n=20000, k=3",
        {**LINUX, "gpu": "RTX 3080", "packages": {"tensorflow-gpu": "1.14.0"}, "cuda": "10.0"},
        [r"TensorFlow 2\.5", r"CUDA 11", "tf1-py3"],
        ["batch", ANY_INSTALL],
    ),
    # Of an RTX 50, without its driver's version: a build that every driver for it runs.
    ("It fails on an RTX 5090D in Ubuntu.\n" + NO_KERNEL, LINUX, ["whl/cu128"], ["get_arch_list"]),
    (NO_KERNEL + "\nRTX 5090, driver 570.124.06", {**LINUX, "gpu": "RTX 5090", "python": "3.11"}, ["-cu12"], ["-cu13"]),
    (NO_KERNEL, LINUX, ["RTX 30", "CUDA 11"], []),
    # A driver that no current build runs with, and one that CUDA 11.8 runs with.
    (NOT_COMPILED, {**LINUX, "driver": "440.100", "gpu": "RTX 2080"}, ["Update NVIDIA's driver", "525"], ["cu118"]),
    (NOT_COMPILED, {**LINUX, "driver": "470.82", "gpu": "RTX 3080"}, ["Update NVIDIA's driver", "whl/cu118"], []),
    (NOT_COMPILED, {**LINUX, "driver": "535.54", "gpu": "RTX 3080"}, ["whl/cu12"], ["driver", "cu118"]),
    (DESERIALIZE, {**LINUX, "gpu": "RTX 3080"}, ["build for CUDA"], []),
    (DESERIALIZE, {}, ["map_location"], []),
    # A command is for the Python and the GPU that are there.
    (
        "InternalError: Blas GEMM launch failed : a.shape=(32, 64), b.shape=(64, 10), m=32, n=10, k=64",
        {**LINUX, "python": "3.7", "gpu": "RTX 3090", "packages": {"tensorflow": "2.1.0"}},
        [r"pip install tensorflow==2\.11\S* nvidia-cuda-runtime-cu11", r"venv --python 3\.1\d env .*and-cuda\]==2"],
        [r"pip install \"tensorflow\[and-cuda\]"],
    ),
    (
        "Ignoring visible gpu device (device: 0, name: GeForce GTX 560 Ti, pci bus id: 0000:01:00.0, compute capability: 2.1) "
        "with Cuda compute capability 2.1. The minimum required Cuda capability is 3.5.",
        {**LINUX, "python": "3.6", "packages": {"tensorflow-gpu": "1.12.0"}},
        ["No release of TensorFlow has code for .*2\\.1"],
        ["from source", "install"],
    ),
    # What computes next to a framework, and is itself a build without CUDA.
    *(
        (line, {**LINUX, "gpu": "RTX 3060", "packages": {"torch": "2.6.0+cu124"}}, [must], ["torch", "tensorflow"])
        for line, must in (
            (
                "XGBoostError: [1:2:3] common.h:181: XGBoost version not compiled with GPU support.",
                "pip install xgboost",
            ),
            ("[LightGBM] [Fatal] CUDA Tree Learner was not enabled in this build.", "cmake.define.USE_CUDA=ON"),
            ("[LightGBM] [Fatal] GPU Tree Learner was not enabled in this build.", "--upgrade lightgbm"),
            ("ValueError: This CTranslate2 package was not compiled with CUDA support", "ctranslate2$"),
            (
                "ValueError: The device should not be 'gpu', since PaddlePaddle is not compiled with CUDA",
                "paddlepaddle-gpu",
            ),
            ("error: (-216) The library is compiled without CUDA support in function setDevice", "WITH_CUDA=ON"),
            ("RuntimeError: dlib was not compiled with CUDA support", "--no-binary dlib"),
            ("MXNetError: Compile with USE_CUDA=1 to enable GPU usage", "mxnet-cu112"),
        )
    ),
    (
        "ValueError: This CTranslate2 package was not compiled with CUDA support",
        {**LINUX, "arch": "aarch64"},
        ["WITH_CUDA=ON"],
        ["pip install", "torch"],
    ),
    ("RuntimeError: Not compiled with CUDA support", LINUX, [r"data\.pyg\.org", "FORCE_CUDA"], []),
]
