"""RNN and BiRNN, which run any cell step by step over a sequence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError, RefusedArgumentError
from jaxeager.nn.layer.layer import Layer
from jaxeager.ops.indexing.index_parse import check_within
from jaxeager.utils.structure import flatten, map_structure

if TYPE_CHECKING:
    from jaxeager.nn.layer.rnn_cells import RNNCellBase
    from jaxeager.tensor.tensor import Tensor


def check_sequence_length(sequence_length, steps: int) -> None:
    """Raise InvalidArgumentError for a length that is negative or exceeds the number of steps."""
    check_within(
        sequence_length._array,
        0,
        steps + 1,
        lambda length: InvalidArgumentError(
            f"sequence_length must be in [0, {steps}], the number of steps, but received {length}."
        ),
    )


class _Steps:
    """A tensor split along time; one leaf of a nested structure."""

    __slots__ = ("tensors",)

    def __init__(self, tensors: list):
        self.tensors = tensors


def run_cell(
    cell, inputs, states, sequence_length=None, time_major=False, is_reverse=False, **kwargs
):
    """Run a cell over a sequence; return its outputs and final states.

    Args:
        cell: the cell; its arguments are a step of the inputs, the states and ``kwargs``.
        inputs: [batch, time, ...], or with ``time_major`` [time, batch, ...]; or a structure.
        states: the initial states; the cell's own if None.
        sequence_length: int[batch], number of steps after which a sequence keeps its states; at
            most the number of steps.
        time_major: whether time is the first dimension, of inputs and outputs.
        is_reverse: start at the last step; outputs keep the order of the inputs.
        **kwargs: passed to the cell.
    """
    axis = 0 if time_major else 1
    steps = next(iter(flatten(inputs)), inputs).shape[axis]
    if steps == 0:
        raise InvalidArgumentError("A cell cannot run over a sequence without steps.")
    if states is None:
        states = cell.get_initial_states(batch_ref=inputs, batch_dim_idx=1 - axis)
    valid = None
    if sequence_length is not None:
        check_sequence_length(sequence_length, steps)
        counts = paddle.arange(steps, dtype=sequence_length.dtype).unsqueeze(1)
        valid = counts < sequence_length.unsqueeze(0)
    parts = map_structure(lambda x: _Steps(paddle.unstack(x, axis)), inputs)
    outputs = []
    for step in reversed(range(steps)) if is_reverse else range(steps):
        now = map_structure(lambda each, step=step: each.tensors[step], parts)
        out, new = cell(now, states, **kwargs)
        outputs.append(out)
        if valid is not None:
            new = _kept_at_padding(new, states, valid[step])
        states = new
    joined = map_structure(lambda *each: paddle.stack(list(each), axis=axis), *outputs)
    if is_reverse:
        joined = map_structure(lambda each: paddle.flip(each, axis), joined)
    return joined, states


def _kept_at_padding(new, old, is_valid):
    """Return the new states of sequences that have this step, the old states of the others."""

    def chosen(new, old):
        keep = is_valid.astype(new.dtype).reshape([-1] + [1] * (new.ndim - 1))
        return new * keep + old * (1 - keep)

    return map_structure(chosen, new, old)


def rnn(
    cell: RNNCellBase,
    inputs: Tensor,
    initial_states: Any = None,
    sequence_length: Tensor | None = None,
    time_major: bool = False,
    is_reverse: bool = False,
    **kwargs: Any,
) -> tuple[Any, Any]:
    """Run a cell over a sequence, as the layer ``RNN`` does; return its outputs and final states.

    Args:
        cell: the cell.
        inputs: [batch, time, ...], or with ``time_major`` [time, batch, ...].
        initial_states: the states before the first step; the cell's own if None.
        sequence_length: int[batch], the number of steps after which a sequence keeps its states.
        time_major: whether time is the first dimension, of inputs and outputs.
        is_reverse: whether the last step is the first to be run.
        **kwargs: passed to the cell.

    Example:
        >>> import jaxeager as paddle
        >>> cell = paddle.nn.GRUCell(3, 4)
        >>> outputs, state = paddle.nn.layer.rnn.rnn(cell, paddle.ones([2, 5, 3]))
        >>> outputs.shape, state.shape
        (paddle.Size([2, 5, 4]), paddle.Size([2, 4]))
    """
    return run_cell(cell, inputs, initial_states, sequence_length, time_major, is_reverse, **kwargs)


def birnn(
    cell_fw: RNNCellBase,
    cell_bw: RNNCellBase,
    inputs: Tensor,
    initial_states: Any = None,
    sequence_length: Tensor | None = None,
    time_major: bool = False,
    **kwargs: Any,
) -> tuple[Any, tuple[Any, Any]]:
    """Run one cell forward and one backward over a sequence, as the layer ``BiRNN`` does.

    Args:
        cell_fw: the cell that starts at the first step.
        cell_bw: the cell that starts at the last step.
        inputs: [batch, time, ...], or with ``time_major`` [time, batch, ...].
        initial_states: a pair of states, one for each cell; the cells' own if None.
        sequence_length: int[batch], the number of steps after which a sequence keeps its states.
        time_major: whether time is the first dimension, of inputs and outputs.
        **kwargs: passed to the cells.

    Returns:
        The joined outputs, and the pair of final states.

    Example:
        >>> import jaxeager as paddle
        >>> cells = paddle.nn.GRUCell(3, 4), paddle.nn.GRUCell(3, 4)
        >>> outputs, states = paddle.nn.layer.rnn.birnn(*cells, paddle.ones([2, 5, 3]))
        >>> outputs.shape, len(states)
        (paddle.Size([2, 5, 8]), 2)
    """
    first_fw, first_bw = (None, None) if initial_states is None else initial_states
    options = (sequence_length, time_major)
    outputs_fw, states_fw = rnn(cell_fw, inputs, first_fw, *options, **kwargs)
    outputs_bw, states_bw = rnn(cell_bw, inputs, first_bw, *options, is_reverse=True, **kwargs)
    outputs = map_structure(lambda x, y: paddle.concat([x, y], -1), outputs_fw, outputs_bw)
    return outputs, (states_fw, states_bw)


def split_states(states: Any, bidirectional: bool = False, state_components: int = 1) -> list:
    """Split the states of several layers into those of each layer.

    Args:
        states: [layers, ...], or [2 * layers, ...] with both directions of a layer one after the
            other; a sequence of such tensors if a state has several components, as of an LSTM.
        bidirectional: whether there are two directions.
        state_components: the number of tensors that a state consists of.

    Returns:
        For each layer its state, a pair of states with two directions. A state of several
        components is a tuple.

    Example:
        >>> import jaxeager as paddle
        >>> states = paddle.arange(4.0).reshape([4, 1])
        >>> pairs = paddle.nn.layer.rnn.split_states(states, bidirectional=True)
        >>> [[each.item() for each in pair] for pair in pairs]
        [[0.0, 1.0], [2.0, 3.0]]
    """
    if state_components == 1:
        parts = paddle.unstack(states)
    else:
        parts = list(zip(*[paddle.unstack(each) for each in states], strict=True))
    return list(zip(parts[::2], parts[1::2], strict=True)) if bidirectional else parts


def concat_states(
    states: Sequence, bidirectional: bool = False, state_components: int = 1
) -> Tensor | tuple[Tensor, ...]:
    """Join the states of layers: the reverse of ``split_states``.

    Args:
        states: what ``split_states`` returns.
        bidirectional: whether there are two directions; each order of the tensors is the same.
        state_components: the number of tensors that a state consists of.

    Returns:
        [layers, ...] or [2 * layers, ...]; a tuple of such tensors for several components.

    Example:
        >>> import jaxeager as paddle
        >>> states = [paddle.zeros([1]), paddle.ones([1])]
        >>> paddle.nn.layer.rnn.concat_states(states).tolist()
        [[0.0], [1.0]]
    """
    tensors = flatten(states)
    if state_components == 1:
        return paddle.stack(tensors)
    return tuple(
        paddle.stack(tensors[number::state_components]) for number in range(state_components)
    )


class RNN(Layer):
    """Layer that runs a cell over a sequence, step by step.

    It is a Python loop, so any cell works; nn.SimpleRNN, nn.LSTM and nn.GRU are one op and faster.

    Args:
        cell: an RNNCellBase, or any layer with the same calling convention.
        is_reverse: start at the last step; outputs keep the order of the inputs.
        time_major: whether inputs and outputs are [time, batch, ...], not [batch, time, ...].

    Raises:
        InvalidArgumentError: if the sequence has no steps.

    Example:
        >>> import jaxeager as paddle
        >>> rnn = paddle.nn.RNN(paddle.nn.GRUCell(3, 4))
        >>> outputs, state = rnn(paddle.ones([2, 5, 3]))
        >>> outputs.shape, state.shape
        (paddle.Size([2, 5, 4]), paddle.Size([2, 4]))
    """

    def __init__(self, cell: RNNCellBase, is_reverse: bool = False, time_major: bool = False):
        super().__init__()
        self.cell, self.is_reverse, self.time_major = cell, is_reverse, time_major

    def forward(
        self,
        inputs: Tensor,
        initial_states: Tensor | Sequence[Tensor] | None = None,
        sequence_length: Tensor | None = None,
        **kwargs: Any,
    ) -> tuple[Tensor, Any]:
        return run_cell(
            self.cell,
            inputs,
            initial_states,
            sequence_length,
            self.time_major,
            self.is_reverse,
            **kwargs,
        )


class BiRNN(Layer):
    """Layer that runs one cell forward and one backward over a sequence, and joins their outputs.

    Args:
        cell_fw: the cell that starts at the first step.
        cell_bw: the cell that starts at the last step.
        time_major: whether inputs and outputs are [time, batch, ...], not [batch, time, ...].

    Raises:
        InvalidArgumentError: if the cells have inputs of different sizes.
        RefusedArgumentError: if ``initial_states`` is not a pair, one for each cell.

    Example:
        >>> import jaxeager as paddle
        >>> rnn = paddle.nn.BiRNN(paddle.nn.GRUCell(3, 4), paddle.nn.GRUCell(3, 4))
        >>> outputs, states = rnn(paddle.ones([2, 5, 3]))
        >>> outputs.shape, [state.shape for state in states]
        (paddle.Size([2, 5, 8]), [paddle.Size([2, 4]), paddle.Size([2, 4])])
    """

    def __init__(self, cell_fw: RNNCellBase, cell_bw: RNNCellBase, time_major: bool = False):
        super().__init__()
        if cell_fw.input_size != cell_bw.input_size:
            raise InvalidArgumentError(
                f"input size of forward cell({cell_fw.input_size}) does not equal that of "
                f"backward cell({cell_bw.input_size})"
            )
        self.cell_fw, self.cell_bw, self.time_major = cell_fw, cell_bw, time_major

    def forward(
        self,
        inputs: Tensor,
        initial_states: Sequence | None = None,
        sequence_length: Tensor | None = None,
        **kwargs: Any,
    ) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        if initial_states is None:
            initial_states = (None, None)
        if len(initial_states) != 2:
            raise RefusedArgumentError(
                "length of initial_states should be 2 when it is a list/tuple, but it is "
                f"{len(initial_states)}"
            )
        return birnn(
            self.cell_fw,
            self.cell_bw,
            inputs,
            initial_states,
            sequence_length,
            self.time_major,
            **kwargs,
        )
