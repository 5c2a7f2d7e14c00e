"""The tensor checker: FLAGS_check_nan_inf with op lists, a folder, and a range of steps."""

import enum
import functools
import os
import random
from collections.abc import Callable, Sequence

import numpy as np

from jaxeager.amp.amp_lists import SOURCE_NAMES, paddle_name
from jaxeager.arrays.as_array import on_device
from jaxeager.core import flags
from jaxeager.errors import (
    InvalidArgumentError,
    NotFoundError,
    PreconditionNotMetError,
    RefusedArgumentError,
)
from jaxeager.ops.row import ROWS
from jaxeager.tensor import Tensor


class DebugMode(enum.Enum):
    """The reports of a check, and whether it raises: the values of FLAGS_check_nan_inf_level.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.amp.debugging.DebugMode.CHECK_ALL.value
        3
    """

    CHECK_NAN_INF_AND_ABORT = 0
    CHECK_NAN_INF = 1
    CHECK_ALL_FOR_OVERFLOW = 2
    CHECK_ALL = 3


class TensorCheckerConfig:
    """The settings of ``enable_tensor_checker``.

    Args:
        enable: whether anything is checked.
        debug_mode: what is reported.
        output_dir: folder for the reports; they are appended to its file ``worker_cpu`` (the
            device's name). Without it they are printed.
        checked_op_list: names of ops; only these are checked. "add" and "elementwise_add" mean the
            same op, "add_grad" its gradient.
        skipped_op_list: names of ops that are not checked.
        debug_step: ``[start, end]``: check from call number ``start`` of ``enable_tensor_checker``
            with this config, counted from 0, up to but not including ``end``.
        stack_height_limit: accepted for compatibility.
        seed: seed jaxeager, NumPy and ``random`` with this number, to compare two runs.

    Attributes:
        current_step_id: how often ``enable_tensor_checker`` was called with this config.

    Raises:
        InvalidArgumentError: for an invalid mode, arguments that are not lists, or an empty range.

    Paddle: reseeds everything, often with 123, when a config is made, so that a run under the
    checker draws other numbers than the run to be examined; here only on request. Its step counter
    is shared by all configs and never reaches a ``start`` above 0. Its op lists and folder stay
    when the checker is off.

    Example:
        >>> import jaxeager as paddle
        >>> debugging = paddle.amp.debugging
        >>> config = debugging.TensorCheckerConfig(True, debugging.DebugMode.CHECK_NAN_INF)
        >>> debugging.enable_tensor_checker(config)
        >>> y = paddle.log(paddle.to_tensor([0.0, 1.0]))
        [PRECISION] [ERROR] in [device=cpu, op=log, tensor=out, dtype=fp32], numel=2, num_nan=0, ...
        >>> debugging.disable_tensor_checker()
    """

    current_step_id: int = 0

    def __init__(
        self,
        enable: bool,
        debug_mode: DebugMode = DebugMode.CHECK_NAN_INF_AND_ABORT,
        output_dir: str | None = None,
        checked_op_list: Sequence[str] | None = None,
        skipped_op_list: Sequence[str] | None = None,
        debug_step: Sequence[int] | None = None,
        stack_height_limit: int = 1,
        *,
        seed: int | None = None,
    ):
        if not isinstance(debug_mode, DebugMode):
            raise InvalidArgumentError(
                f"debug_mode must be one of {list(DebugMode.__members__)}, got {debug_mode!r}."
            )
        if not isinstance(stack_height_limit, int):
            raise InvalidArgumentError(
                f"stack_height_limit must be int, got {stack_height_limit!r}."
            )
        self.enable = enable
        self.debug_mode = debug_mode
        self.output_dir = output_dir
        self.checked_op_list = _checked_list("checked_op_list", checked_op_list)
        self.skipped_op_list = _checked_list("skipped_op_list", skipped_op_list)
        self.debug_step = debug_step
        self.stack_height_limit = stack_height_limit
        self.start_step, self.end_step = _step_range(debug_step)
        self.current_step_id = 0
        self.seed = seed
        if enable and seed is not None:
            _seed_all(seed)

    def update_and_check_step_id(self) -> bool:
        """Count a step, and return whether it is checked."""
        if not self.enable:
            return False
        step = self.current_step_id
        self.current_step_id += 1
        if self.start_step is None or self.end_step is None:
            return True
        return self.start_step <= step < self.end_step

    def start_check_nan_inf(self) -> None:
        """Start checking, at any step; ``enable_tensor_checker`` checks the step first."""
        if self.enable:
            _active.start(self)

    def stop_check_nan_inf(self) -> None:
        """Stop checking."""
        _active.stop()


