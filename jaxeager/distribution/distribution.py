"""Distribution: the base of all distributions, with their shapes and readers of parameters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

import jaxeager as paddle
from jaxeager.core import user_lines
from jaxeager.distribution.parameters import dtype_name
from jaxeager.errors import InvalidArgumentError, InvalidTypeError, UnimplementedError

if TYPE_CHECKING:
    from jaxeager.tensor.tensor import Tensor

FLOATS = ("float32", "float64")


class Distribution:
    """Base of all distributions.

    A draw has the shape ``sample_shape + batch_shape + event_shape``: ``sample_shape`` draws from
    each of ``batch_shape`` distributions, each a tensor of the event shape.

    Args:
        batch_shape: the shape of the parameters: one distribution per element.
        event_shape: the shape of one draw from one of them.

    Example:
        >>> import jaxeager as paddle
        >>> class Always(paddle.distribution.Distribution):
        ...     def sample(self, shape=()):
        ...         return paddle.ones(self._extend_shape(shape))
        >>> Always([2], [3]).sample([4]).shape
        paddle.Size([4, 2, 3])
    """

    def __init__(self, batch_shape: Sequence[int] = (), event_shape: Sequence[int] = ()):
        self._batch_shape = tuple(batch_shape)
        self._event_shape = tuple(event_shape)

    @property
    def batch_shape(self) -> tuple:
        """Return the shape of the parameters."""
        return self._batch_shape

    @property
    def event_shape(self) -> tuple:
        """Return the shape of one draw."""
        return self._event_shape

    @property
    def mean(self) -> Tensor:
        """Return the mean of a draw."""
        raise self._missing("mean")

    @property
    def variance(self) -> Tensor:
        """Return the variance of a draw."""
        raise self._missing("variance")

    def sample(self, shape: Sequence[int] = ()) -> Tensor:
        """Return draws, of shape ``shape + batch_shape + event_shape``."""
        raise self._missing("sample")

    def rsample(self, shape: Sequence[int] = ()) -> Tensor:
        """Return draws with gradients to the parameters."""
        raise self._missing("rsample")

    def entropy(self) -> Tensor:
        """Return the entropy in nats, of shape ``batch_shape``."""
        raise self._missing("entropy")

    def kl_divergence(self, other: Distribution) -> Tensor:
        """Return the Kullback-Leibler divergence from ``other``, of the same class."""
        raise self._missing("kl_divergence")

    def prob(self, value: Tensor) -> Tensor:
        """Return the density, or the probability, of ``value``."""
        return self.log_prob(value).exp()

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the density, or of the probability, of ``value``."""
        raise self._missing("log_prob")

    def probs(self, value: Tensor) -> Tensor:
        """Return the density or probability: some distributions have ``prob`` under this name."""
        raise self._missing("probs")

    def _missing(self, what: str) -> UnimplementedError:
        return UnimplementedError(f"{type(self).__name__} has no {what}.")

    def _extend_shape(self, sample_shape) -> tuple:
        """Return the shape of ``sample_shape`` draws."""
        return (*as_shape(sample_shape), *self._batch_shape, *self._event_shape)

    def _validate_args(self, *args) -> bool:
        """Return whether the arguments are tensors; either all of them must be, or none."""
        found = {isinstance(arg, paddle.Tensor) for arg in args}
        if len(found) > 1:
            raise InvalidArgumentError(
                "if one argument is Tensor, all arguments should be Tensor, but received "
                f"{[type(arg).__name__ for arg in args]}."
            )
        return found == {True}

    def _to_tensor(self, *args, dtype="float32") -> tuple:
        """Return floats, sequences and arrays as tensors of one shape and dtype."""
        for arg in args:
            _check_kind(arg)
        arrays = np.broadcast_arrays(*[np.asarray(arg, dtype) for arg in args])
        return tuple(paddle.to_tensor(array, dtype=dtype) for array in arrays)

    def _float_parameters(self, *args) -> tuple:
        """Return tensors unchanged, numbers and arrays as tensors, of float64 if an array is."""
        args = tuple(float(arg) if isinstance(arg, int) else arg for arg in args)
        if self._validate_args(*args):
            return args
        arrays = [str(arg.dtype) for arg in args if isinstance(arg, np.ndarray)]
        dtype = next((name for name in arrays if name in FLOATS), "float32")
        return self._to_tensor(*args, dtype=dtype)

    def _check_values_dtype_in_probs(self, param, value):
        """Return the value as a tensor of the parameter's dtype; warn of another float dtype."""
        if not isinstance(value, paddle.Tensor):
            return paddle.to_tensor(value, dtype=param.dtype)
        if value.dtype == param.dtype:
            return value
        if dtype_name(value) in FLOATS:
            user_lines.warn(
                "dtype of input 'value' needs to be the same as parameters of distribution class: "
                f"the value is converted from {dtype_name(value)} to {dtype_name(param)}."
            )
        return value.astype(param.dtype)

    def _promoted_value(self, param, value):
        """Return the value as a tensor of the parameter's dtype; one of float64 as it is.

        The distributions whose formulas promote the parameters use it, as in Paddle.
        """
        if isinstance(value, paddle.Tensor) and value.dtype == paddle.float64:
            return value
        return self._check_values_dtype_in_probs(param, value)

    def _probs_to_logits(self, probs, is_binary=False):
        """Convert probabilities to log-odds of success, or to logarithms."""
        return paddle.log(probs) - paddle.log1p(-probs) if is_binary else paddle.log(probs)

    def _logits_to_probs(self, logits, is_binary=False):
        """Compute the sigmoid, or the softmax along the last axis."""
        functional = paddle.nn.functional
        return functional.sigmoid(logits) if is_binary else functional.softmax(logits, axis=-1)

    def _broadcast_all(self, *args) -> list:
        """Return the arguments as tensors of one shape; numbers in the dtype of the tensors."""
        for arg in args:
            _check_kind(arg)
        given = [arg.dtype for arg in args if isinstance(arg, paddle.Tensor)]
        dtype = given[0] if given else paddle.get_default_dtype()
        return paddle.broadcast_tensors(
            [
                arg if isinstance(arg, paddle.Tensor) else paddle.to_tensor(arg, dtype=dtype)
                for arg in args
            ]
        )


def _check_kind(arg) -> None:
    if not isinstance(arg, (float, list, tuple, np.ndarray, paddle.Tensor)):
        raise InvalidTypeError(
            "Type of input args must be float, list, tuple, numpy.ndarray or Tensor, but "
            f"received type {type(arg)}"
        )


def as_shape(shape) -> tuple:
    """Return a sample shape as a tuple of ints.

    Raises:
        InvalidTypeError: when it is not a sequence.
    """
    if isinstance(shape, (str, dict)) or not hasattr(shape, "__iter__"):
        raise InvalidTypeError(
            f"The sample shape must be a sequence of ints, but received {type(shape)}: {shape!r}."
        )
    return tuple(int(size) for size in shape)
