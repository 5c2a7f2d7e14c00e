"""Pruning of a network's weights, and an optimizer that keeps the pruned ones at zero."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import jaxeager as paddle
from jaxeager.core.weak_entries import removing_ref
from jaxeager.errors import InvalidArgumentError, InvalidTypeError, RefusedArgumentError
from jaxeager.graph.views.atomic_writes import write_arrays
from jaxeager.incubate.asp.masks import MaskAlgo
from jaxeager.incubate.asp.supported_layers import pruning_of
from jaxeager.nn.layer.layer import Layer

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np

    from jaxeager.optimizer import Optimizer
    from jaxeager.tensor import Tensor
    from jaxeager.tensor.tensor import Parameter

_ALGORITHMS = {each.name.lower(): each for each in MaskAlgo}

# By the ids of the parameters, as long as these exist.
_masks: dict[
    int, tuple[weakref.ref[Tensor], Tensor]
] = {}  # what decorated optimizers multiply with
_pruned: dict[int, tuple[weakref.ref[Tensor], np.ndarray]] = {}  # what prune_model returns
_excluded: list[str] = []


def set_excluded_layers(param_names: Sequence[str], main_program: None = None) -> None:
    """Exclude parameters from pruning.

    Args:
        param_names: names, or parts of names, of parameters.
        main_program: must be None: there are no programs of static graphs.

    Raises:
        InvalidArgumentError: for a program.

    Example:
        >>> import jaxeager as paddle
        >>> layer = paddle.nn.Linear(8, 8)
        >>> paddle.incubate.asp.set_excluded_layers([layer.full_name()])
        >>> layer.weight.name in paddle.incubate.asp.prune_model(layer)
        False
        >>> paddle.incubate.asp.reset_excluded_layers()
    """
    _refuse_program(main_program)
    _excluded.extend(param_names)


def reset_excluded_layers(main_program: None = None) -> None:
    """Exclude no parameter any longer.

    Args:
        main_program: must be None: there are no programs of static graphs.

    Raises:
        InvalidArgumentError: for a program.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.incubate.asp.reset_excluded_layers()
    """
    _refuse_program(main_program)
    _excluded.clear()


def _refuse_program(program: object) -> None:
    if program is not None:
        raise InvalidArgumentError(
            f"There are no programs of static graphs, but main_program is {program!r}."
        )


def decorate(optimizer: Optimizer) -> OptimizerWithSparsityGuarantee:
    """Return an optimizer that sets pruned weights to zero again after each step.

    Args:
        optimizer: any optimizer with parameters.

    Paddle: it raises an AttributeError unless the environment has ``FLAGS_enable_pir_api=0``; and
    its steps leave masked parameters with ``stop_gradient=True``, so that only the first step moves
    them. Here they go on training.

    Example:
        >>> import jaxeager as paddle
        >>> net = paddle.nn.Linear(8, 8)
        >>> sgd = paddle.optimizer.SGD(0.1, parameters=net.parameters())
        >>> optimizer = paddle.incubate.asp.decorate(sgd)
        >>> _ = paddle.incubate.asp.prune_model(net)
        >>> net(paddle.ones([2, 8])).sum().backward()
        >>> optimizer.step()
        >>> paddle.incubate.asp.calculate_density(net.weight.numpy())
        0.5
    """
    for parameter in _parameters(optimizer):
        if id(parameter) not in _masks and _pruning_of(parameter) is not None:
            _masks[id(parameter)] = removing_ref(_masks, parameter), _mask_of_ones(parameter)
    return OptimizerWithSparsityGuarantee(optimizer)


def _mask_of_ones(parameter: Tensor) -> Tensor:
    mask = paddle.ones(parameter.shape, parameter.dtype)
    mask.name = _mask_name(parameter.name)
    return mask


def prune_model(
    model: Layer,
    n: int = 2,
    m: int = 4,
    mask_algo: str = "mask_1d",
    with_mask: bool = True,
) -> dict[str, np.ndarray]:
    """Set weights of a network to zero, in an n:m pattern along the inputs of its layers.

    Args:
        model: the network.
        n: n of the pattern.
        m: m of the pattern.
        mask_algo: "mask_1d" for rows, "mask_2d_greedy" or "mask_2d_best" for square blocks.
        with_mask: whether an optimizer, which is decorated already, keeps the zeros.

    Returns:
        {name of the parameter: its mask} of all parameters that were pruned so far.

    Raises:
        InvalidTypeError: for anything but a network.
        RefusedArgumentError: for another algorithm, and with ``with_mask`` when no optimizer of the
            parameters is decorated.

    Example:
        >>> import jaxeager as paddle
        >>> net = paddle.nn.Linear(8, 8)
        >>> masks = paddle.incubate.asp.prune_model(net, with_mask=False)
        >>> int(masks[net.weight.name].sum())
        32
    """
    if mask_algo not in _ALGORITHMS:
        raise RefusedArgumentError(
            f'The "mask_algo" should be one of {list(_ALGORITHMS)}, but is {mask_algo!r}.'
        )
    if not isinstance(model, Layer):
        raise InvalidTypeError(f"model should be paddle.nn.Layer, but got {type(model)}")
    results = [
        (parameter, *prune(parameter.numpy(), m, n, _ALGORITHMS[mask_algo], parameter.name))
        for parameter, prune in _to_prune(model, with_mask)
    ]
    for parameter, pruned, mask in results:
        parameter.set_value(pruned.astype(parameter._array.dtype))
        if with_mask:
            _masks[id(parameter)][1].set_value(mask)
        _pruned[id(parameter)] = removing_ref(_pruned, parameter), mask
    masks: dict[str, np.ndarray] = {}
    for reference, found in list(_pruned.values()):
        held: Tensor | None = reference()
        if held is not None:
            masks[held.name] = found
    return masks


def _to_prune(model: Layer, with_mask: bool) -> list[tuple[Parameter, Callable]]:
    """Return the parameters that are pruned, each with its function."""
    pairs = [(each, _pruning_of(each)) for each in model.parameters()]
    found = [(parameter, prune) for parameter, prune in pairs if prune is not None]
    for parameter, _ in found:
        if with_mask and id(parameter) not in _masks:
            raise RefusedArgumentError(
                f"Cannot find {_mask_name(parameter.name)} variable, please call asp.decorate() to "
                "decorate your optimizer first!"
            )
    return found


def _pruning_of(parameter: Tensor) -> Callable | None:
    """Return the function that prunes a parameter, None if it is not pruned."""
    if any(part in parameter.name for part in _excluded):
        return None
    return pruning_of(parameter.name)


def _mask_name(parameter: str) -> str:
    return f"{parameter}.asp_mask"


def _parameters(optimizer: Optimizer) -> list[Tensor]:
    """Return the parameters of an optimizer, with those of its groups."""
    listed = optimizer._parameter_list
    groups = [each["params"] if isinstance(each, dict) else [each] for each in listed]
    return [parameter for group in groups for parameter in group]


def _apply_masks(parameters: Sequence[Tensor]) -> None:
    """Multiply parameters with their masks, all or none of them."""
    masked = [each for each in parameters if id(each) in _masks]
    with paddle.no_grad():
        products = [paddle.multiply(each, _masks[id(each)][1]) for each in masked]
    write_arrays(masked, [product._array for product in products])


class OptimizerWithSparsityGuarantee:
    """An optimizer that multiplies its parameters with their masks after each step.

    Args:
        optimizer: the optimizer that makes the steps; other attributes are its own.

    Paddle: the state of every optimizer has the masks of all networks of the process.

    Example:
        >>> import jaxeager as paddle
        >>> sgd = paddle.optimizer.SGD(0.1, parameters=paddle.nn.Linear(8, 8).parameters())
        >>> paddle.incubate.asp.decorate(sgd).get_lr()
        0.1
    """

    def __init__(self, optimizer: Optimizer):
        self._optimizer = optimizer

    def __getattr__(self, item: str) -> Any:
        if item == "_optimizer":  # while a copy is created
            raise AttributeError(item)
        return getattr(self._optimizer, item)

    def minimize(
        self,
        loss: Tensor,
        startup_program: object = None,
        parameter_list: Sequence[Tensor] | None = None,
        no_grad_set: set[Tensor] | set[str] | None = None,
    ) -> tuple:
        """Apply the gradients that ``loss.backward()`` left, and the masks.

        Args:
            loss: passed to the optimizer, as the other arguments.
            startup_program: the same.
            parameter_list: the parameters to update; all when None.
            no_grad_set: those to leave out.

        Returns:
            what the optimizer's ``minimize`` returns: ([], pairs of parameter and gradient).
        """
        done = self._optimizer.minimize(loss, startup_program, parameter_list, no_grad_set)
        _apply_masks([parameter for parameter, _ in done[1]])
        return done

    def step(self) -> None:
        """Make a step of the optimizer, and apply the masks."""
        self._optimizer.step()
        _apply_masks(_parameters(self._optimizer))

    def state_dict(self) -> dict:
        """Return the state of the optimizer, with the masks of its parameters."""
        return {**self._optimizer.state_dict(), **{mask.name: mask for mask in self._own_masks()}}

    def set_state_dict(self, state_dict: dict) -> None:
        """Load the state of an optimizer, and the masks of its parameters.

        Args:
            state_dict: a result of ``state_dict``.

        Raises:
            RefusedArgumentError: when it lacks the mask of a parameter.
        """
        masks = self._own_masks()
        for mask in masks:
            if mask.name not in state_dict:
                raise RefusedArgumentError(f"The {mask.name} is not found.")
        for mask in masks:
            mask.set_value(state_dict[mask.name])
        self._optimizer.set_state_dict(state_dict)

    def _own_masks(self) -> list[Tensor]:
        parameters = _parameters(self._optimizer)
        return [_masks[id(each)][1] for each in parameters if id(each) in _masks]
