"""Ops on tensors spread over two devices, against the same ops on one; needs several devices.

``python -m tests.distributed.rows_on_devices FIRST STEP`` runs every STEP-th row from FIRST on,
with the first sample that has a gradient, or its first. Each operand is divided along an axis with
an even number of elements, every second one along the last such axis. Forward and gradients have to
be those of one device, gradients are placed as their operands, and the host reads no more values.
"""

import json
import sys
import traceback
from collections.abc import Iterator

import jax
import numpy as np
from jax._src.array import ArrayImpl

import jaxeager as paddle
from jaxeager import distributed as dist
from jaxeager.ops.row import ROWS
from jaxeager.tensor import Tensor
from tests.support.cases import (
    Case,
    as_outputs,
    cases_of,
    cotangents,
    has_gradient,
    inputs,
    pick,
    tensors,
    wanted,
)
from tests.support.checks import factor_of, run_backward
from tests.support.compare import assert_close

MESH = dist.ProcessMesh([0, 1], dim_names=["x"])
_reads: list = []


def _count_reads() -> None:
    """Record each time that values of an array are read on the host."""
    for name in ("__array__", "item", "tolist"):
        original = getattr(ArrayImpl, name)

        def counted(self, *args, _original=original, **kwargs):
            _reads.append(self.shape)
            return _original(self, *args, **kwargs)

        setattr(ArrayImpl, name, counted)


def case_of(row) -> Case | None:
    """Return the case of a row that is run: in float64, with a gradient if there is one."""
    cases = list(cases_of(row))
    order = ("float64", "complex128", "float32")
    cases.sort(key=lambda c: (not has_gradient(c), order.index(c.dtype) if c.dtype in order else 9))
    return next((case for case in cases if any(_axes(each) for each in _flat(inputs(case)))), None)


def _flat(values) -> Iterator:
    for each in values:
        if isinstance(each, list):
            yield from _flat(each)
        elif each is not None:
            yield each


def _axes(value) -> list[int]:
    return [axis for axis, size in enumerate(np.shape(value)) if size and size % 2 == 0]


def divided(values, number: int = 0):
    """Return tensors spread over two devices: divided if that is possible, else whole."""
    if isinstance(values, list):
        return [divided(each, number + place) for place, each in enumerate(values)]
    if not isinstance(values, Tensor):
        return values
    axes = _axes(values._array)
    placement = dist.Shard(axes[-(number % 2)]) if axes else dist.Replicate()
    return dist.shard_tensor(values, MESH, [placement])


def run(case: Case, is_divided: bool) -> tuple[list, list, int, list]:
    """Return outputs, gradients, the number of host reads, and leaves."""
    arrays = inputs(case)
    operands = tensors(arrays)
    if is_divided:
        operands = [divided(each, number) for number, each in enumerate(operands)]
    places = wanted(case.row, arrays) if has_gradient(case) else []
    for place in places:
        leaf = pick(operands, place)
        leaf.stop_gradient = False
        if is_divided:
            dist.mesh.sharded_tensors.place_gradients(leaf, leaf._array.sharding)
    paddle.seed(7)
    _reads.clear()
    outs = as_outputs(case.row.function(*operands, **case.sample.attrs))
    grads = cotangents(outs)
    if places:
        run_backward(outs, grads)
    count = len(_reads)
    leaves = [pick(operands, place) for place in places]
    return outs, [leaf.grad for leaf in leaves], count, leaves


def whole(grad):
    """Return the values of a gradient; of all rows, since on two devices each exists once."""
    return (grad.to_dense() if grad.is_selected_rows() else grad).numpy()


def check(case: Case) -> None:
    """Raise unless an op has the same results on two devices as on one."""
    want, want_grads, want_reads, _ = run(case, False)
    got, got_grads, got_reads, leaves = run(case, True)
    factor = 4 * factor_of(case.row, case.dtype)  # sums are computed in another order
    for number, (a, b) in enumerate(zip(got, want, strict=True)):
        assert_close(a.numpy(), b.numpy(), case.dtype, f"{case.id}, output {number}", factor)
    for leaf, a, b in zip(leaves, got_grads, want_grads, strict=True):
        assert (a is None) == (b is None), case.id
        if a is not None:
            a_whole, b_whole = whole(a), whole(b)
            assert_close(a_whole, b_whole, case.dtype, f"{case.id}, gradient", factor)
            assert a.placements == leaf.placements, (case.id, a.placements, leaf.placements)
    assert got_reads <= want_reads, f"{case.id}: {got_reads} reads of the host, not {want_reads}"


def main(first: int, step: int) -> None:
    """Check rows, and write a line of JSON for each."""
    assert len(jax.devices()) > 1
    _count_reads()
    for row in list(ROWS.values())[first::step]:
        case = case_of(row)
        if case is None:
            print(json.dumps({"row": row.name, "error": "", "case": None}), flush=True)
            continue
        error = ""
        try:
            check(case)
        except Exception:
            error = traceback.format_exc()
        print(json.dumps({"row": row.name, "error": error, "case": case.id}), flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
