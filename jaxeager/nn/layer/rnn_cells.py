"""Recurrent cells: one step of an RNN, LSTM or GRU, recorded as separate ops."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import jaxeager as paddle
from jaxeager.core import dtypes
from jaxeager.errors import InvalidArgumentError, UnimplementedError
from jaxeager.nn import functional as F
from jaxeager.nn.initializer import Constant, Uniform
from jaxeager.nn.layer.layer import Layer
from jaxeager.utils.structure import flatten, map_structure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from jaxeager.core.types import DTypeLike, ParamAttrLike, ShapeLike
    from jaxeager.tensor import Parameter
    from jaxeager.tensor.tensor import Tensor

WEIGHTS = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")


def _is_shape(value) -> bool:
    return isinstance(value, (list, tuple)) and all(isinstance(each, int) for each in value)


class RNNCellBase(Layer):
    """Base of cells, which compute one step: ``outputs, new_states = cell(inputs, states)``.

    A subclass defines ``forward`` and the property ``state_shape``, the shape of a state without
    its batch dimension, or a nested structure of such shapes.

    Example:
        >>> import jaxeager as paddle
        >>> class Sum(paddle.nn.RNNCellBase):
        ...     @property
        ...     def state_shape(self):
        ...         return (2,)
        ...
        ...     def forward(self, inputs, states):
        ...         return inputs + states, inputs + states
        >>> outputs, last = paddle.nn.RNN(Sum())(paddle.ones([1, 3, 2]))
        >>> last.tolist()
        [[3.0, 3.0]]
    """

    def get_initial_states(
        self,
        batch_ref: Tensor,
        shape: ShapeLike | Sequence[ShapeLike] | None = None,
        dtype: DTypeLike | Sequence[DTypeLike] | None = None,
        init_value: float = 0.0,
        batch_dim_idx: int = 0,
    ) -> Any:
        """Return initial states, filled with ``init_value``.

        Args:
            batch_ref: a tensor with the batch size, or a nested structure, whose first is used.
            shape: a shape without (or with -1 for) its batch dimension, or a nested structure of
                shapes; ``state_shape`` if None.
            dtype: a dtype, or a structure of them; by default ``state_dtype`` or the default dtype.
            init_value: the value of all elements.
            batch_dim_idx: the batch dimension of ``batch_ref``.

        Returns:
            A tensor [batch, *shape], or the same structure of tensors.

        Raises:
            NotImplementedError: if ``shape`` is None and the cell has no ``state_shape``.

        Example:
            >>> import jaxeager as paddle
            >>> cell = paddle.nn.LSTMCell(3, 4)
            >>> [state.shape for state in cell.get_initial_states(paddle.ones([2, 3]))]
            [paddle.Size([2, 4]), paddle.Size([2, 4])]
        """
        first = next(iter(flatten(batch_ref)), batch_ref)
        batch = first.shape[batch_dim_idx]
        shapes = self.state_shape if shape is None else shape
        if dtype is None:
            dtype = self._own_dtype()
        kinds = flatten(dtype)
        if len(kinds) == 1:
            dtype = map_structure(lambda shape: kinds[0], shapes, is_leaf=_is_shape)

        def filled(shape, dtype):
            rest = shape[1:] if shape[0] == -1 else shape
            return paddle.full([batch, *rest], init_value, dtype)

        return map_structure(filled, shapes, dtype, is_leaf=_is_shape)

    def _own_dtype(self):
        try:
            return self.state_dtype
        except NotImplementedError:
            return dtypes.get_default_dtype()

    @property
    def state_shape(self) -> None:
        """Return the shape of a state without its batch dimension, or a structure of them."""
        raise UnimplementedError("Please add implementation for `state_shape` in the used cell.")

    @property
    def state_dtype(self) -> None:
        """Return the dtype of the states; a cell without one uses the default dtype."""
        raise UnimplementedError("Please add implementation for `state_dtype` in the used cell.")

    def _make_weights(self, gates: int, input_size: int, state_size: int, attrs: tuple) -> None:
        """Create the four parameters, each of ``gates * hidden_size`` rows."""
        rows = gates * self.hidden_size
        shapes = (rows, input_size), (rows, state_size), (rows,), (rows,)
        for name, shape, attr in zip(WEIGHTS, shapes, attrs, strict=True):
            setattr(self, name, self._make_weight(shape, attr))

    def _make_weight(self, shape: tuple, attr):
        """Return a random parameter; for False an untrained constant, 0 for a bias and 1 else."""
        is_bias = len(shape) == 1
        bound = 1.0 / math.sqrt(self.hidden_size)
        initial = Uniform(-bound, bound) if attr is not False else Constant(0.0 if is_bias else 1.0)
        parameter = self.create_parameter(
            shape, None if attr is False else attr, is_bias=is_bias, default_initializer=initial
        )
        if attr is False and parameter is not None:
            parameter.stop_gradient = True
        return parameter

    def _check_hidden_size(self, hidden_size: int) -> None:
        if hidden_size <= 0:
            raise InvalidArgumentError(
                f"hidden_size of {type(self).__name__} must be greater than 0, but now equals to "
                f"{hidden_size}"
            )

    def _projections(self, inputs, hidden):
        """Return the gates' contributions from the inputs and from the state."""
        from_x = paddle.matmul(inputs, self.weight_ih, transpose_y=True) + self.bias_ih
        from_h = paddle.matmul(hidden, self.weight_hh, transpose_y=True) + self.bias_hh
        return from_x, from_h

    def _takes(self) -> str:
        width = getattr(self, "input_size", None)
        return "" if width is None else f"its input must be [batch, {width}]"

    def extra_repr(self) -> str:
        return f"{self.input_size}, {self.hidden_size}"


