"""The fused recurrent kernels: all layers, directions and time steps of an RNN, GRU or LSTM.

Each direction of each layer is one ``lax.scan``, so the time to compile does not depend on the
length of the sequence. Besides its operands, forward saves the state after each step for backward.
Two matrix products compute all gates of a layer from it, outside the scan that runs backward in
time.
"""

import jax
import jax.numpy as jnp
from jax import lax

from jaxeager.ops.rules.precision import wide_dtype

# ---- one time step, after both matrix products


def _lstm_step(from_x, from_h, state):
    _, cell = state
    i, f, g, o = jnp.split(from_x + from_h, 4, -1)
    cell = jax.nn.sigmoid(f) * cell + jax.nn.sigmoid(i) * jnp.tanh(g)
    return jax.nn.sigmoid(o) * jnp.tanh(cell), cell


def _gru_step(from_x, from_h, state):
    (hidden,) = state
    (x_r, x_z, x_c), (h_r, h_z, h_c) = jnp.split(from_x, 3, -1), jnp.split(from_h, 3, -1)
    new = jnp.tanh(x_c + jax.nn.sigmoid(x_r + h_r) * h_c)
    return ((hidden - new) * jax.nn.sigmoid(x_z + h_z) + new,)


def _tanh_step(from_x, from_h, state):
    return (jnp.tanh(from_x + from_h),)


def _relu_step(from_x, from_h, state):
    return (jax.nn.relu(from_x + from_h),)


STEPS = {"LSTM": _lstm_step, "GRU": _gru_step, "RNN_TANH": _tanh_step, "RNN_RELU": _relu_step}
GATES = {"LSTM": 4, "GRU": 3, "RNN_TANH": 1, "RNN_RELU": 1}


# ---- one direction of one layer


def _linear(x, weight, bias):
    """Return x @ weight.T + bias in the wide dtype; 16-bit weights are multiplied in 16 bits."""
    wide = wide_dtype(weight.dtype)
    product = jnp.matmul(x.astype(weight.dtype), weight.T, preferred_element_type=wide)
    return product + bias.astype(wide)


def _run_scan(mode: str, x, start: tuple, weights: tuple, valid, backwards: bool):
    """Run one direction; return the last state, and the states after each step [T, B, H]."""
    w_ih, w_hh, b_ih, b_hh = weights

    def step(state, item):
        from_x, is_valid = item
        new = STEPS[mode](from_x, _linear(state[0], w_hh, b_hh), state)
        if is_valid is not None:
            new = tuple(jnp.where(is_valid, a, b) for a, b in zip(new, state, strict=True))
        return new, new

    return lax.scan(step, start, (_linear(x, w_ih, b_ih), valid), reverse=backwards)


def _run_scan_back(mode, x, start, weights, valid, backwards, states, dout, dlast):
    """Return the gradients of one direction: of x, of the start, of its four weights.

    Args:
        mode, x, start, weights, valid, backwards: as for ``_run_scan``.
        states: the second result of ``_run_scan``.
        dout: the gradient of the hidden states as outputs, float[T, B, H].
        dlast: the gradient of the last state.
    """
    w_ih, w_hh, b_ih, b_hh = weights
    earlier = tuple(_shifted(s, first, backwards) for s, first in zip(states, start, strict=True))
    from_x, from_h = _linear(x, w_ih, b_ih), _linear(earlier[0], w_hh, b_hh)

    def step(dstate, item):
        from_x, from_h, before, dhidden, is_valid = item
        dnew, dkept = (dstate[0] + dhidden, *dstate[1:]), None
        if is_valid is not None:
            dnew = tuple(jnp.where(is_valid, each, 0) for each in dnew)
            dkept = tuple(jnp.where(is_valid, 0, each) for each in dstate)
        _, pull = jax.vjp(STEPS[mode], from_x, from_h, before)
        dfrom_x, dfrom_h, dbefore = pull(dnew)
        dbefore = (dbefore[0] + _times(dfrom_h, w_hh), *dbefore[1:])
        if dkept is not None:
            dbefore = tuple(a + b for a, b in zip(dbefore, dkept, strict=True))
        return dbefore, (dfrom_x, dfrom_h)

    items = from_x, from_h, earlier, dout, valid
    dstart, (dfrom_x, dfrom_h) = lax.scan(step, dlast, items, reverse=not backwards)
    dweights = (
        _summed_product(dfrom_x, x),
        _summed_product(dfrom_h, earlier[0]),
        jnp.sum(dfrom_x, (0, 1)),
        jnp.sum(dfrom_h, (0, 1)),
    )
    return _times(dfrom_x, w_ih), dstart, dweights


