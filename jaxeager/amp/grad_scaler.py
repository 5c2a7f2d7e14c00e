"""GradScaler: scales the loss so that float16 gradients do not vanish, and skips bad steps.

Note [No host sync]
    Only the device knows whether a gradient overflowed. ``unscale_`` gets that flag with the
    unscaled gradients from one XLA call. ``step`` passes it to the optimizer's fused step, which
    leaves every buffer (parameter, master weight, accumulator, power) unchanged when it is set.
    ``update`` changes scale and counters on the device. No part of a step waits. An optimizer class
    with its own step, other than Optimizer's, cannot take the flag: there ``step`` reads it, which
    waits for the backward to end.
"""

from __future__ import annotations

import warnings
from enum import Enum
from typing import TYPE_CHECKING, Any

import jax
import numpy as np

from jaxeager.amp import scaling
from jaxeager.amp.auto_cast import last_dtype
from jaxeager.arrays.as_array import host_values, on_device, on_one_device
from jaxeager.errors import (
    InvalidArgumentError,
    InvalidTypeError,
    PreconditionNotMetError,
    RefusedArgumentError,
)
from jaxeager.graph.atomic import set_each
from jaxeager.graph.mode import grad_mode
from jaxeager.graph.views.atomic_writes import write_arrays
from jaxeager.ops.call.observers import see
from jaxeager.optimizer import Optimizer
from jaxeager.tensor import Tensor

if TYPE_CHECKING:
    from jaxeager.distributed.fleet.meta_optimizers.dygraph_optimizer.inner import AnyOptimizer


class OptimizerState(Enum):
    """The progress of a scaler with an optimizer since the last ``update``."""

    INIT = 0
    UNSCALED = 1
    STEPPED = 2


class _Progress:
    """The data of a scaler on one optimizer since the last ``update``."""

    def __init__(self):
        self.state = OptimizerState.INIT
        self.found_inf: Tensor | None = None  # bool[]


def _is_number(value) -> bool:
    """Return whether a value is a number, or an array or tensor of one."""
    if isinstance(value, (list, tuple, dict)):
        return False
    array = np.asarray(value)
    return array.dtype.kind in "iuf" and array.size == 1


