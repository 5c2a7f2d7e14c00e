"""Tools for the effects of mixed precision: NaN and Inf, operator statistics, two runs compared.

Their implementations are in tensor_checker.py, operator_stats.py, and debug/numbers/nan_inf.py.
"""

from jaxeager.amp.operator_stats import (
    OperatorStats,
    collect_operator_stats,
    disable_operator_stats_collection,
    enable_operator_stats_collection,
)
from jaxeager.amp.tensor_checker import (
    DebugMode,
    TensorCheckerConfig,
    check_layer_numerics,
    check_numerics,
    disable_tensor_checker,
    enable_tensor_checker,
    set_checked_op_list,
    set_skipped_op_list,
)

__all__ = [
    "DebugMode",
    "OperatorStats",
    "TensorCheckerConfig",
    "check_layer_numerics",
    "check_numerics",
    "collect_operator_stats",
    "compare_accuracy",
    "disable_operator_stats_collection",
    "disable_tensor_checker",
    "enable_operator_stats_collection",
    "enable_tensor_checker",
    "set_checked_op_list",
    "set_skipped_op_list",
]


def compare_accuracy(
    dump_path: str,
    another_dump_path: str,
    output_filename: str,
    loss_scale: float = 1,
    dump_all_tensors: bool = False,
) -> None:
    """Write a table that compares the numbers of two runs, for example in float32 and float16.

    Args:
        dump_path: the folder that the first run's tensor checker wrote (its ``output_dir``).
        another_dump_path: that of the second run.
        output_filename: the table: an Excel workbook, or comma-separated when it ends in ".csv".
        loss_scale: the factor of the second run's loss.
        dump_all_tensors: only False.

    Raises:
        InvalidArgumentError: for ``dump_all_tensors``, which Paddle refuses too.
        NotFoundError: when a folder has no file of a tensor checker.
        UnavailableError: for a workbook without xlsxwriter (``pip install "jaxeager[excel]"``).

    Paddle: pairs the n-th output of an op with the n-th; here an op that is in only one run does
    not affect the other pairs. Writes a workbook whatever the file name is.

    Example:
        >>> import tempfile
        >>> import jaxeager as paddle
        >>> debugging = paddle.amp.debugging
        >>> folder = tempfile.mkdtemp()
        >>> for dtype in ("float32", "float16"):
        ...     config = debugging.TensorCheckerConfig(
        ...         True, debugging.DebugMode.CHECK_ALL, output_dir=f"{folder}/{dtype}")
        ...     debugging.enable_tensor_checker(config)
        ...     y = paddle.full([2], 300.0, dtype) * 300.0
        ...     debugging.disable_tensor_checker()
        >>> debugging.compare_accuracy(
        ...     f"{folder}/float32", f"{folder}/float16", f"{folder}/compared.csv")
        -- worker_cpu: 2 tensors compared, 1 of them not as in the first run: scale
        -- Write to ...compared.csv
    """
    from jaxeager.debug.numbers import accuracy_compare

    accuracy_compare.compare(
        dump_path, another_dump_path, output_filename, loss_scale, dump_all_tensors
    )
