"""Builds the simulated hardware of this folder with the C++ compiler of the machine. Standard library only.

Nothing is built twice: a result is in a folder named after a digest of its sources, its flags and the compiler.
What each library takes from the environment is at the top of pluggable.h, directx.cc, cuda.c and nvml.c.
"""

import hashlib
import os
import shutil
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
FLAGS = ["-O1", "-std=c++17", "-shared", "-fPIC", "-fvisibility=hidden", "-Wall"]
PLUGGABLE = ["pluggable_device.cc", "pluggable_faults.cc", "pluggable_kernels.cc", "pluggable_registry.cc"]
DIRECTX = {
    "libdxcore.so": "SIM_DXCORE",
    "libdxgi.so": "SIM_DXGI",
    "libd3d12.so": "SIM_D3D12",
    "libdirectml.so": "SIM_DIRECTML",
}

#: CUDA's DLLs that TensorFlow 2.10 opens, those that cuDNN opens later, and what each needs: as NVIDIA's packages have it.
CUDA_DLLS = {
    "cudart64_110.dll": (),
    "cublasLt64_11.dll": (),
    "cublas64_11.dll": ("cublasLt64_11.dll",),
    "cufft64_10.dll": (),
    "curand64_10.dll": (),
    "cusolver64_11.dll": ("cublas64_11.dll", "cublasLt64_11.dll"),
    "cusparse64_11.dll": (),
    "cudnn64_8.dll": (),
    "cudnn_ops_infer64_8.dll": (),
    "cudnn_ops_train64_8.dll": ("cudnn_ops_infer64_8.dll",),
    "cudnn_cnn_infer64_8.dll": ("cudnn_ops_infer64_8.dll",),
    "cudnn_cnn_train64_8.dll": ("cudnn_cnn_infer64_8.dll", "cudnn_ops_train64_8.dll", "cudnn_ops_infer64_8.dll"),
    "cudnn_adv_infer64_8.dll": ("cudnn_ops_infer64_8.dll",),
    "cudnn_adv_train64_8.dll": ("cudnn_adv_infer64_8.dll", "cudnn_ops_infer64_8.dll"),
    "zlibwapi.dll": (),
}


def compiler():
    """The path of a C++ compiler, or None."""
    for name in (os.environ.get("CXX"), "g++", "c++", "clang++"):
        found = shutil.which(name) if name else None
        if found:
            return found
    return None


def build_pluggable_device(out_dir, tensorflow_dir):
    """Build the TensorFlow device against ``tensorflow_dir``, the folder of an installed ``tensorflow`` package.

    Returns a folder named ``site-packages`` to put on PYTHONPATH, once: TensorFlow, at import, loads what is in
    ``tensorflow-plugins`` of each entry of ``sys.path`` that contains "site-packages".
    """
    framework = os.path.join(tensorflow_dir, "libtensorflow_framework.so.2")
    if not os.path.isfile(framework):
        raise RuntimeError("no libtensorflow_framework.so.2 in %s" % tensorflow_dir)
    flags = FLAGS + ["-I" + os.path.join(tensorflow_dir, "include"), framework]
    folder = os.path.join(out_dir, "pluggable-" + _digest(PLUGGABLE + ["pluggable.h"], flags), "site-packages")
    library = os.path.join(folder, "tensorflow-plugins", "libdevicekit_simulated.so")
    _compile(library, PLUGGABLE, flags + ["-ldl"])
    return folder


def build_directx(out_dir):
    """Build the DirectX stand-ins. Returns the folder for both LD_LIBRARY_PATH and TF_DIRECTML_PATH."""
    folder = os.path.join(out_dir, "directx-" + _digest(["directx.cc"], FLAGS))
    for name in sorted(DIRECTX):
        _compile(os.path.join(folder, name), ["directx.cc"], FLAGS + ["-D" + DIRECTX[name], "-Wl,-soname," + name])
    return folder


def build_cuda_driver(out_dir, names=("libcuda.so.1", "libnvidia-ml.so.1")):
    """Build the stand-in of NVIDIA's driver and management library. Returns the folder, for LD_LIBRARY_PATH."""
    flags = ["-O1", "-shared", "-fPIC", "-Wall"]
    folder = os.path.join(out_dir, "cuda-" + _digest(["cuda.c"], flags + list(names)))
    for name in names:
        _compile(os.path.join(folder, name), ["cuda.c"], flags + ["-Wl,-soname," + name], ["-x", "c"])
    return folder