class AmpScaler:
    """The older name and defaults of ``GradScaler``; see there.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.amp.AmpScaler().get_init_loss_scaling()
        32768.0
    """

    def __init__(
        self,
        enable: bool = True,
        init_loss_scaling: float = 2.0**15,
        incr_ratio: float = 2.0,
        decr_ratio: float = 0.5,
        incr_every_n_steps: int = 1000,
        decr_every_n_nan_or_inf: int = 1,
        use_dynamic_loss_scaling: bool = True,
    ):
        if enable:
            _check_ratios(incr_ratio, decr_ratio)
        self._enable = enable
        self._use_dynamic_loss_scaling = bool(enable and use_dynamic_loss_scaling)
        self._init_loss_scaling = init_loss_scaling if enable else 1.0
        self._incr_ratio = incr_ratio
        self._decr_ratio = decr_ratio
        self._incr_every_n_steps = incr_every_n_steps
        self._decr_every_n_nan_or_inf = decr_every_n_nan_or_inf
        self._scale = _scale_tensor(self._init_loss_scaling) if enable else None
        self._steps = _steps_tensor(0, 0)
        self._progress: dict[int, _Progress] = {}

    # ---- a step

    def scale(self, var: Tensor) -> Tensor:
        """Return the loss times the scale: one recorded multiply; the loss itself when disabled.

        Args:
            var: the loss, of any shape; for a 0-D one the result has shape [1].

        Raises:
            InvalidTypeError: when it is not a Tensor.

        Warns:
            UserWarning: when the latest ``auto_cast`` of this thread was not for float16 and the
            scale is dynamic. The scaler is then disabled, as in Paddle: bfloat16 has the range of
            float32.

        Example:
            >>> import jaxeager as paddle
            >>> scaler = paddle.amp.GradScaler(True, 8.0, use_dynamic_loss_scaling=False)
            >>> scaler.scale(paddle.to_tensor(2.0)).tolist()
            [16.0]
        """
        if self._enable and self._use_dynamic_loss_scaling and last_dtype.get() != "float16":
            self._disable()
        if not self._enable:
            return var
        if not isinstance(var, Tensor):
            raise InvalidTypeError(
                f"The loss to scale must be a Tensor, but is of type {type(var).__name__}."
            )
        assert self._scale is not None  # it is None only if disabled
        policy, grad_mode.amp = grad_mode.amp, None  # float16 cannot hold the scale
        try:
            return var * self._scale
        finally:
            grad_mode.amp = policy

    def _disable(self) -> None:
        self._enable = self._use_dynamic_loss_scaling = False
        self._init_loss_scaling = 1.0
        warnings.warn(
            f"It is not recommended to use dynamic loss scaling for {last_dtype.get()}, so "
            "GradScaler is disable by default. Enter auto_cast(dtype='float16') before scale(), or "
            "give use_dynamic_loss_scaling=False.",
            stacklevel=3,
        )

    def _unscale(self, optimizer) -> None:
        """Divide the gradients of an optimizer's parameters by the scale, in place."""
        if not self._enable:
            return
        progress = self._progress_of(optimizer)
        if progress.state is OptimizerState.UNSCALED:
            raise PreconditionNotMetError(
                "unscale_() has already been called on this optimizer since the last update()."
            )
        if progress.state is OptimizerState.STEPPED:
            raise PreconditionNotMetError("unscale_() is being called after step().")
        grads = _gradients(optimizer)
        named = ((f"gradient {index}", grad._held) for index, grad in enumerate(grads))
        with on_one_device("GradScaler", named):
            arrays, found_inf = scaling.unscale([grad._held for grad in grads], self._scale_array())
        found = Tensor.from_array(found_inf)
        also = [(progress, "found_inf", found), (progress, "state", OptimizerState.UNSCALED)]
        write_arrays(grads, arrays, also=also)

    def minimize(self, optimizer: AnyOptimizer, *args: Any, **kwargs: Any) -> tuple:
        """Do ``optimizer.minimize`` unless a gradient is inf or nan; update the scale.

        Args:
            optimizer: the optimizer.
            *args: the arguments of its ``minimize``: the scaled loss.
            **kwargs: likewise.

        Returns:
            the result of its ``minimize``; (None, None) for an optimizer with its own step when the
            step was skipped.

        Raises:
            PreconditionNotMetError: when ``step`` was called since the last ``update``.
        """
        if not self._enable:
            return optimizer.minimize(*args, **kwargs)
        result = self._guarded(optimizer, lambda: optimizer.minimize(*args, **kwargs))
        self._end()
        return (None, None) if result is None else result

    def _guarded(self, optimizer, update):
        """Run an optimizer's update so that it changes nothing when found_inf is set."""
        progress = self._progress_of(optimizer)
        if progress.state is OptimizerState.STEPPED:
            raise PreconditionNotMetError("step() has already been called since the last update().")
        if progress.state is OptimizerState.INIT:
            self._unscale(optimizer)
        result: Any = None
        stepped: list[tuple] = [(progress, "state", OptimizerState.STEPPED)]
        if not self._use_dynamic_loss_scaling:  # then update() may not reset the state
            stepped.append((self, "_progress", {}))
        see([progress.found_inf])
        found_inf = None if progress.found_inf is None else progress.found_inf._array
        if _is_fused(optimizer):
            result = _run_with_values(optimizer, update, {"found_inf": found_inf, "also": stepped})
        elif not progress.found_inf:
            result = update()
        set_each(stepped)  # again, for a step without work
        return result

    def _end(self) -> None:
        """Update the scale, when it is dynamic, and reset the state of every optimizer."""
        ended = self._progress
        if self._use_dynamic_loss_scaling:
            founds = [p.found_inf for p in self._progress.values() if p.found_inf is not None]
            see(founds)
            rule = scaling.update_kernel(
                float(self._incr_ratio),
                float(self._decr_ratio),
                int(self._incr_every_n_steps),
                int(self._decr_every_n_nan_or_inf),
            )
            scale = self._scale_array()
            see((self._steps,))
            moved = rule(scale, self._steps._array, [found._array for found in founds])
            write_arrays([self._scale, self._steps], moved, also=[(self, "_progress", {})])
        self._progress = {}
        ended.clear()  # so that no holder keeps a part of a trace alive

    def _progress_of(self, optimizer) -> _Progress:
        return self._progress.setdefault(id(optimizer), _Progress())

    def _scale_array(self) -> jax.Array:
        assert self._scale is not None
        see((self._scale,))  # it is written in place, so a captured step may change it
        return self._scale._array

    # ---- settings

    def is_enable(self) -> bool:
        """Return whether the scaler is enabled."""
        return self._enable

    def is_use_dynamic_loss_scaling(self) -> bool:
        """Return whether the scale follows the gradients."""
        return self._use_dynamic_loss_scaling

    def get_init_loss_scaling(self) -> float:
        """Return the initial scale, or the one set later; 1.0 when disabled."""
        return self._init_loss_scaling

    def set_init_loss_scaling(self, new_init_loss_scaling: float) -> None:
        """Set the scale."""
        scale = _scale_tensor(new_init_loss_scaling)
        also = [(self, "_init_loss_scaling", new_init_loss_scaling)]
        if self._scale is None:
            set_each([*also, (self, "_scale", scale)])
        else:
            write_arrays([self._scale], [scale._array], also=also)

    def get_incr_ratio(self) -> float:
        """Return the factor by which the scale grows."""
        return self._incr_ratio

    def set_incr_ratio(self, new_incr_ratio: float) -> None:
        """Set the factor by which the scale grows; it must be above 1 (RefusedArgumentError)."""
        _check_ratios(new_incr_ratio, 0.5, "new_")
        self._incr_ratio = new_incr_ratio

    def get_decr_ratio(self) -> float:
        """Return the factor by which the scale shrinks."""
        return self._decr_ratio

    def set_decr_ratio(self, new_decr_ratio: float) -> None:
        """Set the factor by which the scale shrinks; it must be below 1 (RefusedArgumentError)."""
        _check_ratios(2.0, new_decr_ratio, "new_")
        self._decr_ratio = new_decr_ratio

    def get_incr_every_n_steps(self) -> int:
        """Return the number of successive good steps after which the scale grows."""
        return self._incr_every_n_steps

    def set_incr_every_n_steps(self, new_incr_every_n_steps: int) -> None:
        """Set the number of successive good steps after which the scale grows; 0 for never."""
        self._incr_every_n_steps = new_incr_every_n_steps

    def get_decr_every_n_nan_or_inf(self) -> int:
        """Return the number of successive bad steps after which the scale shrinks."""
        return self._decr_every_n_nan_or_inf

    def set_decr_every_n_nan_or_inf(self, new_decr_every_n_nan_or_inf: int) -> None:
        """Set the number of successive bad steps after which the scale shrinks; 0 for never."""
        self._decr_every_n_nan_or_inf = new_decr_every_n_nan_or_inf

    # ---- state

    def state_dict(self) -> dict:
        """Return scale, ratios and counters as NumPy and Python values; {} when disabled.

        This waits for the device.

        Example:
            >>> import jaxeager as paddle
            >>> paddle.amp.GradScaler(init_loss_scaling=8.0).state_dict()["scale"].tolist()
            [8.0]
        """
        if not self._enable:
            return {}
        good, bad = self._steps.tolist()
        return {
            "scale": host_values(self._scale_array()),
            "incr_ratio": self._incr_ratio,
            "decr_ratio": self._decr_ratio,
            "incr_every_n_steps": self._incr_every_n_steps,
            "decr_every_n_nan_or_inf": self._decr_every_n_nan_or_inf,
            "incr_count": good,
            "decr_count": bad,
            "use_dynamic_loss_scaling": self._use_dynamic_loss_scaling,
        }

    def load_state_dict(self, state_dict: dict) -> None:
        """Restore the result of state_dict; a disabled scaler ignores it.

        Raises:
            PreconditionNotMetError: when the dict is empty.
            KeyError: when an entry is missing; nothing is changed then.
            InvalidArgumentError: when an entry is not a number; nothing is changed then.
        """
        if not self._enable:
            return
        if len(state_dict) == 0:
            raise PreconditionNotMetError(
                "The input state dict is empty, possibly because it was saved from a disabled "
                "instance of GradScaler."
            )
        names = ("incr_ratio", "decr_ratio", "incr_every_n_steps", "decr_every_n_nan_or_inf")
        settings = {f"_{name}": state_dict[name] for name in names}
        for name in ("scale", *names, "incr_count", "decr_count"):
            if not _is_number(state_dict[name]):
                raise InvalidArgumentError(
                    f"The state of a GradScaler has a number for {name!r}, but received "
                    f"{state_dict[name]!r}."
                )
        scale = np.asarray(state_dict["scale"], np.float32).reshape(-1)[0]
        steps = np.array([state_dict["incr_count"], state_dict["decr_count"]], np.int32)
        settings["_use_dynamic_loss_scaling"] = state_dict["use_dynamic_loss_scaling"]
        settings["_init_loss_scaling"] = scale
        moved = [_scale_tensor(scale)._array, on_device(steps)]
        also = [(self, name, value) for name, value in settings.items()]
        write_arrays([self._scale, self._steps], moved, also=also)


