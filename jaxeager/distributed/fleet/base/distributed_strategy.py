"""DistributedStrategy: settings of training on many devices, stored as given.

``hybrid_configs`` sets how many processes share work in which way, ``pipeline_configs`` how
``train_batch`` divides a batch, and ``tensor_parallel_configs`` the seed of weights;
``fuse_grad_size_in_MB``, ``last_comm_group_size_MB`` and ``find_unused_parameters`` are passed to
DataParallel. The others can be written and read, but have no effect.
"""

from __future__ import annotations

import copy
import json
import logging
from typing import Any

from jaxeager.errors import InvalidArgumentError, InvalidTypeError, RefusedArgumentError
from jaxeager.static.build_strategy import BuildStrategy

_logger = logging.getLogger("jaxeager.distributed")


class Settings:
    """Named values of one group of settings, as in ``hybrid_configs["pp_configs"]``.

    Args:
        **values: the names and their values.

    Example:
        >>> import jaxeager as paddle
        >>> strategy = paddle.distributed.fleet.DistributedStrategy()
        >>> strategy.hybrid_configs["pp_configs"].delay_scale_loss
        False
    """

    def __init__(self, **values: object):
        self.__dict__.update(values)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Settings) and vars(self) == vars(other)

    def __repr__(self) -> str:
        return repr(vars(self))


