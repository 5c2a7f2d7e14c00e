"""SimpleRNN, LSTM and GRU: multi-layer, one or both directions, in one fused op."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError, RefusedArgumentError
from jaxeager.nn import functional as F
from jaxeager.nn.layer.container import LayerList
from jaxeager.nn.layer.rnn_cells import WEIGHTS, GRUCell, LSTMCell, SimpleRNNCell
from jaxeager.nn.layer.rnn_loops import (
    RNN,
    BiRNN,
    birnn,
    check_sequence_length,
    concat_states,
    rnn,
    split_states,
)
from jaxeager.ops.nn import rnn as rnn_rows
from jaxeager.tensor import Tensor

if TYPE_CHECKING:
    from jaxeager.core.types import ParamAttrLike

__all__ = [
    "GRU",
    "LSTM",
    "RNN",
    "BiRNN",
    "GRUCell",
    "LSTMCell",
    "RNNBase",
    "SimpleRNN",
    "SimpleRNNCell",
    "birnn",
    "concat_states",
    "rnn",
    "split_states",
]

BIDIRECTIONAL = ("bidirectional", "bidirect")


class RNNBase(LayerList):
    """Base of SimpleRNN, LSTM and GRU: cells by layer and direction, and the call of the op.

    Its parameters are those of the cells, registered here again by their names in a state dict:
    ``weight_ih_l0``, ``bias_hh_l1_reverse``. A call uses the current values of these names.

    Args:
        mode: "LSTM", "GRU", "RNN_TANH" or "RNN_RELU". The other arguments are those of ``LSTM``.

    Raises:
        InvalidArgumentError: for an unknown direction, or sizes that do not match.
        RefusedArgumentError: for a projection in anything but an LSTM.
    """

    could_use_cudnn = True  # as in Paddle, whose tools recognize such layers by it

    def __init__(
        self,
        mode: str,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        direction: str = "forward",
        time_major: bool = False,
        dropout: float = 0.0,
        weight_ih_attr: ParamAttrLike | None = None,
        weight_hh_attr: ParamAttrLike | None = None,
        bias_ih_attr: ParamAttrLike | None = None,
        bias_hh_attr: ParamAttrLike | None = None,
        proj_size: int = 0,
    ):
        super().__init__()
        if direction not in ("forward", *BIDIRECTIONAL):
            raise InvalidArgumentError(
                "direction should be forward or bidirect (or bidirectional), received direction = "
                f"{direction}"
            )
        if proj_size > 0 and mode != "LSTM":
            raise RefusedArgumentError(f"Only an LSTM has a projection, not {mode}.")
        self.mode, self.input_size, self.hidden_size = mode, input_size, hidden_size
        self.num_layers, self.time_major, self.dropout = num_layers, time_major, dropout
        self.num_directions = 2 if direction in BIDIRECTIONAL else 1
        self.state_components = 2 if mode == "LSTM" else 1
        self.proj_size = proj_size
        attrs = weight_ih_attr, weight_hh_attr, bias_ih_attr, bias_hh_attr
        self._add_layers(attrs)
        self._register(attrs)

    def _add_layers(self, attrs: tuple) -> None:
        for layer in range(self.num_layers):
            width = self.num_directions * (self.proj_size or self.hidden_size)
            size = width if layer else self.input_size
            cells = [self._make_cell(size, attrs) for _ in range(self.num_directions)]
            loop = RNN(cells[0], False, self.time_major)
            self.append(loop if len(cells) == 1 else BiRNN(cells[0], cells[1], self.time_major))

    def _make_cell(self, size: int, attrs: tuple):
        named = {f"{name}_attr": attr for name, attr in zip(WEIGHTS, attrs, strict=True)}
        if self.mode == "LSTM":
            return LSTMCell(size, self.hidden_size, proj_size=self.proj_size, **named)
        if self.mode == "GRU":
            return GRUCell(size, self.hidden_size, **named)
        activation = "relu" if self.mode == "RNN_RELU" else "tanh"
        return SimpleRNNCell(size, self.hidden_size, activation, **named)

    def _register(self, attrs: tuple) -> None:
        """Register the cells' parameters by their public names, except constant biases."""
        self._names = []
        for layer in range(self.num_layers):
            for direction, cell in enumerate(self._cells(layer)):
                for name, attr in zip(WEIGHTS, attrs, strict=True):
                    public = f"{name}_l{layer}{'_reverse' * direction}"
                    is_constant_bias = attr is False and name.startswith("bias")
                    self._names.append((public, layer, direction, name))
                    if not is_constant_bias:
                        setattr(self, public, getattr(cell, name))

    def _cells(self, layer: int) -> list:
        loop = self[layer]
        return [loop.cell] if self.num_directions == 1 else [loop.cell_fw, loop.cell_bw]

    def _weights(self) -> list:
        """Return the op's weights: w_ih and w_hh of each cell, then b_ih and b_hh of each."""
        found = []
        for public, layer, direction, name in self._names:
            tensor = getattr(self, public, None)
            found.append(getattr(self._cells(layer)[direction], name) if tensor is None else tensor)
        pairs = [found[i : i + 2] for i in range(0, len(found), 2)]
        return [each for pair in (*pairs[::2], *pairs[1::2]) for each in pair]

    @property
    def _all_weights(self) -> list:
        """Return the weights of all cells, then their biases, in the order of the op."""
        return self._weights()

    def flatten_parameters(self) -> None:
        """Do nothing: XLA does not need contiguous weights. Paddle's programs call it.

        Example:
            >>> import jaxeager as paddle
            >>> paddle.nn.GRU(2, 3).flatten_parameters()
        """

    def forward(
        self,
        inputs: Tensor,
        initial_states: Tensor | Sequence[Tensor] | None = None,
        sequence_length: int | None = None,
    ) -> tuple[Tensor, Any]:
        states = initial_states
        if states is None:
            batch = inputs.shape[1 if self.time_major else 0]
            sizes = (self.proj_size or self.hidden_size, self.hidden_size)
            count = self.num_layers * self.num_directions
            states = [
                paddle.full([count, batch, size], 0, inputs.dtype)
                for size in sizes[: self.state_components]
            ]
        elif isinstance(states, Tensor):
            states = [states]
        run = self._run_loops if self.proj_size else self._run_op
        return run(inputs, list(states), sequence_length)

    def _run_op(self, inputs, states: list, sequence_length):
        """Compute outputs and last states by the fused op."""
        x = inputs if self.time_major else paddle.transpose(inputs, [1, 0, 2])
        if sequence_length is not None:
            check_sequence_length(sequence_length, x.shape[0])
        masks, dropout = None, 0.0
        if self.training and self.dropout and self.num_layers > 1:
            dropout = self.dropout
            masks = self._dropout_masks(x.shape)
        row = rnn_rows.rnn if self.state_components == 1 else rnn_rows.rnn_with_cell
        out, *last = row(
            x, states, self._weights(), sequence_length, masks,
            self.mode, self.num_layers, self.num_directions == 2, dropout,
        )  # fmt: skip
        out = out if self.time_major else paddle.transpose(out, [1, 0, 2])
        return out, tuple(last) if len(last) > 1 else last[0]

    def _dropout_masks(self, shape: list):
        """Draw the dropout masks of the outputs of each layer but the last."""
        width = self.num_directions * self.hidden_size
        draw = paddle.uniform([self.num_layers - 1, *shape[:2], width], "float32", 0.0, 1.0)
        return draw >= self.dropout

    def _run_loops(self, inputs, states: list, sequence_length):
        """Compute outputs and last states cell by cell: the op does not support projections."""
        pairs = list(zip(*[paddle.unstack(each) for each in states], strict=True))
        last = []
        for number, layer in enumerate(self):
            if number:
                inputs = F.dropout(inputs, self.dropout, training=self.training)
            first = number * self.num_directions
            given = pairs[first : first + self.num_directions]
            inputs, found = layer(inputs, given[0] if len(given) == 1 else given, sequence_length)
            last += [found] if len(given) == 1 else found
        return inputs, tuple(paddle.stack(list(each)) for each in zip(*last, strict=True))

    def _takes(self) -> str:
        order = "[time, batch, {}]" if self.time_major else "[batch, time, {}]"
        return f"its input must be {order.format(self.input_size)}"

    def extra_repr(self) -> str:
        text = f"{self.input_size}, {self.hidden_size}"
        if self.num_layers != 1:
            text += f", num_layers={self.num_layers}"
        if self.time_major is not False:
            text += f", time_major={self.time_major}"
        return text + (f", dropout={self.dropout}" if self.dropout != 0 else "")


