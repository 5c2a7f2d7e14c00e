"""auto_cast: the context in which ops choose their precision, and its present state."""

from __future__ import annotations

from collections.abc import Sequence
from contextvars import ContextVar
from typing import TYPE_CHECKING

from jaxeager.amp.policy import Policy, policy_for
from jaxeager.core import dtypes, places
from jaxeager.errors import InvalidArgumentError, InvalidTypeError
from jaxeager.graph import engine
from jaxeager.graph.mode import ModeContext, grad_mode
from jaxeager.ops.call.observers import unwatch, watch

if TYPE_CHECKING:
    from typing import Any

    from jaxeager.core.types import PlaceLike

# The dtype of the latest auto_cast of this thread or asyncio task; GradScaler reads it.
last_dtype: ContextVar[str] = ContextVar("jaxeager.amp_dtype", default="float32")
_master_grads: Any = None  # the function that decorate(master_grad=True) runs after a backward
_is_armed = False


class AutoCast(ModeContext):
    """The result of ``auto_cast``: a context manager and a decorator, both reusable."""

    def __init__(self, *arguments):
        super().__init__()
        self._arguments = arguments
        self._checked: tuple[Policy | None, str] | None = None

    def __enter__(self) -> None:  # type: ignore[override] # as in Paddle, returns nothing
        if self._checked is None:
            self._checked = _checked(*self._arguments)
        policy, dtype = self._checked
        self._before.append((grad_mode.amp, policy))
        if policy is not None:
            watch("auto_cast")
        grad_mode.amp = policy
        last_dtype.set(dtype)
        _arm_master_grads()

    def __exit__(self, *exc_info) -> None:
        grad_mode.amp, policy = self._before.pop()
        if policy is not None:
            unwatch("auto_cast")

    def _fresh(self) -> AutoCast:
        fresh = AutoCast(*self._arguments)
        fresh._checked = self._checked
        return fresh


def amp_state() -> dict[str, str | bool] | None:
    """Return the level, dtype and use_promote of the active ``auto_cast``; None outside of any.

    Paddle: its dict has the custom lists too.

    Example:
        >>> import jaxeager as paddle
        >>> from jaxeager.amp.auto_cast import amp_state
        >>> with paddle.amp.auto_cast(dtype="bfloat16"):
        ...     amp_state()
        {'enable': True, 'level': 'O1', 'dtype': 'bfloat16', 'use_promote': True}
    """
    policy = grad_mode.amp
    if policy is None:
        return None
    level, dtype = policy.level, policy.dtype.name
    return {"enable": True, "level": level, "dtype": dtype, "use_promote": policy.use_promote}


def _checked(enable, white, black, level, dtype, use_promote) -> tuple[Policy | None, str]:
    """Return the policy of auto_cast's arguments, None for float32, and the dtype's name."""
    if not isinstance(level, str):
        raise InvalidTypeError(f"level must be a str such as 'O1', but received {level!r}.")
    level = level.upper()
    if level not in ("O0", "OD", "O1", "O2"):
        raise InvalidArgumentError(f"level should be O0, OD, O1 or O2. Received {level!r}.")
    given = dtype.lower() if isinstance(dtype, str) else dtype
    numpy_dtype = dtypes.to_numpy(given)
    if not enable:
        return None, numpy_dtype.name
    if numpy_dtype not in dtypes.HALF:
        raise InvalidArgumentError(
            "If enable amp, dtype should be 'float16' or 'bfloat16'. "
            f"Received {numpy_dtype.name!r}."
        )
    if level == "O0":
        return None, numpy_dtype.name
    return policy_for(level, numpy_dtype, use_promote, white, black), numpy_dtype.name


def _arm_master_grads() -> None:
    """Make the gradients of decorated parameters float32 at the end of the next backward."""
    global _is_armed
    if _master_grads is not None and not _is_armed:
        _is_armed = True
        engine.add_final_hook(_run_master_grads)


def _run_master_grads() -> None:
    global _is_armed
    _is_armed = False
    _master_grads()


def set_master_grads(function) -> None:
    """Set the function that runs after a backward for decorate(master_grad=True); None for none."""
    global _master_grads
    _master_grads = function