def _shifted(states, first, backwards: bool):
    """Return the state before each step, [T, B, H]."""
    if backwards:
        return jnp.concatenate([states[1:], first[None]])[: len(states)]
    return jnp.concatenate([first[None], states[:-1]])[: len(states)]


def _times(grad, weight):
    wide = wide_dtype(weight.dtype)
    return jnp.matmul(grad.astype(weight.dtype), weight, preferred_element_type=wide)


def _summed_product(grad, x):
    """Return the sum of grad.T @ x over time and batch."""
    return jnp.einsum("tbg,tbi->gi", grad, x.astype(grad.dtype))


# ---- the whole network


def weights_of(weight_list, number: int) -> tuple:
    """Return w_ih, w_hh, b_ih, b_hh of a layer's direction; all weights precede all biases."""
    half = len(weight_list) // 2
    return (
        *weight_list[2 * number : 2 * number + 2],
        *weight_list[half + 2 * number : half + 2 * number + 2],
    )


def _joined(states: list, valid, masks, layer: int, dropout_prob: float):
    """Return the input of the next layer: the directions side by side, zero at padding."""
    out = jnp.concatenate(states, -1)
    if valid is not None:
        out = jnp.where(valid, out, 0)
    if masks is not None and layer < len(masks):
        out = _dropped(out, masks[layer], dropout_prob)
    return out


def _dropped(x, mask, dropout_prob: float):
    return jnp.where(mask, x / (1 - dropout_prob) if dropout_prob < 1 else 0, 0)


def _valid_steps(x, sequence_length):
    """Return a mask of each sequence's valid steps, bool[T, B, 1], or None if all are valid."""
    if sequence_length is None:
        return None
    steps = lax.broadcasted_iota(sequence_length.dtype, (*x.shape[:2], 1), 0)
    return steps < sequence_length[None, :, None]


def run_forward(x, pre_state, weight_list, sequence_length, masks, *, mode, num_layers, is_bidirec,
             dropout_prob):  # fmt: skip
    """Return the output, the last states by component, and the states after each step."""
    _check(x, pre_state, weight_list, sequence_length, mode, num_layers, is_bidirec)
    directions, wide = 1 + is_bidirec, wide_dtype(x.dtype)
    valid = _valid_steps(x, sequence_length)
    inputs, lasts, reserve = x, [], []
    for layer in range(num_layers):
        hiddens = []
        for direction in range(directions):
            number = layer * directions + direction
            start = tuple(each[number].astype(wide) for each in pre_state)
            weights = weights_of(weight_list, number)
            last, states = _run_scan(mode, inputs, start, weights, valid, direction == 1)
            lasts.append(last)
            reserve.append(jnp.stack(states))
            hiddens.append(states[0])
        inputs = _joined(hiddens, valid, masks, layer, dropout_prob)
    last = [jnp.stack(each).astype(x.dtype) for each in zip(*lasts, strict=True)]
    return inputs.astype(x.dtype), *last, jnp.stack(reserve).astype(x.dtype)


