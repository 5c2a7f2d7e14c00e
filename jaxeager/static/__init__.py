"""paddle.static: InputSpec, control flow and names that are meaningful without static graphs.

There are no static graphs, and default programs have no op. The other names can be imported, and
raise when they are called.
"""

from jaxeager.static import amp, nn, quantization
from jaxeager.static.default_programs import default_main_program, default_startup_program
from jaxeager.static.guards import cpu_places, cuda_places, device_guard, name_scope
from jaxeager.static.input_spec import InputSpec
from jaxeager.static.programs import NAMED
from jaxeager.static.variable import Parameter, Variable

globals().update(NAMED)

__all__ = [
    "InputSpec", "Parameter", "Variable", "amp", "cpu_places", "cuda_places",
    "default_main_program", "default_startup_program", "device_guard", "name_scope", "nn",
    "quantization",
]  # fmt: skip
__all__ += list(NAMED)
