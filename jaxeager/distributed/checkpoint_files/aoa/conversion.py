"""Runs the statements of ``aoa_config`` on the descriptions of tensors."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from jaxeager.distributed.checkpoint_files.aoa import values
from jaxeager.distributed.checkpoint_files.aoa.expansion import Names, expanded
from jaxeager.distributed.checkpoint_files.aoa.statements import NOTHING, Statement, parsed
from jaxeager.distributed.checkpoint_files.aoa.values import Value
from jaxeager.errors import InvalidArgumentError, NotFoundError

if TYPE_CHECKING:
    from collections.abc import Mapping


STATES = (".w_0", ".moment1_0", ".moment2_0", ".beta1_pow_acc_0", ".beta2_pow_acc_0")
"""The ends of an optimizer's names for what belongs to a weight."""
_KEYS = {"aoa_statements", "aoa_config_reverse", "enable_traceback"}
_DTYPES = ("float16", "bfloat16", "float32", "float64")


def split_state(name: str) -> tuple[str, str]:
    """Return the weight that a name belongs to, and which state of it the name is of, or "".

    Example:
        >>> split_state("fc.weight.moment1_0"), split_state("fc.weight")
        (('fc.weight', '.moment1_0'), ('fc.weight', ''))
    """
    for end in STATES:
        if name.endswith(end):
            return name.removesuffix(end), end
    return name, ""


def converted(
    config: Mapping[str, Any],
    sources: dict[str, Value],
    source_shards: Callable[[str], int],
    wanted: dict[str, int] | None = None,
) -> dict[str, Value | None]:
    """Return the tensors that a configuration makes of those of a checkpoint.

    Args:
        config: ``aoa_config``.
        sources: the tensors of the checkpoint, without states of an optimizer.
        source_shards: a function that returns in how many parts a source is divided.
        wanted: in how many parts each wanted tensor is divided. By default everything that no
            statement uses is wanted.

    Returns:
        By name, what is made; None for a tensor that keeps its values.

    Raises:
        InvalidArgumentError: for a text that is not a statement, and one that does not fit the
            tensors.
        NotFoundError: when nothing gives a wanted tensor.
    """
    unknown = set(config) - _KEYS
    if unknown:
        raise InvalidArgumentError(
            f"aoa_config has {sorted(unknown)}, but its keys are {sorted(_KEYS)}."
        )
    is_reversed = bool(config.get("aoa_config_reverse", False))
    names = Names(sources, source_shards, wanted, is_reversed)
    run = _Run(sources, wanted)
    steps = expanded(map(parsed, config.get("aoa_statements", [])), names)
    for statement in reversed(steps) if is_reversed else steps:
        if is_reversed:
            statement = statement._replace(
                left=statement.right, right=statement.left, attributes=_reversed(statement)
            )
        run.step(statement)
    return run.results()


def _reversed(statement: Statement) -> dict[str, int | str]:
    """Return the attributes of a statement that is run from right to left."""
    made = dict(statement.attributes)
    if "dtype" in made:
        raise statement.error(
            "with aoa_config_reverse a cast has two dtypes: src_dtype='...', dst_dtype='...'."
        )
    if "src_dtype" in made and "dst_dtype" in made:
        made["src_dtype"], made["dst_dtype"] = made["dst_dtype"], made["src_dtype"]
    order = _order(statement)
    if order:
        made["permute"] = json.dumps(sorted(range(len(order)), key=order.__getitem__))
    return made


def _order(statement: Statement) -> list[int]:
    """Return the order of axes that a statement gives; [] is the reversed one."""
    try:
        found = json.loads(str(statement.attributes.get("permute", "[]")))
    except ValueError:
        found = None
    if not isinstance(found, list) or sorted(map(str, found)) != sorted(
        map(str, range(len(found)))
    ):
        raise statement.error('permute is an order of the axes, such as "[1,0]", or "[]".')
    return found


