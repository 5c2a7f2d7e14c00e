"""Linear, Embedding, Flatten, Bilinear and other common layers."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter
from typing import TYPE_CHECKING

import numpy as np

from jaxeager.arrays.as_array import on_device
from jaxeager.core import dtypes
from jaxeager.errors import InvalidArgumentError, InvalidTypeError, RefusedArgumentError
from jaxeager.graph.views.shared_writes import write_array
from jaxeager.kernels.tracing import jit
from jaxeager.nn import functional as F
from jaxeager.nn.layer.layer import Layer
from jaxeager.ops.shape.manipulation import flatten
from jaxeager.tensor import Parameter

if TYPE_CHECKING:
    from jaxeager.core.types import DTypeLike, ParamAttrLike, PlaceLike, ShapeLike
    from jaxeager.tensor.tensor import Tensor


def name_text(name: str | None) -> str:
    """Return the text that repr shows for a layer's name; empty if it has none."""
    return f", name={name}" if name else ""


class Identity(Layer):
    """Layer that returns its input; its constructor accepts any arguments.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.Identity(3)(paddle.ones([1])).item()
        1.0
    """

    def __init__(self, *args: object, **kwargs: object):
        super().__init__()

    def forward(self, input: Tensor) -> Tensor:
        return input


class Linear(Layer):
    """Layer that computes ``input @ weight + bias``.

    Args:
        in_features: last dimension of the input.
        out_features: last dimension of the output.
        weight_attr: ParamAttr of ``weight``, float[in_features, out_features]; Xavier's uniform
            values by default.
        bias_attr: ParamAttr of ``bias``, float[out_features], zeros by default; False for no bias.
        name: shown by repr.

    Raises:
        RefusedArgumentError: if ``weight_attr`` is False.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.Linear(4, 2)(paddle.ones([3, 4])).shape
        paddle.Size([3, 2])
    """

    def __init__(
        self,
        in_features: int,
        out_features: int,
        weight_attr: ParamAttrLike | None = None,
        bias_attr: ParamAttrLike | None = None,
        name: str | None = None,
    ):
        super().__init__()
        self._dtype = dtypes.get_default_dtype()
        self._weight_attr, self._bias_attr = weight_attr, bias_attr
        self.weight = required(
            self.create_parameter([in_features, out_features], weight_attr), "Linear"
        )
        self.bias = self.create_parameter([out_features], bias_attr, is_bias=True)
        self.name = name

    def forward(self, input: Tensor) -> Tensor:
        return F.linear(input, self.weight, self.bias)

    def _takes(self) -> str:
        return f"the last axis of its input must have {self.weight.shape[0]} elements"

    def extra_repr(self) -> str:
        rows, columns = self.weight.shape
        return (
            f"in_features={rows}, out_features={columns}, dtype={self._dtype}{name_text(self.name)}"
        )


def required(parameter: Parameter | None, owner: str) -> Parameter:
    """Return the parameter; raise if it is None because of ``weight_attr=False``."""
    if parameter is None:
        raise RefusedArgumentError(f"weight_attr should not be False in {owner}.")
    return parameter


def untrained(layer: Layer, size: int, initializer) -> Parameter:
    """Return a one-dimensional parameter of a layer that is not trained."""
    made = layer.create_parameter([size], None, layer._dtype, default_initializer=initializer)
    assert made is not None  # only attr=False omits it
    made.stop_gradient = True
    return made