def _checked_list(name: str, names) -> Sequence[str] | None:
    if names is not None and not isinstance(names, (list, tuple)):
        raise InvalidArgumentError(f"{name} must be list or tuple, got {names!r}.")
    return names


def _step_range(debug_step) -> tuple[int | None, int | None]:
    if debug_step is None:
        return None, None
    if not isinstance(debug_step, (list, tuple)):
        raise InvalidArgumentError(f"debug_step must be list or tuple, got {debug_step!r}.")
    if len(debug_step) != 2 or debug_step[1] <= debug_step[0]:
        raise RefusedArgumentError(
            f"debug_step must be [start, end] with start below end, got {list(debug_step)}."
        )
    return max(debug_step[0], 0), debug_step[1]


def _seed_all(number: int) -> None:
    from jaxeager.arrays.random import seed

    seed(number)
    np.random.seed(number)
    random.seed(number)


def rows_of(names) -> frozenset:
    """Return the names of ops in the form for checks: "add" for "elementwise_add".

    Example:
        >>> sorted(rows_of(["elementwise_add_grad", "exp", "fill_constant"]))
        ['add_grad', 'elementwise_add_grad', 'exp', 'fill_constant', 'full']
    """
    found = set(names)
    for name in names:
        stem, grad = (name[:-5], "_grad") if name.endswith("_grad") else (name, "")
        found |= {op + grad for op in (*ROWS, *SOURCE_NAMES) if paddle_name(op) == stem}
    return frozenset(found)


# ---- on and off


class _Active:
    """The active config, the lists for all configs, and the earlier values of the flags."""

    def __init__(self):
        self.config: TensorCheckerConfig | None = None
        self.level = 0
        self.checked: frozenset = frozenset()
        self.skipped: frozenset = frozenset()
        self.folder: str | None = None

    def start(self, config: TensorCheckerConfig) -> None:
        """Activate a config, instead of another one."""
        if config.output_dir:
            from jaxeager.debug.common.output_files import check_writable

            check_writable(os.path.join(config.output_dir, "worker_cpu"), "output_dir")
        if self.config is None:
            self.level = flags.flag("FLAGS_check_nan_inf_level")
        self.config = config
        self.apply()
        level = config.debug_mode.value
        flags.set_flags({"FLAGS_check_nan_inf_level": level, "FLAGS_check_nan_inf": True})

    def stop(self) -> None:
        """Switch the flag off, with the settings of the config."""
        from jaxeager.debug.numbers import nan_inf

        checker = nan_inf.switch.checker
        try:
            if checker is not None:
                checker.settle()
        finally:
            was_on, self.config = self.config is not None, None
            flags.set_flags({"FLAGS_check_nan_inf": False})
            if was_on:
                flags.set_flags({"FLAGS_check_nan_inf_level": self.level})
            self.apply()

    def apply(self) -> None:
        """Pass the present ops and folder to the check."""
        from jaxeager.debug.numbers import nan_inf

        config = self.config
        checked, skipped, folder = rows_of(self.checked), rows_of(self.skipped), self.folder
        if config is not None:
            checked = rows_of(config.checked_op_list or checked)
            skipped = rows_of(config.skipped_op_list or skipped)
            folder = config.output_dir or folder
        nan_inf.set_scope(nan_inf.Scope(checked, skipped, folder))


_active = _Active()


def enable_tensor_checker(checker_config: TensorCheckerConfig) -> None:
    """Check the outputs of ops as configured, until ``disable_tensor_checker()``.

    Called once per step of a training loop it also counts the steps for ``debug_step``. It sets
    FLAGS_check_nan_inf and its level, in all threads.

    Args:
        checker_config: the settings.

    Raises:
        InvalidArgumentError: for an ``output_dir`` that cannot be written.

    Example:
        See ``TensorCheckerConfig``.
    """
    if checker_config.update_and_check_step_id():
        checker_config.start_check_nan_inf()
    else:
        checker_config.stop_check_nan_inf()


def disable_tensor_checker() -> None:
    """Stop checking, and restore the level, the op lists and the folder.

    Raises:
        PreconditionNotMetError: on an accelerator, for a NaN or Inf that was not read yet.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.amp.debugging.disable_tensor_checker()
        >>> paddle.get_flags("FLAGS_check_nan_inf")
        {'FLAGS_check_nan_inf': False}
    """
    _active.stop()


