"""The operators of ONNX for the steps of JAX's programs: each file registers some primitives."""

from jaxeager.onnx.steps import (
    contractions,
    control,
    elementwise,
    gathers,
    reductions,
    shapes,
    sorting,
    windows,
)
