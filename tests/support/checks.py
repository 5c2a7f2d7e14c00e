"""The checks of every row. Each raises AssertionError, and names row, sample and dtype.

`tests/ops/test_rows.py` runs them over the table; `test_rows_checker.py` shows that each one fails
when its rule is wrong.
"""

import contextlib
import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError, InvalidTypeError, PermissionDeniedError
from jaxeager.ops.row import NONDIFF, OpRow
from jaxeager.ops.rules.attrs import as_dtype

from . import vectors
from .cases import (
    COMPLEX,
    FLOATING,
    Case,
    as_outputs,
    cases_of,
    cotangents,
    exact_inputs,
    has_gradient,
    inputs,
    is_inexact,
    numpy_dtype,
    pick,
    put,
    reference_of,
    scalars_of,
    static_of,
    tensors,
    wanted,
)
from .compare import assert_close, exact

# Rows that round more than most: a factor on the tolerance of compare.py, and the reason.
LOOSER: dict[tuple[str, str], tuple[float, str]] = {
    ("logsumexp", "bfloat16"): (5, "exp(x - out) with an out of 100, which has 8 bits"),
}


def factor_of(row: OpRow, dtype: str) -> float:
    """Return the factor by which a row's tolerance is wider."""
    return LOOSER.get((row.name, dtype), (1.0, ""))[0]


def check_complete(row: OpRow) -> None:
    """Check that a row has samples, a sentence, an example, and its derivative if it has one."""
    lacking = [field for field in ("doc", "samples") if not getattr(row, field)]
    if row.vjp is not NONDIFF and not row.formula:
        lacking.append("formula")
    if row.public is not None and not row.example:
        lacking.append("example")
    if row.reference is None and not is_random(row):
        lacking.append("reference")
    assert not lacking, f"row {row.name} has no {', '.join(lacking)}"


def is_random(row: OpRow) -> bool:
    """Return whether a row draws numbers: no NumPy function draws the same ones."""
    return any(operand.name == "key" for operand in row.operands)


def check_forward(case: Case) -> None:
    """Check that the public function equals the reference on the same values, in the same dtype."""
    row, sample, dtype, arrays = case.row, case.sample, case.dtype, inputs(case)
    outs = as_outputs(row.function(*tensors(arrays), **sample.attrs))
    with np.errstate(all="ignore"):
        expected = as_outputs(reference_of(row)(*exact_inputs(arrays), **sample.attrs))
    assert len(outs) == len(expected), f"{case.id}: {len(outs)} outputs, expected {len(expected)}"
    found = vectors.aligned(row.name, [out.numpy() for out in outs], expected)
    for number, (out, got, want) in enumerate(zip(outs, found, expected, strict=True)):
        assert_close(got, want, dtype, f"{case.id}, output {number}", factor_of(row, case.dtype))
        if not _names_dtype(row):
            _check_dtype(case, out, np.asarray(want).dtype)


def _names_dtype(row: OpRow) -> bool:
    """Return whether an attribute of a row is the dtype of its result."""
    return any(parameter.annotation is as_dtype for parameter in row.attrs.values())


def _check_dtype(case: Case, out, reference_dtype: np.dtype) -> None:
    """Check that neither 32 nor 16 bits become 64 on the way, as they would in NumPy."""
    found = numpy_dtype(str(out.dtype).removeprefix("paddle."))
    if reference_dtype.kind in "fc" and case.dtype in (*FLOATING, *COMPLEX):
        widths = {"float16": 2, "bfloat16": 2, "float32": 4, "complex64": 4}
        part = found.itemsize // (2 if found.kind == "c" else 1)
        assert part == widths.get(case.dtype, 8), f"{case.id}: the output's dtype is {found.name}"
    else:
        same = (found.kind in "iu") == (reference_dtype.kind in "iu")
        assert same or reference_dtype.kind in "fc", (
            f"{case.id}: the output's dtype is {found.name}"
        )


_reference_kernels: dict = {}  # of one sample only: its dtypes are tested one after the other


def expected_gradients(case: Case, arrays: list, grads: list) -> list:
    """Return the gradients of the wanted inputs by jax.vjp of the forward, in 64 bits.

    Paddle's gradient of a complex tensor is the conjugate of JAX's, hence the two conj.
    """
    row = case.row
    places = wanted(row, arrays)
    wide = exact_inputs(arrays)
    scalars = scalars_of(row, case.sample, _scalar_dtype(wide))
    key = (row, case.number)
    kernel = _reference_kernels.get(key)
    if kernel is None:
        _reference_kernels.clear()
        static = static_of(row, case.sample)

        def gradients(operands, scalars, grads):
            def forward(*values):
                merged = [list(o) if isinstance(o, list) else o for o in operands]
                for place, value in zip(places, values, strict=True):
                    put(merged, place, value)
                return inexact_outputs(row, row.forward(*merged, **static, **scalars))

            outs, pull = jax.vjp(forward, *[pick(operands, place) for place in places])
            pairs = zip(grads, outs, strict=True)  # `cast` has its own dtype
            return [jnp.conj(g) for g in pull([jnp.conj(g).astype(o.dtype) for g, o in pairs])]

        kernel = _reference_kernels[key] = jax.jit(gradients)
    return kernel(wide, scalars, [exact_inputs(g) for g in grads if g is not None])