# The settings in Paddle's form: a name for each value, or nested names.
_OFF = """
    adam_d2sum adaptive_localsgd amp asp auto auto_search cudnn_batchnorm_spatial_persistent
    cudnn_exhaustive_search dgc elastic find_unused_parameters fp16_allreduce fuse_grad_merge
    gradient_merge heter_ccl_mode is_fl_ps_mode is_with_coordinator lamb lars localsgd pipeline
    qat recompute semi_auto sharding sync_batch_norm tensor_parallel use_hierarchical_allreduce
""".split()
_ON = "a_sync fuse_all_reduce_ops split_data sync_nccl_allreduce without_graph_optimization".split()
_SWITCHES = dict.fromkeys(_OFF, False) | dict.fromkeys(_ON, True)
_NUMBERS = {
    "conv_workspace_size_limit": 512, "fuse_grad_size_in_MB": 32, "fuse_grad_size_in_num": 8,
    "hierarchical_allreduce_inter_nranks": 1, "last_comm_group_size_MB": 1.0, "nccl_comm_num": 1,
}  # fmt: skip
_CONFIGS: dict[str, dict[str, object]] = {
    "a_sync_configs": {
        "k_steps": -1, "max_merge_var_num": 1, "send_queue_size": 16,
        "independent_recv_thread": False, "min_send_grad_num_before_recv": 1, "thread_pool_size": 1,
        "send_wait_times": 1, "runtime_split_send_recv": False, "launch_barrier": True,
        "heter_worker_device_guard": "cpu", "lr_decay_steps": 10, "use_ps_gpu": 0,
        "use_gpu_graph": 0,
    },
    "adaptive_localsgd_configs": {"init_k_steps": 1, "begin_step": 1},
    "amp_configs": {
        "init_loss_scaling": 32768.0, "incr_every_n_steps": 1000, "decr_every_n_nan_or_inf": 2,
        "incr_ratio": 2.0, "decr_ratio": 0.8, "use_dynamic_loss_scaling": True,
        "custom_white_list": [], "custom_black_list": [], "custom_black_varnames": [],
        "use_pure_fp16": False, "use_fp16_guard": True, "use_optimizer_fp16": False,
        "use_pure_bf16": False,
    },
    "dgc_configs": {"rampup_begin_step": 0, "rampup_step": 1, "sparsity": []},
    "gradient_merge_configs": {"k_steps": 1, "avg": True},
    "gradient_scale_configs": {"scale_strategy": "avg", "scale_gradient": False},
    "hybrid_configs": {
        "dp_degree": -1, "mp_degree": 1, "pp_degree": 1, "sharding_degree": 1, "sep_degree": 1,
        "mp_configs": Settings(
            sync_param=True, sync_grad=False, sync_moment=False, sync_mode="broadcast",
            mp_async_allreduce=False, mp_skip_c_identity=False,
            mp_fused_linear_param_grad_add=False, need_broadcast_data=True,
            recompute_allgather=False, sp_async_reduce_scatter=False,
        ),
        "pp_configs": Settings(
            dp_comm_overlap=False, delay_scale_loss=False, enable_timer=False,
            sharding_comm_overlap=False, profiling=False, release_gradients=False,
            overlap_p2p_comm=False, clear_every_step_cache=False, use_batch_p2p_comm=True,
            best_unbalanced_scheduler=False, enable_offload_queue=False,
            enable_dynamic_shape=False, use_dualpipev=False,
            forward_backward_overlap_scheduler=False, sync_param=False, sync_moment=False,
            sync_mode="broadcast",
        ),
        "sharding_configs": Settings(
            tensor_fusion=False, accumulate_steps=1, comm_overlap=False, split_param=False,
            fuse_optimizer=True, use_reduce_avg=True, comm_buffer_size_MB=256,
            release_gradients=False, free_grads_in_comm=False,
            enable_fuse_optimizer_states=False, offload_opt_buffer_size=-1,
        ),
        "enable_optimizer_timer": False, "split_norm_comm": False, "ep_degree": 1,
        "moe_sharding_degree": 1, "cp_degree": 1, "cp_sharding_degree": 1,
        **{
            f"{name}_configs": Settings()
            for name in (
                "dp sep dp_sep pp_tp ep moe_sharding default_comm_group cp cp_sharding dp_cp cp_mp"
            ).split()
        },
    },
    "lamb_configs": {"lamb_weight_decay": 0.01, "exclude_from_weight_decay": []},
    "lars_configs": {
        "lars_coeff": 0.001, "lars_weight_decay": 0.0005, "epsilon": 0.0,
        "exclude_from_weight_decay": [],
    },
    "localsgd_configs": {"k_steps": 1, "begin_step": 1},
    "pipeline_configs": {
        "micro_batch_size": 1, "accumulate_steps": 1, "schedule_mode": "1F1B",
        "p2p_cache_shape": True, "enable_partial_send_recv": True,
    },
    "qat_configs": {
        "channel_wise_abs_max": True, "weight_bits": 8, "activation_bits": 8,
        "not_quant_pattern": [], "algo": "",
    },
    "recompute_configs": {
        "checkpoints": [], "enable_offload": False, "checkpoint_shape": [], "enable_tuning": False,
        "refined_ops_patterns": [],
    },
    "sharding_configs": {
        "sharding_segment_strategy": "segment_broadcast_MB", "segment_broadcast_MB": 32.0,
        "segment_anchors": [], "sharding_degree": 8, "mp_degree": 1, "dp_degree": 1,
        "hybrid_dp": False, "gradient_merge_acc_step": 1, "optimize_offload": False,
        "pp_allreduce_in_optimize": False, "pp_degree": 1, "optimize_cast": False,
        "_dp_as_optimizer_sharding": False, "stage": 1, "enable_tuning": False,
        "use_calc_stream": False,
    },
    "tensor_parallel_configs": {"tensor_parallel_degree": 1, "tensor_init_seed": -1},
    "trainer_desc_configs": {
        "dump_fields_path": "", "dump_fields": [], "dump_param": [], "stat_var_names": [],
        "trainer": "", "device_worker": "", "local_sparse": [], "remote_sparse": [],
    },
}  # fmt: skip
_LISTS = {
    "hybrid_parallel_order": ["dp", "pp", "sharding", "sep", "cp", "mp"],
    "sync_param_name": ["embedding", "layer_norm", ".b_"],
    "sparse_table_configs": [],
    "fleet_desc_configs": [],
}


