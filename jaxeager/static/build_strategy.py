"""paddle.static.BuildStrategy: the options of Paddle's compilation that to_static takes."""

from __future__ import annotations

import enum
from typing import Any

from jaxeager.errors import InvalidArgumentError, InvalidTypeError

_ON = """
    enable_backward_optimizer_op_deps enable_inplace fuse_all_reduce_ops fuse_bn_add_act_ops
    fuse_broadcast_ops
"""
_OFF = """
    allow_cuda_graph_capture async_mode build_cinn_pass cache_runtime_context enable_addto
    enable_auto_fusion fuse_adamw fuse_all_optimizer_ops fuse_bn_act_ops fuse_dot_product_attention
    fuse_elewise_add_act_ops fuse_gemm_epilogue fuse_relu_depthwise_conv fuse_resunit
    fused_attention fused_feedforward sequential_run sync_batch_norm use_hierarchical_allreduce
"""
_NUMBERS = {
    "bkcl_comm_num": 1, "hierarchical_allreduce_inter_nranks": 0, "nccl_comm_num": 1,
    "num_trainers": 1, "trainer_id": 0,
}  # fmt: skip


class ReduceStrategy(enum.Enum):
    """Where several devices sum gradients."""

    AllReduce = 0
    Reduce = 1


def _defaults() -> dict[str, object]:
    """Return the options as a new program has them."""
    return {
        **dict.fromkeys(_ON.split(), True),
        **dict.fromkeys(_OFF.split(), False),
        **_NUMBERS,
        "debug_graphviz_path": "",
        "memory_optimize": None,
        "mkldnn_enabled_op_types": set(),
        "onednn_enabled_op_types": set(),
        "reduce_strategy": ReduceStrategy.AllReduce,
        "trainers_endpoints": [],
    }


class BuildStrategy:
    """Options of Paddle's compilation; XLA decides these things itself, so they have no effect.

    Paddle:
        An option with a value is the same attribute as in Paddle 3.3.1, with its type checked.

    Raises:
        AttributeError: when an option is set or read that does not exist.
        InvalidTypeError: when it is set to a value of another type.
        InvalidArgumentError: when memory_optimize is not a bool or None.

    Example:
        >>> import jaxeager as paddle
        >>> options = paddle.static.BuildStrategy()
        >>> options.fuse_bn_act_ops = True
        >>> double = paddle.jit.to_static(lambda x: x * 2, build_strategy=options)
        >>> double(paddle.ones([1])).item(), options.fuse_bn_act_ops, options.enable_inplace
        (2.0, True, True)
    """

    ReduceStrategy = ReduceStrategy

    def __init__(self) -> None:
        self.__dict__.update(_defaults())

    def __setattr__(self, name: str, value: object) -> None:
        if name not in self.__dict__:
            raise AttributeError(
                f"'BuildStrategy' object has no attribute '{name}': it has {sorted(self.__dict__)}."
            )
        self.__dict__[name] = _checked(name, self.__dict__[name], value)


def _checked(name: str, before: Any, value: Any) -> object:
    """Return the value that an option gets.

    Raises:
        InvalidTypeError: when its type is not that of the earlier value.
        InvalidArgumentError: when memory_optimize is not a bool or None.
    """
    if name == "memory_optimize":
        if value is not None and not isinstance(value, bool):
            raise InvalidArgumentError(
                f"BuildStrategy.memory_optimize must be set to None, False or True, not {value!r}."
            )
        return value
    number = isinstance(before, int) and isinstance(value, int)
    if not number and not isinstance(value, type(before)):
        raise InvalidTypeError(
            f"BuildStrategy.{name} is of type {type(before).__name__}, but received {value!r}."
        )
    return type(before)(value) if number else value