def set_checked_op_list(checked_op_list: Sequence[str] | None) -> None:
    """Limit FLAGS_check_nan_inf to these ops; None or an empty list for all ops.

    Paddle: the list only grows.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.amp.debugging.set_checked_op_list(["exp"])
        >>> paddle.amp.debugging.set_checked_op_list(None)
    """
    _active.checked = frozenset(_checked_list("checked_op_list", checked_op_list) or ())
    _active.apply()


def set_skipped_op_list(skipped_op_list: Sequence[str] | None) -> None:
    """Exclude these ops from FLAGS_check_nan_inf; None or an empty list for none.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.amp.debugging.set_skipped_op_list(["exp"])
        >>> paddle.amp.debugging.set_skipped_op_list(None)
    """
    _active.skipped = frozenset(_checked_list("skipped_op_list", skipped_op_list) or ())
    _active.apply()


def set_output_dir(folder: str | None) -> None:
    """Write the reports of FLAGS_check_nan_inf to a folder; None for stdout.

    Example:
        >>> set_output_dir(None)
    """
    _active.folder = folder
    _active.apply()


# ---- one tensor, one layer


def check_numerics(
    tensor: Tensor,
    op_type: str,
    var_name: str,
    debug_mode: DebugMode = DebugMode.CHECK_NAN_INF_AND_ABORT,
) -> tuple[Tensor, Tensor]:
    """Count the NaNs, infinities and zeros of a tensor, and report it according to the mode.

    Args:
        tensor: a floating or complex Tensor.
        op_type: the op's name in the report.
        var_name: the tensor's name in the report.
        debug_mode: when it is reported, and whether that raises.

    Returns:
        stats int64[3]: the numbers of NaNs, infinities, zeros; and values float32[3]: maximum,
        minimum, mean; for complex numbers those of their absolute values.

    Raises:
        PreconditionNotMetError: in mode CHECK_NAN_INF_AND_ABORT, for a NaN or Inf.
        NotFoundError: for a tensor of integers.

    Paddle: a complex tensor raises in every mode.

    Example:
        >>> import jaxeager as paddle
        >>> x = paddle.to_tensor([1.0, 0.0, 3.0])
        >>> stats, values = paddle.amp.debugging.check_numerics(x, "op", "x")
        >>> stats.tolist(), values.tolist()
        ([0, 0, 1], [3.0, 0.0, 1.3333333730697632])
    """
    from jaxeager.debug.numbers import nan_inf
    from jaxeager.debug.numbers import sites as nan_inf_sites
    from jaxeager.debug.numbers import statistics as tensor_statistics

    array = tensor._array
    if array.size and not tensor_statistics.has_statistics(array):
        raise NotFoundError(
            "check_numerics takes floating and complex tensors, but this one has dtype "
            f"{array.dtype.name}."
        )
    site = nan_inf_sites.Site(op_type, var_name)
    checker = nan_inf.Checker(debug_mode.value, nan_inf.Scope())
    checker.look(array, lambda: site)
    checker.settle()  # of an array on an accelerator, which is read below in any case
    found = tensor_statistics.statistics_of(array)
    counts = [found.num_nan, found.num_inf, found.num_zero]
    values = [found.max, found.min, found.mean]
    return _constant(counts, "int64"), _constant(values, "float32")


def _constant(numbers: list, dtype: str) -> Tensor:
    with np.errstate(over="ignore"):
        return Tensor.from_array(on_device(np.array(numbers).astype(dtype)))


def check_layer_numerics(func: Callable) -> Callable:
    """Decorate a layer's ``forward`` so that its ops are checked for NaN and Inf, and raise.

    The level is FLAGS_check_nan_inf_level. Only this call is checked, in its own thread, and not a
    later backward.

    Raises:
        PreconditionNotMetError: from the layer's call, when there is no input.
        InvalidArgumentError: when the first input is not a Tensor.

    Paddle: makes the first input require a gradient, and leaves the flag on when forward raises.

    Example:
        >>> import jaxeager as paddle
        >>> class Inverse(paddle.nn.Layer):
        ...     @paddle.amp.debugging.check_layer_numerics
        ...     def forward(self, x):
        ...         return 1 / x
        >>> Inverse()(paddle.to_tensor([2.0])).tolist()
        [0.5]
    """

    @functools.wraps(func)
    def checked(self, *args, **kwargs):
        if not args:
            raise PreconditionNotMetError("No elements found in args.")
        if not isinstance(args[0], Tensor):
            raise PreconditionNotMetError("First input of this layer must be tensor.")
        from jaxeager.debug.numbers import nan_inf

        with nan_inf.checking(int(flags.flag("FLAGS_check_nan_inf_level"))):
            return func(self, *args, **kwargs)

    return checked
