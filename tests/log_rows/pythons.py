"""Rows about Pythons, systems and processors that a package has no wheel or no code for."""

from log_rows.texts import ANY_INSTALL, BITSANDBYTES, IMPORTED, LINUX, MAC, NO_VERSION, NO_WHEEL, WINDOWS

UV_OLD_SYSTEM = (
    "error: Distribution `torch==2.7.0 @ registry+https://pypi.org/simple` can't be installed because it doesn't have a "
    "source distribution or wheel for the current platform\n\nhint: You're on %s, but `torch` (v2.7.0) only has wheels for "
    "the following platforms: %s"
)
DLL_FAILED = (
    "ImportError: DLL load failed while importing _pywrap_tensorflow_internal: The specified module could not be found."
)
GLIBC = "ImportError: /lib64/libc.so.6: version `GLIBC_%s' not found (required by /srv/env/lib/site-packages/%s)"
GLIBCXX = (
    "ImportError: /lib64/libstdc++.so.6: version `GLIBCXX_3.4.29' not found (required by "
    "/e/site-packages/torch/lib/libtorch.so)"
)
CONDA_CUDA = (
    "PackagesNotFoundError: The following packages are not available from current channels:\n\n  - pytorch-cuda=%s\n"
)
NOT_SUPPORTED = "ERROR: %s.whl is not a supported wheel on this platform."
AVX = (
    "F cpu_feature_guard.cc:37] The TensorFlow library was compiled to use AVX instructions, but "
    "these aren't available on your machine."
)
JAXLIB = "ERROR: No matching distribution found for jaxlib==0.4.25+cuda12.cudnn89"

