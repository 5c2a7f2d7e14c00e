"""FLAGS_check_cuda_error: wait for the device around every op, and raise at the failing one.

Note [Late device errors]
    XLA runs ops after the call has returned. A failure on the device (a callback that raises, too
    little memory, a hardware fault) is raised wherever the program first waits, often many lines
    later. While this tool is on, the thread waits before and after each op and node. A failure
    before comes from an earlier computation that was not waited for. A failure after comes from
    the op, and its outputs have not been used yet.

    Around every check a line is printed, as Paddle does on a GPU. The last line of a run that
    fails shows which check it was::

        matmul_ad_func begin checking...
        matmul_ad_func begin check done.
        matmul_ad_func finish checking...
        matmul_ad_func finish check done.

    These are four lines per op. FLAGS_check_cuda_error_log=0 omits them: the error then contains
    the same information as the last line.

    An index or a number out of range, which Paddle's kernels meet on the device, is refused here
    before the op is called. The lines are those that Paddle prints until it meets one.
"""

import re

import jax
from jax.core import Tracer

from jaxeager.arrays.as_array import live_arrays
from jaxeager.debug.common.call_names import refusing_function
from jaxeager.errors import ExternalError
from jaxeager.graph import events
from jaxeager.kernels.tracing import first_and_last


def wait_for(arrays, name: str, stage: str) -> None:
    """Wait for arrays, which may include lists and None.

    Raises:
        ExternalError: when the device failed on one.
    """
    if _has_log:
        print(f"{name} {stage} checking...", flush=True)
    try:
        jax.block_until_ready([a for a in jax.tree.leaves(arrays) if not isinstance(a, Tracer)])
    except jax.errors.JaxRuntimeError as error:
        raise ExternalError(
            f"{name}: the device failed {_WHEN[stage]}: {first_and_last(error)}"
        ) from error
    if _has_log:
        print(f"{name} {stage} check done.", flush=True)


_WHEN = {
    "begin": "on its inputs, so in an earlier op",
    "finish": "while it ran this op",
}


class _Checker(events.Observer):
    """Waits before and after every op and every node."""

    def operands_ready(self, call):
        wait_for(call.arrays, _op_name(call), "begin")

    def kernel_finished(self, call):
        wait_for(call.results, _op_name(call), "finish")

    def value_refused(self, error):
        name = f"{refusing_function()}_ad_func"
        wait_for((), name, "begin")
        if _has_log:
            print(f"{name} finish checking...", flush=True)

    def step_began(self, rule, params):
        wait_for([param._array for param in params], f"{rule.name}__ad_func", "begin")

    def step_ended(self, rule, params, state):
        wait_for([param._array for param in params], f"{rule.name}__ad_func", "finish")

    def node_began(self, node, grads):
        if not node.is_leaf:
            wait_for(grads, _grad_name(node), "begin")

    def node_ended(self, node, grads, results):
        if not node.is_leaf:
            wait_for(results, _grad_name(node), "finish")

    def call_failed(self, call, error):
        _say_where(error, _op_name(call))

    def node_failed(self, node, error):
        _say_where(error, _grad_name(node))


def _say_where(error: BaseException, name: str) -> None:
    """Name the op in an error that XLA raised before there was anything to wait for.

    Such an error begins with XLA's status code: "INTERNAL: ...", "RESOURCE_EXHAUSTED: ...".
    """
    if isinstance(error, jax.errors.JaxRuntimeError) or re.match("[A-Z_]+: ", str(error)):
        error.add_note(f"{name}: the device failed {_WHEN['finish']}.")


def _op_name(call) -> str:
    """Return the name of an op's function: "add_ad_func", "add__ad_func" in place."""
    is_named = call.row.name.endswith("_") or not call.is_inplace
    return f"{call.row.name}{'' if is_named else '_'}_ad_func"


def _grad_name(node) -> str:
    """Return the name of a node's function, "multiply_grad_ad_func"."""
    name = getattr(getattr(node, "op", None), "name", None)
    return f"{name}_grad_ad_func" if name else node.name()


_checker = _Checker()
_is_on = False
_has_log = True


def set_enabled(value: bool) -> None:
    """Apply FLAGS_check_cuda_error."""
    global _is_on
    if value != _is_on:
        _is_on = value
        (events.observe if value else events.unobserve)(_checker)


def set_log(value: bool) -> None:
    """Apply FLAGS_check_cuda_error_log."""
    global _has_log
    _has_log = value


def check_now() -> None:
    """Wait for everything that runs on any device.

    Raises:
        ExternalError: when a device has failed.
    """
    for array in live_arrays():
        try:
            array.block_until_ready()
        except jax.errors.JaxRuntimeError as error:
            raise ExternalError(
                f"the device failed on an earlier computation: {first_and_last(error)}. "
                "FLAGS_check_cuda_error=1 names it."
            ) from error
