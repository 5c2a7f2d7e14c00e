"""The ops that FLAGS_check_nan_inf checks and its output, under the names of Paddle's core."""


def set_nan_inf_debug_path(path: str) -> None:
    """Make FLAGS_check_nan_inf report to the file ``worker_cpu`` of a folder; "" for stdout.

    While a tensor checker with an ``output_dir`` is on, reports go there instead.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.base.core.set_nan_inf_debug_path("")
    """
    from jaxeager.amp.tensor_checker import set_output_dir

    set_output_dir(path or None)


def set_checked_op_list(names: str) -> None:
    """Make FLAGS_check_nan_inf check these ops only.

    Args:
        names: separated by commas; "" for all ops.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.base.core.set_checked_op_list("")
    """
    from jaxeager.amp import debugging

    debugging.set_checked_op_list([name for name in names.split(",") if name])


def set_skipped_op_list(names: str) -> None:
    """Make FLAGS_check_nan_inf skip these ops.

    Args:
        names: separated by commas; "" for none.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.base.core.set_skipped_op_list("")
    """
    from jaxeager.amp import debugging

    debugging.set_skipped_op_list([name for name in names.split(",") if name])
