"""Policy: the dtype of an op under ``auto_cast``, and the casts to that dtype.

Note [Where casts go]
    A call (``ops/call``) uses the policy of its thread once, before promotion. A cast is the
    recorded ``cast`` op, so a CastGradNode precedes the op in the graph, and the gradient of a
    float32 parameter is float32. As in Paddle, in-place ops and ``cast`` itself are not changed,
    nor are the ops that backward records (VJPs are not rows of the op table).
"""

import functools
import inspect
import warnings
from collections.abc import Callable

import numpy as np

from jaxeager.amp.amp_lists import WITHOUT_ROW, checked_custom_list, keys_of, merged_lists
from jaxeager.core.dtypes import HALF
from jaxeager.graph import events
from jaxeager.graph.events import notify
from jaxeager.graph.mode import grad_mode
from jaxeager.ops.row import ROWS

FLOAT32 = np.dtype(np.float32)
CASTABLE = HALF | {FLOAT32}

_cast_row = ROWS["cast"].function

# The rules for an op: no cast; half precision; float32; float32 if an operand is, else half.
KEEP, LOW, WIDE, WIDEST = range(4)

# Ops of which only x is cast to half precision: their parameters stay float32.
ONLY_X = frozenset(["batch_norm", "layer_norm"])
# Ops without a half precision kernel: XLA has no complex numbers of two halves, and LAPACK and
# cuSOLVER have no decompositions in half precision.
ONLY_WIDE = frozenset(
    "complex as_complex fft_r2c cholesky cholesky_solve det eig eigh eigvals eigvalsh "
    "householder_product inverse lstsq lu lu_solve lu_unpack matrix_exp matrix_power matrix_rank "
    "multi_dot pinv qr slogdet solve svd svdvals triangular_solve".split()
)


class Policy:
    """The rules of one set of arguments of ``auto_cast`` for every op.

    Attributes:
        level: "OD", "O1" or "O2".
        dtype: the np.dtype of the half precision.
        white: keys of the ops that run in it.
        black: keys of the ops that run in float32.
    """

    __slots__ = ("_rules", "black", "dtype", "level", "use_promote", "white")

    def __init__(self, level: str, dtype: np.dtype, use_promote: bool, white, black):
        self.level = level
        self.dtype = dtype
        self.use_promote = use_promote or level != "O2"
        self.white = white
        self.black = black
        self._rules: dict = {}

    def rule_of(self, key: str) -> int:
        """Return the rule for an op, by its key."""
        if key in ONLY_WIDE:
            return WIDE
        if key in self.white:
            return LOW
        if key in self.black or self.level == "OD":
            return WIDE
        return WIDEST if self.use_promote else LOW

    def cast_operands(self, row, operands: tuple) -> tuple:
        """Return the operands of a call in the policy's precision; dispatch calls this."""
        rule = self._rules.get(row)
        if rule is None:
            is_forward = ROWS.get(row.name) is row and row.name != "cast"
            rule = self._rules[row] = self.rule_of(row.name) if is_forward else KEEP
        if rule == KEEP:
            return operands
        if row.name in ONLY_X:
            return self._cast_norm(row, rule, operands)
        return self._cast_all(rule, operands)

    def _cast_all(self, rule: int, operands: tuple) -> tuple:
        target = self._target(rule, operands)
        return tuple([_cast(value, target) for value in operands])

    def _cast_norm(self, row, rule: int, operands: tuple) -> tuple:
        """Cast by x alone; running statistics keep their dtype."""
        target = self._target(rule, operands[:1])
        reached = row.differentiable if target is FLOAT32 else row.differentiable[:1]
        casted = list(operands)
        for operand in reached:
            casted[operand.slot] = _cast(operands[operand.slot], target)
        return tuple(casted)

    def _target(self, rule: int, operands: tuple) -> np.dtype:
        if rule == LOW:
            return self.dtype
        return FLOAT32 if rule == WIDE or _has_float32(operands) else self.dtype

    def as_one_op(self, key: str, function: Callable, operands: tuple):
        """Call a function of tensors as one op: cast its operands, and cast nothing inside."""
        rule = self.rule_of(key)
        if events.composite_casts is not None:
            self._tell(key, function, operands, self._target(rule, operands))
        operands = self._cast_all(rule, operands)
        grad_mode.amp = None
        try:
            return function(*operands)
        finally:
            grad_mode.amp = self

    def _tell(self, key: str, function: Callable, operands: tuple, target: np.dtype) -> None:
        """Notify tools of the operands that will be cast, by the function's parameter names."""
        pairs = zip(inspect.signature(function).parameters, operands, strict=False)
        arrays = [(name, getattr(value, "_array", None)) for name, value in pairs]
        casts = [
            name
            for name, array in arrays
            if array is not None and array.dtype in CASTABLE and array.dtype != target
        ]
        notify(events.composite_casts, self, key, casts, target)


def _has_float32(operands) -> bool:
    for value in operands:
        array = getattr(value, "_array", value)
        if type(array) in (list, tuple):
            if _has_float32(array):
                return True
        elif getattr(array, "dtype", None) == FLOAT32:
            return True
    return False


def _cast(value, target: np.dtype):
    """Cast a tensor, a NumPy array or a list of them; anything else is returned as it is."""
    array = getattr(value, "_array", None)
    if array is not None:
        dtype = array.dtype
        if dtype is target or dtype == target or dtype not in CASTABLE:
            return value
        return _cast_row(value, target)
    if type(value) in (list, tuple):
        return [_cast(each, target) for each in value]
    if isinstance(value, np.ndarray) and value.dtype in CASTABLE:
        return value.astype(target)
    return value


def policy_for(
    level: str, dtype: np.dtype, use_promote: bool, custom_white, custom_black
) -> Policy:
    """Return the policy for arguments of auto_cast; equal arguments have the same object.

    Raises:
        InvalidTypeError: when a custom list is not a list of names.
        InvalidArgumentError: when an op is in both.
    """
    white = checked_custom_list("custom_white_list", custom_white)
    black = checked_custom_list("custom_black_list", custom_black)
    unknown = sorted(n for n in white | black if not keys_of(n) and n not in WITHOUT_ROW)
    if unknown:
        warnings.warn(
            f"auto_cast: there is no op named {', '.join(unknown)} here, so that name in a custom "
            "list has no effect.",
            stacklevel=4,
        )
    return _policy(level, dtype, bool(use_promote), white, black)


@functools.lru_cache(maxsize=64)
def _policy(level: str, dtype: np.dtype, use_promote: bool, white, black) -> Policy:
    return Policy(level, dtype, use_promote, *merged_lists(white, black, level, dtype.name))
