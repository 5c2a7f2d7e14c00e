"""Types that the signatures of several layers share; Paddle keeps its own in ``paddle._typing``.

They are for type checkers and readers: modules import them under ``if TYPE_CHECKING``.
"""

from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    import jax
    import numpy as np

    from jaxeager.core.dtypes import DType
    from jaxeager.core.places import Place
    from jaxeager.nn.initializer import Initializer
    from jaxeager.nn.param_attr import ParamAttr
    from jaxeager.regularizer import WeightDecayRegularizer
    from jaxeager.tensor import Tensor

# An element type: paddle.float32, "float32", numpy.float32, numpy.dtype("float32").
DTypeLike: TypeAlias = "DType | np.dtype | type | str"

# A number of Python: an int, a float or a complex.
Number: TypeAlias = complex

# A device: paddle.CPUPlace(), "cpu", "gpu:1".
PlaceLike: TypeAlias = "Place | str"

# A shape: ints, which may include one-element Tensors, or one integer Tensor.
ShapeLike: TypeAlias = "Sequence[int | Tensor | None] | Tensor"

# The data that to_tensor accepts: a Tensor, an array, a number, or nested lists of them.
TensorLike: TypeAlias = "Tensor | jax.Array | np.ndarray | np.generic | complex | Sequence[Any]"

# How a parameter of a layer is made: its name, its initializer, both and more, or False for none.
ParamAttrLike: TypeAlias = "ParamAttr | Initializer | WeightDecayRegularizer | str | bool"
