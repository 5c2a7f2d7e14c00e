"""What FLAGS_check_nan_inf looks at and where it reports, as Paddle's core has it."""


def set_nan_inf_debug_path(path: str) -> None:
    """Have FLAGS_check_nan_inf report to the file ``worker_cpu`` of a folder; "" for stdout.

    A tensor checker with an ``output_dir`` reports there while it is on.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.base.core.set_nan_inf_debug_path("")
    """
    from jaxeager.amp.tensor_checker import set_output_dir

    set_output_dir(path or None)


def set_checked_op_list(names: str) -> None:
    """Have FLAGS_check_nan_inf look at these ops only.

    Args:
        names: separated by commas; "" for all ops.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.base.core.set_checked_op_list("")
    """
    from jaxeager.amp import debugging

    debugging.set_checked_op_list([name for name in names.split(",") if name])


def set_skipped_op_list(names: str) -> None:
    """Have FLAGS_check_nan_inf pass over these ops.

    Args:
        names: separated by commas; "" for none.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.base.core.set_skipped_op_list("")
    """
    from jaxeager.amp import debugging

    debugging.set_skipped_op_list([name for name in names.split(",") if name])