class Bilinear(Layer):
    """Layer that computes ``x1 @ weight[o] @ x2`` for each output o, plus the bias.

    Args:
        in1_features: last dimension of ``x1``.
        in2_features: last dimension of ``x2``.
        out_features: last dimension of the output.
        weight_attr: ParamAttr of ``weight``, float[out_features, in1_features, in2_features].
        bias_attr: ParamAttr of ``bias``, float[1, out_features], zeros by default; False for none.
        name: shown by repr.

    Raises:
        RefusedArgumentError: if ``weight_attr`` is False.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.Bilinear(2, 3, 4)(paddle.ones([5, 2]), paddle.ones([5, 3])).shape
        paddle.Size([5, 4])
    """

    def __init__(
        self,
        in1_features: int,
        in2_features: int,
        out_features: int,
        weight_attr: ParamAttrLike | None = None,
        bias_attr: ParamAttrLike | None = None,
        name: str | None = None,
    ):
        super().__init__()
        self._dtype = dtypes.get_default_dtype()
        self._weight_attr, self._bias_attr, self._name = weight_attr, bias_attr, name
        self._in1_features, self._in2_features = in1_features, in2_features
        self._out_features = out_features
        shape = [out_features, in1_features, in2_features]
        self.weight = required(self.create_parameter(shape, weight_attr), "Bilinear")
        self.bias = self.create_parameter([1, out_features], bias_attr, is_bias=True)

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:
        return F.bilinear(x1, x2, self.weight, self.bias, self._name)

    def extra_repr(self) -> str:
        return (
            f"in1_features={self._in1_features}, in2_features={self._in2_features}, "
            f"out_features={self._out_features}, dtype={self._dtype}{name_text(self._name)}"
        )


@jit
def _without_row(table, row):
    """Return a table with zeros in one row."""
    return table.at[row].set(0)


class Embedding(Layer):
    """Layer that looks up rows of a table by index.

    Args:
        num_embeddings: number of rows of the table.
        embedding_dim: number of columns of the table.
        padding_idx: index of a row that is zero and gets no gradient; negative counts from the end.
        max_norm: rows with a larger norm are scaled down to it when they are looked up.
        norm_type: the p of that norm.
        scale_grad_by_freq: divide a row's gradient by the number of its lookups.
        sparse: the gradient is SelectedRows, with only the rows that were looked up, including that
            of ``padding_idx``; see F.embedding.
        _weight: a tensor to use as the table.
        _freeze: do not train ``_weight``.
        device: device of the table.
        dtype: dtype of the table; the default dtype if None.
        weight_attr: ParamAttr of ``weight``, float[num_embeddings, embedding_dim]; Xavier's uniform
            values by default.
        name: has no effect.

    Raises:
        InvalidArgumentError: if a size is not positive, or padding_idx or the shape of _weight is
            invalid.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.Embedding(10, 3)(paddle.to_tensor([[1, 2]])).shape
        paddle.Size([1, 2, 3])
    """

    padding_idx = property(attrgetter("_padding_idx"))
    _is_distributed = _remote_prefetch = False  # features of Paddle's parameter server

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        *,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
        _weight: Tensor | None = None,
        _freeze: bool = False,
        device: PlaceLike | None = None,
        dtype: DTypeLike | None = None,
        weight_attr: ParamAttrLike | None = None,
        name: str | None = None,
    ):
        super().__init__()
        self._dtype = dtypes.get_default_dtype() if dtype is None else dtypes.to_numpy(dtype).name
        for size, what in ((num_embeddings, "num_embeddings"), (embedding_dim, "embedding_dim")):
            if size <= 0:
                raise InvalidArgumentError(f"{what} must be greater than 0, but received {size}.")
        if padding_idx is not None and not -num_embeddings <= padding_idx < num_embeddings:
            raise InvalidArgumentError(
                f"padding_idx must be within [-{num_embeddings}, {num_embeddings}), but received "
                f"{padding_idx}."
            )
        self._num_embeddings, self._embedding_dim = num_embeddings, embedding_dim
        self._padding_idx, self._max_norm, self._norm_type = padding_idx, max_norm, norm_type
        self._scale_grad_by_freq, self._sparse = scale_grad_by_freq, sparse
        self._weight_attr, self._name = weight_attr, name
        self._size = [num_embeddings, embedding_dim]
        self.weight = self._table(_weight, _freeze, weight_attr, device)
        if padding_idx is not None and _weight is None:
            array = self.weight._array
            write_array(self.weight, _without_row(array, on_device(padding_idx)))

    def _table(self, given, freeze: bool, weight_attr, device):
        shape = [self._num_embeddings, self._embedding_dim]
        if given is None:
            weight = self.create_parameter(shape, weight_attr, self._dtype, device=device)
            return required(weight, "Embedding")
        if list(given.shape) != shape:
            raise InvalidArgumentError(
                f"The shape of _weight must be {shape}, but received {list(given.shape)}."
            )
        # A copy: optimizers donate the memory of parameters to XLA; this tensor is the caller's.
        return Parameter(np.asarray(given), trainable=not freeze)

    def forward(self, x: Tensor) -> Tensor:
        return F.embedding(
            x,
            self.weight,
            padding_idx=self._padding_idx,
            max_norm=self._max_norm,
            norm_type=self._norm_type,
            sparse=self._sparse,
            scale_grad_by_freq=self._scale_grad_by_freq,
        )

    def _takes(self) -> str:
        return f"its input must hold integers from 0 to {self._num_embeddings - 1}"

    def extra_repr(self) -> str:
        padding = "" if self._padding_idx is None else f", padding_idx={self._padding_idx}"
        return (
            f"{self._num_embeddings}, {self._embedding_dim}{padding}, sparse={self._sparse}, "
            f"scale_grad_by_freq={self._scale_grad_by_freq}{name_text(self._name)}"
        )


