"""Rows about plug-ins, DirectML, Metal and what they lack."""

from log_rows.texts import ANY_INSTALL, CUDNN_RNN, JAX_METAL, LINUX, MAC, METAL, NO_CUDA_TORCH, WINDOWS

OP = "NotImplementedError: The operator 'aten::eig' is not currently implemented for the MPS device."
PLUGIN = (
    "Jax plugin configuration error: Plugin module %%s could not be loaded\nTraceback (most recent call last):\n  File "
    '"/venv/lib/python3.12/site-packages/jax_plugins/xla_%s/__init__.py", line 25, in <module>\n    from jax._src.lib import '
    "xla_thing\nImportError: cannot import name 'xla_thing' from 'jax._src.lib' (/venv/lib/python3.12/site-packages/jax/_src/"
    "lib/__init__.py)"
)
SELECTOR = "python[71:90] -[MPSGraphExecutable newThing:descriptor:]: unrecognized selector sent to instance 0x600\n"

#: What `explain` reads, what is known, what an answer has, and what it does not have (patterns).
ROWS = [
    (
        "AssertionError: Torch not compiled with MPS enabled\n    platform : osx-64",
        {"os": "macos", "gpu": "Apple M3"},
        [r"Python .*Rosetta|arm64"],
        [],
    ),
    (
        ">>> torch.backends.mps.is_available()\nFalse\n>>> platform.machine()\n'x86_64'",
        {"os": "macos", "gpu": "Apple M1 Max", "packages": {"torch": "2.2.0"}},
        ["arm64"],
        ["Update macOS"],
    ),
    (
        'Traceback (most recent call last):\n  File "/opt/py/lib/python3.11/site-packages/imagekit/rope.py", line 8, in rope\n'
        "TypeError: Cannot convert a MPS Tensor to float64 dtype as the MPS framework doesn't support float64.",
        {"os": "macos"},
        ["float32", "update it"],
        [],
    ),
    (
        'Traceback (most recent call last):\n  File "/Users/me/train.py", line 8, in <module>\n'
        "TypeError: Cannot convert a MPS Tensor to float64 dtype as the MPS framework doesn't support float64.",
        {"os": "macos"},
        ["float32"],
        ["update it"],
    ),
    # c10's own words: PyTorch, whatever else names none.
    (
        "No HIP GPUs are available",
        {"os": "linux", "gpu": "GeForce RTX 3060"},
        ["pip install torch", "whl/cu"],
        ["whl/rocm"],
    ),
    (
        "RuntimeError: level_zero backend failed with error: 2147483646 (UR_RESULT_ERROR_UNKNOWN)",
        {"os": "linux", "gpu": "Intel Arc B580", "packages": {"torch": "2.7.0+xpu"}},
        ["Update Intel's graphics driver"],
        [],
    ),
    (
        "C:\\s\\onnxruntime\\core\\providers\\dml\\DmlExecutionProvider\\src\\A.cpp(588)\\onnxruntime.dll!00007FFB: (Call"
        "er: 00007FFB15BB3CA1) Exception(1) tid(1f38) 800736B1",
        {"os": "windows"},
        ["Windows error 800736B1", "mem_pattern"],
        [],
    ),
    (
        "NotFoundError: No registered 'RngReadAndSkip' OpKernel for 'GPU' devices compatible with node {{node x}}",
        {"os": "windows", "packages": {"tensorflow": "2.9.1", "tensorflow-directml-plugin": "0.0.1.dev220621"}},
        ["CPU", r"tensorflow-directml-plugin==0\.4"],
        [],
    ),
    (
        "2019-11-18 04:36:20.298226: W tensorflow/core/framework/op_kernel.cc:1622] OP_REQUIRES failed "
        "at cudnn_rnn_ops.cc:1491 : Unimplemented: createRnnDescriptor is unimplemented\n"
        "2019-11-18 04:36:20.298246: W tensorflow/core/common_runtime/base_collective_executor.cc:216] "
        "BaseCollectiveExecutor::StartAbort Unimplemented: createRnnDescriptor is unimplemented",
        {
            "os": "linux",
            "os_version": "Ubuntu 18.04",
            "python": "3.6",
            "packages": {"tensorflow-rocm": "2.0.0"},
            "gpu": "AMD Radeon VII",
            "rocm": "2.9.6",
        },
        ["RNN\\(LSTMCell"],
        [],
    ),
    (
        "F itex/core/utils/op_kernel.cc:54] Check failed: false Multiple KernelCreateFunc registration",
        {"os": "linux", "packages": {"intel-extension-for-tensorflow": "2.13.0"}},
        [r"tensorflow==2\.13\."],
        [],
    ),
    (
        "InvalidArgumentError: No OpKernel was registered to support Op 'Census' with these attrs.  "
        "Registered devices: [CPU], Registered kernels:\n  device='GPU'",
        {},
        ["GPU only", "is_built_with_cuda"],
        ["soft"],
    ),
    (
        "Neither CUDA nor MPS are available - defaulting to CPU. Note: This module is much faster with a GPU.",
        {"os": "linux", "gpu": "AMD Radeon RX 7900 XTX"},
        ["whl/rocm"],
        ["nvidia-smi"],
    ),
    # CTranslate2 and llama.cpp compute on GPUs without a framework.
    (
        "RuntimeError: CUDA failed with error CUDA driver version is insufficient for CUDA runtime version",
        {"os": "windows", "gpu": "AMD Radeon RX 6600"},
        ["CTranslate2", 'device="cpu"'],
        ["tensorflow", "driver is older"],
    ),
    (
        "RuntimeError: cuda runtime error (801) : operation not supported at torch/csrc/generic/StorageSharing.cpp:245",
        {"os": "windows"},
        ["num_workers=0"],
        ["cannot be explained"],
    ),
    (
        "INFO --> Using torch device: CPU",
        {"os": "linux", "gpu": "AMD Radeon RX 6800", "packages": {"torch": "2.4.1+cu121"}},
        ["whl/rocm"],
        [],
    ),
    # pytorch-directml has no newer release.
    (
        "RuntimeError: Could not run 'aten::normal_' with arguments from the 'DML' backend.",
        {"os": "windows", "packages": {"pytorch-directml": "1.8.0a0.dev220506"}},
        ["module.to..cpu", "uninstall -y pytorch-directml; python -m pip install torch-directml"],
        ["upgrade pytorch-directml"],
    ),
    # ONNX Runtime on DirectML; .NET has no pip.
    (
        "RUNTIME_EXCEPTION : Non-zero status code returned while running Add node. Name:'a' Status Message: D:\\ort\\core\\"
        "providers\\dml\\MLOperatorAuthorImpl.cpp(2482)\\onnxruntime_pybind11_state.pyd!00007FFD: (caller: 00007FFD) "
        "Exception(3) tid(1828) 80070057 The parameter is incorrect.",
        {"os": "windows", "packages": {"onnxruntime-directml": "1.17.3"}},
        ["enable_mem_pattern = False", "--upgrade onnxruntime-directml", "CPUExecutionProvider"],
        [],
    ),
    (
        "OnnxRuntimeException: Non-zero status code returned while running Trilu node. Status Message: D:\\ort\\core\\"
        "providers\\dml\\MLOperatorAuthorImpl.cpp(2448)\\onnxruntime.DLL!00007FFD: (caller: 00007FFD) Exception(3) tid(4b4) "
        "80070057 The parameter is incorrect.",
        {"os": "windows"},
        ["enable_mem_pattern = False"],
        ["pip install"],
    ),
    # The tensors are on the CPU, so that a fallback to it is none.
    (
        "NotImplementedError: Could not run 'torch_ipex::adam_fused_step' with arguments from the 'CPU' backend. This could "
        "be because the operator doesn't exist for this backend",
        {"os": "linux", "packages": {"torch": "2.8.0"}, "gpu": "Intel Arc B580"},
        [r'\.to\("xpu"\)'],
        ["FALLBACK"],
    ),
    (
        "NotImplementedError: Could not run 'aten::_upsample_bicubic2d_aa.out' with arguments from the 'XPU' backend. This "
        "could be because the operator doesn't exist for this backend",
        {
            "os": "windows",
            "packages": {"torch": "2.1.0", "intel-extension-for-pytorch": "2.1.30+xpu"},
            "gpu": "Arc A770",
        },
        [r"\.cpu\(\)", "PyTorch 2.5"],
        ["FALLBACK"],
    ),
    (
        "/Users/a/env/lib/python3.10/site-packages/bitsandbytes/cuda_setup\nWARNING: No libcudart.so found! Install CUDA",
        {"os": "macos", "arch": "arm64", "gpu": "Apple M2"},
        ["AdamW8bit", "mps"],
        ["tensorflow"],
    ),
    (
        "[INFO] TORCH CUDA version not installed/working.",
        {"os": "macos", "gpu": "Apple M1"},
        ['"?mps"?'],
        ["nvidia-smi"],
    ),
    (
        "InvalidArgumentError: Cannot assign a device for operation 'a': Could not satisfy explicit device specification "
        "'/device:GPU:0' because no supported kernel for GPU devices is available.\n\t [[Node: a = Softmax[T=DT_FLOAT]()]]",
        {},
        ["allow_soft_placement=True"],
        ["set_soft_device_placement"],
    ),
    # No device has a kernel: another placement does not help.
    (
        "InvalidArgumentError: No OpKernel was registered to support Op 'TPUReplicatedInput' used by node a\n"
        "Registered devices: [CPU, GPU]\nRegistered kernels:\n  <no registered kernels>",
        LINUX,
        ["kernel of it for no device"],
        ["soft"],
    ),
    (
        "NotFoundError: Graph execution error:\ncould not find registered platform with id: 0x12f3c4a60",
        {"os": "macos", "packages": {"tensorflow": "2.13.0", "tensorflow-metal": "1.0.1"}},
        ["legacy"],
        [r"tensorflow==2\.18"],
    ),
    (
        "ValueError: torch.cuda.is_available() should be True but is False. xformers' memory efficient attention is only "
        "available for GPU",
        {"os": "windows", "gpu": "Intel Arc A750", "packages": {"torch": "2.0.1+cu118"}},
        ["whl/xpu"],
        ["whl/cu", "nvidia-smi"],
    ),
    (
        "UserWarning: The operator 'aten::_foreach_add_.List' is not currently supported on the DML backend",
        {"os": "windows"},
        ["foreach=False"],
        ["pip install"],
    ),
    (
        "NotFoundError: No registered '_FusedConv2D' OpKernel for 'GPU' devices compatible with node {{node BiasAdd}}",
        {"packages": {"tensorflow-rocm": "2.1.1"}},
        [r"'remapping': False"],
        [],
    ),
    # No build for this Intel GPU: the one for the CPU, which looks for no CUDA.
    (
        "ImportError: libcuda.so.1: cannot open shared object file: No such file or directory",
        {"os": "linux", "packages": {"tensorflow-gpu": "1.4.0"}, "gpu": "Intel HD Graphics 620"},
        ["tensorflow==1.4.0"],
        ["XPU"],
    ),
    (
        "No OpKernel was registered to support Op 'NcclAllReduce' used by {{node NcclAllReduce}} with these attrs",
        {"os": "linux", "packages": {"tensorflow": "2.2.0"}},
        ["list_physical_devices", "HierarchicalCopyAllReduce"],
        [],
    ),
    (
        "NotImplementedError: Output channels > 65536 not supported at the MPS device. As a temporary fix, you can set the "
        "environment variable `PYTORCH_ENABLE_MPS_FALLBACK=1` to use the CPU as a fallback for this op.",
        {"os": "macos", "gpu": "Apple M2", "packages": {"torch": "2.5.1"}},
        ["--upgrade torch", "does not help"],
        ["export PYTORCH_ENABLE_MPS_FALLBACK"],
    ),
    (
        "UserWarning: CUDA initialization: CUDA unknown error - this may be due to an incorrectly set up environment, e.g. "
        "changing env variable CUDA_VISIBLE_DEVICES after program start.\nRuntimeError: No CUDA GPUs are available",
        {"os": "windows", "gpu": "AMD Radeon RX 6700 XT", "packages": {"torch": "2.3.0+cu118"}},
        ["that vendor's GPUs"],
        ["NVIDIA's driver", "Restart"],
    ),
    (
        "jaxlib.xla_extension.XlaRuntimeError: INTERNAL: Unable to serialize MPS module",
        {"os": "macos", "packages": {"jax": "0.4.26", "jax-metal": "0.1.0"}},
        ["Metal", "cpu"],
        ["cause is not known"],
    ),
    (
        "ImportError: /e/site-packages/intel_extension_for_pytorch/lib/libintel-ext-pt-cpu.so: undefined symbol: "
        "_ZNK5torch8autograd4Node4nameEv",
        {"os": "linux", "packages": {"intel-extension-for-pytorch": "2.6.0", "torch": "2.6.0+cu124"}},
        ["uninstall -y torch .*torch==2\\.6\\.\\*"],
        [],
    ),
    (
        "error: input types 'tensor<1x128xf32>' and 'tensor<1xf16>' are not broadcast compatible",
        {"os": "macos", "packages": {"tensorflow-macos": "2.10", "tensorflow-metal": "0.6"}},
        ["mixed_float16"],
        ["torch"],
    ),
    (
        "Library not loaded: @rpath/libtensorflow_framework.2.dylib",
        {"os": "macos", "packages": {"tensorflow": "2.18.0", "tensorflow-metal": "1.0.0"}},
        ["tensorflow-metal==1.2.0"],
        [],
    ),
    (
        "NOT_IMPLEMENTED : Could not find an implementation for ConvInteger(10) node with name 'x'",
        {"packages": {"onnxruntime-gpu": "1.16.3"}},
        ["CPUExecutionProvider"],
        [],
    ),
    (
        "[PhysicalDevice(name='/physical_device:CPU:0', device_type='CPU')]",
        {
            "os": "windows",
            "gpu": "Arc A770",
            "packages": {"tensorflow-cpu": "2.10.0", "tensorflow-directml-plugin": "0.4.0.dev230202"},
        },
        ["Update Windows", "driver"],
        ["nothing has to be installed"],
    ),
    (
        "[PhysicalDevice(name='/physical_device:CPU:0', device_type='CPU')]",
        {
            "os": "windows",
            "gpu": "RX 6800",
            "packages": {"tensorflow-cpu": "2.12.0", "tensorflow-directml-plugin": "0.4.0.dev230202"},
        },
        ["2.10"],
        ["nothing has to be installed"],
    ),
    # A Linux with DirectML is WSL.
    (
        "[GCC 9.4.0] on linux\nI dml_device_factory.cc:132] DirectML device enumeration: found 0 compatible adapters.",
        {"gpu": "Radeon Vega 8"},
        [r"wsl --update", "21H2"],
        ["1903"],
    ),
    # AMD's PyTorch for Windows has no code for old GPUs.
    (
        "RuntimeError: Found no NVIDIA driver on your system.\nI have a Radeon RX580 on Windows 11",
        {},
        ["install torch-directml"],
        ["AMD's build of PyTorch for Windows, for", "NVIDIA's driver"],
    ),
    (
        "ComfyUI\nRuntimeError: Found no NVIDIA driver on your system. Please check that you have an NVIDIA GPU and installed "
        "a driver",
        {"os": "windows", "gpu": "Radeon RX 580"},
        ["install torch-directml", "--directml"],
        ["AMD's build of PyTorch for Windows, for", "NVIDIA's driver"],
    ),
    (
        "ImportError: /e/site-packages/intel_extension_for_pytorch/lib/libintel-ext-pt-cpu.so: undefined symbol: "
        "_ZNK5torch8autograd4Node4nameEv\n",
        {"packages": {"torch": "2.0.0a0+git12"}},
        [r"torch==2\.0\.\*.*intel-extension-for-pytorch==2\.0\.\*"],
        ["release-whl"],
    ),
    (
        "ImportError: /e/site-packages/intel_extension_for_pytorch/lib/libintel-ext-pt-gpu.so: undefined symbol: "
        "_ZNK5torch8autograd4Node4nameB5cxx11Ev",
        {"packages": {"torch": "2.1.0+cu121"}},
        ["PyTorch and its extension", "release-whl"],
        [r"pip install torch"],
    ),
    # What an old PyTorch says of half precision on the CPU, and tf.contrib looked for under tf.compat.v1.
    (
        "RuntimeError: _thnn_conv2d_forward not supported on CPUType for Half",
        {"os": "linux", "packages": {"torch": "1.3.1"}},
        [r"model\.float\(\)"],
        ["doctor"],
    ),
    (
        "MisconfigurationException: GPUAccelerator can not run on your system since the accelerator is not available. The "
        "following accelerator(s) is available and can be passed into `accelerator` argument of `Trainer`: ['cpu'].",
        {"os": "macos", "arch": "arm64", "packages": {"torch": "1.13.0"}},
        ['accelerator="mps"'],
        ["tensorflow"],
    ),
    (
        "UNIMPLEMENTED: Could not find compiler for platform CUDA: NOT_FOUND: could not find registered compiler for platform "
        "CUDA -- was support for that platform linked in?",
        LINUX,
        ["jit_compile"],
        ["nvcc", "ptxas"],
    ),
    # TensorFlow Lite.
    (
        "RuntimeError: Select TensorFlow op(s), included in the given model, is(are) not supported by this interpreter. Make "
        "sure you apply/link the Flex delegate before inference.",
        {},
        ["tf.lite.Interpreter", "TFLITE_BUILTINS"],
        ["GPU"],
    ),
    ("RuntimeError: Encountered unresolved custom op: edgetpu-custom-op.Node", {}, ["load_delegate"], ["SELECT"]),
    ("RuntimeError: Encountered unresolved custom op: Roll.See instructions:", {}, ["SELECT_TF_OPS"], ["edgetpu"]),
    # Operations that a device refuses.
    (
        "UnimplementedError:  Fused conv implementation does not support grouped convolutions for now.",
        {},
        ["channels", "jit_compile=True"],
        ["remapper"],
    ),
    (
        "DML doesn't support exponential_avg_factor != 1 at the moment.",
        {"os": "windows"},
        ["fused=False", "/CPU:0"],
        ["soft_device_placement"],
    ),
    (
        "I use tensorflow 1.8.0\nCannot assign a device for operation 'a/Foo': Could not satisfy explicit device specificatio"
        "n '/device:GPU:0' because no supported kernel for GPU devices is available.",
        {},
        ["allow_soft_placement=True"],
        ["set_soft"],
    ),
    (
        "NotImplementedError: Could not run 'aten::_sparse_coo_tensor_with_dims_and_tensors' with arguments from the "
        "'SparseMPS' backend. This could be because the operator doesn't exist for this backend",
        MAC,
        ["--device cpu", "to_dense"],
        ["FALLBACK=1"],
    ),
    (
        "RuntimeError: Expected one of cpu, cuda, xpu, mkldnn device type at start of device string: privateuseone",
        WINDOWS,
        ["import torch_directml"],
        ["whl/"],
    ),
    ("RuntimeError: CUDA error: invalid configuration argument", LINUX, ["65536"], ["nvidia-smi"]),
    ("RuntimeError: User specified an unsupported autocast device_type 'mps'", MAC, [r"2\.5"], ["whl/cu"]),
    ("ValueError: fp16 mixed precision requires a GPU (not 'mps').", MAC, ["mixed_precision no"], ["whl/cu", "NVIDIA"]),
    (
        "OSError: CUDA_HOME environment variable is not set. Please set it to your CUDA install root.\ntorch",
        {**LINUX, "gpu": "Instinct MI300X"},
        [r"version\.hip"],
        ["toolkit"],
    ),
    # A data type that the backend lacks is nothing that its fallback to the CPU catches.
    (
        "TypeError: Trying to convert BFloat16 to the MPS backend but it does not have support for that dtype.",
        MAC,
        ["2.3", "float16"],
        ["FALLBACK"],
    ),
    ("TypeError: MPS BFloat16 is only supported on MacOS 14 or newer", MAC, ["macOS to 14"], ["FALLBACK"]),
    (
        "TypeError: Trying to convert ComplexFloat to the MPS backend but it does not have support for that dtype.",
        MAC,
        [r'to\("cpu"\)'],
        [],
    ),
    (
        "MPSNDArray.mm:850: failed assertion `[MPSNDArray initWithDevice:] Error: total bytes of NDArray > 2**32'",
        MAC,
        ["^One tensor is larger", "smaller batch"],
        ["FALLBACK"],
    ),
    (
        "MPSNDArray.mm:782: failed assertion '[MPSNDArray, initWithBuffer:] Error: buffer is not large enough. Must be 96'",
        MAC,
        ["install --upgrade torch"],
        ["FALLBACK"],
    ),
    (
        "RuntimeError: new(): expected key in DispatchKeySet(CPU, CUDA, HIP, XLA, MPS) but got: PrivateUse1",
        WINDOWS,
        ["--upgrade torch-directml"],
        [],
    ),
    ("    Quadro P400: invalid vendor type", {}, [r"onnxruntime", r"Intel GPU"], [r"intel-opencl-icd"]),
    # jax-metal, which a framework on top of JAX calls; a JAX whose build with CUDA PyPI has not; conda's own jaxlib.
    (
        "error: failed to legalize operation 'mhlo.sort'\njax-metal                 0.1.0",
        {},
        [r"JAX_PLATFORMS=cpu"],
        [r"PowerShell", r"env:"],
    ),
    # A jaxlib that has CUDA itself needs no plug-in; where it has not, the plug-in follows the JAX that is there.
    (
        "AttributeError: module 'jaxlib.xla_client' has no attribute 'generate_pjrt_gpu_plugin_options'\n"
        "jaxlib                    0.4.14+cuda12.cudnn89",
        {},
        [r"uninstall -y jax-cuda12-plugin jax-cuda12-pjrt"],
        [r"upgrade jax jaxlib"],
    ),
    (
        "INVALID_ARGUMENT: Mismatched PJRT plugin PJRT API version (0.70) and framework PJRT API version 0.54).",
        {**LINUX, "packages": {"jax": "0.4.35", "jaxlib": "0.4.35"}, "gpu": "RTX A6000"},
        [r'"jax\[cuda12\]==0\.4\.35"'],
        [r"upgrade"],
    ),
    (
        'status: INTERNAL: platform is already registered with name: "DML"',
        {**WINDOWS, "packages": {"tensorflow-cpu": "2.10.0"}},
        [r"uninstall -y tensorflow-directml-plugin"],
        [],
    ),
    (
        CUDNN_RNN + "Registered devices: [CPU]\nRegistered kernels:\n  device='GPU'; T in [DT_FLOAT]\n",
        {},
        [r"needs an NVIDIA GPU"],
        [r"pip install"],
    ),
    (
        "UserWarning: The operator 'aten::native_dropout' is not currently supported on the DML backend and will fall back to "
        "run on the CPU.",
        WINDOWS,
        [r"--upgrade torch-directml", r"(?i)nothing is wrong"],
        [r"\.to\('cpu'\)"],
    ),
    ("RuntimeError: MPS does not support min op with int64 input", {}, [r"13\.3", r"upgrade torch"], [r"MPS_FALLBACK"]),
    (
        "RuntimeError: The device (Intel(R) Arc(TM) Graphics) doesn't support querying the available free memory.",
        LINUX,
        [r"export UR_L0_ENABLE_SYSMAN_ENV_DEFAULT=0"],
        [r"first error"],
    ),
    (
        "OSError: libcublas.so.12: cannot open shared object file: No such file or directory (onnxruntime)",
        {**LINUX, "gpu": "AMD Radeon RX 7900 XT", "python": "3.11", "packages": {"onnxruntime-gpu": "1.20.1"}},
        [
            r"uninstall -y onnxruntime onnxruntime-gpu && python -m pip install onnxruntime-migraphx",
            r"install onnxruntime(\n|$)",
        ],
        [r"cuda-toolkit"],
    ),
    # On Windows tensorflow-intel has the files of TensorFlow 2.11 to 2.17.
    (
        "tensorflow-directml-plugin 0.4.0.dev230202 requires tensorflow-cpu==2.10.0, but you have tensorflow-cpu 2.13.1 which "
        "is incompatible.",
        WINDOWS,
        [r"uninstall -y [^;&]*tensorflow-intel.* tensorflow-cpu==2\.10\.0"],
        [],
    ),
    (
        'status: INTERNAL: platform is already registered with name: "METAL"',
        MAC,
        [r"\A.*\n.*\n.*uninstall -y tensorflow-metal\n"],
        [],
    ),
    (
        "RuntimeError: No GPU found. A GPU is needed for quantization.",
        {"os": "macos", "gpu": "Apple M3"},
        [r"without load_in_4bit", r'"mps"'],
        [r"tensorflow"],
    ),
    (
        "TypeError: Operation 'neg_out_mps()' does not support input type 'int64' in MPS backend.",
        {},
        [r"\A.*\n.*\n.*--upgrade torch"],
        [r"MPS_FALLBACK"],
    ),
    (
        "RuntimeError: Torch is not able to use GPU; add --skip-torch-cuda-test to COMMANDLINE_ARGS variable",
        {"os": "windows", "gpu": "AMD Radeon RX 6600"},
        ["stable-diffusion-webui-amdgpu", "--use-directml"],
        [r"installrad"],
    ),
    (
        "RuntimeError: \"addmm_impl_cpu_\" not implemented for 'Half'",
        {"os": "windows"},
        ["--no-half --precision full", r"model\.float\(\)"],
        ["tensors to the CPU"],
    ),
    (
        "ImportError: Using `bitsandbytes` 4-bit quantization requires Accelerate: `pip install accelerate`",
        MAC,
        ["load_in_8bit", "GGUF"],
        ["pip install"],
    ),
    (
        "ValueError: Requested int8_float16 compute type, but the target device or backend do not support efficient "
        "int8_float16 computation.",
        {"os": "windows", "gpu": "NVIDIA GeForce RTX 3060"},
        [r'compute_type="int8"', "float32", 'device="cuda"'],
        [],
    ),
    # AMD's GPUs: what belongs to PyTorch, a name without its ending, ROCm's build in WSL.
    (
        'Traceback (most recent call last):\n  File "/s/ComfyUI/main.py", line 7, in <module>\nRuntimeError: Found no NVIDIA '
        "driver on your system. Please check that you have an NVIDIA GPU and installed a driver from http://www.nvidia.com",
        {**LINUX, "gpu": "AMD Radeon RX 6750 GRE"},
        [r"install torch torchvision torchaudio --index-url \S+rocm", "HSA_OVERRIDE_GFX_VERSION=10.3.0"],
        ["ubuntu-drivers"],
    ),
    # Intel's extension for PyTorch.
    (
        "ImportError: /opt/e/site-packages/intel_extension_for_pytorch/lib/libintel-ext-pt-cpu.so: undefined symbol: "
        "_ZN3c1010TensorTypeC1ENS_8optionalINS_10ScalarTypeEEE",
        {**LINUX, "packages": {"torch": "2.3.1", "intel-extension-for-pytorch": "2.2.0"}},
        [r"\"intel-extension-for-pytorch==2\.3\.\*\""],
        ["tensorflow", "force-reinstall"],
    ),
    (
        "[GPU] Context was not initialized for 0 device",
        {**LINUX, "gpu": "NVIDIA GeForce RTX 3060"},
        ['"CPU"'],
        ["compute runtime", "nvidia-driver"],
    ),
    # jax-metal on a macOS that is older than it.
    (
        SELECTOR,
        {**MAC, "python": "3.11", "packages": {"jax-metal": "0.0.5", "jax": "0.4.20"}},
        [r"\.\s+Update macOS to 14\.4", r"jax-metal==0\.0\.3 jax==0\.4\.11 jaxlib==0\.4\.10"],
        [r"jax-metal==0\.1"],
    ),
    (SELECTOR, {**MAC, "python": "3.12", "packages": {"jax-metal": "0.0.7"}}, [r"14\.4"], [r"0\.4\.10"]),
    # A plug-in of JAX that asks JAX for what it does not have.
    (
        PLUGIN % "cuda12",
        {},
        [r"xla_cuda12 could not be started", r'upgrade "jax\[cuda12\]"'],
        [r"install --upgrade jax jaxlib"],
    ),
    (
        PLUGIN % "cuda12",
        {**LINUX, "packages": {"jax": "0.4.35", "jaxlib": "0.4.35", "jax-cuda12-plugin": "0.6.2"}},
        [r"jax\[cuda12\]==0\.4\.35"],
        [r"upgrade"],
    ),
    (PLUGIN % "rocm7", LINUX, [r"jax-rocm7-plugin=="], [r"cuda12"]),
    (
        "RuntimeError: Found no NVIDIA driver on your system. Please check that you have an NVIDIA GPU and installed a driver "
        "from http://www.nvidia.com/Download/index.aspx",
        {**LINUX, "gpu": "AMD Radeon RX 6700 XT", "packages": {"torch": "2.7.1"}},
        [r"whl/rocm", r"HSA_OVERRIDE_GFX_VERSION=10\.3\.0"],
        [],
    ),
    (
        "RuntimeError: Found no NVIDIA driver on your system. Please check that you have an NVIDIA GPU and installed a driver "
        "from http://www.nvidia.com/Download/index.aspx",
        {**LINUX, "gpu": "AMD Radeon RX 7900 XTX", "packages": {"torch": "2.7.1"}},
        [r"whl/rocm"],
        ["HSA_OVERRIDE"],
    ),
    (
        "RuntimeError: Torch is not able to use GPU; add --skip-torch-cuda-test to COMMANDLINE_ARGS variable to disable this",
        {**WINDOWS, "gpu": "Radeon RX 7800 XT"},
        ["AMD's build of PyTorch"],
        ["two commands"],
    ),
    (
        "FAIL : Failed to load library libonnxruntime_providers_cuda.so with error: libcublasLt.so.12: cannot open shared "
        "object file: No such file or directory",
        {**LINUX, "gpu": "Intel UHD Graphics 770"},
        ["install onnxruntime-openvino", "install onnxruntime$"],
        ["install onnxruntime-gpu", "CUDA 12"],
    ),
    # The driver answers for AMD's GPU: nothing of NVIDIA's is to be asked.
    (
        ">>> torch.cuda.is_available()\nFalse\nROCk module version 6.10.5 is loaded",
        LINUX,
        [r"\+rocm"],
        ["nvidia-smi"],
    ),
    (
        "RuntimeError: [CLDNN ERROR]. clGetPlatformIDs error -1001",
        {**LINUX, "gpu": "NVIDIA GeForce RTX 3060"},
        ["Intel's GPUs"],
        ["modprobe", "nvidia-smi", "install NVIDIA"],
    ),
    (
        "[E:onnxruntime:, inference_session.cc] dml_provider_factory.cc(518)\\onnxruntime.dll!00007FFC: Exception(1) tid(3e) "
        "887A0004 The specified device interface or feature level is not supported on this system.",
        {**WINDOWS, "gpu": "AMD Radeon RX 6600"},
        [r"Microsoft\.AI\.DirectML"],
        [],
    ),
    (JAX_METAL, {**MAC, "python": "3.12"}, [r"jax==0\.5\.0"], ["PJRT_COMPATIBILITY"]),
    (
        "RuntimeError: Device type privateuseone is not supported for torch.Generator() api.",
        {},
        [r"Generator\('cpu'\)"],
        ["LSTM"],
    ),
    (
        "torch-directml 0.2.5.dev240914 requires torch==2.4.1, but you have torch 2.5.0 which is incompatible.",
        WINDOWS,
        [r"needs torch==2\.4\.1, but torch 2\.5\.0 is installed\."],
        [],
    ),
    (
        METAL,
        {**MAC, "python": "3.9", "packages": {"tensorflow": "2.6.0", "tensorflow-metal": "0.2.0"}},
        [r"tensorflow-macos==2\.6\.0", "macOS 12"],
        ["newest"],
    ),
    (
        "ERROR! Intel® Extension for PyTorch* needs to work with PyTorch 2.1.*, but PyTorch 2.2.0+cu121 is found.",
        {},
        [r"PyTorch 2\.1\.\*", r"PyTorch 2\.2\.0", "XPU"],
        ["tensorflow"],
    ),
    # The build is for NVIDIA's GPUs: to pass another maker's GPU in does not help.
    (
        "RuntimeError: Found no NVIDIA driver on your system. Please check that you have an NVIDIA GPU and installed a driver",
        {"os": "container", "gpu": "AMD Radeon RX 7900 XTX", "packages": {"torch": "2.7.0+cu126"}},
        [r"whl/rocm"],
        ["docker run", "/dev/kfd", "nvidia-smi"],
    ),
    (
        ">>> tf.config.list_physical_devices('GPU')\n[]",
        {**WINDOWS, "gpu": "RX 580", "packages": {"tensorflow": "2.10.0", "tensorflow-directml-plugin": "0.4.0"}},
        ["finds no adapter", "adapter's driver"],
        ["CUDA"],
    ),
    (
        ">>> tf.config.list_physical_devices('GPU')\n[]",
        {"os": "macos", "arch": "x86_64", "gpu": "Radeon Pro 5500M", "packages": {"tensorflow": "2.16.2"}},
        [r"tensorflow-metal==1\.0", r"tensorflow==2\.13"],
        ["mps"],
    ),
    (
        ">>> torch.cuda.is_available()\nFalse",
        {"os": "macos", "gpu": "Apple M2", "packages": {"torch": "2.5.1"}},
        [r"\bmps\b"],
        ["install"],
    ),
    # DirectML: a GPU that is too old for it, and the package for TensorFlow 1.
    (
        "I tensorflow/c/logging.cc:34] DirectML device enumeration: found 0 compatible adapters.",
        {"os": "windows", "gpu": "Intel HD Graphics 5500", "packages": {"tensorflow-directml-plugin": "0.4.0"}},
        ["use the CPU"],
        ["Update Windows"],
    ),
    (
        "I tensorflow/c/logging.cc:34] DirectML device enumeration: found 0 compatible adapters.",
        {"os": "windows", "gpu": "Intel HD Graphics 530", "packages": {"tensorflow-directml-plugin": "0.4.0"}},
        ["Update Windows"],
        ["use the CPU"],
    ),
    (
        "2026-11-20 06:36:17.062953: I tensorflow/c/logging.cc:34] DirectML device enumeration: found 0 compatible adapters.",
        {"os": "windows", "gpu": "Intel HD Graphics 5500", "packages": {"tensorflow-cpu": "2.10.0"}},
        ["Intel HD 5xx"],
        [],
    ),
    (
        "RuntimeError: The GPU device does not support Double (Float64) operations!",
        {"os": "windows", "gpu": "Intel Arc A770"},
        ["float32"],
        ["another release"],
    ),
    (
        "RuntimeError: cuDNN error: CUDNN_STATUS_NOT_SUPPORTED. "
        "This error may appear if you passed in a non-contiguous input.",
        {"os": "linux", "packages": {"torch": "2.1.0"}},
        [r"\.contiguous\(\)"],
        [],
    ),
    (
        "tensorflow.python.framework.errors_impl.NotFoundError: dlopen(/opt/venv/lib/python3.11/site-packages/"
        "tensorflow-plugins/libmetal_plugin.dylib, 0x0006): Symbol not found: __ZN3tsl8internal10LogMessageC1EPKcii",
        {"os": "macos", "arch": "arm64", "packages": {"tensorflow": "2.17.0", "tensorflow-metal": "1.1.0"}},
        ["does not load with it", "tensorflow-metal==1.2.0"],
        ["tensorflow-metal==1.1.0"],
    ),
    (
        "ggml_metal_init: picking default device: AMD Radeon Pro 555\nggml_metal_init: error: Error "
        'Domain=MTLLibraryErrorDomain Code=3 "program_source:9:2: error: invalid type"',
        MAC,
        ["Apple silicon", "-ngl 0"],
        ["Update macOS"],
    ),
    (
        "torch.__version__  = 2.7.0+rocm6.3\nOSError: CUDA_HOME environment variable is not set.",
        LINUX,
        ["AMD's ROCm"],
        ["Install the CUDA toolkit"],
    ),
    (
        "RuntimeError: Expected one of cpu, cuda device type at start of device string: dml",
        WINDOWS,
        ["install torch-directml"],
        ["xpu"],
    ),
    # a build for AMD or Intel says whose GPU it is
    (
        "OSError: CUDA_HOME environment variable is not set. Please set it to your CUDA install root. flash_attn",
        {**LINUX, "packages": {"torch": "2.6.0+rocm6.2"}},
        ["FLASH_ATTENTION_TRITON_AMD_ENABLE"],
        ["cuda-nvcc", "CUDA toolkit"],
    ),
    (
        ">>> torch.cuda.is_available()\nFalse",
        {**LINUX, "gpu": "GeForce RTX 3080", "packages": {"torch": "2.5.1+rocm6.2"}},
        ["whl/cu1"],
        ["whl/rocm", "amdgpu"],
    ),
    (
        ">>> import jax; jax.numpy.ones(3)\nSegmentation fault (core dumped)",
        {**LINUX, "packages": {"jax": "0.4.26", "jaxlib": "0.4.26", "jax-cuda12-plugin": "0.4.34"}},
        [r"jax-cuda12-plugin 0\.4\.34", r"jax\[cuda12\]"],
        ["tensorflow"],
    ),
    (
        "UserWarning: Specified provider 'MIGraphXExecutionProvider' is not in available provider names.",
        LINUX,
        ["onnxruntime-migraphx"],
        [r"install onnxruntime-gpu", "nvidia"],
    ),
    (
        "TypeError: Cannot convert a MPS Tensor to float64 dtype as the MPS framework doesn't support float64.",
        {**MAC, "env": {"KERAS_BACKEND": "torch"}},
        ["float32", "KERAS_TORCH_DEVICE=cpu"],
        ["tensorflow", "upgrade torch"],
    ),
    ("TypeError: Trying to convert Float8_e4m3fn to the MPS backend", MAC, ["fp16"], ["nvidia", "tensorflow"]),
    (
        # The fallback is for operations without a kernel: this one has one, which refuses the type.
        "TypeError: Operation 'abs_out_mps()' does not support input type 'int64' in MPS backend.",
        MAC,
        ["--upgrade torch", "float32 or int32"],
        ["tensorflow", "nvidia", "PYTORCH_ENABLE_MPS_FALLBACK"],
    ),
    (
        "No OpKernel was registered to support Op 'NcclAllReduce' used by {{node Adam/NcclAllReduce}}",
        {**WINDOWS, "packages": {"tensorflow": "2.10.0"}},
        ["HierarchicalCopyAllReduce"],
        ["set_soft_device_placement"],
    ),
    (
        "Exception: Capture cuda graph failed: CUDA error: operation not permitted when stream is capturing",
        LINUX,
        ["--disable-cuda-graph"],
        ["tensorflow", "jax", "usermod"],
    ),
    (
        "ggml_cuda_init: found 1 CUDA devices:\nCUDA error: operation not permitted when stream is capturing",
        LINUX,
        ["GGML_CUDA_DISABLE_GRAPHS=1"],
        ["usermod", ANY_INSTALL],
    ),
    (
        "OSError: CUDA_HOME environment variable is not set. Please set it to your CUDA install root. flash_attn",
        {"os": "linux", "gpu": "Radeon RX 7900 XTX"},
        ["FLASH_ATTENTION_TRITON_AMD_ENABLE"],
        ["cuda-nvcc"],
    ),
    (NO_CUDA_TORCH, {**MAC, "gpu": "Apple M2"}, ["mps"], ["whl/cu", "nvidia-smi"]),
    (
        JAX_METAL,
        {**MAC, "packages": {"jax-metal": "0.1.1", "jax": "0.6.0"}, "gpu": "Apple M3"},
        ["jax-metal", r"jax==0\.5"],
        ["cuda"],
    ),
    (OP, {**MAC, "packages": {"torch": "2.2.0"}}, ["PYTORCH_ENABLE_MPS_FALLBACK"], [r"tf\.", "nvidia"]),
    (
        METAL,
        {**MAC, "packages": {"tensorflow-macos": "2.9.2"}, "python": "3.9"},
        [r"tensorflow-metal==0\.5\.1"],
        ["cuda", "directml"],
    ),
    ("ImportError: libd3d12.so: cannot open shared object file", {"os": "wsl2"}, ["wsl --update"], ["apt"]),
    (
        "ImportError: libd3d12.so: cannot open shared object file",
        {**LINUX, "gpu": "Arc A380", "packages": {"tensorflow-directml-plugin": None}},
        ["WSL"],
        ["apt", "wsl --"],
    ),
    (METAL, {**LINUX, "packages": {"tensorflow": "2.14.1"}}, ["no wheel for Linux"], ["pip install"]),
    (
        "InvalidArgumentError: No OpKernel was registered to support Op 'NcclAllReduce' used by node NcclAllReduce",
        {**LINUX, "gpu": "RX 6800", "packages": {"tensorflow-rocm": "2.9.1"}},
        ["RCCL", "HierarchicalCopyAllReduce"],
        ["NVIDIA"],
    ),
    ("ValueError: This CTranslate2 package was not compiled with CUDA support", MAC, ["CPU"], ["torch", "mps"]),
]
