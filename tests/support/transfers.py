"""The transfers of an op between the device and the host.

JAX's own guard (``jax.transfer_guard``) sees all of them on an accelerator. On the CPU it sees only
transfers to the device, because reading costs nothing there; so reads of JAX's arrays as numbers,
or as arrays of NumPy, are detected by replacing the functions that read.
"""

import contextlib
import sys
import traceback
from collections.abc import Iterator
from unittest import mock

import jax
import numpy as np
from jax._src.array import ArrayImpl

import jaxeager as paddle
from jaxeager.ops.row import NONDIFF, OpRow

from .cases import cases_of, has_gradient, inputs, is_inexact, pick, tensors, wanted

_READS = ("asarray", "array", "asanyarray", "ascontiguousarray")


@contextlib.contextmanager
def no_transfers() -> Iterator[None]:
    """Raise AssertionError for a block that has read arrays, with the lines of the reads.

    An implicit transfer to the device raises JAX's own error immediately. A read on an accelerator
    ends the block there.
    """
    seen: list[str] = []

    def note() -> None:
        lines = traceback.extract_stack()[:-2]
        ours = [line for line in lines if "/tests/support/transfers" not in line.filename]
        seen.append(f"{ours[-1].filename}:{ours[-1].lineno} {ours[-1].name}")

    def reading(function):
        def read(value, *args, **kwargs):
            if isinstance(value, jax.Array):
                note()
            return function(value, *args, **kwargs)

        return read

    def value_of(array):
        note()
        return own.__get__(array)

    own = ArrayImpl._value
    with contextlib.ExitStack() as stack:
        stack.enter_context(mock.patch.object(ArrayImpl, "_value", property(value_of)))
        for name in _READS:
            stack.enter_context(mock.patch.object(np, name, reading(getattr(np, name))))
        try:
            with jax.transfer_guard("disallow"):
                yield
        except Exception as error:  # on an accelerator the guard has refused the recorded reads
            if "Disallowed device-to-host" not in str(error) or not seen:
                raise
    assert not seen, "it reads what is on the device:\n  " + "\n  ".join(seen)


@contextlib.contextmanager
def as_on_an_accelerator() -> Iterator[None]:
    """Make the checks that read values on a CPU, where that is free, treat it as another device.

    The checks are then left to the device (FLAGS_check_index), as on an accelerator.
    """

    def is_no_array(array) -> bool:
        return not isinstance(array, jax.Array)

    with contextlib.ExitStack() as stack:
        for name, module in list(sys.modules.items()):
            for each in ("can_be_read", "can_be_looked_at"):
                if name.startswith("jaxeager.") and each in vars(module):
                    stack.enter_context(mock.patch.object(module, each, is_no_array))
        yield


def check_transfers(row: OpRow) -> None:
    """Check that the forward and the gradient of a row transfer nothing."""
    cases = sorted(cases_of(row), key=lambda case: not has_gradient(case))
    if not cases:
        return
    case = cases[0]
    arrays = inputs(case)
    places = [] if row.vjp is NONDIFF else wanted(row, arrays)
    operands = tensors(arrays)
    leaves = [pick(operands, place) for place in places]
    for leaf in leaves:
        leaf.stop_gradient = False

    def run(grads):
        out = row.function(*operands, **case.sample.attrs)
        outs = out if isinstance(out, (list, tuple)) else [out]
        outs = [each for each in outs if each is not None and not each.stop_gradient]
        outs = [each for each in outs if is_inexact(each)]
        grads = [paddle.ones_like(each) for each in outs] if grads is None else grads
        if outs:
            paddle.grad(outs, leaves, grads, allow_unused=True)
        return grads

    with as_on_an_accelerator():
        grads = run(None)  # kernels are created, which reads their constants
        with no_transfers():
            run(grads)
