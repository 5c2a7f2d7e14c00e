"""The lines of a verbose log about mixed precision: the dtype of an op, and casts."""

from collections.abc import Callable

from jaxeager.debug.vlog import vlog

_LEVELS = {"O0": 0, "OD": 1, "O1": 2, "O2": 3}


def say_composite(policy, name: str, operands: list[str], target) -> None:
    """Write the casts of operands for several ops that are cast as one."""
    vlog.log("dygraph_functions", 5, "Check and Prepare For AMP")
    log_destination(vlog.log, policy, name)
    for operand in operands:
        vlog.log("amp_utils", 6, cast_text(name, operand, target.name))


def log_destination(log: Callable, policy, name: str) -> None:
    """Write for which op, and by which policy, a dtype is determined."""
    log(
        "amp_utils", 6,
        f"AMP GetAmpDestDtype: op({name}) amp_dtype({policy.dtype.name}) "
        f"amp_level({_LEVELS[policy.level]}).",
    )  # fmt: skip


def cast_text(name: str, operand: str, target: str) -> str:
    """Return the line about an operand that is cast."""
    return f"AMP AmpAutoCasts: op_name({name}) input({operand}) dst_dtype({target})."