class DistributedStrategy:
    """Settings of training on many devices, under Paddle's names and with its defaults.

    A switch accepts bools and a number accepts numbers; any other value is refused with a warning
    in the log. A ``..._configs`` accepts a dict of the settings to change.

    Raises:
        InvalidTypeError: when a setting that does not exist is written, or a ``..._configs`` is set
            to anything but a dict.
        InvalidArgumentError: when a dict has an unknown name.

    Paddle: ``amp_configs`` and others return numbers rounded to float32.

    Example:
        >>> import jaxeager as paddle
        >>> strategy = paddle.distributed.fleet.DistributedStrategy()
        >>> strategy.hybrid_configs = {"dp_degree": 1, "mp_degree": 1}
        >>> strategy.hybrid_configs["pp_degree"], strategy.amp
        (1, False)
    """

    hybrid_configs: dict[str, Any]
    pipeline_configs: dict[str, Any]
    tensor_parallel_configs: dict[str, Any]
    hybrid_parallel_order: list[str]
    fuse_grad_size_in_MB: int
    last_comm_group_size_MB: float
    find_unused_parameters: bool
    build_strategy: BuildStrategy

    def __init__(self):
        values = {**_SWITCHES, **_NUMBERS, **_CONFIGS, **_LISTS}
        self.__dict__.update(copy.deepcopy(values))
        options = BuildStrategy()
        options.enable_inplace = options.fuse_broadcast_ops = False
        self.__dict__["build_strategy"] = options

    def __setattr__(self, name: str, value: object) -> None:
        if name not in self.__dict__:
            raise InvalidTypeError(f"{name} is not a attribute of DistributedStrategy")
        if name in _CONFIGS:
            self._change(name, value)
        elif name == "build_strategy":
            self.__dict__[name] = _copied(value)
        elif name in _SWITCHES and not isinstance(value, bool):
            _logger.warning("%s should have value of bool type", name)
        elif name in _NUMBERS and not isinstance(value, type(_NUMBERS[name])):
            _logger.warning("%s should have value of %s type", name, type(_NUMBERS[name]).__name__)
        else:
            self.__dict__[name] = value

    def _change(self, name: str, given: object) -> None:
        """Update some settings of one group."""
        if not isinstance(given, dict):
            raise InvalidTypeError(f"{name} takes a dict, but received {given!r}.")
        values = self.__dict__[name]
        for key, value in given.items():
            if name == "hybrid_configs" and key == "order":
                self.hybrid_parallel_order = list(value)
                continue
            if key not in values:
                raise RefusedArgumentError(f"key:{key} not in {name}; it has {', '.join(values)}.")
            if isinstance(values[key], Settings) and isinstance(value, dict):
                vars(values[key]).update(value)
            else:
                values[key] = value

    def save_to_prototxt(self, output: str) -> None:
        """Write the settings to a file, as JSON.

        Args:
            output: the path of the file.

        Paddle: writes the text of a protocol buffer.
        """
        values = {k: v for k, v in vars(self).items() if k != "build_strategy"}
        with open(output, "w", encoding="utf-8") as file:
            json.dump(values, file, default=vars, indent=1)

    def load_from_prototxt(self, pb_file: str) -> None:
        """Read the settings from a file that ``save_to_prototxt`` wrote.

        Args:
            pb_file: the path of the file.

        Raises:
            InvalidArgumentError: for a file in any other form.
        """
        with open(pb_file, encoding="utf-8") as file:
            text = file.read()
        try:
            values = json.loads(text)
        except ValueError as error:
            raise InvalidArgumentError(f"{pb_file} has no settings in JSON: {error}.") from error
        for name, value in values.items():
            setattr(self, name, value)

    def __repr__(self) -> str:
        new = {**vars(DistributedStrategy()), "build_strategy": self.build_strategy}
        changed = {k: v for k, v in vars(self).items() if v != new.get(k)}
        return f"DistributedStrategy({', '.join(f'{k}={v!r}' for k, v in changed.items())})"


def _copied(options: object) -> BuildStrategy:
    """Return a copy of options; later changes of theirs do not change the strategy, as in Paddle.

    Raises:
        InvalidTypeError: for any other object.
    """
    if not isinstance(options, BuildStrategy):
        raise InvalidTypeError(
            f"build_strategy takes a paddle.static.BuildStrategy, but received {options!r}."
        )
    return copy.copy(options)