class Flatten(Layer):
    """Layer that joins adjacent dimensions into one.

    Args:
        start_axis: the first of these dimensions.
        stop_axis: the last of these dimensions.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.Flatten()(paddle.ones([2, 3, 4])).shape
        paddle.Size([2, 12])
    """

    def __init__(self, start_axis: int = 1, stop_axis: int = -1):
        super().__init__()
        self.start_axis, self.stop_axis = start_axis, stop_axis

    def forward(self, input: Tensor) -> Tensor:
        return flatten(input, self.start_axis, self.stop_axis)


class Unflatten(Layer):
    """Layer that splits one dimension into several.

    Args:
        axis: the dimension.
        shape: the sizes it is split into; one may be -1.
        name: shown by repr.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.Unflatten(1, [2, -1])(paddle.ones([5, 6])).shape
        paddle.Size([5, 2, 3])
    """

    def __init__(self, axis: int, shape: ShapeLike, name: str | None = None):
        super().__init__()
        if not isinstance(axis, int):
            raise InvalidTypeError(f"axis of Unflatten must be an int, but received {axis!r}.")
        self.axis, self.shape, self.name = axis, shape, name

    def forward(self, input: Tensor) -> Tensor:
        return input.unflatten(self.axis, self.shape)

    def extra_repr(self) -> str:
        return f"axis={self.axis}, shape={self.shape}{name_text(self.name)}"


class CosineSimilarity(Layer):
    """Layer that computes the cosine of the angle between two tensors along an axis.

    Args:
        axis: the axis.
        eps: lower bound of the product of the lengths.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.to_tensor([[3.0, 4.0]])
        >>> round(paddle.nn.CosineSimilarity()(x, x * 2).item(), 5)
        1.0
    """

    dim = property(attrgetter("_axis"))

    def __init__(self, axis: int = 1, eps: float = 1e-8):
        super().__init__()
        self._axis, self._eps = axis, eps

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:
        return F.cosine_similarity(x1, x2, axis=self._axis, eps=self._eps)

    def extra_repr(self) -> str:
        return f"axis={self._axis}, eps={self._eps}"


