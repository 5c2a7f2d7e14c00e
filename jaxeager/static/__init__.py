"""paddle.static: InputSpec, control flow and names that are meaningful without static graphs.

There are no static graphs, and default programs have no op. The other names can be imported, and
raise when they are called.
"""

from jaxeager.metric import accuracy
from jaxeager.nn.param_attr import create_parameter
from jaxeager.static import amp, nn, quantization
from jaxeager.static.build_strategy import BuildStrategy
from jaxeager.static.default_programs import default_main_program, default_startup_program
from jaxeager.static.guards import cpu_places, cuda_places, device_guard, name_scope
from jaxeager.static.input_spec import InputSpec
from jaxeager.static.programs import NAMED
from jaxeager.static.variable import Parameter, Variable
from jaxeager.tensor.creation import create_global_var

globals().update(NAMED)

__all__ = [
    "BuildStrategy", "InputSpec", "Parameter", "Variable", "accuracy", "amp", "cpu_places",
    "create_global_var", "create_parameter", "cuda_places", "default_main_program",
    "default_startup_program", "device_guard", "name_scope", "nn", "quantization",
]  # fmt: skip
__all__ += list(NAMED)
