"""What programs print, for rows of more than one module."""

NO_TF = "No module named 'tensorflow'"
NO_CUDA_TORCH = "AssertionError: Torch not compiled with CUDA enabled"
IMPORTED = (
    'Traceback (most recent call last):\n  File "/srv/env/lib/python3.11/site-packages/%s", line 1, in <module>\n'
)
NO_DEVICE_0 = (
    "Invalid CUDA %s requested. Use 'device=cpu' or pass valid CUDA device(s) if available.\n\n"
    "torch.cuda.is_available(): False\ntorch.cuda.device_count(): 0\nos.environ['CUDA_VISIBLE_DEVICES']: None"
)
NO_WHEEL = "ERROR: No matching distribution found for %s"
NO_VERSION = "ERROR: Could not find a version that satisfies the requirement %s (from versions: 0.0.1)"
NVIDIA_SMI = "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver."
GPU_REQUESTED = (
    "InvalidArgumentError: Cannot assign a device for operation a: Operation was explicitly assigned to /device:GPU:0 but "
    "available devices are [ /job:localhost/replica:0/task:0/device:CPU:0 ]. Make sure it is a valid device."
)
HIP = "hipErrorNoBinaryForGpu: Unable to find code object for all current devices!"
CUDNN = (
    "E cuda_dnn.cc:378] Loaded runtime CuDNN library: %s but source was compiled with: %s.  CuDNN library needs to have"
)
DLL = "W dso_loader.cc:64] Could not load dynamic library '%s'; dlerror: %s not found"
METAL = (
    "NotFoundError: dlopen(/u/lib/python3.9/site-packages/tensorflow-plugins/libmetal_plugin.dylib, "
    "6): Symbol not found: _TF_NewThing"
)
CUDNN_RNN = (
    "InternalError: No OpKernel was registered to support Op 'CudnnRNN' used by node a/CudnnRNN with these attrs\n"
)
NUMPY = "AttributeError: module 'numpy' has no attribute 'object'."
PROTO = "TypeError: Descriptors cannot be created directly."
JAX_METAL = "XlaRuntimeError: UNIMPLEMENTED: default_memory_space is not supported. platform METAL jax_metal"
WINDOWS, LINUX, MAC = {"os": "windows"}, {"os": "linux"}, {"os": "macos"}
ANY_INSTALL = r"\b(pip|conda|uv) (pip )?install"
NO_KERNEL = "RuntimeError: CUDA error: no kernel image is available for execution on the device"
BITSANDBYTES = "RuntimeError: CUDA Setup failed despite GPU being available. Please run the following command"
LIBCUDA = (
    "W tensorflow/stream_executor/platform/default/dso_loader.cc:64] Could not load dynamic library 'libcuda.so.1'; dlerror: "
    "libcuda.so.1: cannot open shared object file: No such file or directory\n"
    "W tensorflow/stream_executor/cuda/cuda_driver.cc:269] failed call to cuInit: UNKNOWN ERROR (303)\n"
    "I tensorflow/stream_executor/cuda/cuda_diagnostics.cc:204] kernel reported version is: 460.91.3"
)
NO_JAX = (
    '  File "/venv/lib/python3.12/site-packages/keras/src/backend/__init__.py", line 34, in <module>\n'
    "    from keras.src.backend.jax import *  # noqa: F403\n"
    '  File "/venv/lib/python3.12/site-packages/keras/src/backend/jax/__init__.py", line 3, in <module>\n'
    "    from keras.src.backend.jax import core\nModuleNotFoundError: No module named 'jax'"
)
NO_DEVICE = "E xla/stream_executor/cuda/cuda_driver.cc:266] failed call to cuInit: CUDA_ERROR_NO_DEVICE: no device\n"
DPKG = "ii  nvidia-driver-535  535.183.01-0ubuntu0.22.04.1\n"
IMPORTS = (
    'Traceback (most recent call last):\n  File "%s", line 3, in <module>\n'
    "ImportError: cannot import name '%s' from '%s' (/venv/lib/python3.10/site-packages/"
)