class PairwiseDistance(Layer):
    """Layer that computes the p-norm of the difference of two tensors over the last axis.

    Args:
        p: the p of the norm.
        epsilon: added to the difference.
        keepdim: keep the last axis, with size 1.
        name: shown by repr.

    Example:
        >>> import jaxeager as paddle
        >>> x, y = paddle.to_tensor([[3.0, 4.0]]), paddle.zeros([1, 2])
        >>> round(paddle.nn.PairwiseDistance()(x, y).item(), 4)
        5.0
    """

    eps = property(attrgetter("epsilon"))
    norm = property(attrgetter("p"))

    def __init__(
        self, p: float = 2.0, epsilon: float = 1e-6, keepdim: bool = False, name: str | None = None
    ):
        super().__init__()
        self.p, self.epsilon, self.keepdim, self.name = p, epsilon, keepdim, name

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        return F.pairwise_distance(x, y, self.p, self.epsilon, self.keepdim)

    def extra_repr(self) -> str:
        text = f"p={self.p}"
        if self.epsilon != 1e-6:
            text += f", epsilon={self.epsilon}"
        if self.keepdim:
            text += f", keepdim={self.keepdim}"
        return text + name_text(self.name)


class Unfold(Layer):
    """Layer that extracts every window of images as a column.

    Args:
        kernel_sizes: size of the window, one int or two.
        dilations: distance of the window's elements.
        paddings: one int, two, or four for top, left, bottom, right.
        strides: distance between windows.
        name: shown by repr.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.Unfold(2)(paddle.ones([1, 3, 4, 4])).shape
        paddle.Size([1, 12, 9])
    """

    def __init__(
        self,
        kernel_sizes: int | Sequence[int],
        dilations: int | Sequence[int] = 1,
        paddings: int | Sequence[int] = 0,
        strides: int | Sequence[int] = 1,
        name: str | None = None,
    ):
        super().__init__()
        self.kernel_sizes, self.dilations = kernel_sizes, dilations
        self.paddings, self.strides, self.name = paddings, strides, name

    def forward(self, input: Tensor) -> Tensor:
        return F.unfold(input, self.kernel_sizes, self.strides, self.paddings, self.dilations)

    def extra_repr(self) -> str:
        return (
            f"kernel_size={self.kernel_sizes}, dilation={self.dilations}, "
            f"padding={self.paddings}, stride={self.strides}{name_text(self.name)}"
        )


class Fold(Layer):
    """Layer that sums columns into images, each at the window that ``Unfold`` takes it from.

    Args:
        output_sizes: size of the images, one int or two.
        kernel_sizes: size of the window, one int or two.
        dilations: distance of the window's elements.
        paddings: one int, two, or four for top, left, bottom, right.
        strides: distance between windows.
        name: shown by repr.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.nn.Fold(4, 2)(paddle.ones([1, 12, 9])).shape
        paddle.Size([1, 3, 4, 4])
    """

    output_size = property(attrgetter("output_sizes"))
    kernel_size = property(attrgetter("kernel_sizes"))
    dilation = property(attrgetter("dilations"))
    padding = property(attrgetter("paddings"))
    stride = property(attrgetter("strides"))

    def __init__(
        self,
        output_sizes: int | Sequence[int],
        kernel_sizes: int | Sequence[int],
        dilations: int | Sequence[int] = 1,
        paddings: int | Sequence[int] = 0,
        strides: int | Sequence[int] = 1,
        name: str | None = None,
    ):
        super().__init__()
        self.output_sizes, self.kernel_sizes, self.dilations = output_sizes, kernel_sizes, dilations
        self.paddings, self.strides, self.name = paddings, strides, name

    def forward(self, input: Tensor) -> Tensor:
        return F.fold(
            input,
            self.output_sizes,
            self.kernel_sizes,
            self.strides,
            self.paddings,
            self.dilations,
        )

    def extra_repr(self) -> str:
        return (
            f"kernel_size={self.kernel_sizes}, dilation={self.dilations}, "
            f"padding={self.paddings}, stride={self.strides}{name_text(self.name)}"
        )