def _scalar_dtype(arrays: list) -> str:
    first = arrays[0] if not isinstance(arrays[0], list) else arrays[0][0]
    return str(np.asarray(first).dtype)


def inexact_outputs(row: OpRow, out) -> list:
    """Return the visible floating outputs of a forward kernel."""
    if row.returns_list:
        visible = list(out)
    elif len(row.outputs) == 1 and not row.hidden:
        visible = [out]
    else:
        visible = list(out)[: len(row.outputs)]
    return [each for each in visible if is_inexact(each)]


def tape_gradients(row: OpRow, sample, arrays: list, places: list) -> tuple[list, list]:
    """Return output gradients and input gradients of a call, by Tensor and backward()."""
    operands = tensors(arrays)
    for place in places:
        pick(operands, place).stop_gradient = False
    outs = as_outputs(row.function(*operands, **sample.attrs))
    grads = cotangents(outs)
    run_backward(outs, grads)
    return grads, [whole(pick(operands, place).grad) for place in places]


def run_backward(outs: list, grads: list) -> None:
    """Run backward from all floating outputs together."""
    pairs = [
        (out, tensors(grad)) for out, grad in zip(outs, grads, strict=True) if grad is not None
    ]
    paddle.autograd.backward([out for out, _ in pairs], [grad for _, grad in pairs])


def whole(grad):
    """Return a gradient as a dense Tensor: one of some rows (SelectedRows), too."""
    return None if grad is None else grad.to_dense()


def check_gradient(case: Case) -> None:
    """Check that backward() leaves the gradients of jax.vjp, conjugated where complex."""
    arrays = inputs(case)
    places = wanted(case.row, arrays)
    grads, found = tape_gradients(case.row, case.sample, arrays, places)
    expected = expected_gradients(case, arrays, grads)
    for place, got, want in zip(places, found, expected, strict=True):
        what = f"{case.id}, gradient of {_name(case.row, place)}"
        assert got is not None, f"{what} is None"
        given = np.asarray(pick(arrays, place)).dtype
        assert numpy_dtype(str(got.dtype).removeprefix("paddle.")) == given, f"{what}: {got.dtype}"
        assert_close(got.numpy(), want, case.dtype, what, factor_of(case.row, case.dtype))


def _name(row: OpRow, place: tuple) -> str:
    slot, rank = place
    return row.operands[slot].name + ("" if rank is None else f"[{rank}]")


def check_complex(row: OpRow) -> None:
    """Check that a row with complex operands lists a complex dtype, so its gradient is tested."""
    has_rule = any(case.sample.grad for case in cases_of(row))  # else dx is not a derivative
    if any(name in COMPLEX for name in row.dtypes) or not has_rule:
        return
    assert row.samples is not None  # a case has a sample
    case = Case(row, 0, next(iter(row.samples())), "complex128")
    assert any(np.iscomplexobj(each) for each in jax.tree.leaves(inputs(case))), case.id
    with pytest.raises(InvalidArgumentError, match="complex"):
        row.function(*tensors(inputs(case)), **case.sample.attrs)


def check_masks(case: Case) -> None:
    """Check that each gradient requested alone equals the one requested with all."""
    arrays = inputs(case)
    places = wanted(case.row, arrays)
    _, together = tape_gradients(case.row, case.sample, arrays, places)
    for place, want in zip(places, together, strict=True):
        _, (alone,) = tape_gradients(case.row, case.sample, arrays, [place])
        what = f"{case.id}, gradient of {_name(case.row, place)} alone"
        assert alone is not None, f"{what} is None"
        assert_close(alone.numpy(), want.numpy(), case.dtype, what)


def check_dtypes(case: Case) -> None:
    """Check that values and gradients have the right dtypes, without compiling or running."""
    row, arrays = case.row, inputs(case)
    places = wanted(row, arrays) if has_gradient(case) else []
    flat, tree = jax.tree.flatten(arrays)
    traced: list = []

    def run(flat):
        operands = tensors(jax.tree.unflatten(tree, flat))
        for place in places:
            pick(operands, place).stop_gradient = False
        outs = as_outputs(row.function(*operands, **case.sample.attrs))
        if places:
            run_backward(outs, cotangents(outs))
        traced.extend([outs, [whole(pick(operands, place).grad) for place in places]])

    jax.eval_shape(run, flat)
    outs, grads = traced
    if row.reference:
        with np.errstate(all="ignore"):
            expected = as_outputs(reference_of(row)(*exact_inputs(arrays), **case.sample.attrs))
        for out, want in zip(outs, expected, strict=True):
            if not _names_dtype(row):
                _check_dtype(case, out, np.asarray(want).dtype)
    for place, grad in zip(places, grads, strict=True):
        want = pick(arrays, place)
        assert (grad._array.shape, grad._array.dtype) == (want.shape, want.dtype), (
            f"{case.id}: the gradient of {_name(row, place)} is {grad.dtype} of {grad.shape}"
        )


