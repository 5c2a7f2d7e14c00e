"""paddle.distributed.communication.stream: the same calls, with an argument for streams.

XLA orders dependent ops, so ``use_calc_stream`` has no effect.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable

from jaxeager.distributed.communication import point_to_point, tensors
from jaxeager.errors import PreconditionNotMetError

__all__ = [
    "all_gather", "all_reduce", "alltoall", "alltoall_single", "broadcast", "gather", "recv",
    "reduce", "reduce_scatter", "scatter", "send",
]  # fmt: skip


def _with_stream(function: Callable, **renamed: str) -> Callable:
    """Return a function with the additional argument ``use_calc_stream``, and Paddle's names."""
    signature = inspect.signature(function)
    parameters = [
        p.replace(name=renamed.get(p.name, p.name)) for p in signature.parameters.values()
    ]
    last = inspect.Parameter(
        "use_calc_stream", inspect.Parameter.POSITIONAL_OR_KEYWORD, default=False
    )
    shown = signature.replace(parameters=[*parameters, last])
    names = list(shown.parameters)

    @functools.wraps(function)
    def call(*args, **kwargs):
        found = shown.bind(*args, **kwargs)
        found.apply_defaults()
        *values, use_calc_stream = [found.arguments[name] for name in names]
        if use_calc_stream and not found.arguments["sync_op"]:
            raise PreconditionNotMetError("use_calc_stream can only be true in sync op behavior.")
        return function(**dict(zip(signature.parameters, values, strict=True)))

    call.__signature__ = shown  # type: ignore[attr-defined]
    call.__doc__ = (
        f"Do the same as ``paddle.distributed.{function.__name__.lstrip('_')}``; see there.\n\n"
        "Raises:\n"
        "    PreconditionNotMetError: with ``use_calc_stream`` and without ``sync_op``.\n"
    )
    return call


def _alltoall_single(
    out_tensor, in_tensor, out_split_sizes=None, in_split_sizes=None, group=None, sync_op=True
):
    """Accept the sizes in another order than ``alltoall_single`` of distributed, as in Paddle."""
    return tensors.alltoall_single(
        out_tensor, in_tensor, in_split_sizes, out_split_sizes, group, sync_op
    )


all_gather = _with_stream(tensors.all_gather, tensor_list="tensor_or_tensor_list")
all_reduce = _with_stream(tensors.all_reduce)
alltoall = _with_stream(
    tensors.alltoall,
    out_tensor_list="out_tensor_or_tensor_list",
    in_tensor_list="in_tensor_or_tensor_list",
)
alltoall_single = _with_stream(_alltoall_single)
broadcast = _with_stream(tensors.broadcast)
gather = _with_stream(tensors.gather)
recv = _with_stream(point_to_point.recv)
reduce = _with_stream(tensors.reduce)
reduce_scatter = _with_stream(tensors.reduce_scatter, tensor_list="tensor_or_tensor_list")
scatter = _with_stream(tensors.scatter, tensor_list="tensor_or_tensor_list")
send = _with_stream(point_to_point.send)
