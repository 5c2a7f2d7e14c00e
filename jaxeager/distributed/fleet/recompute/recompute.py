"""recompute and recompute_sequential: their arguments; segment.py has the implementation."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from jaxeager.core.user_lines import warn
from jaxeager.distributed.fleet.layers.mpu.random import get_rng_state_tracker
from jaxeager.distributed.fleet.recompute.segment import RandomState, Segment
from jaxeager.errors import InvalidArgumentError, InvalidTypeError, RefusedArgumentError
from jaxeager.graph.mode import grad_mode
from jaxeager.tensor import Tensor

if TYPE_CHECKING:
    from jaxeager.nn.layer.container import Sequential


_Result = TypeVar("_Result")


def recompute(function: Callable[..., _Result], *args: Any, **kwargs: Any) -> _Result:
    """Call a function without keeping the tensors of its backward, which recomputes them.

    The memory of a deep network then grows with the inputs of its segments, not with everything
    inside them, at the cost of another forward pass. Gradients are the same.

    Args:
        function: a Layer, or any function that computes the same each time it is called. Tensors
            from other places (parameters) get gradients too.
        args: its arguments, with Tensors, also in lists, tuples and dicts.
        kwargs: its keyword arguments, and three of recompute itself. ``preserve_rng_state`` (True):
            draw the same random numbers again, so that dropout drops the same elements.
            ``use_reentrant`` (True): accepted, without effect. ``offload_indices`` ([]): positions
            in args of Tensors that are kept in host memory.

    Returns:
        the result of the function.

    Raises:
        InvalidTypeError: when the function cannot be called, or an offloaded argument is not a
            Tensor.
        PreconditionNotMetError, InvalidArgumentError: in backward, when the function saves
            different tensors than in its first run.

    Paddle: with ``use_reentrant=True`` the call is a single node, through which ``paddle.grad``
    does not see tensors from other places, which get no gradient at all when no argument requires
    one; gradients of gradients are lost, Tensors in lists and dicts are refused or ignored, and a
    second run of the graph crashes. Here the graph is that of the function itself. In either case
    Paddle updates the running statistics of a Layer twice, jaxeager once.

    Example:
        >>> import jaxeager as paddle
        >>> from jaxeager.distributed.fleet.utils import recompute
        >>> net = paddle.nn.Sequential(paddle.nn.Linear(4, 8), paddle.nn.Dropout(0.5))
        >>> x = paddle.ones([2, 4])
        >>> recompute(net, x).sum().backward()
        >>> net[0].weight.grad.shape
        paddle.Size([4, 8])
    """
    preserve_rng_state = kwargs.pop("preserve_rng_state", True)
    kwargs.pop("use_reentrant", True)
    offloaded = kwargs.pop("offload_indices", ())
    if not callable(function):
        raise InvalidTypeError(
            f"recompute needs a Layer or a function, but got {type(function).__name__}."
        )
    for place in offloaded:
        if not 0 <= place < len(args) or not hasattr(args[place], "_array"):
            raise InvalidTypeError(
                f"offload_indices names positions of Tensors, but there is no Tensor at {place}."
            )
    if not grad_mode.enabled:
        return function(*args, **kwargs)
    segment = Segment(function, args, kwargs, preserve_rng_state, offloaded)
    return segment.run_first(args, kwargs)


def recompute_hybrid(
    ctx: dict, function: Callable[..., _Result], *args: Any, **kwargs: Any
) -> _Result:
    """Call a function and recompute it in backward; see ``recompute``.

    Args:
        ctx: {"mp_group": the processes that could share the saved tensors; "offload" and
            "partition" are ignored, as this process has them whole}.
        function: the function.
        args: its arguments.
        kwargs: keyword arguments of recompute, and of the function.

    Raises:
        InvalidArgumentError: without a group.

    Example:
        >>> import jaxeager as paddle
        >>> from jaxeager.incubate.distributed.fleet import recompute_hybrid
        >>> net, group = paddle.nn.Linear(4, 2), paddle.distributed.new_group([0])
        >>> recompute_hybrid({"mp_group": group}, net, paddle.ones([1, 4])).shape
        paddle.Size([1, 2])
    """
    if ctx.get("mp_group") is None:
        raise RefusedArgumentError("ctx must contains mp_group and mp_group can not be None.")
    return recompute(function, *args, **kwargs)


def recompute_sequential(
    ctx: dict, functions: Sequential | Sequence[Callable], *args: Any, **kwargs: Any
) -> Any:
    """Call functions in sequence, in segments, and recompute all segments but the last one.

    Backward begins with the last segment: recomputing it would save nothing.

    Args:
        ctx: {"segments": the number of segments, 1; "preserve_rng_state": as in recompute}.
        functions: a Sequential, or a list of functions of one argument.
        args: the arguments of the first function.
        kwargs: keyword arguments of recompute, and of the first function.

    Returns:
        the result of the last function.

    Raises:
        InvalidArgumentError: for fewer functions than segments.

    Paddle: more than one segment fails, because a Tensor is unpacked between them.

    Example:
        >>> import jaxeager as paddle
        >>> from jaxeager.incubate.distributed.fleet import recompute_sequential
        >>> net = paddle.nn.Sequential(*[paddle.nn.Linear(4, 4) for _ in range(6)])
        >>> recompute_sequential({"segments": 3}, net, paddle.ones([2, 4])).shape
        paddle.Size([2, 4])
    """
    segments = ctx.get("segments", 1)
    functions = list(functions)
    if not 1 <= segments <= len(functions):
        raise InvalidArgumentError(
            f"recompute_sequential: {len(functions)} functions cannot be cut into {segments} "
            "segments."
        )
    size = len(functions) // segments
    rest = functions[size * (segments - 1) :]
    for start in range(0, size * (segments - 1), size):
        part = _one_after_the_other(functions[start : start + size])
        preserve = ctx.get("preserve_rng_state", True)
        args = (recompute(part, *args, preserve_rng_state=preserve, **kwargs),)
        kwargs = {k: kwargs[k] for k in ("use_reentrant",) if k in kwargs}
    kwargs.pop("use_reentrant", None)
    return _one_after_the_other(rest)(*args, **kwargs)


def check_recompute_necessary(inputs: Sequence[object]) -> None:
    """Warn if no Tensor among the inputs requires gradients: recomputation then saves nothing.

    Args:
        inputs: the arguments of a segment, with Tensors, also in tuples.
    """
    tensors = [each for item in inputs for each in (item if isinstance(item, tuple) else (item,))]
    if all(each.stop_gradient for each in tensors if isinstance(each, Tensor)):
        warn("recompute: no input requires gradients, so nothing needs to be recomputed.")


@contextlib.contextmanager
def switch_rng_state_tracker(
    rng_state: list,
    tracker: dict[str, list],
    numpy_state: dict | tuple,
    random_state: tuple,
    custom_state: object = None,
    custom_get_state_func: Callable[[], object] | None = None,
    custom_set_state_func: Callable[[Any], None] | None = None,
) -> Iterator[None]:
    """Draw from other states of all random numbers in this context, and restore them after it.

    Args:
        rng_state: of ``paddle.get_rng_state()``.
        tracker: of ``get_rng_state_tracker().get_states_tracker()``.
        numpy_state: of ``numpy.random.get_state()``.
        random_state: of Python's ``random.getstate()``.
        custom_state: of ``custom_get_state_func()``; not used if None.
        custom_get_state_func, custom_set_state_func: read and write a state of the user's own.

    Raises:
        InvalidArgumentError: for a custom state without its functions.

    Example:
        >>> import random
        >>> import numpy as np
        >>> import jaxeager as paddle
        >>> from jaxeager.distributed.fleet.recompute.recompute import switch_rng_state_tracker
        >>> states = paddle.get_rng_state(), {}, np.random.get_state(), random.getstate()
        >>> first = paddle.rand([1]).item()
        >>> with switch_rng_state_tracker(*states):
        ...     paddle.rand([1]).item() == first
        True
    """
    get, put = custom_get_state_func, custom_set_state_func
    if custom_state is None:
        get, put = _nothing, _nothing
    if get is None or put is None:
        raise InvalidArgumentError(
            "A custom_state needs custom_get_state_func and custom_set_state_func."
        )
    states = get_rng_state_tracker()
    outside, custom = states.get_states_tracker(), get()
    with RandomState((rng_state, numpy_state, random_state)).restored():
        try:
            states.set_states_tracker(tracker)
            put(custom_state)
            yield
        finally:
            states.set_states_tracker(outside)
            put(custom)


def _nothing(*state: object) -> None:
    """Read or write no state."""


def _one_after_the_other(functions: list) -> Callable:
    def run(*args, **kwargs):
        first, *others = functions
        value = first(*args, **kwargs)
        for function in others:
            value = function(value)
        return value

    return run