class SimpleRNN(RNNBase):
    """Multi-layer plain recurrent network, ``h = activation(W x + b + U h + c)``.

    A call takes inputs float[batch, time, input_size], initial states float[layers * directions,
    batch, hidden_size] (zeros if None) and ``sequence_length``, int[batch]. It returns the outputs,
    float[batch, time, directions * hidden_size], which are zero beyond a sequence's length, and the
    state after each sequence's last step, shaped like the initial states.

    Args:
        input_size: last dimension of the inputs.
        hidden_size: last dimension of the state.
        num_layers: number of layers; each takes the outputs of the previous one.
        direction: "forward"; or "bidirect" or "bidirectional", which doubles the outputs.
        time_major: whether inputs and outputs are [time, batch, ...], not [batch, time, ...].
        dropout: probability that an output is zeroed before the next layer, in training.
        activation: "tanh" or "relu".
        weight_ih_attr: ParamAttr of each ``weight_ih``; False makes them constant ones.
        weight_hh_attr: ParamAttr of each ``weight_hh``; False makes them constant ones.
        bias_ih_attr: ParamAttr of each ``bias_ih``; False makes them constant zeros.
        bias_hh_attr: ParamAttr of each ``bias_hh``; False makes them constant zeros.
        name: ignored.

    Raises:
        InvalidArgumentError: for an unknown direction or activation, or sizes that do not match.

    Example:
        >>> import jaxeager as paddle
        >>> outputs, state = paddle.nn.SimpleRNN(3, 4, 2)(paddle.ones([2, 5, 3]))
        >>> outputs.shape, state.shape
        (paddle.Size([2, 5, 4]), paddle.Size([2, 2, 4]))
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        direction: str = "forward",
        time_major: bool = False,
        dropout: float = 0.0,
        activation: str = "tanh",
        weight_ih_attr: ParamAttrLike | None = None,
        weight_hh_attr: ParamAttrLike | None = None,
        bias_ih_attr: ParamAttrLike | None = None,
        bias_hh_attr: ParamAttrLike | None = None,
        name: str | None = None,
    ):
        if activation not in ("tanh", "relu"):
            raise InvalidArgumentError(f"Unknown activation '{activation}'")
        super().__init__(
            "RNN_TANH" if activation == "tanh" else "RNN_RELU",
            input_size, hidden_size, num_layers, direction, time_major, dropout,
            weight_ih_attr, weight_hh_attr, bias_ih_attr, bias_hh_attr,
        )  # fmt: skip
        self.activation = activation


class LSTM(RNNBase):
    """Multi-layer long short-term memory.

    A call takes inputs float[batch, time, input_size], initial states (hidden, cell), each
    float[layers * directions, batch, hidden_size] (zeros if None), and ``sequence_length``,
    int[batch]. It returns the outputs, float[batch, time, directions * hidden_size], which are zero
    beyond a sequence's length, and the states (hidden, cell) after each sequence's last step.

    Args:
        input_size: last dimension of the inputs.
        hidden_size: last dimension of the cell.
        num_layers: number of layers; each takes the outputs of the previous one.
        direction: "forward"; or "bidirect" or "bidirectional", which doubles the outputs.
        time_major: whether inputs and outputs are [time, batch, ...], not [batch, time, ...].
        dropout: probability that an output is zeroed before the next layer, in training.
        weight_ih_attr: ParamAttr of each ``weight_ih``; False makes them constant ones.
        weight_hh_attr: ParamAttr of each ``weight_hh``; False makes them constant ones.
        bias_ih_attr: ParamAttr of each ``bias_ih``; False makes them constant zeros.
        bias_hh_attr: ParamAttr of each ``bias_hh``; False makes them constant zeros.
        proj_size: last dimension of hidden state and outputs, 0 for ``hidden_size``. With a
            projection, the cells run in a Python loop, and outputs beyond a sequence's length are
            the cell's outputs for padding, as in Paddle.
        name: ignored.

    Raises:
        InvalidArgumentError: for an unknown direction, or sizes that do not match.

    Paddle: there, with a projection, the parameters of a second layer have each other's names.

    Example:
        >>> import jaxeager as paddle
        >>> lstm = paddle.nn.LSTM(3, 4, direction="bidirect")
        >>> outputs, (hidden, cell) = lstm(paddle.ones([2, 5, 3]))
        >>> outputs.shape, hidden.shape, cell.shape
        (paddle.Size([2, 5, 8]), paddle.Size([2, 2, 4]), paddle.Size([2, 2, 4]))
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        direction: str = "forward",
        time_major: bool = False,
        dropout: float = 0.0,
        weight_ih_attr: ParamAttrLike | None = None,
        weight_hh_attr: ParamAttrLike | None = None,
        bias_ih_attr: ParamAttrLike | None = None,
        bias_hh_attr: ParamAttrLike | None = None,
        proj_size: int = 0,
        name: str | None = None,
    ):
        super().__init__(
            "LSTM", input_size, hidden_size, num_layers, direction, time_major, dropout,
            weight_ih_attr, weight_hh_attr, bias_ih_attr, bias_hh_attr, proj_size,
        )  # fmt: skip