def auto_cast(
    enable: bool = True,
    custom_white_list: Sequence[str] | None = None,
    custom_black_list: Sequence[str] | None = None,
    level: str = "O1",
    dtype: str = "float16",
    use_promote: bool = True,
) -> AutoCast:
    """Return a context in which ops of this thread run in a suitable precision.

    Where an op needs another precision than a tensor has, a ``cast`` is recorded before it, so the
    gradient has the tensor's own dtype. Only float32, float16 and bfloat16 are cast. The context is
    a decorator too. A custom list names ops as Paddle does (``matmul_v2``) or as they are recorded
    (``matmul``).

    Args:
        enable: False disables the context, also inside another one.
        custom_white_list: set, list or tuple of names of ops that run in ``dtype``.
        custom_black_list: names of ops that run in float32.
        level: "O1": ops of the white list run in ``dtype``, those of the black list in float32, and
            others in float32 when an operand is float32. "O2": for models that were cast by
            ``decorate``; its black list is short. "OD": the white list in ``dtype``, all others in
            float32. "O0": float32, as ``enable=False``.
        dtype: "float16" or "bfloat16".
        use_promote: at O2, whether an op with a float32 operand runs in float32.

    Raises (on entry):
        InvalidArgumentError: for another level or dtype, or an op that is in both custom lists.
        InvalidTypeError: when a custom list is not a list of names.

    Paddle: only has an effect on a GPU or XPU; on a CPU it warns and casts nothing. Operands of
    in-place ops are never cast, there and here. There a custom list accepts only the older names,
    and other names are ignored; here they are accepted, and unknown names give a warning.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.ones([2, 2])
        >>> with paddle.amp.auto_cast(dtype="bfloat16"):
        ...     (x @ x).dtype, (x + x).dtype, (x @ x).exp().dtype
        (paddle.bfloat16, paddle.float32, paddle.float32)
    """
    return AutoCast(enable, custom_white_list, custom_black_list, level, dtype, use_promote)


def amp_guard(
    enable: bool = True,
    custom_white_list: Sequence[str] | None = None,
    custom_black_list: Sequence[str] | None = None,
    level: str = "O1",
    dtype: str = "float16",
    use_promote: bool = True,
) -> AutoCast:
    """Return the result of ``auto_cast``; an older name of it.

    Example:
        >>> import jaxeager as paddle
        >>> with paddle.amp.amp_guard(dtype="bfloat16"):
        ...     paddle.amp.get_autocast_dtype()
        'bfloat16'
    """
    return AutoCast(enable, custom_white_list, custom_black_list, level, dtype, use_promote)


def autocast(
    device_type: str | None,
    dtype: str = "float16",
    enabled: bool = True,
    cache_enabled: bool = True,
) -> AutoCast:
    """Return ``auto_cast(enable=enabled, dtype=dtype)``, under PyTorch's name for it.

    Args:
        device_type: ignored: the context is the same for every device.
        dtype: "float16" or "bfloat16".
        enabled: whether it has an effect.
        cache_enabled: ignored; nothing is cached.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.ones([2, 2])
        >>> with paddle.amp.autocast("gpu", "bfloat16"):
        ...     (x @ x).dtype
        paddle.bfloat16
    """
    return AutoCast(enabled, None, None, "O1", dtype, True)


def is_autocast_enabled(device_type: PlaceLike | None = None) -> bool:
    """Return whether this thread is inside an enabled ``auto_cast``.

    Args:
        device_type: ignored: it is the same for every device.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.amp.is_autocast_enabled()
        False
        >>> with paddle.amp.auto_cast():
        ...     paddle.amp.is_autocast_enabled()
        True
    """
    return grad_mode.amp is not None


def get_autocast_dtype(device_type: PlaceLike | None = None) -> str:
    """Return the active half precision; "float16" outside of ``auto_cast``.

    Args:
        device_type: ignored: it is the same for every device.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.amp.get_autocast_dtype()
        'float16'
    """
    return "float16" if grad_mode.amp is None else grad_mode.amp.dtype.name


get_autocast_cpu_dtype = get_autocast_dtype
get_autocast_gpu_dtype = get_autocast_dtype


def is_float16_supported(device: str | None = None) -> bool:
    """Return whether float16 works on a device; XLA computes in it everywhere.

    Args:
        device: "cpu", "gpu", "gpu:0", "tpu", a Place or a jax.Device; None for the current one.

    Raises:
        InvalidArgumentError: when there is no such device.

    Paddle: False on a CPU.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.amp.is_float16_supported("cpu")
        True
    """
    if device is not None:
        places.as_place(device).device()
    return True


def is_bfloat16_supported(device: str | None = None) -> bool:
    """Return whether bfloat16 works on a device; XLA computes in it everywhere.

    Args:
        device: as in is_float16_supported.

    Raises:
        InvalidArgumentError: when there is no such device.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.amp.is_bfloat16_supported()
        True
    """
    if device is not None:
        places.as_place(device).device()
    return True
