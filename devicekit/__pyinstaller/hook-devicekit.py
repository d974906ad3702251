"""What PyInstaller cannot see: modules that are imported by name, and data."""

from PyInstaller.utils.hooks import collect_data_files, collect_submodules

hiddenimports = collect_submodules("devicekit")
datas = collect_data_files("devicekit")  # codespell:ignore datas

#: The program brings those that it uses itself; devicekit works without them.
excludedimports = [
    "IPython", "jax", "jaxlib", "keras", "matplotlib", "mcp", "numpy", "pytest", "ray", "tensorflow", "tf_keras", "torch",
    "torch_directml", "transformers",
]  # fmt: skip
