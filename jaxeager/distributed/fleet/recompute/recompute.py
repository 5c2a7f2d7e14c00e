"""recompute and recompute_sequential: their arguments; what happens is in segment.py."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from jaxeager.distributed.fleet.recompute.segment import Segment
from jaxeager.errors import InvalidArgumentError, InvalidTypeError
from jaxeager.graph.mode import grad_mode

if TYPE_CHECKING:
    from jaxeager.nn.layer.container import Sequential


def recompute(function: Callable, *args: Any, **kwargs: Any) -> Any:
    """Call a function without keeping what its backward needs: that is computed again there.

    The memory of a deep network then grows with the inputs of its segments, not with everything
    inside them, for the price of one more forward pass. Gradients are the same.

    Args:
        function: a Layer or any function that does the same each time it is called. Tensors it
            finds elsewhere (parameters) get gradients too.
        args: its arguments, Tensors among them, also in lists, tuples and dicts.
        kwargs: its keyword arguments, and three of recompute's own. ``preserve_rng_state`` (True):
            draw the same random numbers again, so that dropout drops the same.
            ``use_reentrant`` (True): taken, and makes no difference. ``offload_indices`` ([]):
            positions in args of Tensors that wait in host memory.

    Returns:
        what the function returns.

    Raises:
        InvalidTypeError: when the function cannot be called, or an offloaded argument is no Tensor.
        PreconditionNotMetError, InvalidArgumentError: in backward, when the function saves other
            tensors than when it ran first.

    Paddle: with ``use_reentrant=True`` the call is one node there, through which tensors that the
    function finds elsewhere are not seen by ``paddle.grad`` and get no gradient at all when no
    argument wants one; gradients of gradients are lost, Tensors in lists and dicts refused or
    ignored, and a second run of the graph crashes. Here the graph is that of the function itself.
    Either way the running statistics of a Layer move twice there, and once here.

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
                f"offload_indices names positions of Tensors, but there is none at {place}."
            )
    if not grad_mode.enabled:
        return function(*args, **kwargs)
    segment = Segment(function, args, kwargs, preserve_rng_state, offloaded)
    return segment.run_first(args, kwargs)


def recompute_hybrid(ctx: dict, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Call a function and recompute it in backward, as ``recompute``.

    Args:
        ctx: {"mp_group": the processes that could share what is kept; "offload" and "partition"
            are ignored, as this process has it whole}.
        function: what is called.
        args: what it gets.
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
        raise InvalidArgumentError("ctx must contains mp_group and mp_group can not be None.")
    return recompute(function, *args, **kwargs)


def recompute_sequential(
    ctx: dict, functions: Sequential | Sequence[Callable[..., Any]], *args: Any, **kwargs: Any
) -> Any:
    """Call functions one after the other in segments, each but the last one recomputed.

    The last segment is where backward begins: computing it again would save nothing.

    Args:
        ctx: {"segments": into how many segments to cut, 1; "preserve_rng_state": as in recompute}.
        functions: a Sequential, or a list of functions of one argument.
        args: what the first one gets.
        kwargs: keyword arguments of recompute, and of the first function.

    Returns:
        what the last one gives.

    Raises:
        InvalidArgumentError: for fewer functions than segments.

    Paddle: more than one segment fails there, because a Tensor is taken apart on the way.

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


def _one_after_the_other(functions: list) -> Callable:
    def run(*args, **kwargs):
        first, *others = functions
        value = first(*args, **kwargs)
        for function in others:
            value = function(value)
        return value

    return run