class _Run:
    """The tensors that are made so far.

    Args:
        sources: the tensors of the checkpoint.
        wanted: the names that are wanted, or None.
    """

    def __init__(self, sources: dict[str, Value], wanted: dict[str, int] | None) -> None:
        self._sources = sources
        self._wanted = wanted
        self._made: dict[str, Value] = {}
        self._unused = dict(sources)
        self._kept: set[str] = set()  # wanted tensors that are not filled
        self._removed: set[str] = set()  # sources that are not used

    def step(self, statement: Statement) -> None:
        """Run a statement without placeholders and layouts."""
        left, right = statement.left, statement.right
        if left == (NOTHING,):
            self._kept.update(right)
        elif right == (NOTHING,):
            self._removed.update(left)
            for name in left:
                self._unused.pop(name, None)
        elif len(left) == 1 and len(right) == 1:
            self._put(right[0], _changed(statement, self._value(statement, left[0])))
        else:
            found = [self._value(statement, name) for name in left]
            axis = self._axis(statement, found)
            if len(left) > 1:
                made = [values.joined(found, axis)]
            else:
                made = values.cut(found[0], axis, len(right))
            for name, value in zip(right, made, strict=True):
                self._put(name, value)

    def results(self) -> dict[str, Value | None]:
        """Return what is wanted, by name; None for a tensor that keeps its values."""
        if self._wanted is None:
            return dict(self._unused)
        found = {name: self._result(name) for name in self._wanted}
        left_as_is = self._kept | self._removed
        lacking = [name for name, each in found.items() if each is None and name not in left_as_is]
        if lacking:
            raise NotFoundError(
                f"aoa_config: nothing gives {', '.join(map(repr, lacking[:6]))}; the checkpoint "
                f"has {sorted(self._sources)[:6]}..."
            )
        return found

    def _result(self, name: str) -> Value | None:
        if name in self._made:
            return self._made[name]
        if name in self._kept or name in self._removed:
            return None
        return self._sources.get(name)

    def _value(self, statement: Statement, name: str) -> Value:
        found = self._made.get(name, self._sources.get(name))
        if found is None:
            raise statement.error(f"neither the checkpoint nor an earlier statement has {name!r}.")
        self._unused.pop(name, None)
        return found

    def _put(self, name: str, value: Value) -> None:
        self._made[name] = self._unused[name] = value

    def _axis(self, statement: Statement, found: list[Value]) -> int:
        """Return the axis of a cut or a join, which fits the tensors."""
        axis = statement.attributes.get("axis")
        if set(statement.attributes) != {"axis"} or not isinstance(axis, int):
            raise statement.error("tensors are cut and joined along an axis: add 'axis=0'.")
        shapes = [each.shape for each in found]
        if any(axis >= len(shape) for shape in shapes):
            raise statement.error(f"axis {axis} is not one of shape {list(shapes[0])}.")
        if len({each.dtype for each in found}) > 1:
            raise statement.error(f"the dtypes differ: {[each.dtype for each in found]}.")
        if len({(*shape[:axis], *shape[axis + 1 :]) for shape in shapes}) > 1:
            raise statement.error(f"the shapes differ outside of axis {axis}: {shapes[:6]}.")
        count = len(statement.right)
        if shapes[0][axis] % count:
            raise statement.error(
                f"axis {axis} of shape {list(shapes[0])} cannot be cut into {count} equal parts."
            )
        return axis


def _changed(statement: Statement, value: Value) -> Value:
    """Return what a statement with one name on each side makes."""
    given = set(statement.attributes)
    if given == {"permute"}:
        order = _order(statement) or list(reversed(range(len(value.shape))))
        if len(order) != len(value.shape):
            raise statement.error(f"permute does not fit shape {list(value.shape)}.")
        return values.transposed(value, order)
    if given in ({"dtype"}, {"src_dtype", "dst_dtype"}):
        dtype = statement.attributes.get("dtype", statement.attributes.get("dst_dtype"))
        if dtype not in _DTYPES:
            raise statement.error(f"the dtype must be one of {', '.join(_DTYPES)}, not {dtype!r}.")
        return values.cast(value, str(dtype))
    if given - {"axis"}:
        raise statement.error(
            f"{sorted(given)} cannot be given together; known are axis, permute, dtype, and "
            "src_dtype with dst_dtype."
        )
    return value
