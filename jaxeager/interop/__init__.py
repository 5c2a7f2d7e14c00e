"""jaxeager.interop: models, optimizers and data of other libraries, used with those of this one.

Other libraries are imported on first use: ``pip install 'jaxeager[interop]'`` installs Flax,
Equinox, optax and grain. PyTorch is never needed, and is used if it is installed.
"""

from jaxeager.interop.batches import Batches
from jaxeager.interop.equinox_modules import from_equinox, to_equinox
from jaxeager.interop.nnx_modules import from_nnx, to_nnx
from jaxeager.interop.optax_optimizer import OptaxOptimizer
from jaxeager.interop.pure import PureLayer, pure

__all__ = [
    "Batches",
    "OptaxOptimizer",
    "PureLayer",
    "from_equinox",
    "from_nnx",
    "pure",
    "to_equinox",
    "to_nnx",
]