def build_nvml(out_dir):
    """Build the stand-in of NVIDIA's management library that tells what a text says. Returns its folder."""
    flags = ["-O1", "-shared", "-fPIC", "-fvisibility=hidden", "-Wall", "-Wl,-soname,libnvidia-ml.so.1"]
    folder = os.path.join(out_dir, "nvml-" + _digest(["nvml.c"], flags))
    _compile(os.path.join(folder, "libnvidia-ml.so.1"), ["nvml.c"], flags, ["-x", "c"])
    return folder


def build_nvml_dll(out_dir):
    """Build the same for Windows. Returns its path."""
    flags = ["-O1", "-shared", "-Wall"]
    path = os.path.join(out_dir, "nvml-" + _digest(["nvml.c"], flags), "nvml.dll")
    _compile(path, ["nvml.c"], flags, ["-x", "c"], (), WINDOWS)
    return path


def build_empty_library(path, needs=(), runpath="", rpath=""):
    """Build a library with nothing in it but what it says to the loader: its name, what it needs, where to look for that.

    ``needs`` are paths of libraries that are there already; their names are what is written down.
    """
    flags = [
        "-shared",
        "-nostdlib",
        "-Wl,--no-as-needed,--allow-shlib-undefined",
        "-Wl,-soname," + os.path.basename(path),
    ]
    if runpath or rpath:
        flags += ["-Wl,%s,-rpath,%s" % ("--enable-new-dtags" if runpath else "--disable-new-dtags", runpath or rpath)]
    _compile(path, [os.devnull], flags + list(needs), ["-x", "c"], ["-x", "none"])
    return path


def build_versioned_library(path, versions, count=0, needs=()):
    """Build a library that defines ``f0``, ``f1``, ... with these versions, one each, or calls the first ones of another."""
    source, script = path + ".c", path + ".map"
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(source, "w", encoding="utf-8") as stream:
        stream.writelines("void f%d(void) {}\n" % index for index in range(len(versions)))
        stream.writelines("extern void f%d(void);\n" % index for index in range(count))
        stream.write("void user(void) { %s }\n" % " ".join("f%d();" % index for index in range(count)) if count else "")
    with open(script, "w", encoding="utf-8") as stream:
        stream.writelines("%s { global: f%d; };\n" % (name, index) for index, name in enumerate(versions))
    flags = ["-shared", "-fPIC", "-nostdlib", "-Wl,-soname," + os.path.basename(path)]
    flags += ["-Wl,--version-script=" + script] if versions else []
    _compile(path, [source], flags + list(needs), ["-x", "c"], ["-x", "none"])
    return path


def build_opener(path, source, kind, folders):
    """Build a library from a C file that opens others, with a search path of its own: ``runpath``, ``rpath`` or ``plain``."""
    flags = ["-shared", "-fPIC", "-ldl"]
    if kind != "plain":
        flags += ["-Wl,%s,-rpath,%s" % ("--enable-new-dtags" if kind == "runpath" else "--disable-new-dtags", folders)]
    _compile(path, [source], flags, ["-x", "c"], ["-x", "none"])
    return path


def build_cuda_dlls(out_dir):
    """Build CUDA's DLLs for Windows with nothing in them but what they need. Returns their folder."""
    flags = ["-O1", "-shared", "-nostdlib", "-Wl,--entry=0"]
    folder = os.path.join(out_dir, "dlls-" + _digest([], [repr(CUDA_DLLS), *flags]))
    os.makedirs(folder, exist_ok=True)
    for name, needs in CUDA_DLLS.items():
        source = os.path.join(folder, name + ".c")
        with open(source, "w", encoding="utf-8") as stream:
            for item in needs:
                stream.write("int %s(void);\n" % _symbol(item))
            calls = " + ".join(["0", *["%s()" % _symbol(item) for item in needs]])
            stream.write("__declspec(dllexport) int %s(void) { return %s; }\n" % (_symbol(name), calls))
        # Its name for those that need it; else it would be that of the unfinished file.
        with open(source[:-1] + "def", "w", encoding="utf-8") as stream:
            stream.write('LIBRARY "%s"\nEXPORTS\n  %s\n' % (name, _symbol(name)))
        needed = [os.path.join(folder, item) for item in needs]
        _compile(os.path.join(folder, name), [source, source[:-1] + "def"], [*flags, *needed], (), (), WINDOWS)
    return folder