def run_backward(x, pre_state, weight_list, sequence_length, masks, reserve, dout, dlasts, *, mode,
              num_layers, is_bidirec, dropout_prob):  # fmt: skip
    """Return the gradients of x, of each initial state, of each weight."""
    directions, wide = 1 + is_bidirec, wide_dtype(x.dtype)
    valid = _valid_steps(x, sequence_length)
    reserve = reserve.astype(wide)
    dinputs, dlasts = dout.astype(wide), [each.astype(wide) for each in dlasts]
    dstarts: list = [None] * len(reserve)
    dweights: list = [None] * len(weight_list)
    for layer in reversed(range(num_layers)):
        numbers = range(layer * directions, (layer + 1) * directions)
        if masks is not None and layer < len(masks):
            dinputs = _dropped(dinputs, masks[layer], dropout_prob)
        below = [reserve[number - directions][0] for number in numbers] if layer else []
        inputs = _joined(below, valid, masks, layer - 1, dropout_prob) if layer else x
        shares = []
        for number, dhidden in zip(numbers, jnp.split(dinputs, directions, -1), strict=True):
            dx, dstarts[number], dweight = _run_scan_back(
                mode,
                inputs,
                tuple(each[number].astype(wide) for each in pre_state),
                weights_of(weight_list, number),
                valid,
                number % directions == 1,
                tuple(reserve[number]),
                dhidden,
                tuple(each[number] for each in dlasts),
            )
            shares.append(dx)
            half = len(weight_list) // 2
            dweights[2 * number : 2 * number + 2] = dweight[:2]
            dweights[half + 2 * number : half + 2 * number + 2] = dweight[2:]
        dinputs = sum(shares[1:], shares[0])
    dstates = [jnp.stack(each) for each in zip(*dstarts, strict=True)]
    return dinputs, dstates, dweights


def _check(x, pre_state, weight_list, sequence_length, mode, num_layers, is_bidirec) -> None:
    """Raise ValueError for operands that do not fit each other."""
    if mode not in STEPS:
        raise ValueError(f"mode must be one of {', '.join(STEPS)}, but received {mode!r}.")
    if x.ndim != 3:
        raise ValueError(
            "The rank of Input in RNN must be 3 (time, batch, features), but received a tensor of "
            f"shape {list(x.shape)}."
        )
    count = num_layers * (1 + is_bidirec)
    _check_states(x, pre_state, count, mode)
    if len(weight_list) != 4 * count:
        raise ValueError(f"{4 * count} weights are needed, but received {len(weight_list)}.")
    hidden = pre_state[0].shape[2]
    for number in range(count):
        width = x.shape[2] if number < 1 + is_bidirec else hidden * (1 + is_bidirec)
        rows = GATES[mode] * hidden
        shapes = (rows, width), (rows, hidden), (rows,), (rows,)
        for weight, shape in zip(weights_of(weight_list, number), shapes, strict=True):
            if weight.shape != shape:
                raise ValueError(
                    f"a weight of layer {number // (1 + is_bidirec)} must have the shape "
                    f"{list(shape)} for inputs of width {width}, but its shape is "
                    f"{list(weight.shape)}."
                )
    others = {each.dtype for each in (*pre_state, *weight_list)} - {x.dtype}
    if others:
        raise ValueError(
            "input, states and weights must have one dtype, but received "
            f"{', '.join(sorted(each.name for each in (x.dtype, *others)))}."
        )
    if sequence_length is not None:
        _check_lengths(x, sequence_length)


def _check_states(x, pre_state, count: int, mode: str) -> None:
    components = 2 if mode == "LSTM" else 1
    if len(pre_state) != components:
        raise ValueError(
            f"The number of tensors in PreState of {mode} should be {components}, but received "
            f"{len(pre_state)}."
        )
    for state in pre_state:
        if state.shape[:2] != (count, x.shape[1]) or state.shape != pre_state[0].shape:
            raise ValueError(
                f"The dims of all tensors in PreState should be same: [{count}, {x.shape[1]}, "
                "hidden_size], layers times directions and batch first. But received "
                f"{', '.join(str(list(each.shape)) for each in pre_state)}."
            )


def _check_lengths(x, sequence_length) -> None:
    if sequence_length.dtype not in (jnp.int32, jnp.int64):
        raise ValueError(
            "The dtype of SequenceLength must be int32 or int64, but received: "
            f"{sequence_length.dtype.name}."
        )
    if sequence_length.shape != (x.shape[1],):
        raise ValueError(
            "The size of SequenceLength has to equal the batch_size. But received batch_size is "
            f"{x.shape[1]} and the size of SequenceLength is {list(sequence_length.shape)}."
        )
