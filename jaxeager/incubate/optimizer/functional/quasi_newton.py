"""BFGS and L-BFGS: steps by an estimate of the inverse Hessian computed from gradients."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError, UnimplementedError
from jaxeager.incubate.optimizer.functional.line_search import Found, Point, strong_wolfe
from jaxeager.tensor import Tensor

Objective = Callable[[Tensor], Tensor]


def _looked_at(objective: Objective, x: Tensor) -> tuple[Tensor, Tensor]:
    """Return the value and the gradient of a function."""
    x = x.detach()
    x.stop_gradient = False
    value = objective(x)
    return value.detach(), paddle.grad([value], [x])[0].detach()


def _search(objective: Objective, x: Tensor, direction: Tensor, first: float, most: int) -> Found:
    """Return the step length in a direction."""

    def look(step: float) -> Point:
        value, gradient = _looked_at(objective, x + step * direction)
        return Point(step, value.item(), paddle.dot(gradient, direction).item(), gradient)

    return strong_wolfe(look, first, most)


def _start(x: Tensor, estimate: Tensor | None, dtype: str, line_search_fn: str) -> Tensor:
    """Return the first estimate of the inverse Hessian.

    Raises:
        InvalidArgumentError: for another dtype, a value that is not a tensor, and an estimate that
            is not symmetric and positive definite.
        UnimplementedError: for another line search.
    """
    if dtype not in ("float32", "float64"):
        raise InvalidArgumentError(
            f"The dtype must be 'float32' or 'float64', but the specified is {dtype}."
        )
    if line_search_fn != "strong_wolfe":
        raise UnimplementedError(
            "Currently only support line_search_fn = 'strong_wolfe', but the specified is "
            f"'{line_search_fn}'"
        )
    for each in (x, estimate):
        if each is not None and not isinstance(each, Tensor):
            raise InvalidArgumentError(f"The input: {each} must be tensor.")
    if estimate is None:
        return paddle.eye(x.shape[0], dtype=dtype)
    is_symmetric = bool((estimate == estimate.T).all())
    if not is_symmetric or not bool((paddle.linalg.eigvalsh(estimate) > 0.0).all()):
        raise InvalidArgumentError(
            "The initial_inverse_hessian_estimate should be symmetric and positive definite, but "
            "the specified is not."
        )
    return estimate


def _largest(x: Tensor) -> float:
    return x.abs().max().item()


def _result(converged: bool, calls: int, *rest: Tensor) -> tuple:
    return paddle.to_tensor([converged]), paddle.to_tensor([calls], "int64"), *rest


def minimize_bfgs(
    objective_func: Objective,
    initial_position: Tensor,
    max_iters: int = 50,
    tolerance_grad: float = 1e-7,
    tolerance_change: float = 1e-9,
    initial_inverse_hessian_estimate: Tensor | None = None,
    line_search_fn: str = "strong_wolfe",
    max_line_search_iters: int = 50,
    initial_step_length: float = 1.0,
    dtype: str = "float32",
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor, Tensor]:
    """Find a minimum of a function by the method of Broyden, Fletcher, Goldfarb and Shanno.

    Args:
        objective_func: takes float[n], returns one number.
        initial_position: float[n], the start of the search.
        max_iters: the maximum number of steps.
        tolerance_grad: the search ends when no element of the gradient is larger.
        tolerance_change: the search ends when no element of the direction is larger.
        initial_inverse_hessian_estimate: float[n, n]; the unit matrix when None.
        line_search_fn: "strong_wolfe".
        max_line_search_iters: the maximum number of steps tried in a direction.
        initial_step_length: the step that is tried first.
        dtype: "float32" or "float64" of the estimate.
        name: a name.

    Returns:
        Whether it converged, bool[1]; how often the function was called, int64[1]; the minimum,
        float[n]; the function and its gradient there; the inverse Hessian's estimate, float[n, n].

    Raises:
        InvalidArgumentError: for another dtype, and an estimate that is not symmetric and
            positive definite.
        UnimplementedError: for another line search.

    Paddle: multiplies by transposed matrices when it updates the estimate, and needs many more
        steps.

    Example:
        >>> import jaxeager as paddle
        >>> found = paddle.incubate.optimizer.functional.minimize_bfgs(
        ...     lambda x: ((x - 3.0) ** 2).sum(), paddle.zeros([2])
        ... )
        >>> found[0].item(), found[2].tolist()
        (True, [3.0, 3.0])
    """
    start = (initial_position, initial_inverse_hessian_estimate, dtype, line_search_fn)
    inverse, unit = _start(*start), paddle.eye(initial_position.shape[0], dtype=dtype)
    x = initial_position.detach()
    value, gradient = _looked_at(objective_func, x)
    calls, converged = 1, False
    for _ in range(max_iters):
        direction = -paddle.matmul(inverse, gradient)
        found = _search(objective_func, x, direction, initial_step_length, max_line_search_iters)
        calls += found.calls
        step, change = found.point.step * direction, found.point.gradient - gradient
        x, gradient = x + step, found.point.gradient
        value = paddle.full_like(value, found.point.value)
        product = paddle.dot(change, step).item()
        rho = 1000.0 if product == 0.0 else 1.0 / product
        left = unit - rho * paddle.outer(step, change)
        inverse = left @ inverse @ left.T + rho * paddle.outer(step, step)
        converged = _largest(gradient) < tolerance_grad or _largest(direction) < tolerance_change
        if converged or found.point.step == 0.0:
            break
    return _result(converged, calls, x, value, gradient, inverse)


def minimize_lbfgs(
    objective_func: Objective,
    initial_position: Tensor,
    history_size: int = 100,
    max_iters: int = 50,
    tolerance_grad: float = 1e-8,
    tolerance_change: float = 1e-8,
    initial_inverse_hessian_estimate: Tensor | None = None,
    line_search_fn: str = "strong_wolfe",
    max_line_search_iters: int = 50,
    initial_step_length: float = 1.0,
    dtype: str = "float32",
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
    """Find a minimum of a function by BFGS with the last steps only.

    Args:
        objective_func: takes float[n], returns one number.
        initial_position: float[n], the start of the search.
        history_size: the number of steps kept.
        max_iters: the maximum number of steps.
        tolerance_grad: the search ends when no element of the gradient is larger.
        tolerance_change: the search ends when no element of the direction is larger.
        initial_inverse_hessian_estimate: float[n, n]; the unit matrix when None.
        line_search_fn: "strong_wolfe".
        max_line_search_iters: the maximum number of steps tried in a direction.
        initial_step_length: the step that is tried first.
        dtype: "float32" or "float64" of the estimate.
        name: a name.

    Returns:
        Whether it converged, bool[1]; how often the function was called, int64[1]; the minimum,
        float[n]; the function and its gradient there.

    Raises:
        InvalidArgumentError: for another dtype, and an estimate that is not symmetric and
            positive definite.
        UnimplementedError: for another line search.

    Example:
        >>> import jaxeager as paddle
        >>> found = paddle.incubate.optimizer.functional.minimize_lbfgs(
        ...     lambda x: ((x - 3.0) ** 2).sum(), paddle.zeros([2])
        ... )
        >>> found[0].item(), found[2].tolist()
        (True, [3.0, 3.0])
    """
    start = (initial_position, initial_inverse_hessian_estimate, dtype, line_search_fn)
    inverse, x = _start(*start), initial_position.detach()
    value, gradient = _looked_at(objective_func, x)
    history: deque[tuple[Tensor, Tensor, float]] = deque(maxlen=history_size)
    calls, converged = 1, False
    for _ in range(max_iters):
        direction = -_times_inverse(inverse, history, gradient)
        found = _search(objective_func, x, direction, initial_step_length, max_line_search_iters)
        calls += found.calls
        step, change = found.point.step * direction, found.point.gradient - gradient
        x, gradient = x + step, found.point.gradient
        value = paddle.full_like(value, found.point.value)
        product = paddle.dot(change, step).item()
        history.append((step, change, 1000.0 if product == 0.0 else 1.0 / product))
        converged = _largest(gradient) < tolerance_grad or _largest(direction) < tolerance_change
        if converged or found.point.step == 0.0:
            break
    return _result(converged, calls, x, value, gradient)


def _times_inverse(inverse: Tensor, history: deque, gradient: Tensor) -> Tensor:
    """Return the inverse Hessian's estimate times a vector, by two loops over the last steps."""
    found, shares = gradient, []
    for step, change, rho in reversed(history):
        shares.append(rho * paddle.dot(step, found).item())
        found = found - shares[-1] * change
    found = paddle.matmul(inverse, found)
    for (step, change, rho), share in zip(history, reversed(shares), strict=True):
        found = found + step * (share - rho * paddle.dot(change, found).item())
    return found