class SimpleRNNCell(RNNCellBase):
    """One step of a plain recurrent network.

    ``h = activation(x @ weight_ih.T + bias_ih + h @ weight_hh.T + bias_hh)``.

    Args:
        input_size: last dimension of the inputs.
        hidden_size: last dimension of the state.
        activation: "tanh" or "relu".
        weight_ih_attr: ParamAttr of ``weight_ih``, float[hidden_size, input_size], drawn from
            (-1 / sqrt(hidden_size), 1 / sqrt(hidden_size)); False makes it a constant 1.
        weight_hh_attr: the same for ``weight_hh``, float[hidden_size, hidden_size].
        bias_ih_attr: the same for ``bias_ih``, float[hidden_size]; False makes it a constant 0.
        bias_hh_attr: the same for ``bias_hh``, float[hidden_size].
        name: ignored.

    Raises:
        InvalidArgumentError: if ``hidden_size`` is not positive, or for any other activation.

    Example:
        >>> import jaxeager as paddle
        >>> cell = paddle.nn.SimpleRNNCell(3, 4)
        >>> outputs, state = cell(paddle.ones([2, 3]))
        >>> outputs.shape, state.shape
        (paddle.Size([2, 4]), paddle.Size([2, 4]))
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        activation: str = "tanh",
        weight_ih_attr: ParamAttrLike | None = None,
        weight_hh_attr: ParamAttrLike | None = None,
        bias_ih_attr: ParamAttrLike | None = None,
        bias_hh_attr: ParamAttrLike | None = None,
        name: str | None = None,
    ):
        super().__init__()
        self._check_hidden_size(hidden_size)
        if activation not in ("tanh", "relu"):
            raise InvalidArgumentError(
                f"activation for SimpleRNNCell should be tanh or relu, but get {activation}"
            )
        self.input_size, self.hidden_size, self.activation = input_size, hidden_size, activation
        self._activation_fn = paddle.tanh if activation == "tanh" else F.relu
        attrs = weight_ih_attr, weight_hh_attr, bias_ih_attr, bias_hh_attr
        self._make_weights(1, input_size, hidden_size, attrs)

    def forward(self, inputs: Tensor, states: Tensor | None = None) -> tuple[Tensor, Tensor]:
        if states is None:
            states = self.get_initial_states(inputs, self.state_shape)
        from_x, from_h = self._projections(inputs, states)
        hidden = self._activation_fn(from_x + from_h)
        return hidden, hidden

    @property
    def state_shape(self) -> tuple[int, ...]:
        """Return the shape of the state: (hidden_size,)."""
        return (self.hidden_size,)

    def extra_repr(self) -> str:
        text = super().extra_repr()
        return text if self.activation == "tanh" else f"{text}, activation={self.activation}"


class LSTMCell(RNNCellBase):
    """One step of a long short-term memory (LSTM).

    With gates i, f, g, o in the rows of the weights: ``c = sigmoid(f) * c + sigmoid(i) * tanh(g)``
    and ``h = sigmoid(o) * tanh(c)``, which ``proj_size`` maps to fewer dimensions.

    Args:
        input_size: last dimension of the inputs.
        hidden_size: last dimension of the cell.
        weight_ih_attr: ParamAttr of ``weight_ih``, float[4 * hidden_size, input_size], drawn from
            (-1 / sqrt(hidden_size), 1 / sqrt(hidden_size)); False makes it a constant 1.
        weight_hh_attr: the same for ``weight_hh``, float[4 * hidden_size, proj_size or
            hidden_size], and for ``weight_ho``, float[hidden_size, proj_size], of a projection.
        bias_ih_attr: the same for ``bias_ih``, float[4 * hidden_size]; False makes it a constant 0.
        bias_hh_attr: the same for ``bias_hh``, float[4 * hidden_size].
        proj_size: last dimension of the hidden state; 0 for ``hidden_size`` and no projection.
        name: ignored.

    Raises:
        InvalidArgumentError: if ``hidden_size`` is not positive, or ``proj_size`` is negative or
            not smaller.

    Paddle: there, a cell with a projection has its state shapes reversed, and fails when it is
        called without states.

    Example:
        >>> import jaxeager as paddle
        >>> cell = paddle.nn.LSTMCell(3, 4)
        >>> outputs, (hidden, memory) = cell(paddle.ones([2, 3]))
        >>> outputs.shape, hidden.shape, memory.shape
        (paddle.Size([2, 4]), paddle.Size([2, 4]), paddle.Size([2, 4]))
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        weight_ih_attr: ParamAttrLike | None = None,
        weight_hh_attr: ParamAttrLike | None = None,
        bias_ih_attr: ParamAttrLike | None = None,
        bias_hh_attr: ParamAttrLike | None = None,
        proj_size: int = 0,
        name: str | None = None,
    ):
        super().__init__()
        self._check_hidden_size(hidden_size)
        if proj_size < 0:
            raise InvalidArgumentError(
                f"proj_size of {type(self).__name__} must not be negative, but received {proj_size}"
            )
        if proj_size >= hidden_size:
            raise InvalidArgumentError(
                f"proj_size must be smaller than hidden_size, but received {proj_size} and "
                f"{hidden_size}"
            )
        self.input_size, self.hidden_size, self.proj_size = input_size, hidden_size, proj_size
        self._gate_activation, self._activation = F.sigmoid, paddle.tanh
        attrs = weight_ih_attr, weight_hh_attr, bias_ih_attr, bias_hh_attr
        self._make_weights(4, input_size, proj_size or hidden_size, attrs)
        if proj_size > 0:
            self.weight_ho: Parameter = self._make_weight((hidden_size, proj_size), weight_hh_attr)

    def forward(self, inputs: Tensor, states: Any = None) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        if states is None:
            states = self.get_initial_states(inputs, self.state_shape)
        hidden, cell = states
        gates = paddle.matmul(inputs, self.weight_ih, transpose_y=True) + self.bias_ih
        gates = gates + paddle.matmul(hidden, self.weight_hh, transpose_y=True) + self.bias_hh
        i, f, g, o = paddle.split(gates, 4, axis=-1)
        i, f, o = self._gate_activation(i), self._gate_activation(f), self._gate_activation(o)
        cell = f * cell + i * self._activation(g)
        hidden = o * self._activation(cell)
        if self.proj_size > 0:
            hidden = paddle.matmul(hidden, self.weight_ho)
        return hidden, (hidden, cell)

    @property
    def state_shape(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Return the state shapes: ((proj_size or hidden_size,), (hidden_size,))."""
        return (self.proj_size or self.hidden_size,), (self.hidden_size,)


class GRUCell(RNNCellBase):
    """One step of a gated recurrent unit (GRU).

    With gates r, z, c in the rows of the weights: ``new = tanh(x_c + sigmoid(r) * h_c)`` and
    ``h = sigmoid(z) * h + (1 - sigmoid(z)) * new``.

    Args:
        input_size: last dimension of the inputs.
        hidden_size: last dimension of the state.
        weight_ih_attr: ParamAttr of ``weight_ih``, float[3 * hidden_size, input_size], drawn from
            (-1 / sqrt(hidden_size), 1 / sqrt(hidden_size)); False makes it a constant 1.
        weight_hh_attr: the same for ``weight_hh``, float[3 * hidden_size, hidden_size].
        bias_ih_attr: the same for ``bias_ih``, float[3 * hidden_size]; False makes it a constant 0.
        bias_hh_attr: the same for ``bias_hh``, float[3 * hidden_size].
        name: ignored.

    Raises:
        InvalidArgumentError: if ``hidden_size`` is not positive.

    Example:
        >>> import jaxeager as paddle
        >>> cell = paddle.nn.GRUCell(3, 4)
        >>> outputs, state = cell(paddle.ones([2, 3]))
        >>> outputs.shape, state.shape
        (paddle.Size([2, 4]), paddle.Size([2, 4]))
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        weight_ih_attr: ParamAttrLike | None = None,
        weight_hh_attr: ParamAttrLike | None = None,
        bias_ih_attr: ParamAttrLike | None = None,
        bias_hh_attr: ParamAttrLike | None = None,
        name: str | None = None,
    ):
        super().__init__()
        self._check_hidden_size(hidden_size)
        self.input_size, self.hidden_size = input_size, hidden_size
        self._gate_activation, self._activation = F.sigmoid, paddle.tanh
        attrs = weight_ih_attr, weight_hh_attr, bias_ih_attr, bias_hh_attr
        self._make_weights(3, input_size, hidden_size, attrs)

    def forward(self, inputs: Tensor, states: Tensor | None = None) -> tuple[Tensor, Tensor]:
        before = self.get_initial_states(inputs, self.state_shape) if states is None else states
        from_x, from_h = self._projections(inputs, before)
        x_r, x_z, x_c = paddle.split(from_x, 3, axis=1)
        h_r, h_z, h_c = paddle.split(from_h, 3, axis=1)
        r, z = self._gate_activation(x_r + h_r), self._gate_activation(x_z + h_z)
        new = self._activation(x_c + r * h_c)
        hidden = (before - new) * z + new
        return hidden, hidden

    @property
    def state_shape(self) -> tuple[int, ...]:
        """Return the shape of the state: (hidden_size,)."""
        return (self.hidden_size,)
