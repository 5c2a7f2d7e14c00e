"""``if`` and ``while`` on tensors as branches and loops of a program (full_graph, jit.save).

statements.py converts the source of a function, functions.py makes a function from that, calls.py
decides which functions to convert, and control.py has the helpers of converted code.
"""

from jaxeager.jit.lowering.calls import call as lowered
from jaxeager.jit.lowering.calls import leave, leave_module
from jaxeager.jit.lowering.running import in_program

__all__ = ["in_program", "leave", "leave_module", "lowered"]
