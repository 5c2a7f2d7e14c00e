"""cond, case, switch_case and while_loop: Python's branches and loops as functions.

Gradients flow through the branch that ran, as through any ops. While JAX traces, these are JAX's
branches and loops (traced_flow.py): all branches are part of the program.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError, InvalidTypeError, RefusedArgumentError
from jaxeager.static.nn import traced_flow
from jaxeager.tensor import Tensor


def _check_condition(name: str, pred: object) -> None:
    """Raise RefusedArgumentError unless it is a tensor of one element."""
    if not isinstance(pred, Tensor) or pred.size != 1:
        raise RefusedArgumentError(f"{name}: the condition is a Tensor of one element, not {pred}.")


def _is_true(name: str, pred: object) -> bool:
    """Return the truth value of a tensor of one element."""
    _check_condition(name, pred)
    return bool(pred)


def _check_callable(text: str, function: object) -> None:
    if not callable(function):
        raise InvalidTypeError(f"{text} must be callable, but received {type(function).__name__}.")


def cond(
    pred: Tensor,
    true_fn: Callable | None = None,
    false_fn: Callable | None = None,
    name: str | None = None,
    return_names: Sequence[str] | None = None,
) -> Any:
    """Return the result of one of two functions.

    Args:
        pred: a Tensor of one element.
        true_fn: called when pred is not 0; None does nothing.
        false_fn: called when pred is 0; None does nothing.
        name: a name.
        return_names: names of the results.

    Raises:
        InvalidArgumentError: when the condition is not a Tensor of one element.
        InvalidTypeError: when one of the functions is not callable.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.static.nn.cond(paddle.to_tensor(True), lambda: "yes", lambda: "no")
        'yes'
    """
    for which, function in (("true_fn", true_fn), ("false_fn", false_fn)):
        if function is not None:
            _check_callable(f"The {which} in cond", function)
    _check_condition("cond", pred)
    if traced_flow.is_traced(pred):
        return traced_flow.branch(pred.astype("bool"), [false_fn, true_fn])
    chosen = true_fn if pred else false_fn
    return None if chosen is None else chosen()


def case(
    pred_fn_pairs: Sequence[tuple[Tensor, Callable]],
    default: Callable | None = None,
    name: str | None = None,
) -> Any:
    """Return the result of the function whose condition is the first to hold.

    Args:
        pred_fn_pairs: (condition, function) pairs; a condition is a Tensor of one element.
        default: called when no condition holds; the last function by default.
        name: a name.

    Raises:
        InvalidTypeError: for an argument that is not a list of pairs, or not callable.
        InvalidArgumentError: for an empty list, or a condition that is not a Tensor of one element.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.to_tensor(3)
        >>> pairs = [(x < 2, lambda: "small"), (x < 5, lambda: "middle")]
        >>> paddle.static.nn.case(pairs, default=lambda: "large")
        'middle'
    """
    if not isinstance(pred_fn_pairs, (list, tuple)):
        raise InvalidTypeError(f"case takes a list of pairs, but received {pred_fn_pairs!r}.")
    if not pred_fn_pairs:
        raise InvalidArgumentError("case: the list of pairs is empty.")
    for pair in pred_fn_pairs:
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise InvalidTypeError(
                f"case takes (condition, function) pairs, but received {pair!r}."
            )
        _, function = pair
        _check_callable("The fn of pred_fn_pairs in Op(case)", function)
    if default is not None:
        _check_callable("The default in Op(case)", default)
    for number, (pred, function) in enumerate(pred_fn_pairs):
        if traced_flow.is_traced(pred):
            return _late_case(pred_fn_pairs[number:], default)
        if _is_true("case", pred):
            return function()
    return (default or pred_fn_pairs[-1][1])()


def _late_case(pairs: Sequence[tuple[Tensor, Callable]], default: Callable | None) -> Any:
    """Run ``case`` with conditions that JAX traces."""
    conditions = []
    for pred, _ in pairs:
        _check_condition("case", pred)
        conditions.append(pred.reshape([]).astype("bool"))
    holds = paddle.stack([*conditions, paddle.full([], default is not None, "bool")])
    functions = [function for _, function in pairs]
    first = paddle.argmax(holds.astype("int32"))  # the first of equal ones
    none = ~holds.any()  # then the last function, as without a default
    number = paddle.where(none, paddle.full([], len(functions) - 1, "int64"), first)
    return traced_flow.branch(number, [*functions, default or functions[-1]])


def switch_case(
    branch_index: Tensor,
    branch_fns: dict[int, Callable] | Sequence[Any],
    default: Callable | None = None,
    name: str | None = None,
) -> Any:
    """Return the result of the function with a number.

    Args:
        branch_index: int[1] or int[], the number.
        branch_fns: {number: function}, (number, function) pairs, or functions numbered from 0.
        default: called for another number; the function with the largest one by default.
        name: a name.

    Raises:
        InvalidArgumentError: for an index that is not a Tensor of one element, no functions, or a
            number that appears twice.
        InvalidTypeError: when one of them is not callable.

    Example:
        >>> import jaxeager as paddle
        >>> index = paddle.to_tensor([1])
        >>> paddle.static.nn.switch_case(index, {0: lambda: "a", 1: lambda: "b"})
        'b'
    """
    if not isinstance(branch_index, Tensor) or branch_index.size != 1:
        raise InvalidArgumentError(
            f"switch_case: the index is a Tensor of one element, not {branch_index}."
        )
    if isinstance(branch_fns, dict):
        pairs = list(branch_fns.items())
    elif all(isinstance(each, tuple) for each in branch_fns):
        pairs = list(branch_fns)
    else:
        pairs = list(enumerate(branch_fns))
    if not pairs:
        raise InvalidArgumentError("switch_case: there are no functions.")
    functions: dict[int, Callable] = {}
    for number, function in pairs:
        if not isinstance(number, int):
            raise InvalidTypeError(
                f"The key's type of 'branch_fns' in switch_case must be int, but is {number!r}."
            )
        if number in functions:
            raise InvalidArgumentError(
                f"The key in 'branch_fns' must be unique, but '{number}' appears more than once."
            )
        _check_callable(f"The function {number} in switch_case", function)
        functions[number] = function
    if default is not None:
        _check_callable("The default in switch_case", default)
    last = functions[max(functions)]
    if traced_flow.is_traced(branch_index):
        numbers = sorted(functions)
        is_one = paddle.to_tensor(numbers) == branch_index.reshape([1]).astype("int64")
        number = paddle.where(is_one.any(), is_one.astype("int32").argmax(), len(numbers))
        return traced_flow.branch(number, [*[functions[n] for n in numbers], default or last])
    return functions.get(int(branch_index.item()), default or last)()


def while_loop(
    cond: Callable,
    body: Callable,
    loop_vars: Sequence[object],
    is_test: bool = False,
    name: str | None = None,
) -> list:
    """Run a function while another one returns True, and return its last result.

    Args:
        cond: called with the values; returns a Tensor of one element.
        body: called with the values; returns the same number of new ones.
        loop_vars: the initial values, in a list or tuple.
        is_test: whether no gradients are needed; it changes nothing.
        name: a name.

    Raises:
        InvalidTypeError: when one of the functions is not callable, or the values are not a list.
        InvalidArgumentError: without values, for another number of values, or when the condition is
            not a Tensor of one element.

    Example:
        >>> import jaxeager as paddle
        >>> i, x = paddle.to_tensor(0), paddle.to_tensor(1.0)
        >>> def body(i, x):
        ...     return [i + 1, x * 2]
        >>> i, x = paddle.static.nn.while_loop(lambda i, x: i < 3, body, [i, x])
        >>> x.item()
        8.0
    """
    _check_callable("cond in while_loop", cond)
    _check_callable("body in while_loop", body)
    if not isinstance(loop_vars, (list, tuple)):
        raise InvalidTypeError(f"loop_vars is a list or a tuple, but received {loop_vars!r}.")
    if not loop_vars:
        raise InvalidArgumentError("loop_vars in while_loop should not be empty")
    values = list(loop_vars)
    while True:
        pred = cond(*values)
        if traced_flow.is_traced(pred):
            return traced_flow.loop(cond, body, values)
        if not _is_true("while_loop", pred):
            return values
        found = body(*values)
        found = list(found) if isinstance(found, (list, tuple)) else [found]
        if len(found) != len(values):
            raise InvalidArgumentError(
                "body in while_loop should return the same arity (length and structure) and types "
                f"as loop_vars: {len(values)} values, but it returned {len(found)}."
            )
        values = found