def check_inplace(case: Case) -> None:
    """Check that `op_` has value and gradient of `op`, in place, and moves the version by one."""
    row, arrays, attrs = case.row, inputs(case), case.sample.attrs
    places = wanted(row, arrays) if has_float_output(case) else []
    plain = tensors(arrays)
    for place in places:
        pick(plain, place).stop_gradient = False
    out = row.function(*plain, **attrs)
    written = tensors(arrays)
    for place in places:
        pick(written, place).stop_gradient = False
    target = paddle.scale(written[0], 1.0) if places else written[0]
    before = target._storage.version
    result = row.inplace_function(target, *written[1:], **attrs)
    assert result is target, f"{case.id}: {row.name}_ returned another tensor than it was given"
    moved = target._storage.version - before
    assert moved == row.moves_version, f"{case.id}: {row.name}_ moved the version by {moved}"
    assert_close(target.numpy(), out.numpy(), case.dtype, f"{case.id}: value of {row.name}_")
    if not places:
        return
    grads = cotangents([out])
    run_backward([out], grads)
    run_backward([target], grads)
    for place in places:
        got, want = pick(written, place).grad, pick(plain, place).grad
        what = f"{case.id}: gradient of {_name(row, place)} through {row.name}_"
        assert got is not None, f"{what} is None"
        assert_close(got.numpy(), want.numpy(), case.dtype, what)


def has_float_output(case: Case) -> bool:
    """Return whether a case's op has a gradient to compare."""
    return case.row.vjp is not NONDIFF and case.sample.grad


def check_versions(case: Case) -> None:
    """Check that backward fails exactly when a saved operand or output was written since."""
    row, arrays = case.row, inputs(case)
    names = [o.name for o in row.operands if o.slot < len(arrays) and _is_there(arrays[o.slot])]
    for name in (*names, *row.outputs):
        operands = tensors(arrays)
        for place in wanted(row, arrays):
            pick(operands, place).stop_gradient = False
        outs = as_outputs(row.function(*operands, **case.sample.attrs))
        grads = cotangents(outs)
        _written(row, name, operands, outs)._storage.version += 1
        noticed = True
        with contextlib.suppress(PermissionDeniedError):
            run_backward(outs, grads)
            noticed = False
        assert noticed or name not in row.saves, f"{case.id}: {name} is saved, but not checked"
        assert not noticed or name in row.saves, f"{case.id}: {name} is checked, but not saved"


def _is_there(value) -> bool:
    return isinstance(value, np.ndarray) or (isinstance(value, list) and len(value) > 0)


def _written(row: OpRow, name: str, operands: list, outs: list):
    """Return the tensor of that name, the first of a list."""
    if name in row.outputs:
        return outs[0] if row.returns_list else outs[row.outputs.index(name)]
    value = operands[next(o.slot for o in row.operands if o.name == name)]
    return value[0] if isinstance(value, list) else value


def check_bad_input(row: OpRow, bad) -> None:
    """Check that the call fails with the class and the words that the row promises."""
    args = [_as_argument(value) for value in bad.args]
    kwargs = {name: _as_argument(value) for name, value in bad.kwargs.items()}
    with pytest.raises(bad.error, match=re.escape(bad.text)):
        row.function(*args, **kwargs)


def check_wrong_kind(case: Case) -> None:
    """Check that an operand that is not a tensor is refused, naming op and operand."""
    row, operands = case.row, tensors(inputs(case))
    operands[0] = object()
    text = re.escape(f"{row.name}(): argument '{row.operands[0].name}'")
    with pytest.raises(InvalidTypeError, match=text):
        row.function(*operands, **case.sample.attrs)


def check_random(row: OpRow) -> None:
    """Check that one key repeats the same numbers, and that two keys differ somewhere."""
    slot = next(operand.slot for operand in row.operands if operand.name == "key")
    differs = False
    for case in cases_of(row):
        operands = tensors(inputs(case))
        first, again = (_drawn(row, case, operands) for _ in range(2))
        np.testing.assert_array_equal(first, again)
        operands[slot] = jax.random.key(99)
        differs |= not np.array_equal(first, _drawn(row, case, operands), equal_nan=True)
    assert differs, f"{row.name} does not depend on its key"


def _drawn(row: OpRow, case: Case, operands: list) -> np.ndarray:
    return exact(as_outputs(row.function(*operands, **case.sample.attrs))[0].numpy())


def _as_argument(value):
    if isinstance(value, (list, tuple)) and any(isinstance(each, np.ndarray) for each in value):
        return [_as_argument(each) for each in value]
    return tensors(value) if isinstance(value, (np.ndarray, np.generic)) else value


def check_example(row: OpRow) -> None:
    """Check that the example of the documentation is an expression that runs."""
    eval(row.example, {"paddle": paddle})