class GradScaler(AmpScaler):
    """Scale the loss so that small float16 gradients survive, and skip steps that overflow.

    The scale halves when a gradient is inf or nan, and doubles after ``incr_every_n_steps`` good
    steps. A step costs one XLA call for ``unscale_`` and one for ``update`` in addition to the
    optimizer's, and nothing waits for the device (see Note [No host sync] in this file). It keeps
    training in float16, with its short exponents, stable; bfloat16 does not need it.

    Args:
        enable: False makes every method pass through.
        init_loss_scaling: the first scale.
        incr_ratio: factor by which it grows, above 1.
        decr_ratio: factor by which it shrinks, below 1.
        incr_every_n_steps: the number of successive good steps after which it grows.
        decr_every_n_nan_or_inf: the number of successive bad steps after which it shrinks.
        use_dynamic_loss_scaling: False keeps the scale.

    Raises:
        RefusedArgumentError: for ratios on the wrong side of 1.

    Paddle: disabled on a CPU, where its getters raise AttributeError. There a bad step prints a
    line, and a scale can become infinite. There, with several optimizers, the flag of the last one
    applies to all; here each is skipped by its own flag and the scale follows any of them.

    Example:
        >>> import jaxeager as paddle
        >>> linear = paddle.nn.Linear(2, 1)
        >>> sgd = paddle.optimizer.SGD(0.1, parameters=linear.parameters())
        >>> scaler = paddle.amp.GradScaler(init_loss_scaling=1024.0)
        >>> with paddle.amp.auto_cast(dtype="float16"):
        ...     loss = linear(paddle.ones([4, 2])).mean()
        >>> scaler.scale(loss).backward()
        >>> scaler.step(sgd)
        >>> scaler.update()
        >>> sgd.clear_grad()
    """

    def __init__(
        self,
        enable: bool = True,
        init_loss_scaling: float = 2.0**16,
        incr_ratio: float = 2.0,
        decr_ratio: float = 0.5,
        incr_every_n_steps: int = 2000,
        decr_every_n_nan_or_inf: int = 1,
        use_dynamic_loss_scaling: bool = True,
    ):
        super().__init__(
            enable,
            init_loss_scaling,
            incr_ratio,
            decr_ratio,
            incr_every_n_steps,
            decr_every_n_nan_or_inf,
            use_dynamic_loss_scaling,
        )

    def unscale_(self, optimizer: AnyOptimizer) -> None:
        """Divide the gradients by the scale now, so that they can be clipped before ``step``.

        Raises:
            PreconditionNotMetError: when it or ``step`` was called since the last ``update``.

        Example:
            >>> import jaxeager as paddle
            >>> w = paddle.nn.Parameter(paddle.to_tensor([1.0]))
            >>> sgd = paddle.optimizer.SGD(0.5, parameters=[w])
            >>> scaler = paddle.amp.GradScaler(True, 8.0, use_dynamic_loss_scaling=False)
            >>> scaler.scale(w.sum()).backward()
            >>> scaler.unscale_(sgd)
            >>> w.grad.tolist()
            [1.0]
        """
        self._unscale(optimizer)

    def step(self, optimizer: AnyOptimizer) -> None:
        """Do ``optimizer.step`` unless a gradient is inf or nan; unscale first.

        Parameters, master weights and accumulators do not change in a skipped step.

        Raises:
            PreconditionNotMetError: when it was called since the last ``update``.
        """
        if not self._enable:
            optimizer.step()
            return
        self._guarded(optimizer, optimizer.step)

    def update(self) -> None:
        """Update the scale after the steps of this iteration."""
        if self._enable and self._use_dynamic_loss_scaling:
            self._end()