#: What `explain` reads, what is known, what an answer has, and what it does not have (patterns).
ROWS = [
    # Windows' launcher: its number is the Python's, and a Python that is not there is not a wheel that is missing.
    (
        "C:\\> py -3.13 -m pip install torch==1.13.0\nERROR: No matching distribution found for torch==1.13.0",
        WINDOWS,
        ["not for 3.13"],
        [],
    ),
    ("No suitable Python runtime found", WINDOWS, ["py --list", "winget install"], []),
    # A package whose own source this Python cannot read, unless it is of Python 2.
    (
        'Traceback (most recent call last):\n  File "train.py", line 2, in <module>\n  File '
        '"/e/lib/python3.7/site-packages/keras_vision/box.py", line 31\n    if (count := len(boxes)) > 3:\n'
        "              ^\nSyntaxError: invalid syntax",
        {},
        ["keras_vision is written for a later Python", r"uv venv --python 3\.11"],
        ["not known"],
    ),
    (
        'Traceback (most recent call last):\n  File "train.py", line 2, in <module>\n  File '
        '"/e/lib/python3.7/site-packages/oldvision/box.py", line 31\n    print "boxes"\n'
        "          ^\nSyntaxError: Missing parentheses in call to 'print'",
        {},
        [],
        ["later Python"],
    ),
    *(
        (
            'Traceback (most recent call last):\n  File "train.py", line 2, in <module>\n  File '
            '"/e/lib/python3.8/site-packages/oldvision/box.py", line 31\n%sSyntaxError: %s' % (source, message),
            {},
            ["SyntaxError"],
            ["later Python"],
        )
        for source, message in (
            ("    def load(self, async=False):\n                  ^\n", "invalid syntax"),
            ("    except IOError, error:\n                 ^\n", "invalid syntax"),
            ("    <!DOCTYPE html>\n    ^\n", "invalid syntax"),
            ("", "invalid syntax"),
            ("    boxes = (\n            ^\n", "unexpected EOF while parsing"),
        )
    ),
    # What pip left out names the Python that a release needs; another package may ask for it.
    (
        "ERROR: Ignored the following versions that require a different python version: 0.8.9 Requires-Python >=3.6,<3.9; "
        "0.9.0 Requires-Python >=3.6,<3.10; 0.9.2 Requires-Python >=3.7,<3.11\nERROR: Could not find a version that "
        "satisfies the requirement speedlib==0.9.0 (from soundmodels) (from versions: 0.1, 0.12.4)",
        {"os": "linux", "python": "3.11"},
        ["needs Python >=3.6,<3.10", "python 3.8 .* soundmodels$"],
        ["an older one"],
    ),
    (
        "ERROR: Ignored the following versions that require a different python version: 2.0 Requires-Python >=3.9; 2.1 "
        "Requires-Python >=3.10\nERROR: Could not find a version that satisfies the requirement speedlib>=2 (from versions: "
        "1.4)\nERROR: No matching distribution found for speedlib>=2",
        {"os": "linux", "python": "3.8"},
        ["needs Python >=3.10", 'python 3.12 .* "speedlib>=2"$'],
        [],
    ),
    # conda: the newest of the Pythons that it lists.
    (
        "UnsatisfiableError: The following specifications were found\nto be incompatible with the existing python "
        "installation in your environment:\n\n  - tensorflow -> python[version='2.7.*|3.5.*|3.6.*']\n",
        {"python": "3.9"},
        ["conda create .*python=3.6 tensorflow"],
        ["python=3.5"],
    ),
    # tensorflow-gpu of a preview, or 2.8.0, asks for an estimator that indexes lack.
    (
        "ERROR: No matching distribution found for tensorflow-gpu-estimator<2.3.0,>=2.2.0 (from tensorflow-gpu)",
        {"python": "3.7"},
        [r"tensorflow==2\.2\.\*"],
        ["64-bit"],
    ),
    (
        "ERROR: Could not find a version that satisfies the requirement tf-estimator-nightly==2.8.0.dev2021122109 (from "
        "tensorflow) (from versions: none)",
        {"python": "3.9"},
        [r"tensorflow==2\.8\.\*"],
        ["Take another release"],
    ),
    # A processor's own age does not tell which instructions a vendor's build needs.
    (
        "Illegal instruction (core dumped)",
        {"os": "container", "cpu": "Intel Core i7-13700K", "packages": {"tensorflow": "2.12.0"}},
        ["i7-13700K has AVX", "this build needs AVX2 or AVX-512"],
        [],
    ),
    (
        "ERROR: Could not find a version that satisfies the requirement tensorflow (from versions: none)",
        {**MAC, "python": "3.10", "cpu": "Apple M2"},
        [r"Apple silicon \(arm64\), from tensorflow 2\.13"],
        [],
    ),
    (
        "OSError: [WinError 1114] A dynamic link library (DLL) initialization routine failed. Error loading "
        '"D:\\app\\.venv\\Lib\\site-packages\\torch\\lib\\c10.dll" or one of its dependencies.',
        {"os": "windows", "packages": {"torch": "2.8.0", "uvicorn": "0.34"}},
        [r"Visual C\+\+", "import torch before all other packages, and before threads start"],
        [],
    ),
    ("Failed to load the native TensorFlow runtime.", {"os": "windows"}, [r"Visual C\+\+"], []),
    # PyPI's wheels of which releases a system with an old C library takes, and whose library it is that needs a newer one.
    (
        GLIBC % ("2.28", "torch/lib/../../../../libcufft.so.11"),
        {"os": "linux", "os_version": "CentOS 7", "python": "3.10", "packages": {"torch": "2.4.0"}},
        [r"glibc 2\.17\..*\n.*--no-cache-dir torch==2\.4\.0", "newer Linux distribution"],
        [],
    ),
    (
        GLIBC % ("2.28", "torch/lib/libtorch_cpu.so"),
        {"os": "linux", "os_version": "Ubuntu 18.04", "python": "3.10", "packages": {"torch": "2.9.0"}},
        [r"pip install torch==2\.6\.0"],
        [],
    ),
    (
        GLIBC % ("2.34", "torch/lib/libtorch_cpu.so"),
        {"os": "linux", "os_version": "Ubuntu 20.04", "python": "3.10", "packages": {"torch": "2.9.0"}},
        [r"glibc 2\.28\..*\n.*--no-cache-dir torch==2\.9\.0"],
        [],
    ),
    (
        GLIBC % ("2.27", "jaxlib/libjax_common.so"),
        {"os": "linux", "python": "3.11", "packages": {"jax": "0.8.0"}, "gpu": "Tesla V100", "driver": "535.54"},
        [r"jax\[cuda12\]==0\.5\.3"],
        ["Only "],
    ),
    (
        GLIBC % ("2.23", "jaxlib/xla_extension.so"),
        {"os": "linux", "python": "3.6", "packages": {"jax": ""}},
        [r"Python 3\.12\n.*jax==0\.7\.0 jaxlib==0\.7\.0"],
        ["cuda12"],
    ),
    (
        GLIBC % ("2.29", "torch_spline_conv/_basis_cuda.so"),
        {"os": "linux", "python": "3.10", "packages": {"torch": "2.3.0"}},
        ["Only torch_spline_conv needs it"],
        ["torch=="],
    ),
    (
        GLIBC % ("2.14", "torch/lib/libshm.so"),
        {"os": "linux", "os_version": "CentOS 6", "python": "3.6", "packages": {"torch": "1.0.0"}},
        ["newer Linux distribution"],
        ["torch=="],
    ),
    (
        "ImportError: /lib64/libm.so.6: version `GLIBC_2.23' not found (required by /x/tensorflow/python/"
        "_pywrap_tensorflow_internal.so)",
        {"os": "linux", "os_version": "CentOS 7", "packages": {"tensorflow-gpu": "1.13.1"}},
        [r"tensorflow-gpu==1\.15\.\*", "newer Linux distribution"],
        [r"tensorflow==2"],
    ),
    (
        "UnsatisfiableError: The following specifications were found to be in conflict:\n  - python 3.8*\n"
        "  - tensorflow 1.13.1*",
        {"os": "linux", "python": "3.8"},
        [r"python=3\.7 tensorflow=1\.13\.1"],
        [],
    ),
    (
        "The TensorFlow library was compiled to use AVX instructions, but these aren't available on your machine.",
        {"os": "linux", "cpu": "Intel(R) Xeon(R) CPU E5-2680 v3", "packages": {"tensorflow": "1.6.0"}},
        ["E5-2680 has AVX: what hides it is most likely a virtual machine"],
        [],
    ),
    (
        "The TensorFlow library was compiled to use AVX instructions, but these aren't available on your machine.",
        {"os": "linux", "cpu": "Intel Celeron N4505", "packages": {"tensorflow": "2.10.0"}},
        ["In a virtual machine"],
        ["has AVX"],
    ),
    # Files from someone's page, an own build for another CUDA, a Mac with an Intel processor, and what pip said long ago.
    (
        "tensorflow-1.13.1-cp35-none-linux_aarch64.whl is not a supported wheel on this platform.\nPython 3.5.0",
        {},
        ["from the same page", "calcsize"],
        [r"2\.3\.1", "pypi.org"],
    ),
    (
        "ERROR: Could not find a version that satisfies the requirement tensorflow (from versions: none)",
        {"os": "macos", "os_version": "macOS Catalina 10.15.3"},
        ["Intel processors", "--python 3.12"],
        [r"3\.13"],
    ),
    (
        "Could not find a version that satisfies the requirement tensorflow==2.2.2",
        {"os": "linux", "os_version": "Debian 10.9"},
        [r"Python 3\.8", r"tensorflow==2\.2\.2"],
        [],
    ),
    (
        "  Could not find any downloads that satisfy the requirement tensorflow\nNo distributions at all found for tensorflow",
        {"os": "linux"},
        ["pip install --python env/bin/python tensorflow"],
        [],
    ),
    (
        "    def TFE_ContextOptionsSetAsync(arg1, async):\nSyntaxError: invalid syntax",
        {"os": "windows", "python": "3.7"},
        [r"Python 3\.6", "install --upgrade tensorflow"],
        ["64-bit"],
    ),
    # Which Python conda's ranges have, whose page a file for 32-bit ARM is of, and the last wheels that need no AVX.
    (
        "UnsatisfiableError: The following specifications were found to be incompatible with each other:\n"
        "Package python conflicts for:\ntensorflow -> python[version='2.7.*|3.5.*|3.6.*|>=3.6,<3.7.0a0']",
        {"os": "linux", "python": "3.7"},
        ["python=3.6 tensorflow"],
        [],
    ),
    (
        "UnsatisfiableError: The following specifications were found to be incompatible with each other:\n"
        "Package python conflicts for:\ntensorflow -> python[version='3.6.*|>=3.7,<3.8.0a0']",
        {"os": "linux", "python": "3.7"},
        ["no set of packages"],
        ["does not support the Python"],
    ),
    (
        "UnsatisfiableError: The following specifications were found\nto be incompatible with the existing python "
        "installation in your environment:\n  - tensorflow-base -> python[version='>=3.5,<3.6.0a0|>=3.7,<3.8.0a0']",
        {"os": "windows", "python": "3.8"},
        ["python=3.7"],
        ["python=3.5"],
    ),
    (
        "UnsatisfiableError: The following specifications were found to be in conflict:\n  - python 3.6*\n"
        "  - tensorflow 0.12.0rc0*",
        LINUX,
        ["for Python 3.6", "python=3.5"],
        [],
    ),
    (
        "tensorflow-1.12.0-cp35-none-linux_armv7l.whl is not a supported wheel on this platform.",
        {"os": "linux", "python": "3.6.7"},
        ["python3.5 -m pip", "from the same page"],
        ["x86-64", "2\\.6"],
    ),
    (
        "tensorflow-2.5.0-cp 37-none-linux_armv71.whl is not a supported wheel on this platform.",
        {"os": "linux", "python": "3.9", "arch": "armv7l"},
        ["64-bit system"],
        [],
    ),
    (
        "Illegal instruction: 4",
        {"os": "macos", "os_version": "10.13", "python": "3.6.4", "packages": {"tensorflow": "1.8.0"}},
        [r"tensorflow==1\.5\.0"],
        [r"python=3\.11"],
    ),
    (
        "tensorflow-1.4.0-cp36-cp36m-win_amd64.whl is not a supported wheel on this platform.",
        {"os": "windows", "python": "3.6.3"},
        ["most likely a 32-bit Python", r"64-bit \(x64\) Python 3\.6"],
        ["2\\.6"],
    ),
    # PyPI has each release of tensorflow-gpu, conda's channels few.
    (
        "PackagesNotFoundError: The following packages are not available from current channels:\n\n  - tensorflow-gpu==2.2.0",
        {"os": "windows"},
        [r"conda create -n env -c conda-forge python=3\.8 cudatoolkit=10\.1 cudnn=7\.6", r"tensorflow-gpu==2\.2\.0"],
        [r"2\.1[01]"],
    ),
    (
        "PackagesNotFoundError: The following packages are not available from current channels:\n\n  - tensorflow-gpu=2.12",
        {"os": "windows"},
        [r"tensorflow==2\.10\.1"],
        [r"tensorflow-gpu==2"],
    ),
    (
        "  CalledProcessError\n\n  Command '['/c/virtualenvs/a-py3.11/bin/python', '-m', 'pip', 'install', '--use-pep517"
        "', '--no-deps', '/c/pypoetry/artifacts/e0/11/67/h5py-3.7.0.tar.gz']' returned non-zero exit status 1.",
        {"os": "linux", "python": "3.11"},
        ["h5py has no ready wheel", r"3\.8"],
        [],
    ),
    (
        "ERROR: Could not find a version that satisfies the requirement tensorflow (from versions: none)\n"
        "ERROR: No matching distribution found for tensorflow",
        {"os": "macos", "python": "3.8"},
        ["tensorflow-macos"],
        [],
    ),
    (
        "ERROR: tensorflow-2.1.0-cp35-none-linux_armv7l.whl is not a supported wheel on this platform.",
        {"os": "linux", "os_version": "Raspbian 10", "arch": "armv7l", "python": "3.7"},
        [r"Python 3\.5", "64-bit system"],
        ["upgrade pip"],
    ),
    # A toolkit that is installed on Windows is there for a GPU.
    (
        "ERROR: No matching distribution found for tensorflow-gpu==2.11",
        {"os": "windows", "python": "3.10", "cuda": "11.2", "cudnn": "8.1"},
        ["Use WSL 2, where", r"tensorflow==2\.10\.1"],
        [],
    ),
    (
        ">>> import onnx\n"
        "ImportError: /nix/store/6qx8ijrs82bnq60vp09pv46mdx4rnq9d-gcc-7.5.0-lib/lib/libstdc++.so.6: "
        "version `GLIBCXX_3.4.26' not found (required by "
        "/nix/store/ln8r1m11ypy3a642g4vab9c06mqmpsdn-python3.7-onnx-1.7.0/lib/python3.7/site-packages/on"
        "nx/onnx_cpp2py_export.cpython-37m-x86_64-linux-gnu.so)",
        {"os": "linux", "os_version": "NixOS", "python": "3.7", "packages": {"onnx": "1.7.0"}},
        ["nix-ld"],
        ["LD_LIBRARY_PATH out|unset"],
    ),
    (
        "Torch failed to start, restart your R session to try again. \n"
        "/home/R/x86_64-pc-linux-gnu-library/4.1/torch/lib/liblantern.so - /lib64/libstdc++.so.6: "
        "version `GLIBCXX_3.4.20' \n"
        "not found (required by /home/R/x86_64-pc-linux-gnu-library/4.1/torch/lib/liblantern.so)",
        {"os": "linux", "os_version": "CentOS 7"},
        ["newer"],
        [],
    ),
    (
        "OSError: [WinError 1114] Dynamic-link library (DLL) initialization routine failed\n"
        "A few minutes after starting training",
        {"os": "windows", "os_version": "Windows 11"},
        ["(?i)vc_?redist|visual c"],
        [],
    ),
    (
        "RuntimeError: This version of jaxlib was built using AVX instructions, which your CPU and/or operating system do not "
        "support. This error is frequently encountered on macOS when running an x86 Python installation on ARM hardware.",
        {},
        ["On a Mac with Apple silicon"],
        [],
    ),
    # A release that is pinned stays, with a Python that has it.
    (
        "Looking in indexes: https://pypi.org/simple, https://download.pytorch.org/whl/cu113\n"
        + NO_VERSION % "torch==1.12.1+cu113",
        {"os": "windows", "python": "3.11.9"},
        ["\\.\\s+Make an environment.*\\n.*torch==1\\.12\\.1", "cu126"],
        [],
    ),
    (
        "Illegal Instruction (core dumped)",
        {"os": "linux", "os_version": "Ubuntu 20.04, Raspberry Pi 4"},
        ["ARM"],
        ["AVX"],
    ),
    # A Mac that gets no wheel for Intel processors has Apple silicon.
    (
        NO_VERSION.replace("0.0.1", "none") % "tensorflow==2.10.1",
        {"os": "macos", "python": "3.10"},
        ["Apple silicon: tensorflow 2\\.13", "tensorflow-macos==2\\.10"],
        ["older pip"],
    ),
    (
        "ImportError: /usr/lib/arm-linux-gnueabihf/libstdc++.so.6: version `GLIBCXX_3.4.22' not found (required by /usr/x.so)",
        {"os": "linux"},
        ["newer release of the system"],
        ["conda install"],
    ),
    (
        "ImportError: /usr/lib/x86_64-linux-gnu/libstdc++.so.6: version `CXXABI_1.3.11' not found (required by /usr/x.so)",
        {"os": "linux", "os_version": "Ubuntu 16.04", "packages": {"tensorflow": "1.13.1"}},
        [r"\A[^$]*ppa:ubuntu-toolchain-r/test"],
        [],
    ),
    # A range of releases before 1.15 is for old Pythons, whatever the name; the GPU's name is none of macOS.
    (
        NO_VERSION.replace("0.0.1", "none") % "tensorflow-gpu<=1.14.0,>=1.10.0",
        {"os": "linux", "python": "3.8"},
        [r"python=3\.7", r"tensorflow-gpu<=1\.14\.0,>=1\.10\.0"],
        ["and-cuda", r"3\.13"],
    ),
    (
        NO_VERSION.replace("0.0.1", "none") % "tensorflow-gpu<1.15",
        {"os": "macos", "python": "3.7"},
        ["leave -gpu out", r'"tensorflow<1\.15"'],
        [r"pip install tensorflow$"],
    ),
    (
        NO_VERSION.replace("0.0.1", "none") % "tensorflow==1.13.1",
        {"os": "windows", "python": "3.7"},
        ["64-bit", "upgrade pip"],
        ["venv"],
    ),
    (
        NO_VERSION.replace("0.0.1", "none") % "tensorflow-gpu>=2.0",
        {"os": "linux", "python": "3.12"},
        ["and-cuda"],
        [r"2\.11\.0"],
    ),
    (
        NO_VERSION.replace("0.0.1", "none") % "tensorflow<2.0",
        {"os": "linux", "python": "3.9"},
        [r"\A[^$]*python=3\.7"],
        [],
    ),
    (
        "ImportError: No module named '_pywrap_tensorflow'",
        {"os": "windows", "python": "3.4"},
        [r"3\.5"],
        ["Visual"],
    ),
    (
        "ImportError: dlopen(/opt/tensorflow/python/_pywrap_tensorflow_internal.so, 6): Symbol not found: "
        "_SecKeyCopyExternalRepresentation",
        {"os": "macos", "packages": {"tensorflow": "1.10.0"}},
        [r"10\.12\.6"],
        ["doctor"],
    ),
    (
        "The following packages have unmet dependencies:\n python3-tflite-runtime : Depends: python3 (< 3.10) but 3.11.2-1 is "
        "to be installed\nE: Unable to correct problems, you have held broken packages.",
        {"os": "linux", "python": "3.11.2", "arch": "aarch64"},
        ["pip install tflite-runtime", "numpy<2"],
        ["windows"],
    ),
    # What has ended, a machine without a GPU, and two OpenMP runtimes that are no lack of shared memory.
    (
        "ERROR: No matching distribution found for onnxruntime-coreml==1.13.1",
        {"os": "macos", "python": "3.10.14", "arch": "x86_64"},
        ["pip install onnxruntime(?!-)"],
        ["#files"],
    ),
    (
        "ERROR: tflite_runtime-2.1.0.post1-cp37-cp37m-linux_armv7l.whl is not a supported wheel on this platform",
        {"os": "linux", "os_version": "Raspbian 10", "python": "3.7", "arch": "armv6l"},
        ["ARMv6", "64-bit"],
        ["#files"],
    ),
    # A wheel of another place than PyPI.
    (
        "ImportError: /lib/x86_64-linux-gnu/libm.so.6: version `GLIBC_2.29' not found (required by /srv/env/lib/python3.8/"
        "site-packages/tensorflow/python/_pywrap_tensorflow_internal.so)",
        {"os": "linux", "python": "3.8", "packages": {"tensorflow": "2.3"}},
        [r"--force-reinstall --no-cache-dir tensorflow==2\.3\.4"],
        [],
    ),
    # Intel's own builds of PyTorch have numbers that no index of PyTorch has.
    (
        "ERROR: No matching distribution found for torch==1.13.0a0",
        {"os": "windows", "python": "3.9", "gpu": "Intel Arc A770M"},
        ["whl/xpu"],
        [r"install torch==", "pypi.org"],
    ),
    # pip has nothing at all of a package: mostly for this Python.
    (
        "ERROR: Could not find a version that satisfies the requirement coqui-tts (from versions: none)",
        {"os": "windows", "python": "3.13"},
        ["older one than 3.13", "pypi.org/project/coqui-tts"],
        [],
    ),
    (
        "RuntimeError: TTS requires python >= 3.9 and < 3.12 but your Python version is 3.12.0 (tags/v3.12.0)",
        {"os": "windows"},
        ["py -3.1[01] -m venv", "pip install tts"],
        [],
    ),
    (
        "cellpose version: \t4.1.1\nplatform:       \tdarwin\npython version: \t3.14.4\ntorch version:  \t2.10.0\n"
        "[INFO] Neither TORCH CUDA nor MPS version not installed/working.\n[INFO] >>>> using CPU\n",
        {},
        [r"no Apple GPU \(MPS\)", r"platform\.machine"],
        ["CUDA", "accelerator="],
    ),
    (
        "Collecting nvidia-tensorflow[horovod]\n  Downloading nvidia-tensorflow-0.0.1.dev5.tar.gz (7.9 kB)\n"
        "  error: subprocess-exited-with-error",
        {"os": "windows", "python": "3.8"},
        ["WSL 2", r"Python 3\.8"],
        ["only-binary"],
    ),
    # A library of TensorFlow's for another Python, whatever the processor.
    (
        "ImportError: /usr/lib/python3.7/site-packages/tensorflow/python/_pywrap_tensorflow_internal.so: undefined symbol: "
        "_PyThreadState_Current",
        {"os": "linux", "python": "3.7", "packages": {"tensorflow": "1.12.0"}},
        [r"python=3\.6 "],
        ["uninstall"],
    ),
    (
        NO_VERSION % "tensorflow==2.10.0",
        {"os": "linux", "python": "3.11"},
        [r"2\.12\.0 to 2\.\d+\.0 have wheels for Python 3\.11", r"venv --python 3\.10"],
        [],
    ),
    (
        "ImportError: dlopen(/Users/me/env/lib/python3.8/site-packages/tensorflow/python/_pywrap_tensorflow_internal.so, 6): "
        "no suitable image found.  Did find:\n\t/Users/me/env/lib/python3.8/site-packages/tensorflow/python/"
        "_pywrap_tensorflow_internal.so: incompatible cpu-subtype: 0x00000008 in _pywrap_tensorflow_internal.so",
        {"os": "macos"},
        ["Haswell", "PyPI's tensorflow"],
        ["devicekit doctor"],
    ),
    # Packages of one system alone, on another or on one that is not known.
    (
        NO_WHEEL % "tensorflow-macos==2.13.0",
        {},
        [r"install tensorflow==2\.13\.0$"],
        ["install tensorflow-macos", "uv venv"],
    ),
    (NO_WHEEL % "tensorflow-macos==2.13.0", {"os": "linux"}, [r"install tensorflow==2\.13\.0$"], ["machine"]),
    (
        NO_WHEEL % "tensorflow-macos==2.13.0",
        {"os": "windows", "python": "3.12"},
        [r"py -3\.11 .* install tensorflow==2\.13\.0$"],
        [],
    ),
    (NO_WHEEL % "tensorflow-intel==2.13.0", {}, [r"install tensorflow==2\.13\.0$"], []),
    (NO_WHEEL % "tensorflow-metal", {"os": "linux"}, ["Leave it out"], ["wheel"]),
    (
        "ImportError: /lib/aarch64-linux-gnu/libc.so.6: version `GLIBC_2.28' not found (required by "
        "/srv/env/lib/python3.7/site-packages/tensorflow/python/_pywrap_tensorflow_internal.so)",
        {
            "os": "linux",
            "os_version": "Ubuntu 18.04",
            "arch": "aarch64",
            "python": "3.7",
            "packages": {"tensorflow": "2.2.0"},
        },
        ["PyPI's own need", "tensorflow==2.1"],
        [],
    ),
    (
        "PackagesNotFoundError: The following packages are not available from current channels:\n\n  - tensorflow-deps",
        {"os": "macos", "arch": "arm64"},
        ["tensorflow-metal"],
        ["conda-forge"],
    ),
    # Windows 7 and 8 have neither winget nor WSL 2.
    (
        DLL_FAILED,
        {"os": "windows", "os_version": "Windows 7", "python": "3.7", "packages": {"tensorflow": "2.1.0"}},
        ["\\(https://aka.ms/vs"],
        ["winget"],
    ),
    (DLL_FAILED, {"os": "Windows 10", "python": "3.7", "packages": {"tensorflow": "2.1.0"}}, ["winget"], ["aka.ms"]),
    (
        "PackagesNotFoundError: The following packages are not available from current channels:\n\n  - tensorflow\n\n"
        "Current channels:\n\n  - https://repo.anaconda.com/pkgs/main/win-32",
        {"os": "windows", "os_version": "Windows 10", "python": "3.7"},
        ["64-bit Miniconda"],
        ["Python.Python"],
    ),
    (
        "PackagesNotFoundError: The following packages are not available from current channels:\n\n  - tensorflow-gpu=2.4.1",
        {"os": "windows"},
        ["cudatoolkit=11.0"],
        ["-c conda-forge tensorflow$"],
    ),
    (
        "ImportError: /lib/aarch64-linux-gnu/libm.so.6: version `GLIBC_2.28' not found (required by "
        "/srv/env/lib/python3.7/site-packages/tensorflow/python/_pywrap_tensorflow_internal.so)",
        {"os": "linux", "os_version": "JetPack 4.2.1", "arch": "aarch64", "python": "3.7"},
        ["NVIDIA's wheel"],
        ["newer Linux"],
    ),
    (
        "RuntimeError: use_libuv was requested but PyTorch was built without libuv support, run with USE_LIBUV=0 to",
        {"os": "windows", "packages": {"torch": "2.4.1+cu121"}},
        ['\\$env:USE_LIBUV = "0"'],
        ["not known"],
    ),
    (
        "ImportError: DLL load failed while importing onnx_cpp2py_export: A dynamic link library (DLL) initialization "
        "routine failed.",
        {"os": "windows", "packages": {"onnx": "1.16.2"}},
        ["onnx!=1\\.16\\.2", "VCRedist"],
        [],
    ),
    (
        "RuntimeError: Distributed package doesn't have NCCL built in",
        {"os": "windows", "packages": {"torch": "2.3.0+cu121"}, "gpu": "RTX 4090"},
        ["gloo"],
        ["no wheel", "pip install"],
    ),
    (
        "ImportError: DLL load failed while importing numpy_ops: The specified module could not be found.",
        {"os": "windows", "python": "3.10", "packages": {"thinc": "8.2.1"}},
        ["VCRedist"],
        ["not known"],
    ),
    # uv says which tags there are: of this kind of system and processor, so it is the release of the system.
    (
        UV_OLD_SYSTEM
        % ("Linux (`manylinux_2_27_x86_64`)", "`manylinux_2_28_aarch64`, `manylinux_2_28_x86_64`, `win_amd64`"),
        {"os": "linux", "os_version": "Debian 10"},
        ["glibc", r'uv add "torch<2\.7\.0"'],
        ["required-environments"],
    ),
    (
        UV_OLD_SYSTEM % ("Linux (`manylinux_2_35_aarch64`)", "`manylinux_2_28_x86_64`, `win_amd64`"),
        {"os": "linux", "arch": "aarch64"},
        ["no wheel for this system"],
        ["glibc"],
    ),
    # Apple silicon has this wheel: the Python that does not take it is Intel's.
    (
        "error: Distribution `torch==2.5.1 @ registry+https://pypi.org/simple` can't be installed because it doesn't have a "
        "source distribution or wheel for the current platform",
        {"os": "macos", "python": "3.11.6", "gpu": "Apple M3 Max"},
        ["Intel", "cpython-3.11-macos-aarch64"],
        [r"torch==2\.2", "registry"],
    ),
    (
        "error: Distribution `torch==2.8.0 @ registry+https://download.pytorch.org/whl/cu126` can't be installed because it "
        "doesn't have a source distribution or wheel for the current platform",
        {"os": "macos", "python": "3.11.6", "gpu": "Apple M3 Max"},
        ["sys_platform"],
        ["Intel processors, on a Mac with"],
    ),
    (
        "PackagesNotFoundError: The following packages are not available from current channels:\n\n  - tensorflow-gpu=2.10",
        {"os": "windows"},
        [r"cudatoolkit=11\.2", r"tensorflow==2\.10\.1"],
        ["conda-forge tensorflow"],
    ),
    (
        "ERROR: No matching distribution found for tensorflow-directml-plugin",
        {"os": "macos"},
        ["tensorflow-metal"],
        ["wheel"],
    ),
    (
        "ERROR: Could not find a version that satisfies the requirement jaxlib==0.4.13+cuda11.cudnn86 (from versions: 0.4.13, "
        "0.4.14, 0.4.16)",
        {"os": "linux", "python": "3.10"},
        ["jax"],
        ["upgrade pip"],
    ),
    # What a release of Python brought, and what one removed.
    ("ModuleNotFoundError: No module named 'tomllib'", {"python": "3.10"}, ["Python 3.11 or later"], ["tomllib\n"]),
    (
        "ImportError: cannot import name 'OrderedDict' from 'typing' (/usr/lib/python3.7/typing.py)",
        {"python": "3.7.1", "packages": {"tensorflow": "2.9.0"}},
        ["Python 3.7.2 or later"],
        [],
    ),
    (
        "TypeError: unsupported operand type(s) for |: 'type' and 'NoneType'",
        {"python": "3.9"},
        ["Python 3.10 or later"],
        [],
    ),
    (
        "Looking in indexes: https://download.pytorch.org/whl/rocm5.6\nERROR: Could not find a version that satisfies the "
        "requirement torch==2.4.1 (from versions: 2.2.0+rocm5.6, 2.2.1+rocm5.6, 2.2.2+rocm5.6)",
        LINUX,
        [r"torch==2\.4\.1 --index-url \S+/whl/rocm6\.1"],
        ["pypi.org", "new environment"],
    ),
    (
        "Apple M1 Pro, macOS 14\nERROR: Could not find a version that satisfies the requirement "
        "tensorflow-macos==2.15.0 (from "
        "versions: 2.9.0, 2.9.1, 2.9.2, 2.10.0, 2.11.0, 2.12.0)",
        {},
        ["x86-64 one", "macos-aarch64"],
        ["--upgrade pip"],
    ),
    # For which Pythons ONNX Runtime has a release; an index that has PyTorch only.
    (
        "ERROR: Could not find a version that satisfies the requirement onnxruntime-gpu==1.16.3 (from versions: 1.17, 1.20.1)",
        {},
        [r"Python 3\.8, 3\.9, 3\.10 and 3\.11", r"onnxruntime-gpu==1\.20\.1"],
        [],
    ),
    (
        "Looking in indexes: https://download.pytorch.org/whl/rocm5.7\nPython: 3.10\nERROR: Could not find a version that "
        "satisfies the requirement onnxruntime-gpu==1.18.0 (from versions: none)",
        {},
        [r"--index-url https://pypi\.org/simple"],
        ["an older one"],
    ),
    # Sources that pip builds, as there is no wheel: one for this Python, and not the tool that is missing.
    (
        "  Downloading ml_dtypes-0.4.1.tar.gz (690 kB)\n  error: subprocess-exited-with-error\n      error: odd option\n"
        "      [end of output]\n  ERROR: Failed building wheel for ml_dtypes",
        {"os": "linux", "python": "3.13"},
        [r"ml-dtypes 0\.4\.1 has wheels for .*3\.12", r"0\.5"],
        ["only-binary", "upgrade pip"],
    ),
    # A small ARM board: the release that fails is known.
    (
        "onnxruntime-1.21.0-cp311-cp311-manylinux_2_28_aarch64.whl\n>>> import onnxruntime\nIllegal instruction\nA Raspberry",
        {},
        [r"onnxruntime!=1\.21\.\*"],
        ["AVX"],
    ),
    # conda says in its own words which Pythons its builds are for; the command is the user's.
    (
        "LibMambaUnsatisfiableError: Encountered problems while solving:\nCould not solve for environment specs\n"
        "   ├─ torchvision 0.16.2 would require\n"
        "   │  └─ python >=3.10,<3.11.0a0 *, which conflicts with any installable versions previously reported;",
        {"os": "linux", "python": "3.12"},
        ["conda create -n env python=3.10", "repeat the command"],
        ["3.13"],
    ),
    (
        "I'm on Windows 10 with the last pip and python 3.5.1.\n"
        "ERROR: tensorflow_gpu-1.13.1-cp35-cp35m-win_amd64.whl is not a supported wheel on this platform.",
        {},
        ["32 bits", "64-bit"],
        ["pip of that Python"],
    ),
    # The system's C++ library is not there at all: conda is one more thing that is not.
    (
        "ImportError: libstdc++.so.6: cannot open shared object file: No such file or directory",
        {"os": "Ubuntu 20.04", "packages": {"jax": "0.2.5"}},
        [r"apt-get install -y libstdc\+\+6"],
        ["conda"],
    ),
    (
        "conda activate x\nImportError: libstdc++.so.6: cannot open shared object file: No such file or directory",
        {"os": "linux"},
        ["conda install -c conda-forge libstdcxx-ng"],
        [],
    ),
    # Homebrew's folder on Intel processors.
    (
        "Unable to find installation candidates for nvidia-cublas-cu11 (11.10.3.66)\n"
        "  at /usr/local/Cellar/poetry/1.2.2_1/libexec/lib/python3.11/site-packages/poetry/installation/chooser.py:103",
        {},
        [r"poetry add .?torch>=1.13.1,<2.3"],
        ["jax"],
    ),
    # Which Python it is stands next to the system; the file is for the same one.
    (
        "Hi, on windows 10 1809 and Python 3.7 I get:\ntorch-1.0.0-cp37-cp37m-win_amd64.whl is not a supported wheel on this",
        {},
        ["32 bits"],
        ["pip of that Python"],
    ),
    (
        "Tested on Windows 10 with Python 3.7.\ntorch-1.0.0-cp37-cp37m-win_amd64.whl is not a supported wheel on this",
        {},
        ["pip of that Python"],
        [],
    ),
    # ARM has wheels today that an old pip, or that time, did not have.
    (
        "Raspberry Pi 4, aarch64, Ubuntu 20.04, Python 3.8.10\n" + NO_WHEEL % "tensorflow",
        {},
        [r"2\.10\.0 on", r"tensorflow==2\.13\.1"],
        ["x86-64", "compile it from"],
    ),
    *(
        ("ImportError: DLL load failed: %s." % said, {"packages": {"tensorflow": "2.4.0"}}, [wanted], [])
        for said, wanted in (
            ("指定されたモジュールが見つかりません", r"Visual C\+\+"),
            ("동적 연결 라이브러리(DLL) 초기화 루틴을 실행할 수 없습니다", "AVX"),
            ("指定されたプロシージャが見つかりません", r"Visual C\+\+"),
            ("%1 不是有效的 Win32 应用程序", "fresh environment"),
        )
    ),
    # An old build whose release is for older Pythons: its index alone does not help.
    (
        NO_WHEEL % "torch==1.9.0+cu111" + "\nI use Python 3.11 here",
        {},
        ["3.6 to 3.9", r"-3\.9 "],
        [r"^python -m pip install torch==1\.9\.0"],
    ),
    (NO_WHEEL % "torch==1.10.0+cu113", {}, ["3.6 to 3.9", r"1\.10\.0\+cu113 -f", r"-3\.9 "], ["has no torch"]),
    (
        "ImportError: DLL load failed while importing onnxruntime_pybind11_state: The specified procedure could not be found.",
        {"os": "Windows Server 2016", "packages": {"onnxruntime": "1.15.0"}},
        ["VCRedist", "Windows 10"],
        ["CUDA"],
    ),
    (
        "pip install tensorflow\n  ERROR: Failed building wheel for h5py",
        {"os": "linux"},
        [r"Python 3\.13", "pip install .*tensorflow"],
        [r"3\.14 env"],
    ),
    # Exact builds of another system in conda's file, and a compiler that CMake or nvcc does not find.
    (
        "ResolvePackageNotFound:\n  - gxx_impl_linux-64==7.3.0=hdf63c60_1\n  - h5py==2.9.0=py37h7918eee_0",
        {"os": "macos"},
        ["exact builds", "--from-history"],
        ["conda-forge", "machine"],
    ),
    # Docker on a Mac emulates Intel processors without AVX: a native Python on the Mac does not help.
    (
        "docker run on my Apple M2\nThe TensorFlow library was compiled to use AVX instructions, but these aren't available "
        "on your machine.\nqemu: uncaught target signal 6 (Aborted) - core dumped",
        {},
        ["linux/arm64"],
        ["uv venv", "Miniforge"],
    ),
    # An ARM board has no AVX: another build is for ARM as well.
    (
        "Raspberry Pi 4, torch 2.4 from download.pytorch.org\nIllegal instruction (core dumped)",
        {},
        ["ARM processor", "older release", "export OPENBLAS"],
        ["AVX2? or a hosted", r"\$env:"],
    ),
    # There is no CUDA for Macs, whatever the channel.
    (
        "Platform: osx-arm64\nLibMambaUnsatisfiableError: Encountered problems while solving:\n"
        "  - nothing provides cuda 12.1.* needed by pytorch-cuda-12.1-ha16c6d3_5\n"
        "   └─ cuda 12.1.* , which does not exist (perhaps a missing channel).",
        {},
        ["no CUDA for macOS", "Leave out all"],
        ["conda search", "override-channels"],
    ),
    # TensorFlow's package for cloud storage, whose wheels begin late on Apple silicon.
    (
        "I have an M2 MacBook.\n$ poetry install\nUnable to find installation candidates for "
        "tensorflow-io-gcs-filesystem (0.31.0)",
        {},
        [r"poetry add tensorflow-io-gcs-filesystem==0\.3[4-7]"],
        ["up to 0.31,"],
    ),
    # Lightning takes Apple's GPU for "gpu" where PyTorch reaches it; before 1.7 it knew none.
    (
        IMPORTED % "pytorch_lightning/trainer/trainer.py"
        + "MisconfigurationException: No supported gpu backend found!",
        {"os": "macos", "arch": "arm64", "gpu": "Apple M1"},
        [r"platform\.machine\(\)", "Python for arm64", 'accelerator="cpu"'],
        ["CUDA", 'device "mps"'],
    ),
    (
        "11:02:10 ERROR    Could not load torch: [WinError 126] The specified module could not be found. Error loading\n"
        '                  "D:\\app\\venv\\lib\\site-packages\\torch\\lib\\fbgemm.dll" or one of its dependencies.',
        WINDOWS,
        [r"libomp140", r"PyTorch 2\.4\.1 or later"],
        ["winget install --id Microsoft.VCRedist"],
    ),
    # A build of the time before each had an index.
    (
        NO_WHEEL % "torch==1.9.1+cu111",
        {**LINUX, "python": "3.9"},
        [r"pip install torch==1\.9\.1\+cu111 -f \S+/torch_stable\.html"],
        ["has no torch", "cu126"],
    ),
    (
        NO_WHEEL % "torch==1.9.1+cu111",
        {**WINDOWS, "python": "3.10"},
        [r"for Python 3\.6 to 3\.9", r"install torch --index-url \S+/cu126", r"py -3\.9 .*1\.9\.1\+cu111 -f"],
        ["has no torch"],
    ),
    (
        NO_WHEEL % "torch==1.7.1+cu110",
        {**LINUX, "python": "3.12"},
        [r"--python 3\.8 .*torch==1\.7\.1\+cu110 -f"],
        ["data begin"],
    ),
    (NOT_SUPPORTED % "numpy-1.18.5-cp38-cp38-macosx_11_0_arm64", {}, ["prints arm64"], ["numpy==", "container"]),
    (NOT_SUPPORTED % "tensorflow-1.10.0-cp35-none-linux_armv7l", {}, [r"python3\.5 -m pip"], ["conda"]),
    # NVIDIA's wheels for Jetson link with the system's OpenBLAS and with JetPack's CUDA.
    (
        "ImportError: /u/lib/python3.6/site-packages/torch/lib/libtorch_cpu.so: undefined symbol: sgesdd",
        {**LINUX, "gpu": "Jetson TX2"},
        ["libopenblas"],
        ["released for"],
    ),
    # A Jetson by its software's name, where OpenBLAS takes the processor for another.
    (
        ">>> import onnx\nIllegal instruction (core dumped)\nXavier NX, JetPack 4.6",
        {},
        [r"OPENBLAS_CORETYPE=ARMV8"],
        [r"AVX"],
    ),
    (
        NO_WHEEL % "onnxruntime-gpu",
        {"os": "Ubuntu 22.04", "arch": "aarch64", "python": "3.10"},
        [r"install onnxruntime$"],
        [r"install onnxruntime-gpu"],
    ),
    (
        "ImportError: cannot import name 'TypeAlias' from 'typing' (/usr/lib/python3.9/typing.py)",
        {},
        [r"Python 3\.10", r"uv venv"],
        [r"jax", r"struct"],
    ),
    (
        "ImportError: cannot import name 'override' from 'typing' (/usr/lib/python3.11/typing.py)",
        {},
        [r"venv --python 3\.12"],
        [],
    ),
    # Wheels for x86 alone, on ARM: no older release has one, and a marker leaves it out.
    (
        "hint: You're on Linux (`manylinux_2_35_aarch64`), but `onnxruntime-gpu` (v1.22.0) only has wheels for the following "
        "platforms: `manylinux_2_27_x86_64`, `win_amd64`",
        {},
        [r"onnxruntime; platform_machine != 'x86_64'"],
        [r"older release", r"required-environments"],
    ),
    (
        "hint: You're on Linux (`manylinux_2_17_x86_64`), but `onnxruntime-gpu` (v1.22.0) only has wheels for the following "
        "platforms: `manylinux_2_27_x86_64`, `win_amd64`",
        {},
        [],
        [r"platform_machine"],
    ),
    # tensorflow-gpu in a release that there was: it stays, on a Python that has it.
    (
        NO_WHEEL % "tensorflow-gpu==2.4.1",
        {**LINUX, "python": "3.11"},
        ["python 3.8", "tensorflow-gpu==2.4.1"],
        ["and-cuda"],
    ),
    (
        NO_WHEEL % "tensorflow-gpu==2.4.1",
        {**LINUX, "python": "3.9"},
        ["tensorflow-gpu==2.10.1", "python 3.8"],
        ["2.11", "and-cuda"],
    ),
    (NO_WHEEL % "tensorflow-gpu==2.12.0", {**LINUX, "python": "3.11"}, ["and-cuda"], ["install tensorflow-gpu"]),
    # Line 62 is of TensorFlow 2.10 and 2.11, which an older Visual C++ runtime does for.
    (
        'File "C:\\env\\lib\\site-packages\\tensorflow\\python\\pywrap_tensorflow.py", line 62, in <module>\n'
        "    # This try catch logic is because there is no bazel equivalent for py_extension.\n"
        "ImportError: DLL load failed while importing _pywrap_tensorflow_internal: A dynamic link library (DLL) "
        "initialization "
        "routine failed.",
        {**WINDOWS, "packages": {"tensorflow": "2.10.0"}},
        [r"AVX", r"winget install"],
        [r"2\.17"],
    ),
    (
        "ERROR: Could not find a version that satisfies the requirement tensorflow==2.4.1 (from versions: 2.12.0rc0, "
        "2.12.0rc1, 2.12.0, 2.12.1, 2.13.0, 2.13.1, 2.14.0, 2.14.1, 2.15.0)",
        {"os": "macos", "python": "3.11", "gpu": "Apple M1"},
        [r"macos-aarch64", r"uv pip install tensorflow==2\.(?:1[3-9]|2)"],
        [r"Intel processors: make", r"python3?\.8|==2\.4\.1"],
    ),
    (
        "Traceback (most recent call last):\n"
        '  File "D:\\m\\envs\\ocr\\lib\\site-packages\\onnxruntime\\capi\\_pybind_state.py", line 32, in <module>\n'
        "ImportError: DLL load failed while importing onnxruntime_pybind11_state: A dynamic link library (DLL) "
        "initialization routine failed.",
        WINDOWS,
        [r"conda install -c conda-forge vs2015_runtime[\s\S]*winget"],
        [],
    ),
    # The Python is right, and the package in it is for the other processor.
    (
        "ImportError: dlopen(/opt/py/lib/python3.11/site-packages/tensorflow/python/_pywrap_tensorflow.so, 0x0006): tried: "
        "'/opt/py/x.so' (mach-o file, but is an incompatible architecture (have 'x86_64', need 'arm64'))",
        {**MAC, "python": "3.11"},
        [r"\A.*\n.*\n.*uninstall -y tensorflow && python -m pip install tensorflow\n"],
        [],
    ),
    # A Python for Intel processors on a Mac: Apple's TensorFlow has wheels for these, too, up to 2.12.
    (
        "(tf) me@x86_64-apple-darwin20 ~ % pip install tensorflow-macos\n"
        "ERROR: Could not find a version that satisfies the requirement tensorflow-macos (from versions: none)",
        {**MAC, "python": "3.9"},
        [r"SYSTEM_VERSION_COMPAT=0\n.*\n.*pip install tensorflow-macos\n", "macos-aarch64"],
        ["made for arm64"],
    ),
    (
        NO_WHEEL % "tensorflow-macos",
        {**MAC, "python": "3.9", "gpu": "AMD Radeon Pro 5500M"},
        ["SYSTEM_VERSION_COMPAT=0", r"pip install tensorflow\Z"],
        ["aarch64", "arm64"],
    ),
    # A file whose tags fit this Python: it has 32 bits, and no other release helps.
    (
        "tensorflow_gpu-1.4.0-cp36-cp36m-win_amd64.whl is not a supported wheel on this platform.",
        {**WINDOWS, "python": "3.6"},
        [r"64-bit \(x64\) Python 3\.6"],
        ["WSL", ANY_INSTALL],
    ),
    # Plain tensorflow is the same where there is no wheel by another of its names.
    (
        NO_WHEEL % "tensorflow-cpu==2.15.0",
        {**MAC, "python": "3.11", "gpu": "Apple M2"},
        [r"pip install tensorflow==2\.15\.0"],
        ["container"],
    ),
    (
        NO_WHEEL % "tensorflow-intel==2.15.0",
        {"os": "wsl2", "python": "3.10"},
        [r"pip install tensorflow==2\.15\.0"],
        ["container"],
    ),
    # The 64-bit Python of the same release, as far as it has what was asked for.
    (
        "Python 3.10.6 (tags/v3.10.6:9c7b4bd) [MSC v.1932 32 bit (Intel)]\n"
        + IMPORTED % "../../launch_utils.py"
        + "ERROR: Could not find a version that satisfies the requirement torch==2.1.2 (from versions: none)",
        WINDOWS,
        [r"64-bit \(x64\) Python 3\.10\b"],
        [r"Python 3\.1[1-9]", r"py -3\.1[1-9]"],
    ),
    (
        "Python 3.9.13 (tags/v3.9.13:6de2ca5) [MSC v.1929 32 bit (Intel)] on win32\n" + NO_WHEEL % "tensorflow==2.10",
        WINDOWS,
        [r"py -3\.9 -m venv", r"tensorflow==2\.10\.\*"],
        [r"Python 3\.1\d"],
    ),
    # A wheel that only refers to a distribution without one for this Python; what conda installs for a TensorFlow of pip.
    (
        NO_WHEEL % "tensorflow==2.9.3",
        {"os": "macos", "gpu": "Apple M1", "python": "3.8"},
        [r"install tensorflow==2\.13\.0"],
        [r"2\.13\.1"],
    ),
    (
        "2020-01-01 10:00:00.000000: F tensorflow/core/platform/cpu_feature_guard.cc:37] The TensorFlow library was "
        "compiled to "
        "use AVX instructions, but these aren't available on your machine.",
        LINUX,
        [r"conda create -n env -c conda-forge python=3\.11 tensorflow"],
        [],
    ),
    (
        "ImportError: /opt/tool/lib/libstdc++.so.6: version `GLIBCXX_3.4.29' not found (required by "
        "/srv/tf/libtensorflow_cc.so.2)",
        LINUX,
        [r"/opt/tool/lib", r"unset LD_LIBRARY_PATH"],
        [r"conda"],
    ),
    (
        "zsh: illegal hardware instruction  python",
        {"os": "macos", "python": "3.9"},
        ["cpython-3.9-macos-aarch64"],
        ["3.12"],
    ),
    (  # PyTorch's index for CUDA 11.7 has nothing for a newer Python; the registry's build for Windows is for the CPU
        "D:\\w>pip install torch torchvision torchaudio --index-url https://download.pytorch.org/whl/cu117\n"
        "Looking in indexes: https://download.pytorch.org/whl/cu117\n"
        "ERROR: Could not find a version that satisfies the requirement torch (from versions: none)\n"
        + NO_WHEEL
        % "torch",
        {},
        [r"torch torchvision torchaudio --index-url \S+/cu126", r"py -3\.11 .* torchaudio --index-url \S+cu117"],
        [r"pypi\.org", r"3\.14", "uv venv", r"upgrade pip"],
    ),
    (
        "Looking in indexes: https://download.pytorch.org/whl/cu117\n" + NO_WHEEL % "torch==2.0.1",
        {**WINDOWS, "python": "3.12", "driver": "471.41"},
        [r"torch --index-url \S+/cu118", r"torch==2\.0\.1 --index-url \S+/cu117"],
        [r"install torch==[\d.]+\n"],
    ),
    # DirectML's older name.
    (
        "ERROR: Could not find a version that satisfies the requirement pytorch-directml (from versions: none)",
        {"os": "windows", "python": "3.13"},
        ["torch_directml", r"3\.12 .*torch-directml"],
        ["pytorch-directml/#files"],
    ),
    # The Python that the requested release is for.
    (
        "ERROR: Could not find a version that satisfies the requirement tensorflow-macos==2.14.0 (from versions: 2.9.0, "
        "2.9.1, 2.9.2, 2.10.0, 2.11.0, 2.12.0)",
        {"os": "macos", "python": "3.9", "gpu": "Apple M1"},
        [r"cpython-3\.9-macos-aarch64"],
        [r"cpython-3\.12"],
    ),
    (
        "$ pip install tensorflow==1.15.0\nRequirement already satisfied: six in /opt/e/lib/python3.9/site-packages\n"
        "ERROR: No matching distribution found for tensorflow==1.15.0\n"
        "AttributeError: module 'tensorflow' has no attribute 'contrib'",
        LINUX,
        [r"1\.15"],
        ["uninstall"],
    ),
    # A virtual machine that hides AVX.
    (
        "Illegal instruction (core dumped)\nmodel name\t: QEMU Virtual CPU version 2.5+\n"
        "flags\t\t: fpu de pse tsc msr pae sse sse2 ht syscall nx lm pni cx16 hypervisor lahf_lm",
        LINUX,
        [r"\A.*\nIn the virtual machine's settings"],
        [],
    ),
    (
        "Illegal instruction (core dumped)\nflags\t\t: fpu de pse tsc msr sse sse2 pni cx16 avx hypervisor lahf_lm",
        LINUX,
        [r"\A.*\nUse a build"],
        [],
    ),
    # R activates no environment.
    (
        "> library(tensorflow)\nImportError: /lib64/libstdc++.so.6: version `GLIBCXX_3.4.22' not found (required by "
        "/opt/conda/envs/r-tensorflow/lib/python3.8/site-packages/scipy/fft/_pocketfft/pypocketfft.so)",
        LINUX,
        [r"LD_LIBRARY_PATH=/opt/conda/envs/r-tensorflow/lib R\b", "-p /opt/conda/envs/r-tensorflow"],
        ["CONDA_PREFIX"],
    ),
    # The releases that pip lists say for which Python and system it looks.
    (
        "ERROR: Could not find a version that satisfies the requirement tensorflow==2.18.0 (from versions: 2.16.0rc0, 2.16.1, "
        "2.16.2)\nERROR: No matching distribution found for tensorflow==2.18.0",
        {},
        [r"no wheel for macos-x86_64", r"install tensorflow==2\.16\.2", r"cpython-3\.\d+-macos-aarch64"],
        [r"py -3"],
    ),
    (
        "ERROR: Could not find a version that satisfies the requirement tensorflow==2.12.0 (from versions: 2.16.0rc0, 2.16.1, "
        "2.16.2, 2.17.0, 2.17.1)",
        {},
        [
            r"not for 3\.12",
            r"\A.*\n.*2\.12\.0 has wheels",
            r"venv --python 3\.11(.|\n)*2\.16\.1 to 2\.\d+.*Python 3\.12",
        ],
        [r"macos-x86_64"],
    ),
    (
        "ERROR: Could not find a version that satisfies the requirement tensorflow==2.4.0 (from versions: 2.2.0, 2.2.1, "
        "2.2.2, "
        "2.2.3, 2.3.0, 2.3.1, 2.3.2, 2.3.3, 2.3.4)",
        LINUX,
        [r"pip is too old", r"pip install --upgrade pip"],
        [r"conda create|venv"],
    ),
    (
        "ERROR: Could not find a version that satisfies the requirement tensorflow==1.15.0 (from versions: 2.5.0, "
        "2.5.1, 2.5.2, "
        "2.5.3, 2.6.0)",
        LINUX,
        [r"\A.*\n.*make an environment with Python 3\.7", r"have wheels for Python 3\.9"],
        [],
    ),
    (
        "$ python -m pip install tensorflow-macos\n  error: Unable to load dependency HDF5, make sure HDF5 is installed "
        "properly"
        "\n  ERROR: Failed building wheel for h5py",
        {"os": "macos"},
        [r"venv --python 3\.12 env .* tensorflow-macos"],
        [r"env/bin/python h5py"],
    ),
    (
        "(env) me@x86_64-apple-darwin13 ~ % pip install tensorflow-macos\n"
        "ERROR: Could not find a version that satisfies the requirement tensorflow-macos (from versions: none)",
        {},
        [r"processor: install tensorflow itself.*\n.*pip install tensorflow\n"],
        [r"py -3"],
    ),
    (
        "C:\\>pip install tensorflow==2.4.0rc2\nERROR: Could not find a version that satisfies the requirement "
        "tensorflow==2.4.0rc2 (from versions: none)\nsys.version: 3.8.2 [MSC v.1916 32 bit (Intel)]",
        {"os": "windows"},
        [r"Python\.Python\.3\.8", r'tensorflow==2\.4\.0 "protobuf<4\.21"$'],
        [r"rc2\n.*rc2$"],
    ),
    (
        "ImportError: DLL load failed with error code 3221225501 while importing _pywrap_tensorflow_internal",
        {},
        [r"AVX"],
        [r"VCRedist"],
    ),
    (
        "non-existent: {WindowsPath('/usr/local/cuda/lib64')}\nDEBUG: Possible options found for libcudart.so: set()\n"
        + BITSANDBYTES,
        {},
        [r"\Abitsandbytes before 0\.43\.0 is for Linux only", r"upgrade bitsandbytes"],
        [r"LD_LIBRARY_PATH"],
    ),
    (
        'OSError: [WinError 126] The specified module could not be found. Error loading "C:\\e\\Lib\\site-packages\\torch\\lib'
        '\\fbgemm.dll" or one of its dependencies.',
        {**WINDOWS, "packages": {"torch": "2.4.0+cu118"}},
        [r'"torch>=2\.4\.1" --index-url \S+/cu118'],
        [],
    ),
    # An old TensorFlow in a new environment: with the packages of its time.
    (
        NO_WHEEL % "tensorflow==1.15.0",
        {**LINUX, "python": "3.8"},
        [
            r"conda create -y -n env python=3\.7 .* tensorflow==1\.15\.0 numpy==1\.19\.5 protobuf==3\.20\.3 h5py==2\.10\.0"
        ],
        [r"uv venv"],
    ),
    (
        NO_WHEEL % "tensorflow-directml-plugin",
        {"os": "windows", "python": "3.11"},
        [r"py -3\.10 .* tensorflow-cpu==2\.10\.0 tensorflow-directml-plugin==\S+ \"numpy<2\""],
        [r"operating system"],
    ),
    (
        "The package you are trying to install is only a placeholder project on PyPI.org repository.",
        {"os": "windows"},
        ["WSL 2"],
        ["Install the CUDA"],
    ),
    (
        'Call returned HSA_STATUS_ERROR_OUT_OF_RESOURCES: no resources\nPRETTY_NAME="Rocky Linux 9.4"',
        {"os": "wsl2", "gpu": "AMD Radeon RX 7900 XTX"},
        ["usecase=wsl,rocm --no-dkms"],
        ["kernel driver"],
    ),
    ("ERROR: No matching distribution found for jax-cuda12-pjrt==0.5.1", {"os": "macos"}, [r"install jax\s*$"], []),
    (NO_WHEEL % "onnxruntime-silicon==1.16.3", {**MAC, "python": "3.12"}, [r"install onnxruntime$"], ["older one"]),
    (
        'OSError: [WinError 126] The specified module could not be found. Error loading "C:\\e\\Lib\\site-packages\\torch\\lib'
        '\\fbgemm.dll" or one of its dependencies.',
        {**WINDOWS, "gpu": "AMD Radeon RX 7900 XTX", "packages": {"torch": "2.8.0a0+rocm7.0.0rc20250801"}},
        ["libomp140", "BuildTools"],
        ["install torch", r"2\.4\.1"],
    ),
    # PyTorch 2.5 names the macOS that its predecessors needed.
    (
        "RuntimeError: The MPS backend is supported on MacOS 12.3+.Current OS version can be queried using `sw_vers`",
        {**MAC, "gpu": "Apple M1", "packages": {"torch": "2.5.0"}},
        ["Update macOS", r"from 2\.5 on 13", r"torch==2\.4\.1"],
        ["Intel"],
    ),
    (
        "ERROR: Failed building wheel for grpcio",
        {**MAC, "python": "3.9"},
        [r"old pip[^\n]*\n[^\n]*\n[^\n]*has wheels"],
        [],
    ),
    (
        "ERROR: Could not find a version that satisfies the requirement torch==2.7.0 (from versions: 2.2.0, 2.2.1, 2.2.2)\n"
        "ERROR: No matching distribution found for torch==2.7.0",
        {"python": "3.12"},
        ["Macs with Intel processors", r'torch==2\.2\.2 "numpy<2"'],
        ["upgrade pip"],
    ),
    (
        "ERROR: Could not find a version that satisfies the requirement torch==2.7.0 (from versions: 2.2.0, 2.2.1, 2.2.2)",
        {"os": "macos", "gpu": "Apple M3"},
        ["with Apple silicon", "arm64"],
        [r"torch==2\.2"],
    ),
    (
        'ERROR: No matching distribution found for jax-cuda12-plugin[with_cuda]<=0.7.0,>=0.7.0; extra == "cuda12"',
        {"os": "windows"},
        ["wsl --install", "pip install jax$"],
        ["0;"],
    ),
    # AMD has the wheels of tensorflow-rocm after 2.14 on its own site; ROCm by pip is in the environment.
    (
        NO_WHEEL % "tensorflow-rocm==2.16.1",
        {**LINUX, "python": "3.12", "gpu": "RX 7900 XTX"},
        ["repo.radeon.com", "this Python version"],
        ["has no wheel for Linux"],
    ),
    (
        "ERROR: No matching distribution found for tensorflow-directml",
        {"os": "windows", "gpu": "RX 6600", "python": "3.11"},
        ["3.7", "tensorflow-directml-plugin"],
        [],
    ),
    (
        "ERROR: No matching distribution found for tensorflow-gpu==2.12.0",
        {"os": "linux", "arch": "x86_64", "python": "3.8"},
        ["newer Python", r'"tensorflow\[and-cuda\]==2.*"'],
        ["python -m pip install"],
    ),
    (
        "ERROR: No matching distribution found for tensorflow-gpu==1.15.0",
        {"os": "macos", "arch": "arm64", "python": "3.7"},
        ["uv venv --python 3"],
        ["cuda"],
    ),
    (
        "ImportError: DLL load failed while importing _pywrap_tf2: "
        "A dynamic link library (DLL) initialization routine failed.",
        {"os": "windows", "packages": {"tensorflow": "2.16.1"}},
        ["AVX", r"Visual C\+\+ Redistributable"],
        [],
    ),
    (
        "OSError: [WinError 126] The specified module could not be found. "
        'Error loading "C:\\\\env\\\\lib\\\\site-packages\\\\torch\\\\lib\\\\fbgemm.dll" or one of its dependencies.',
        {"os": "windows", "packages": {"torch": "2.4.0"}},
        ["PyTorch 2.4.1"],
        ["VCRedist"],
    ),
    ("NixOS 23.11\nImportError: libstdc++.so.6: cannot open shared object file", {}, ["nix-ld"], ["conda", "apt"]),
    (
        'PyQt5 5.15\nOSError: [WinError 1114]\nError loading "C:\\p\\lib\\site-packages\\torch\\lib\\c10.dll" or one of its '
        "dependencies.",
        {},
        ["Import torch before PyQt"],
        [],
    ),
    (
        "RuntimeError: Backend 'tpu_driver' failed to initialize: UNAVAILABLE: Failed to connect to remote server at address: "
        "grpc://10.0.0.2:8470.",
        {},
        ["Change runtime type", "setup_tpu"],
        [ANY_INSTALL],
    ),
    # a label that only PyTorch's own index has
    (
        "ERROR: Could not find a version that satisfies the requirement torch==2.6.0+cu124 (from versions: 2.5.1, 2.6.0)\n"
        "ERROR: No matching distribution found for torch==2.6.0+cu124",
        {**LINUX, "python": "3.11"},
        ["has wheels for this Python", r"torch==2\.6\.0 --index-url \S+/whl/cu124"],
        ["make an environment", "conda"],
    ),
    (
        "ERROR: Could not find a version that satisfies the requirement torch==2.6.0+cu124 (from versions: 2.5.1, 2.6.0)\n"
        "ERROR: No matching distribution found for torch==2.6.0+cu124",
        {**LINUX, "arch": "aarch64", "gpu": "GH200", "driver": "580.95.05"},
        [r"torch --index-url \S+/whl/cu130", "nvcr.io/nvidia/pytorch"],
        [r"whl/cu124\b(?! \()"],
    ),
    (
        "ERROR: Could not find a version that satisfies the requirement torch==2.1.0+cu121 (from versions: 2.6.0, 2.7.0)",
        {**LINUX, "arch": "aarch64", "gpu": "GH200"},
        [r"torch --index-url \S+/whl/cu128"],
        ["whl/cu121"],
    ),
    (
        "hint: You're on macOS (`macosx_15_0_x86_64`), but `onnxruntime` (v1.24.4) only has wheels for the following "
        "platforms: `manylinux_2_28_x86_64`, `macosx_14_0_arm64`, `win_amd64`\nuv sync",
        {},
        ["platform_machine == 'x86_64'", r"onnxruntime<1\.24\.4"],
        ["win32"],
    ),
    # uv and PyTorch's own index: other releases for Macs
    (
        "Distribution `torch==2.4.0 @ registry+https://download.pytorch.org/whl/cpu` can't be installed because it doesn't "
        "have a source distribution or wheel for the current platform\nhint: You're on Linux (`manylinux_2_31_x86_64`), but "
        "`torch` (v2.4.0) only has wheels for the following platform: `macosx_11_0_arm64`",
        LINUX,
        [r"torch==2\.4\.0\+cpu", "uv lock"],
        ["conda-forge"],
    ),
    (
        "Distribution `torch==2.8.0 @ registry+https://download.pytorch.org/whl/cu126` can't be installed because it doesn't "
        "have a source distribution or wheel for the current platform\nhint: You're on macOS (`macosx_14_0_arm64`), but "
        "`torch` (v2.8.0) only has wheels for the following platforms: `linux_x86_64`, `win_amd64`",
        MAC,
        ["tool.uv.sources", "sys_platform != 'darwin'"],
        [r"\+cu126"],
    ),
    (
        "Distribution `torch==2.8.0+cu126 @ registry+https://download.pytorch.org/whl/cu126` can't be installed because it "
        "doesn't have a source distribution or wheel for the current platform\nhint: You're on Linux "
        "(`manylinux_2_31_aarch64`), but `torch` (v2.8.0+cu126) only has wheels for the following platforms: "
        "`manylinux_2_28_x86_64`, `win_amd64`",
        LINUX,
        ["."],
        ["the file for Macs"],
    ),
    (
        "RuntimeError: Failed to infer device type",
        WINDOWS,
        ["wsl --install", "pip install vllm"],
        ["sudo", "nvidia-smi"],
    ),
    (
        "RuntimeError: MPS BFloat16 is only supported on MacOS 14 or newer\nOS: macOS 15.1 (x86_64)\n"
        "Python platform: macOS-10.16-x86_64-i386-64bit\nCPU: Apple M3",
        {},
        ["arm64"],
        ["PYTORCH_ENABLE_MPS_FALLBACK"],
    ),
    ("Is MPS available? False", {**MAC, "os_version": "macOS 12.0"}, ["Update macOS"], ["nvidia", "cuda"]),
    (
        "ERROR: Package 'torch' requires a different Python: 3.8.10 not in '>=3.10'",
        LINUX,
        [r"torch==2\.4\.1"],
        ["64-bit one"],
    ),
    (
        "Because torch==2.6.0+cu118 has no wheels with a matching platform tag (e.g., `macosx_15_0_arm64`) and you require "
        "torch==2.6.0+cu118, we can conclude that your requirements are unsatisfiable.",
        {},
        [r"torch==2\.6\.0(?!\+)", "leave the label out", "darwin"],
        ["conda-forge", "from source"],
    ),
    (
        "ERROR: No matching distribution found for torch==2.4.1+cu121",
        {**MAC, "arch": "arm64"},
        [r"torch==2\.4\.1(?!\+)", "leave the label out"],
        ["conda-forge", "from source"],
    ),
    ("ERROR: No matching distribution found for mlx", MAC, ["arm64", "Apple silicon"], ["nvidia", "tensorflow"]),
    ("ModuleNotFoundError: No module named 'triton'", WINDOWS, ["triton-windows"], ["sudo", r"install triton$"]),
    # the manager that the log shows, not pip
    (
        "Unable to find installation candidates for tensorflow (2.9.1)",
        {**MAC, "arch": "arm64", "python": "3.10"},
        ["poetry add tensorflow-macos==2.9"],
        [ANY_INSTALL],
    ),
    (
        "Unable to find installation candidates for tensorflow-io-gcs-filesystem (0.28.0)",
        {**MAC, "arch": "arm64"},
        [r"poetry add tensorflow-io-gcs-filesystem==0\.3"],
        [r"0\.31\.0", ANY_INSTALL],
    ),
    (
        "  - tensorflow requires Python >=3.9,<3.13, so it will not be installable for Python >=3.13,<4.0",
        {},
        [r'">=3\.9,<3\.13"', "poetry lock"],
        [ANY_INSTALL],
    ),
    (
        "error: Distribution `tensorflow-io-gcs-filesystem==0.37.1 @ registry+https://pypi.org/simple` can't be "
        "installed because it doesn't have a source distribution or wheel for the current platform",
        {**WINDOWS, "python": "3.11"},
        ["required-environments", r"win32", r"uv add tensorflow-io-gcs-filesystem==0\.31\.0"],
        [ANY_INSTALL],
    ),
    (
        "  ├─ tensorflow [2.10.0|2.8.2|2.9.1] would require\n  │  └─ python 3.10.* , which can be installed;\n"
        "  └─ pin-1 is not installable because it requires\n"
        "     └─ python 3.11.* , which conflicts with any installable versions previously reported.",
        LINUX,
        [r"conda create -n env -c conda-forge python=3\.10"],
        ["pip install", r"3\.11"],
    ),
    (
        "Because tensorflow==2.10.0 has no wheels with a matching Python ABI tag (e.g., `cp312`) and you require "
        "tensorflow==2.10.0\nNo solution found when resolving dependencies:",
        {**WINDOWS, "python": "3.12"},
        ["uv venv --python 3.10"],
        ["sudo", r"-m pip install"],
    ),
    (
        "Because all versions of tensorflow have no wheels with a matching Python version tag (e.g., `cp314`) and your "
        "project depends on tensorflow",
        {**LINUX, "python": "3.12"},
        [r"requires-python.*<3\.14"],
        [ANY_INSTALL],
    ),
    (
        "$ pipenv install tensorflow\nERROR: Could not find a version that matches tensorflow (from -r x.txt (line 2))",
        {**MAC, "python": "3.14", "arch": "x86_64"},
        [r"pipenv --python 3\.12 && pipenv install tensorflow"],
        ["conda"],
    ),
    (
        "PackagesNotFoundError: The following packages are not available from current channels:\n  - cudatoolkit=12.3*",
        {**WINDOWS, "packages": {"tensorflow": "2.16.1"}, "gpu": "RTX 3070"},
        ["WSL 2", r"tensorflow==2\.10\.1"],
        ["conda-forge, or pip"],
    ),
    (
        "PackagesNotFoundError: not available\n  - tensorflow-gpu\n  - https://repo.anaconda.com/pkgs/main/osx-64",
        {},
        [r"pip install tensorflow$"],
        ["cuda]", "nvidia"],
    ),
    (
        "hint: You're using CPython 3.13 (`cp313`), but `tensorflow` (v2.18.0) only has wheels with the following Python ABI "
        "tags: `cp39`, `cp312`\nerror: Distribution `tensorflow==2.18.0 @ registry+https://pypi.org/simple` can't be",
        WINDOWS,
        [r"uv python pin 3\.12; uv add tensorflow==2\.18\.0"],
        [r"-m pip", "conda"],
    ),
    (
        "ERROR: tensorflow-2.3.1-cp36-cp36m-linux_aarch64.whl is not a supported wheel on this platform.",
        {**LINUX, "gpu": "Jetson Nano", "python": "3.8", "arch": "aarch64"},
        [r"python3\.6 -m pip"],
        [r"2\.13"],
    ),
    ("No matching distribution found for nvidia-tensorflow", LINUX, ["nvidia-pyindex", r"3\.8"], ["conda-forge"]),
    (
        "  Building wheel for grpcio (setup.py) ... error",
        {**MAC, "arch": "arm64"},
        ["--only-binary :all: grpcio", "conda install -c conda-forge grpcio"],
        ["nvidia"],
    ),
    (
        "Unable to find installation candidates for keras (3.5.0)",
        {"python": "3.8"},
        [r"keras==2\.", "poetry env use"],
        ["compile it"],
    ),
    # for which systems there are wheels, where none is known
    (
        "Unable to find installation candidates for tensorflow (2.18.0)",
        {"python": "3.10"},
        ["Intel processors", r"2\.16\.2"],
        [ANY_INSTALL],
    ),
    (
        "Unable to find installation candidates for tensorflow-macos (2.12.0)",
        {**MAC, "arch": "x86_64", "python": "3.10"},
        [r"poetry add .tensorflow==2\.12"],
        ["tensorflow-macos=="],
    ),
    (
        "FROM python:3.9-alpine\nERROR: No matching distribution found for tensorflow",
        {"os": "container"},
        ["slim"],
        ["conda-forge"],
    ),
    (
        "ERROR: tensorflow-2.9.1-cp39-cp39-macosx_11_0_x86_64.whl is not a supported wheel on this platform.",
        {**MAC, "arch": "x86_64", "python": "3.9"},
        ["SYSTEM_VERSION_COMPAT=0"],
        ["nvidia"],
    ),
    ("Illegal instruction: 4", {**MAC, "packages": {"tensorflow": "1.12.0"}}, ["AVX"], ["arm64", "Rosetta"]),
    # a Python for a pinned release comes from the data
    (
        NO_WHEEL % "tensorflow==2.13.0",
        {**LINUX, "python": "3.12"},
        [r"--python 3\.11", r"3\.8, 3\.9, 3\.10 and 3\.11"],
        [r"--python 3\.12"],
    ),
    (NO_WHEEL % "tensorflow==2.13.0", {**WINDOWS, "python": "3.12"}, [r"py -3\.11"], ["uv venv"]),
    (NO_WHEEL % "tensorflow-directml", {**WINDOWS, "python": "3.9"}, [r"py -3\.7"], [r"py -3\.1"]),
    (NO_WHEEL % "torch==1.13.1", {**LINUX, "python": "3.12"}, [r"--python 3\.1[01]"], ["tensorflow"]),
    (NO_WHEEL % "tensorflow==1.14", {**LINUX, "python": "3.8"}, [r"3\.7"], ["has no wheel for Linux"]),
    (
        NO_WHEEL % "tensorflow==2.6.0",
        {**MAC, "arch": "arm64", "python": "3.9"},
        ["tensorflow-macos==2.6"],
        ["and-cuda"],
    ),
    (NO_WHEEL % "tensorflow==1.15", {**LINUX, "arch": "aarch64", "python": "3.6"}, ["aarch64", "source"], ["and-cuda"]),
    (
        NO_WHEEL % "torch",
        {**LINUX, "gpu": "Jetson Orin Nano", "arch": "aarch64", "python": "3.10"},
        ["JetPack"],
        ["download.pytorch"],
    ),
    (NO_WHEEL % "tensorflow", {**WINDOWS, "python": "3.11", "arch": "32-bit"}, ["64-bit", "winget"], ["sudo"]),
    (GLIBCXX, {**LINUX, "packages": {"torch": None}}, ["libstdcxx"], ["tensorflow", "winget"]),
    (AVX, {"os": "container", "cpu": "Apple M1 (qemu)"}, ["linux/arm64"], [r"1\.5"]),
    (AVX, {**LINUX, "cpu": "QEMU Virtual CPU version 2.5+"}, ["CPU type host"], ["linux/arm64"]),
    (AVX, {**LINUX, "note": "in a virtual environment; docker with qemu"}, ["linux/arm64"], ["CPU type host"]),
    (CONDA_CUDA % "12.8", LINUX, ["whl/cu128", "pytorch-gpu", "2\\.5"], ["tensorflow"]),
    (CONDA_CUDA % "13.0", WINDOWS, ["whl/cu130", "pytorch-gpu"], ["tensorflow", "sudo"]),
    (AVX, {**LINUX, "packages": {"deepspeech": "0.1.0"}}, ["source"], [ANY_INSTALL]),
    (
        "ImportError: DLL load failed while importing _pywrap_tensorflow_internal: The specified module could not be found.",
        WINDOWS,
        ["winget", r"C\+\+"],
        ["sudo", "export"],
    ),
    (
        "conda-forge/win-64   18.5MB @   3.7MB/s  4.3s\nEncountered problems while solving:\n"
        "  - nothing provides requested tensorflow >=2.10",
        {},
        [r'pip install "tensorflow>=2\.10"'],
        ["conda-forge, which builds", "sudo"],
    ),
    (
        "ERROR: Could not find a version that satisfies the requirement tensorflow-gpu==2.12.0 (from versions: 2.10.0)",
        {**WINDOWS, "python": "3.9"},
        [r"2\.10", "WSL"],
        ["sudo"],
    ),
    (
        "ERROR: No matching distribution found for tensorflow-text",
        {**WINDOWS},
        [r"2\.10\.0", r"3\.10"],
        ["sudo"],
    ),
    (JAXLIB, LINUX, [r"jax\[cuda12\]"], []),
    (
        JAXLIB,
        WINDOWS,
        [r"\A.*operating system", r"wsl --install", r"pip install jax\b", r'"jax\[cuda12\]"'],
        [r"cuda12_pip"],
    ),
    (JAXLIB, MAC, ["Linux alone", r"pip install jax\b"], [r"jax\[cuda"]),
    (JAXLIB, {**LINUX, "python": "3.8"}, [r"cuda12_pip\]\" -f"], []),
    ("ERROR: No matching distribution found for jaxlib==0.4.9", LINUX, ["begin with jaxlib"], ["known"]),
    ("ERROR: No matching distribution found for jaxlib==0.4.9", WINDOWS, ["WSL 2"], ["begin with jaxlib", "pypi.org"]),
    # The Python that pip runs on, from the wheels that it takes.
    (
        "  Downloading tensorflow-2.18.0-cp39-cp39-win_amd64.whl.metadata (3.3 kB)\n"
        "ERROR: No matching distribution found for tensorflow-io-gcs-filesystem==0.37.1",
        {},
        [r"install tensorflow-io-gcs-filesystem==0\.31\.0"],
        ["venv"],
    ),
    (
        NO_WHEEL % "tensorflow-gpu",
        {**WINDOWS, "python": "3.5", "arch": "32-bit"},
        [r"py -3\.10 .*tensorflow==2\.10"],
        ["tensorflow-gpu$"],
    ),
]
