"""Why static graphs are not quantized."""

from jaxeager.static.programs import REASON

QUANTIZATION_REASON = (
    f"{REASON} paddle.quantization has QAT, PTQ, ImperativeQuantAware and ImperativePTQ for layers."
)