def _symbol(name):
    return "devicekit_" + name.replace(".", "_")


def build_cuda_driver_dll(out_dir):
    """Build the stand-in of NVIDIA's driver for Windows. Returns its path."""
    flags = ["-O1", "-shared"]
    path = os.path.join(out_dir, "driver-" + _digest(["cuda.c"], flags), "nvcuda.dll")
    _compile(path, ["cuda.c"], flags, ["-x", "c"], (), WINDOWS)
    return path


def build_direct3d(out_dir):
    """Build the Direct3D 12 for Wine on which DirectML lists a device. Returns its path."""
    flags = ["-O1", "-shared", "-Wall"]
    path = os.path.join(out_dir, "direct3d-" + _digest(["d3d12.c", "d3d12.def"], flags), "d3d12.dll")
    _compile(path, ["d3d12.c", "d3d12.def"], flags, (), (), WINDOWS)
    return path


def build_bcryptprimitives(out_dir):
    """Build the DLL that programs in Rust need and that Wine 8 lacks. Returns its path."""
    flags = ["-O1", "-shared", "-Wall"]
    path = os.path.join(out_dir, "bcryptprimitives-" + _digest(["bcryptprimitives.c"], flags), "bcryptprimitives.dll")
    _compile(path, ["bcryptprimitives.c"], [*flags, "-ladvapi32"], (), (), WINDOWS)
    return path


def build_torch_device(out_dir, torch_dir):
    """Build the PyTorch device ``sim`` against ``torch_dir``, the folder of an installed ``torch`` package.

    Returns a folder to put on PYTHONPATH: PyTorch, from 2.5 on, loads it at its import by an entry point.
    """
    include, flags = (
        os.path.join(torch_dir, "include"),
        ["-O0", "-std=c++20", "-shared", "-fPIC", "-fvisibility=hidden", "-w"],
    )
    flags += ["-isystem", include, "-isystem", os.path.join(include, "torch", "csrc", "api", "include")]
    flags += ["-L" + os.path.join(torch_dir, "lib"), "-ltorch", "-ltorch_cpu", "-lc10"]
    folder = os.path.join(out_dir, "torch-" + _digest(["torch_device.cc", "torch_device.py"], flags))
    _compile(os.path.join(folder, "libdevicekit_simulated_torch.so"), ["torch_device.cc"], flags)
    shutil.copyfile(os.path.join(HERE, "torch_device.py"), os.path.join(folder, "devicekit_simulated_torch.py"))
    info = os.path.join(folder, "devicekit_simulated_torch-1.0.dist-info")
    os.makedirs(info, exist_ok=True)
    with open(os.path.join(info, "METADATA"), "w") as stream:
        stream.write("Metadata-Version: 2.1\nName: devicekit-simulated-torch\nVersion: 1.0\n")
    with open(os.path.join(info, "entry_points.txt"), "w") as stream:
        stream.write("[torch.backends]\nsim = devicekit_simulated_torch:load\n")
    return folder


def _digest(sources, flags):
    digest = hashlib.sha256("\0".join([str(compiler())] + flags).encode("utf-8"))
    for name in sources:
        with open(os.path.join(HERE, name), "rb") as source:
            digest.update(source.read())
    return digest.hexdigest()[:16]


#: The compiler for Windows, of mingw-w64.
WINDOWS = "x86_64-w64-mingw32-gcc"


def _compile(library, sources, flags, before=(), after=(), name=""):
    """Compile into ``library`` unless it exists. The rename at the end keeps a half-written file out of sight."""
    if os.path.exists(library):
        return
    program = shutil.which(name) if name else compiler()
    if program is None:
        raise RuntimeError("no compiler: install %s" % (name or "g++, or set CXX"))
    os.makedirs(os.path.dirname(library), exist_ok=True)
    handle, unfinished = tempfile.mkstemp(suffix=".part", dir=os.path.dirname(library))
    os.close(handle)
    command = [program, "-o", unfinished, *before] + [os.path.join(HERE, name) for name in sources] + [*after, *flags]
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode != 0:
            raise RuntimeError("%s failed with %d:\n%s" % (" ".join(command), done.returncode, done.stdout))
        os.chmod(unfinished, 0o755)
        os.replace(unfinished, library)
    finally:
        if os.path.exists(unfinished):
            os.remove(unfinished)