class GRU(RNNBase):
    """Multi-layer network of gated recurrent units.

    A call takes inputs float[batch, time, input_size], initial states float[layers * directions,
    batch, hidden_size] (zeros if None) and ``sequence_length``, int[batch]. It returns the outputs,
    float[batch, time, directions * hidden_size], which are zero beyond a sequence's length, and the
    state after each sequence's last step, shaped like the initial states.

    Args:
        input_size: last dimension of the inputs.
        hidden_size: last dimension of the state.
        num_layers: number of layers; each takes the outputs of the previous one.
        direction: "forward"; or "bidirect" or "bidirectional", which doubles the outputs.
        time_major: whether inputs and outputs are [time, batch, ...], not [batch, time, ...].
        dropout: probability that an output is zeroed before the next layer, in training.
        weight_ih_attr: ParamAttr of each ``weight_ih``; False makes them constant ones.
        weight_hh_attr: ParamAttr of each ``weight_hh``; False makes them constant ones.
        bias_ih_attr: ParamAttr of each ``bias_ih``; False makes them constant zeros.
        bias_hh_attr: ParamAttr of each ``bias_hh``; False makes them constant zeros.
        name: ignored.

    Raises:
        InvalidArgumentError: for an unknown direction, or sizes that do not match.

    Example:
        >>> import jaxeager as paddle
        >>> outputs, state = paddle.nn.GRU(3, 4, 2)(paddle.ones([2, 5, 3]))
        >>> outputs.shape, state.shape
        (paddle.Size([2, 5, 4]), paddle.Size([2, 2, 4]))
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        direction: str = "forward",
        time_major: bool = False,
        dropout: float = 0.0,
        weight_ih_attr: ParamAttrLike | None = None,
        weight_hh_attr: ParamAttrLike | None = None,
        bias_ih_attr: ParamAttrLike | None = None,
        bias_hh_attr: ParamAttrLike | None = None,
        name: str | None = None,
    ):
        super().__init__(
            "GRU", input_size, hidden_size, num_layers, direction, time_major, dropout,
            weight_ih_attr, weight_hh_attr, bias_ih_attr, bias_hh_attr,
        )  # fmt: skip
