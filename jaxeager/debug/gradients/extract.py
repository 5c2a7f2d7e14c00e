"""Extracts one gradient from its program: a file that computes it again with JAX alone.

Note [The file]
    A node runs a pure function of arrays, its VJP kernel. The kernel is exported (``jax.export``)
    and written into one Python file, together with its operands and the gradient it returned.
    Running the file runs the kernel and prints how far the two results are apart. It needs jax and
    numpy, and nothing of this package. The StableHLO of the kernel, and of the forward kernel if
    its operands are known, are in separate files in the same folder.
"""

from __future__ import annotations

import base64
import io
import textwrap
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import jax
import jax.numpy as jnp
import numpy as np

from jaxeager.debug.common import naming
from jaxeager.debug.gradients.captured import CapturedStep
from jaxeager.debug.gradients.stepping import steps_of
from jaxeager.debug.stacks.lines import line_of_node
from jaxeager.errors import InvalidArgumentError, NotFoundError, UnimplementedError
from jaxeager.graph import events
from jaxeager.kernels.tracing import jit
from jaxeager.ops.call import kernels
from jaxeager.ops.call.gradient import recovered

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from jaxeager.graph.node import GradNode
    from jaxeager.tensor import Tensor

_FILE = '''"""The gradient of {name}{place}, on its own: `python {file}` computes it again.

{about}
"""

import base64
import io
import sys
import zlib

import jax
import numpy as np

jax.config.update("jax_enable_x64", True)
from jax import export  # noqa: E402


def array(text):
    """Return the array that was written as text."""
    found = np.load(io.BytesIO(zlib.decompress(base64.b85decode(text))))
    return found


def of_dtype(found, dtype):
    """Return an array in its own dtype; NumPy's files have no bfloat16."""
    return jax.numpy.asarray(found).astype(dtype)


# The operands of the kernel: values saved by forward, then the gradients of the outputs.
TAKEN = [
{received}
]
# The results of the kernel: a gradient for each input; None where none was needed.
GAVE = [
{gave}
]
KERNEL = {kernel!r}


def main():
    """Run the kernel and compare its results; return 1 if they differ."""
    kernel = export.deserialize(bytearray(zlib.decompress(base64.b85decode(KERNEL))))
    arrays = [None if each is None else of_dtype(array(each[1]), each[0]) for each in TAKEN]
    results = iter(jax.tree.leaves(kernel.call(*arrays)))
    worst = 0.0
    for number, each in enumerate(GAVE):
        if each is None:
            continue
        found = np.asarray(next(results)).astype(np.complex128)
        before = array(each[1]).astype(np.complex128)
        same = np.isnan(found) & np.isnan(before) | (found == before)
        apart = np.where(same, 0.0, np.abs(found - before))
        worst = max(worst, float(np.max(apart, initial=0.0)))
        most = np.max(apart, initial=0.0)
        print(f"gradient {{number}}: shape {{list(found.shape)}}, at most {{most:.3g}} apart")
    print("the same" if worst == 0 else f"apart by {{worst:.3g}}")
    return int(not worst < 1e-3)


if __name__ == "__main__":
    sys.exit(main())
'''


def extract(
    node: GradNode,
    folder: str | os.PathLike,
    loss: Tensor | None = None,
    grads: Tensor | Sequence[Tensor | None] | None = None,
    step: CapturedStep | None = None,
) -> list[Path]:
    """Write one gradient as a separate program: for a bug report, or to examine a kernel.

    Args:
        node: a GradNode of an op or of a function of JAX.
        folder: where to write; it is created. Files have the name of the node.
        loss: a Tensor whose graph, not yet released, contains the node: its gradient is computed.
        grads: or the gradients that the node receives: a Tensor per output, or None.
        step: or a captured step in which it ran.

    Returns:
        the paths written: NAME.py, NAME_vjp.mlir, and NAME_forward.mlir if the operands of forward
        are known (from ``step``).

    Raises:
        InvalidArgumentError: when no argument provides the gradients of the node.
        NotFoundError: when the loss does not lead to it, or the step did not run it.
        UnimplementedError: for a PyLayer, whose backward is Python.
        FatalError: when its saved tensors were released.

    Example:
        >>> import jaxeager as paddle
        >>> from jaxeager import debug
        >>> x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
        >>> y = paddle.tanh(x)
        >>> folder = getfixture("tmp_path")
        >>> [path.name for path in debug.extract(y.grad_fn, folder, loss=y.sum())]
        ['TanhGradNode.py', 'TanhGradNode_vjp.mlir']
    """
    with events.silent():
        received = _arriving(node, loss, grads, step)
        rule, arrays = _kernel_of(node, received)
        exported = jax.export.export(jax.jit(rule))(*arrays)
        results = jit(rule)(*arrays)
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        name = naming.node_name(node)
        written = [folder / f"{name}.py", folder / f"{name}_vjp.mlir"]
        written[0].write_text(_text(node, name, arrays, results, exported), encoding="utf-8")
        written[1].write_text(exported.mlir_module(), encoding="utf-8")
        forward = _forward_text(node, step)
        if forward is not None:
            written.append(folder / f"{name}_forward.mlir")
            written[2].write_text(forward, encoding="utf-8")
    return written


