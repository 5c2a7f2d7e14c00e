"""``if`` and ``while`` on tensors as branches and loops of a program (full_graph, jit.save).

statements.py converts the source of a function, functions.py makes a function of that, calls.py
knows which functions, and control.py is what converted code calls.
"""

from jaxeager.jit.lowering.calls import call as lowered
from jaxeager.jit.lowering.calls import leave, leave_module
from jaxeager.jit.lowering.running import in_program

__all__ = ["in_program", "leave", "leave_module", "lowered"]