def _check_ratios(incr_ratio: float, decr_ratio: float, prefix: str = "") -> None:
    if not incr_ratio > 1.0:
        raise RefusedArgumentError(
            f"The {prefix}incr_ratio must be > 1.0. Received {incr_ratio!r}."
        )
    if not decr_ratio < 1.0:
        raise RefusedArgumentError(
            f"The {prefix}decr_ratio must be < 1.0. Received {decr_ratio!r}."
        )


def _steps_tensor(good: int, bad: int) -> Tensor:
    """Return the numbers of successive good and bad steps, as a tensor."""
    return Tensor.from_array(on_device([good, bad], np.int32))


def _scale_tensor(value: float) -> Tensor:
    return Tensor.from_array(on_device([value], np.float32))


def _run_with_values(optimizer, update, auxiliary: dict):
    """Run an update of an optimizer with auxiliary values that are set only for that time.

    Not with ``finally``: see Note [Interrupts] in graph/atomic.py.
    """

    def set_values(values: dict) -> None:
        for key, value in values.items():
            optimizer._set_auxiliary_var(key, value)

    try:
        set_values(auxiliary)
        result = update()
        set_values(dict.fromkeys(auxiliary))
    except BaseException:
        set_values(dict.fromkeys(auxiliary))
        raise
    return result


def _is_fused(optimizer) -> bool:
    """Return whether an optimizer's update is Optimizer's own, which respects found_inf."""
    own = type(optimizer)
    return isinstance(optimizer, Optimizer) and all(
        getattr(own, name) is getattr(Optimizer, name)
        for name in ("step", "minimize", "apply_gradients", "_run")
    )


def _gradients(optimizer) -> list[Tensor]:
    """Return the gradients of an optimizer's parameters; those cleared to zero are left out."""
    listed = getattr(optimizer, "_params", None) or optimizer._parameter_list
    params = [p for each in listed for p in (each["params"] if isinstance(each, dict) else [each])]
    metas = [param._meta for param in params]
    return [meta.grad for meta in metas if meta is not None and meta.grad is not None]
