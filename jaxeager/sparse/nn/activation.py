"""ReLU, ReLU6, LeakyReLU, Softmax: layers of sparse tensors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jaxeager.nn.layer.common import name_text
from jaxeager.nn.layer.layer import Layer
from jaxeager.sparse.nn import functional as F

if TYPE_CHECKING:
    from jaxeager.sparse.tensors import SparseTensor


class ReLU(Layer):
    """A layer that computes max(x, 0) of each entry.

    Args:
        name: shown by repr.

    Shape:
        a sparse tensor, to one with the same coordinates.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.sparse.sparse_coo_tensor([[0, 1]], [-1.0, 2.0], [3])
        >>> paddle.sparse.nn.ReLU()(x).values().tolist()
        [0.0, 2.0]
    """

    def __init__(self, name: str | None = None):
        super().__init__()
        self._name = name

    def forward(self, x: SparseTensor) -> SparseTensor:
        return F.relu(x, self._name)

    def extra_repr(self) -> str:
        return name_text(self._name).removeprefix(", ")


class ReLU6(ReLU):
    """A layer that computes min(max(x, 0), 6) of each entry.

    Args:
        name: shown by repr.

    Shape:
        a sparse tensor, to one with the same coordinates.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.sparse.sparse_coo_tensor([[0, 1]], [-1.0, 8.0], [3])
        >>> paddle.sparse.nn.ReLU6()(x).values().tolist()
        [0.0, 6.0]
    """

    def forward(self, x: SparseTensor) -> SparseTensor:
        return F.relu6(x, self._name)


class LeakyReLU(ReLU):
    """A layer that computes x of each positive entry x, and ``negative_slope * x`` of the others.

    Args:
        negative_slope: the factor of negative entries.
        name: shown by repr.

    Shape:
        a sparse tensor, to one with the same coordinates.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.sparse.sparse_coo_tensor([[0, 1]], [-1.0, 8.0], [3])
        >>> paddle.sparse.nn.LeakyReLU(0.5)(x).values().tolist()
        [-0.5, 8.0]
    """

    def __init__(self, negative_slope: float = 0.01, name: str | None = None):
        super().__init__(name)
        self._negative_slope = negative_slope

    def forward(self, x: SparseTensor) -> SparseTensor:
        return F.leaky_relu(x, self._negative_slope, self._name)


class Softmax(ReLU):
    """A layer that computes softmax over the entries along an axis.

    Args:
        axis: any axis of a COO tensor, the last one of compressed rows.
        name: shown by repr.

    Shape:
        a sparse tensor, to one with the same coordinates.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.sparse.sparse_csr_tensor([0, 2, 3], [0, 2, 1], [5.0, 5.0, 9.0], [2, 3])
        >>> paddle.sparse.nn.Softmax()(x).values().tolist()
        [0.5, 0.5, 1.0]
    """

    def __init__(self, axis: int = -1, name: str | None = None):
        super().__init__(name)
        self._axis = axis

    def forward(self, x: SparseTensor) -> SparseTensor:
        return F.softmax(x, self._axis, self._name)