def _arriving(node, loss, grads, step) -> list:
    """Return the gradients that a node receives, as arrays; None for missing ones."""
    if grads is not None:
        given = grads if isinstance(grads, (list, tuple)) else [grads]
        if len(given) != node.width:
            raise InvalidArgumentError(
                f"{node.name()} takes {node.width} gradients, but got {len(given)}."
            )
        return [None if grad is None else grad._whole for grad in given]
    if step is not None:
        for backward in reversed(step.backwards):
            if node in backward.steps:
                return backward.steps[node][0]
        raise NotFoundError(f"{node.name()} did not run in the captured step.")
    if loss is None:
        raise InvalidArgumentError(
            "extract needs the gradients that the node receives: give loss (with its graph "
            "retained), grads, or a captured step."
        )
    for each, received, _ in steps_of(loss):
        if each is node:
            return received
    raise NotFoundError(f"{node.name()} is not in the graph of the loss.")


def _kernel_of(node, received: list) -> tuple[Callable, list]:
    """Return the VJP rule of a node and the arrays it runs on."""
    if node.released:
        node.raise_released()
    if hasattr(node.op, "vjp_rule"):  # a function of JAX
        return _jax_kernel(node, received)
    if not hasattr(node.op, "saves"):
        is_program = hasattr(node.op, "is_program")
        backward = "a whole function's" if is_program else "Python, not a kernel"
        raise UnimplementedError(
            f"{node.name()} cannot be taken out of its program: its backward is {backward}."
        )
    row = node.op
    shapes = tuple([kernels.key_of(aval) for aval in node.shapes])
    rule = kernels.vjp_rule(row, node.attrs, node.mask, shapes, node.ranks)
    absent = tuple([
        kernels.key_of(aval) if grad is None else None
        for grad, aval in zip(received, node.out_avals, strict=False)
    ])  # fmt: skip
    if any(each is not None for each in absent):
        rule = kernels.with_zeros(rule, absent)
    saved, structure = jax.tree.flatten(recovered(row.saves, node), is_leaf=lambda v: v is None)
    arrays = [*node.scalars, *[grad for grad in received if grad is not None]]
    there = [each for each in saved if each is not None]

    def flat(*values):
        given = iter(values)
        kept = [None if each is None else next(given) for each in saved]
        results = rule(*jax.tree.unflatten(structure, kept), *given)
        return [result for result in results if result is not None]

    return flat, [*there, *arrays]


def _jax_kernel(node, received: list) -> tuple[Callable, list]:
    if node.scalars:
        raise UnimplementedError(
            f"{node.name()} keeps residuals of JAX; record it with from_jax(..., recompute=True)."
        )
    saved = [wrapper[0] for wrapper in node.saved]
    rule = node.op.vjp_rule(node.mask, tuple([grad is not None for grad in received]))
    count = len(saved)

    def flat(*values):
        return jax.tree.leaves(rule(list(values[:count]), list(values[count:])))

    return flat, [*saved, *[grad for grad in received if grad is not None]]


# ---- the text


def _text(node, name: str, arrays: list, results: list, exported) -> str:
    line = line_of_node(node).short
    made = iter(results)
    gave = [next(made) if is_wanted else None for is_wanted in node.mask if is_wanted is not None]
    about = [f"formula: {node.op.formula}"] if getattr(node.op, "formula", "") else []
    names = getattr(node.op, "attrs", {})
    attrs = ", ".join(f"{k}={v!r}" for k, v in zip(names, node.attrs, strict=False))
    about += [f"attributes: {attrs}"] if attrs else []
    about.append(f"made by jax {jax.__version__}, for {', '.join(exported.platforms)}")
    return _FILE.format(
        name=name,
        place=f", recorded at {line}" if line else "",
        file=f"{name}.py",
        about="\n".join(textwrap.fill(each, 90) for each in about).replace("\\", "/"),
        received="\n".join(map(_as_text, arrays)),
        gave="\n".join(map(_as_text, gave)),
        kernel=base64.b85encode(zlib.compress(bytes(exported.serialize()))).decode(),
    )


def _as_text(array) -> str:
    """Return the line of an array: its dtype, and its NumPy file as text."""
    if array is None:
        return "    None,"
    if jnp.issubdtype(array.dtype, jax.dtypes.prng_key):
        raise UnimplementedError("A random key of JAX's own kind cannot be written.")
    host = np.asarray(array)
    if host.dtype.kind not in "biufc":  # bfloat16 and 8-bit floats, exactly
        host = host.astype(np.float32)
    file = io.BytesIO()
    np.save(file, host)
    text = base64.b85encode(zlib.compress(file.getvalue())).decode()
    return f"    ({array.dtype.name!r}, {text!r}),  # {array.dtype.name}{list(array.shape)}"


def _forward_text(node, step) -> str | None:
    """Return the StableHLO of the forward kernel, None if its operands are not known."""
    call = None if step is None else step.call_by_node.get(node)
    if call is None or call.row is not node.op:
        return None
    rule = kernels.forward_rule(node.op, node.attrs)
    return jax.jit(rule).lower(*call.arrays, *node.scalars).as_text()
