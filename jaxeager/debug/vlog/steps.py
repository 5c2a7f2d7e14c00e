"""The lines of a verbose log about optimizers: in Paddle the update of each parameter is a call.

Here one kernel updates all. So the first call's lines are written before the kernel runs, and
the rest after it was called.
"""

from jaxeager.debug.common import call_names, tensor_text
from jaxeager.debug.vlog import vlog

BAR = "=" * 26
_MODULE = "dygraph_functions"


def write_bar(module: str, text: str) -> None:
    """Write a line of a module between bars."""
    vlog.write(module, 0, f"\n{BAR}{text}{BAR}")


def begin(rule, params: list) -> None:
    """Write that a step begins."""
    if params:
        _say_running(call_names.begun_step_calls(rule, params)[0], rule)


def end(rule, params: list, state) -> None:
    """Write the results of a step."""
    calls = call_names.step_calls(rule, params)
    for position, (param, call) in enumerate(zip(params, calls, strict=True)):
        if position:
            _say_running(call, rule)
        _say_update(call, rule, param, state)


def _say_running(call: str, rule) -> None:
    write_bar(_MODULE, f"Running_AD_API: {rule.name}_")
    write_bar(_MODULE, f"Running_C++_API: {call}")


def _say_update(call: str, rule, param, state) -> None:
    """Write the update of one parameter."""
    write_bar(_MODULE, f"Finish_C++_API: {call}")
    level = vlog.text_level(_MODULE)
    names, kept = ["param", *rule.slots], [param, *state.slots(param)]
    given, values = ["param", "grad", *rule.slots], [param, param.grad, *kept[1:]]
    inputs = tensor_text.pairs_of(given, values, level)
    outputs = tensor_text.pairs_of([f"{each}_out" for each in names], kept, level)
    write_bar(_MODULE, f"Finish_AD_API: {rule.name}_")
    vlog.write(
        _MODULE, 0,
        f"\nForward Debug Info {{\nAPI_Name: {call} \nInput: {tensor_text.list_text(inputs)}  "
        f"\nOutput: {tensor_text.list_text(outputs)} }} ",
    )  # fmt: skip
