"""The operators of ONNX for ops of this library: each file registers some rows.

Only ops that ONNX has under a name of its own, and that JAX computes in several steps, are here;
the steps of all others say the same (``steps``).
"""

from jaxeager.onnx.rows import (
    activations,
    logical,
    normalizations,
    pools,
    selections,
    transposed_convolutions,
)
