"""Labels in cross entropies: checks, smoothing, and class weights."""

import jaxeager as paddle
from jaxeager.core import user_lines
from jaxeager.errors import InvalidArgumentError, OutOfRangeError
from jaxeager.ops.indexing.index_parse import check_within


def lacks_class_axis(input, label) -> bool:
    """Return whether a label has the input's dimensions without the classes."""
    dims, label_dims = input.ndim, label.ndim
    if dims == 0:
        raise InvalidArgumentError("The dimension of input should be larger than zero!")
    if label_dims not in (dims - 1, dims):
        raise InvalidArgumentError(
            "Expected input_dims - 1 = label_dims or input_dims == label_dims "
            f"(got input_dims{dims}, label_dims{label_dims})"
        )
    return label_dims == dims - 1


def check_label(label, classes: int, ignore_index: int, error: type = OutOfRangeError) -> None:
    """Raise if a label on a CPU is not a class; about 20 us."""

    def error_of(bad: int) -> Exception:
        return error(
            f"label value should be in [0, {classes}), the shape of the axis dimension, when "
            f"not equal to ignore_index({ignore_index}), but received label value as {bad}."
        )

    if label.is_floating_point():
        user_lines.warn(
            f"The labels are {label.dtype.name}, and are truncated to classes: pass integers, as "
            "in label.astype('int64'), or soft_label=True for probabilities."
        )
    check_within(label._array, 0, classes, error_of, ignore_index)


def smoothed_one_hot(label, input, axis: int, epsilon: float, ignore_index: int):
    """Return soft labels, zero where ignored, and which samples count (None: all do)."""
    kept = paddle.not_equal(label, ignore_index)
    label = paddle.where(kept, label, paddle.zeros_like(label))
    hot = paddle.nn.functional.one_hot(paddle.squeeze(label, axis), input.shape[axis])
    if axis % input.ndim != input.ndim - 1:
        hot = paddle.moveaxis(hot, -1, axis)
    soft = paddle.multiply(smooth(hot, input, axis, epsilon), paddle.cast(kept, input.dtype))
    return soft, (kept if ignore_index >= 0 else None)


def smooth(label, input, axis: int, epsilon: float):
    """Return (1 - epsilon) * label + epsilon / classes, in the input's dtype."""
    prior = paddle.full([1], 1 / input.shape[axis], label.dtype)
    smoothed = paddle.nn.functional.label_smooth(label, prior, epsilon)
    return paddle.cast(smoothed, input.dtype)


def weights_of(input, label, weight, ignore_index: int, soft_label: bool, axis: int):
    """Return each sample's weight, shaped as the loss."""
    classes = input.shape[axis]
    if classes != weight.shape[-1]:
        raise InvalidArgumentError(
            f"input's class_dimension({classes}) must equal to weight's class_dimension"
            f"({weight.shape[-1]}) when weight is provided"
        )
    if soft_label:
        last = axis % input.ndim == input.ndim - 1
        moved = paddle.cast(label, weight.dtype)
        moved = moved if last else paddle.moveaxis(moved, axis, -1)
        return paddle.unsqueeze(paddle.matmul(moved, weight), axis)
    kept = paddle.not_equal(label, ignore_index)
    valid = paddle.multiply(paddle.cast(kept, label.dtype), label)
    chosen = paddle.gather(weight, paddle.reshape(valid, [-1]))
    return paddle.multiply(paddle.reshape(chosen, label.shape), paddle.cast(kept, weight.dtype))
