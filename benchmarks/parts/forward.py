"""One forward call on 4x4 float32, recorded and not, against the raw jitted call."""

import jax
import jax.numpy as jnp
import numpy as np

import jaxeager as paddle

from .timing import Row, block_of, compare, interleave

TARGETS = {"recorded": 1.25, "not recorded": 1.12}
CALLS = 400  # 2 ms: shorter than a scheduler's slice, so that most blocks run undisturbed


def _operands(count: int):
    rng = np.random.default_rng(0)
    arrays = [jnp.asarray(rng.uniform(0.5, 1.5, (4, 4)), jnp.float32) for _ in range(count)]
    constants = [paddle.to_tensor(array) for array in arrays]
    leaves = [paddle.to_tensor(array, stop_gradient=False) for array in arrays]
    return arrays, constants, leaves


def measure(repeats: int) -> list[Row]:
    """Return two rows per op: with a node recorded, and with nothing to record."""
    ops = [
        ("multiply", paddle.multiply, jax.jit(jnp.multiply), 2),
        ("tanh", paddle.tanh, jax.jit(jnp.tanh), 1),
        ("matmul", paddle.matmul, jax.jit(jnp.matmul), 2),
    ]
    rows = []
    for name, ours, raw, count in ops:
        arrays, constants, leaves = _operands(count)
        contenders = {
            "raw": block_of(lambda raw=raw, a=arrays: raw(*a), CALLS, jax.block_until_ready),
            "not recorded": block_of(lambda op=ours, t=constants: op(*t), CALLS, _wait),
            "recorded": block_of(lambda op=ours, t=leaves: op(*t), CALLS, _wait),
        }
        took = interleave(f"forward {name} 4x4", contenders, 5 * repeats)
        rows += [
            compare(
                "forward call",
                f"{name} 4x4 float32, {how}",
                "raw jax.jit call",
                took[how],
                took["raw"],
                target=target,
            )
            for how, target in TARGETS.items()
        ]
    return rows


def _wait(tensor) -> None:
    jax.block_until_ready(tensor.__jax_array__())
