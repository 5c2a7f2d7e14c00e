"""jaxeager without JAX, for the processes that read data.

Note [Light workers]
A worker process of a DataLoader runs the user's dataset, which mostly needs NumPy and files.
Importing JAX takes a second and 200 MB, so a worker has modules called ``jaxeager`` and
``jaxeager.io`` that contain only the few names that datasets need. On access to any other name,
they become the real modules, by running the real ``__init__.py`` in themselves. So
``paddle.to_tensor`` in a dataset works, on the CPU, and costs that second (once for all workers if
it can be foreseen, see ``ForkServer`` in fork_server.py).

The modules of ``LIGHT_MODULES`` import nothing but Python, NumPy and each other.
"""

import importlib
import importlib.util
import os
import sys
import types
from collections.abc import Callable

# Names of jaxeager.io that a light worker has, and the modules that define them.
NAMES = {
    "Dataset": "dataset",
    "IterableDataset": "dataset",
    "TensorDataset": "dataset",
    "ComposeDataset": "dataset",
    "ChainDataset": "dataset",
    "ConcatDataset": "dataset",
    "Subset": "dataset",
    "PadCollate": "pad_collate",
    "get_worker_info": "worker_info",
}
LIGHT_MODULES = {
    "jaxeager",
    "jaxeager.core",
    "jaxeager.core.ports",
    "jaxeager.errors",
    "jaxeager.io",
    "jaxeager.io.channel",
    "jaxeager.io.collate",
    "jaxeager.io.dataset",
    "jaxeager.io.fork_main",
    "jaxeager.io.light",
    "jaxeager.io.archives",
    "jaxeager.io.local_files",
    "jaxeager.io.mat_files",
    "jaxeager.io.pad_collate",
    "jaxeager.io.rebuild",
    "jaxeager.io.worker_info",
    "jaxeager.io.worker_main",
    "jaxeager.launcher",
    "jaxeager.launcher.finder",
    # From images to images; vision.transforms.conversion creates Tensors and is not among them.
    "jaxeager.vision",
    "jaxeager.vision.datasets",
    "jaxeager.vision.datasets.cifar",
    "jaxeager.vision.datasets.flowers",
    "jaxeager.vision.datasets.folder",
    "jaxeager.vision.datasets.images",
    "jaxeager.vision.datasets.mnist",
    "jaxeager.vision.datasets.voc2012",
    "jaxeager.vision.image",
    "jaxeager.vision.pillow",
    "jaxeager.vision.transforms",
    "jaxeager.vision.transforms.arguments",
    "jaxeager.vision.transforms.backends",
    "jaxeager.vision.transforms.base",
    "jaxeager.vision.transforms.color",
    "jaxeager.vision.transforms.fixed",
    "jaxeager.vision.transforms.geometry",
    "jaxeager.vision.transforms.matrices",
    "jaxeager.vision.transforms.on_arrays",
    "jaxeager.vision.transforms.on_pil",
    "jaxeager.vision.transforms.random_color",
    "jaxeager.vision.transforms.random_crop",
    "jaxeager.vision.transforms.random_geometry",
    "jaxeager.vision.transforms.sampling",
}


when_complete: list[Callable[[], None]] = []  # called once jaxeager is the real module


def install(root: str) -> None:
    """Install light modules instead of jaxeager and jaxeager.io.

    Args:
        root: the folder of the package.
    """
    package = _light("jaxeager", root)
    package.io = _light("jaxeager.io", os.path.join(root, "io"))  # type: ignore[attr-defined]
    sys.meta_path.insert(0, _RealFirst())  # type: ignore[arg-type]


def complete() -> None:
    """Turn ``jaxeager`` into the real module, unless it already is."""
    become_real = vars(sys.modules["jaxeager"]).get("_complete")
    if become_real is not None:
        become_real()


class _RealFirst:
    """An import hook that completes jaxeager before one of its non-light modules is imported."""

    def find_spec(self, name: str, path=None, target=None) -> None:
        """Return None always: the finders after this one find the module."""
        if name.startswith("jaxeager.") and name not in LIGHT_MODULES:
            complete()


def _light(name: str, folder: str) -> types.ModuleType:
    """Return a new module, already in sys.modules."""
    path = os.path.join(folder, "__init__.py")
    spec = importlib.util.spec_from_file_location(name, path, submodule_search_locations=[folder])
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    loader = spec.loader

    def become_real() -> None:
        for own in ("_complete", "__getattr__"):
            vars(module).pop(own, None)
        loader.exec_module(module)
        while name == "jaxeager" and when_complete:
            when_complete.pop()()

    def find(attribute: str):
        if name == "jaxeager.io" and attribute in NAMES:
            home = importlib.import_module(f"jaxeager.io.{NAMES[attribute]}")
            value = getattr(home, attribute)
            setattr(module, attribute, value)
            return value
        if f"{name}.{attribute}" in LIGHT_MODULES:
            return importlib.import_module(f"{name}.{attribute}")
        if attribute.startswith("__"):
            raise AttributeError(f"module {name!r} has no attribute {attribute!r}")
        become_real()
        return getattr(module, attribute)

    vars(module).update(_complete=become_real, __getattr__=find)
    sys.modules[name] = module
    return module
