"""Gradients as pairs with their parameters: the part of Paddle's static graph API used here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from jaxeager.errors import InvalidTypeError, NotFoundError, UnimplementedError
from jaxeager.optimizer import fused
from jaxeager.optimizer.groups import as_regularizer
from jaxeager.optimizer.plan import settings_of
from jaxeager.tensor import Tensor

if TYPE_CHECKING:
    from jaxeager.regularizer import WeightDecayRegularizer


class TakesPairs:
    """A base of Optimizer: a step in two halves, and operations on the pairs between them."""

    _params: list[Tensor]
    _run: Callable[..., None]

    def backward(
        self,
        loss: Tensor,
        startup_program: object = None,
        parameters: Sequence[Tensor] | None = None,
        no_grad_set: set[Tensor] | set[str] | None = None,
        callbacks: list[Callable[..., None]] | None = None,
    ) -> list:
        """Return (parameter, gradient) pairs; ``loss.backward()`` must have run before.

        Raises:
            InvalidTypeError: when ``loss`` is not a Tensor.
            UnimplementedError: for arguments that only static graphs use.
        """
        if not isinstance(loss, Tensor):
            raise InvalidTypeError(
                f"The loss should be a Tensor, but is of type {type(loss).__name__}."
            )
        for name, value in (
            ("startup_program", startup_program),
            ("no_grad_set", no_grad_set),
            ("callbacks", callbacks),
        ):
            if value is not None:
                raise UnimplementedError(f"{name} belongs to static graphs; leave it out.")
        params = self._params if parameters is None else parameters
        return [
            (param, param.grad)
            for param in params
            if not param.stop_gradient and param.grad is not None
        ]

    def append_regularization_ops(
        self, parameters_and_grads: list, regularization: WeightDecayRegularizer | None = None
    ) -> list:
        """Return the pairs with the gradient of the penalty added; a parameter's own is preferred.

        A step adds the penalties itself; this is for gradients that the user handles directly.

        Args:
            parameters_and_grads: (parameter, gradient) pairs.
            regularization: an L1Decay or L2Decay for the parameters that have none.

        Example:
            >>> import jaxeager as paddle
            >>> w = paddle.nn.Parameter(paddle.to_tensor([2.0]))
            >>> sgd = paddle.optimizer.SGD(0.5, parameters=[w])
            >>> pairs = [(w, paddle.to_tensor([1.0]))]
            >>> decay = paddle.regularizer.L2Decay(0.25)
            >>> sgd.append_regularization_ops(pairs, decay)[0][1].tolist()
            [1.5]
        """
        pairs = []
        for param, grad in parameters_and_grads:
            regularizer = as_regularizer(getattr(param, "regularizer", None) or regularization)
            if grad is not None and regularizer is not None:
                grad = Tensor.from_array(
                    fused.decayed(regularizer.rule(), param._array, grad._whole), True
                )
            pairs.append((param, grad))
        return pairs

    def apply_gradients(self, params_grads: list) -> list:
        """Update parameters with the given gradients, clipped and decayed; return [].

        Raises:
            NotFoundError: when a parameter is not one of this optimizer's.
        """
        position = {id(param): index for index, param in enumerate(self._params)}
        pairs = {}
        for param, grad in params_grads:
            if id(param) not in position:
                raise NotFoundError(f"{param.name} is not one of this optimizer's parameters.")
            pairs[position[id(param)]] = grad
        settings = [settings_of(index, self._params[index]) for index in sorted(pairs)]
        self._run(settings, [pairs[index] for index, *_ in settings])
        return []

    def minimize(
        self,
        loss: Tensor,
        startup_program: object = None,
        parameters: Sequence[Tensor] | None = None,
        no_grad_set: set[Tensor] | set[str] | None = None,
    ) -> tuple:
        """Apply the gradients from ``loss.backward()``; return ([], pairs).

        Example:
            >>> import jaxeager as paddle
            >>> w = paddle.nn.Parameter(paddle.to_tensor([1.0]))
            >>> sgd = paddle.optimizer.SGD(0.5, parameters=[w])
            >>> loss = w.sum()
            >>> loss.backward()
            >>> _ = sgd.minimize(loss)
            >>> w.tolist()
            [0.5]
        """
        pairs = self.backward(loss, startup_program, parameters, no_grad_set)
        return self.apply_gradients(pairs), pairs
