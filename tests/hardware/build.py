"""Builds the simulated hardware of this folder with the C++ compiler of the machine. Standard library only.

Nothing is built twice: a result lies in a folder named after a digest of its sources, its flags and the compiler.
What each library takes from the environment stands at the top of pluggable.h and directx.cc.
"""

import hashlib
import os
import shutil
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
FLAGS = ["-O1", "-std=c++17", "-shared", "-fPIC", "-fvisibility=hidden", "-Wall"]
PLUGGABLE = ["pluggable_device.cc", "pluggable_kernels.cc", "pluggable_registry.cc"]
DIRECTX = {"libdxcore.so": "SIM_DXCORE", "libd3d12.so": "SIM_D3D12", "libdirectml.so": "SIM_DIRECTML"}


def compiler():
    """The path of a C++ compiler, or None."""
    for name in (os.environ.get("CXX"), "g++", "c++", "clang++"):
        found = shutil.which(name) if name else None
        if found:
            return found
    return None


def build_pluggable_device(out_dir, tensorflow_dir):
    """Build the TensorFlow device against ``tensorflow_dir``, the folder of an installed ``tensorflow`` package.

    Returns a folder named ``site-packages`` to put on PYTHONPATH, once: TensorFlow, at import, loads what lies in
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


def _digest(sources, flags):
    digest = hashlib.sha256("\0".join([str(compiler())] + flags).encode("utf-8"))
    for name in sources:
        with open(os.path.join(HERE, name), "rb") as source:
            digest.update(source.read())
    return digest.hexdigest()[:16]


def _compile(library, sources, flags):
    """Compile into ``library`` unless it exists. The rename at the end keeps a half-written file out of sight."""
    if os.path.exists(library):
        return
    program = compiler()
    if program is None:
        raise RuntimeError("no C++ compiler: set CXX or install g++")
    os.makedirs(os.path.dirname(library), exist_ok=True)
    handle, unfinished = tempfile.mkstemp(suffix=".part", dir=os.path.dirname(library))
    os.close(handle)
    command = [program, "-o", unfinished] + [os.path.join(HERE, name) for name in sources] + flags
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode != 0:
            raise RuntimeError("%s failed with %d:\n%s" % (" ".join(command), done.returncode, done.stdout))
        os.chmod(unfinished, 0o755)
        os.replace(unfinished, library)
    finally:
        if os.path.exists(unfinished):
            os.remove(unfinished)
