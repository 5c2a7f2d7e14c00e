"""Strategy: the settings that ``distributed.to_static`` takes, by group, with Paddle's defaults."""

from __future__ import annotations

import copy
from typing import Any

from jaxeager.errors import InvalidArgumentError

_BASE: dict[str, object] = {
    "auto_mode": "semi", "gradient_scale": True, "gradient_scale_using_allreduce_avg": False,
    "use_cache": True, "return_numpy": True, "all_ranks": False, "split_data": True, "seed": None,
    "reinit": False,
}  # fmt: skip

_GROUPS: dict[str, dict[str, object]] = {
    "recompute": {
        "enable": False, "checkpoints": [], "no_recompute_segments": [], "sr": 0,
        "refined_ops_patterns": [], "enable_tuning": False,
    },
    "amp": {
        "enable": False, "dtype": "float16", "level": "o1", "init_loss_scaling": 32768.0,
        "incr_every_n_steps": 1000, "decr_every_n_nan_or_inf": 2, "incr_ratio": 2.0,
        "decr_ratio": 0.8, "use_dynamic_loss_scaling": True, "custom_white_list": [],
        "custom_black_list": [], "custom_black_varnames": [], "use_fp16_guard": False,
        "use_bf16_guard": False, "use_master_grad": False, "use_promote": True,
    },
    "sharding": {
        "enable": False, "stage": 1, "degree": 8, "enable_overlap": False,
        "param_comm_stream_num": 1, "grad_comm_stream_num": 1, "param_bucket_size_numel": 1,
        "grad_bucket_size_numel": 1, "enable_hierarchical_comm": False,
        "partition_algor": "greedy_even", "enable_tuning": False, "tuning_range": [],
        "release_gradients": False, "comm_buffer_size_MB": 256, "enable_tensor_fusion": False,
        "save_unbalanced_param": True,
    },
    "gradient_merge": {"enable": False, "k_steps": 1, "avg": True},
    "pipeline": {
        "enable": False, "schedule_mode": "1F1B", "pp_degree": 1, "vpp_degree": 1,
        "vpp_seg_method": "", "micro_batch_size": 1, "accumulate_steps": 1,
        "generation_batch_size": 1, "enable_send_recv_overlap": False,
        "job_schedule_profiler_start": -1, "job_schedule_profiler_stop": -1,
        "program_runtimes": [61, 72, 71, 34, 3], "memory_limit_times": -1, "split_backward": False,
        "auto_parallel_sync_shared_params": False,
    },
    "qat": {
        "enable": False, "channel_wise_abs_max": True, "weight_bits": 8, "activation_bits": 8,
        "not_quant_pattern": ["skip_quant"], "algo": None, "onnx_format": True,
    },
    "fused_passes": {
        "enable": False, "gemm_epilogue": False, "dropout_add": False, "fused_passes_list": [],
    },
    "dp_optimization": {
        "enable": False, "fuse_all_reduce_ops": True, "fuse_grad_size_in_MB": 32,
        "overlap_comm_cacl": True, "gradient_sync_after_accumulate": False,
    },
    "mp_optimization": {
        "allreduce_matmul_grad_overlapping": False, "replace_with_c_embedding": False,
        "replace_with_parallel_cross_entropy": False,
    },
    "sp_optimization": {"enable": True},
}  # fmt: skip


class Settings:
    """A group of settings: attributes with defaults."""

    def __init__(self, defaults: dict[str, object], given: object):
        if given is not None and not isinstance(given, dict):
            raise InvalidArgumentError(f"Settings are a dict, but received {given!r:.80}.")
        for name, value in copy.deepcopy(defaults).items():
            setattr(self, name, copy.deepcopy((given or {}).get(name, value)))

    def to_dict(self) -> dict[str, Any]:
        """Return the settings as a dict, and those of groups as dicts in it."""
        return {
            name: value.to_dict() if isinstance(value, Settings) else value
            for name, value in vars(self).items()
        }

    def get(self, k: str, d: object = None) -> Any:
        """Return a setting; ``d`` for an unknown one."""
        return self.to_dict().get(k, d)

    def __repr__(self) -> str:
        return repr(self.to_dict())


class Strategy(Settings):
    """Settings of ``distributed.to_static``: groups of attributes, with Paddle's defaults.

    They configure Paddle's passes over static graphs. XLA needs none of those that do not change
    results; ``to_static`` refuses ``amp``, ``gradient_merge`` and ``qat`` when they are enabled.

    Args:
        config: values by name; a dict of them for a group, such as {"pipeline": {"enable": True}}.
            Unknown names are ignored, as in Paddle.

    Raises:
        InvalidArgumentError: when it, or the value of a group, is not a dict; and for an unknown
            name in ``fused_passes``.

    Attributes:
        full_graph: whether the whole step is one program; True unless given.

    Example:
        >>> import jaxeager as paddle
        >>> strategy = paddle.distributed.Strategy({"sharding": {"enable": True, "stage": 2}})
        >>> strategy.sharding.enable, strategy.sharding.stage, strategy.pipeline.schedule_mode
        (True, 2, '1F1B')
    """

    def __init__(self, config: dict[str, Any] | None = None):
        super().__init__(_BASE, config)
        config = config or {}
        self.full_graph = config.get("full_graph", True)
        passes = config.get("fused_passes") or {}
        for name in passes if isinstance(passes, dict) else ():
            if name not in _GROUPS["fused_passes"]:
                raise InvalidArgumentError(
                    f"fused_passes has {sorted(_GROUPS['fused_passes'])}, but received {name!r}."
                )
        for name, defaults in _GROUPS.items():
            setattr(self, name, Settings(defaults, config.get(name)))


__all__ = ["Strategy"]
