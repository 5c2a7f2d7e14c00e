"""paddle.base.core: the names of Paddle's compiled extension."""

from typing import TYPE_CHECKING

from jaxeager.arrays.random import Generator, default_generator
from jaxeager.core.dtypes import DType as DataType
from jaxeager.core.dtypes import finfo, iinfo
from jaxeager.core.places import (
    CPUPlace,
    CUDAPinnedPlace,
    CUDAPlace,
    CustomPlace,
    IPUPlace,
    Place,
    XPUPinnedPlace,
    XPUPlace,
)
from jaxeager.device.kinds import (
    get_all_custom_device_type,
    get_all_device_type,
    is_compiled_with_cinn,
    is_compiled_with_cuda,
    is_compiled_with_custom_device,
    is_compiled_with_distribute,
    is_compiled_with_ipu,
    is_compiled_with_rocm,
    is_compiled_with_xpu,
)
from jaxeager.errors import JaxEagerError as EnforceNotMet
from jaxeager.legacy.base.core import eager
from jaxeager.legacy.base.core.builds import (
    avx_supported,
    is_bfloat16_supported,
    is_compiled_with_avx,
    is_compiled_with_brpc,
    is_compiled_with_cudnn_frontend,
    is_compiled_with_dist,
    is_compiled_with_mkldnn,
    is_compiled_with_mpi,
    is_compiled_with_nccl,
    is_compiled_with_onednn,
    is_cuda_graph_capturing,
    is_float16_supported,
    supports_bfloat16,
)
from jaxeager.legacy.base.core.checked_numbers import (
    set_checked_op_list,
    set_nan_inf_debug_path,
    set_skipped_op_list,
)
from jaxeager.legacy.base.core.flag_values import globals
from jaxeager.legacy.base.core.memory import (
    device_memory_stat_current_value,
    device_memory_stat_peak_value,
    device_memory_stat_reset_peak_value,
    host_memory_stat_current_value,
    host_memory_stat_peak_value,
    host_memory_stat_reset_peak_value,
)
from jaxeager.legacy.base.core.tensors import (
    AmpLevel,
    DenseTensor,
    LoDTensor,
    default_cuda_generator,
    eager_assign_group_by_size,
    get_custom_device_count,
)
from jaxeager.legacy.base.core.var_desc import VarDesc
from jaxeager.tensor import Tensor
from jaxeager.tensor.printing import set_printoptions
from jaxeager.tensor.size import Size

if TYPE_CHECKING:
    from jaxeager.amp.operator_stats import clear_low_precision_op_list, get_low_precision_op_list
    from jaxeager.debug.vlog.vlog import set_vlog_level

__all__ = [
    "AmpLevel",
    "CPUPlace",
    "CUDAPinnedPlace",
    "CUDAPlace",
    "CustomPlace",
    "DataType",
    "DenseTensor",
    "EnforceNotMet",
    "IPUPlace",
    "LoDTensor",
    "Place",
    "Size",
    "Tensor",
    "VarDesc",
    "XPUPinnedPlace",
    "XPUPlace",
    "avx_supported",
    "clear_low_precision_op_list",
    "default_cuda_generator",
    "device_memory_stat_current_value",
    "device_memory_stat_peak_value",
    "device_memory_stat_reset_peak_value",
    "eager",
    "eager_assign_group_by_size",
    "finfo",
    "get_all_custom_device_type",
    "get_all_device_type",
    "get_custom_device_count",
    "get_low_precision_op_list",
    "globals",
    "host_memory_stat_current_value",
    "host_memory_stat_peak_value",
    "host_memory_stat_reset_peak_value",
    "iinfo",
    "is_bfloat16_supported",
    "is_compiled_with_avx",
    "is_compiled_with_brpc",
    "is_compiled_with_cinn",
    "is_compiled_with_cuda",
    "is_compiled_with_cudnn_frontend",
    "is_compiled_with_custom_device",
    "is_compiled_with_dist",
    "is_compiled_with_distribute",
    "is_compiled_with_ipu",
    "is_compiled_with_mkldnn",
    "is_compiled_with_mpi",
    "is_compiled_with_nccl",
    "is_compiled_with_onednn",
    "is_compiled_with_rocm",
    "is_compiled_with_xpu",
    "is_cuda_graph_capturing",
    "is_float16_supported",
    "set_checked_op_list",
    "set_nan_inf_debug_path",
    "set_printoptions",
    "set_skipped_op_list",
    "set_vlog_level",
    "supports_bfloat16",
]  # fmt: skip


def default_cpu_generator() -> Generator:
    """Return the generator that random ops draw from."""
    return default_generator


def __getattr__(name: str):
    """Import tools on first use."""
    if name == "set_vlog_level":
        from jaxeager.debug.vlog.vlog import set_vlog_level

        return set_vlog_level
    if name in ("clear_low_precision_op_list", "get_low_precision_op_list"):
        from jaxeager.amp import operator_stats

        return getattr(operator_stats, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
