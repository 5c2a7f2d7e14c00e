"""Compares the numbers of two runs, from the [PRECISION] lines of their tensor checkers.

Note [Pairing]
    Lines of the two runs are aligned as ``diff`` aligns files: by op and tensor, so an op that only
    one run has (a cast of mixed precision) does not break the other pairs. A tensor's name is
    compared without the dtype and shape of a unique name, and without the numbers of layers and
    tensors: the second run of a program is often in the same process, where the counters continue
    (``linear_0.w_0``, then ``linear_2.w_0``).

Note [Half]
    Numbers that float16 cannot hold are reported. If the second run computed in bfloat16, which has
    nearly the range of float32, the range of bfloat16 is used, and named in the columns.
"""

import difflib
import os
import re
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np

from jaxeager.debug.numbers.precision_text import Record, parse_line
from jaxeager.errors import InvalidArgumentError, NotFoundError, UnavailableError

_GROUPS = (("", 4), ("fp32", 5), ("{half} (scale={scale})", 7), ("{half} / fp32", 3))
_TITLES = (
    "op_type tensor_name numel infinite "
    "dtype max_value min_value mean_value num_zero "
    "dtype max_value min_value mean_value num_zero num_inf num_nan "
    "max_value min_value mean_value"
).split()
_WIDTHS = {"op_type": 24, "tensor_name": 40, "numel": 10, "infinite": 8, "dtype": 8}
_UNIQUE = re.compile(r"\d*_(\w+?)_(?:b?float|complex|u?int|bool)\d*_[\dx]*(?=@|$)")
_NUMBER = re.compile(
    r"^(unnamed|generated_tensor|eager_tmp|eager_in_tmp)_\d+(?=@|$)|_\d+(?=\.\w+_\d+(?:@|$))"
)
_HALVES = {"fp16": jnp.float16, "bf16": jnp.bfloat16}
_TOLERANCE = 1e-2


class Pair(NamedTuple):
    """A tensor of the first run and the same of the second; None if only one run has it."""

    first: Record | None
    second: Record | None
    ordinal: int

    @property
    def known(self) -> Record:
        """Return the record that exists, the first run's if both do."""
        return self.first or self.second  # type: ignore[return-value]


def compare(
    folder: str, other: str, path: str, loss_scale: float = 1, dump_all_tensors: bool = False
) -> None:
    """Compare two runs as documented in ``amp.debugging.compare_accuracy``."""
    if dump_all_tensors:
        raise InvalidArgumentError("dump_all_tensors is not supported; it must be False.")
    names = _log_names(folder)
    missing = sorted(set(names) - set(_log_names(other)))
    if missing:
        raise NotFoundError(f"{other} has no file {missing[0]}, but {folder} has.")
    sheets = {}
    for name in names:
        first, second = (_records(os.path.join(each, name)) for each in (folder, other))
        pairs, half = paired(first, second), half_of(second)
        normal = [is_normal(pair, loss_scale, half) for pair in pairs]
        rows = [_row(pair, is_fine) for pair, is_fine in zip(pairs, normal, strict=True)]
        sheets[name] = [*_heads(loss_scale, half), *rows]
        unlike = [pair.known.op for pair, is_fine in zip(pairs, normal, strict=True) if not is_fine]
        ops = ", ".join(dict.fromkeys(unlike))
        text = f", {len(unlike)} of them not as in the first run: {ops}" if unlike else ""
        print(f"-- {name}: {len(pairs)} tensors compared{text}")
    _write(path, sheets)
    print(f"-- Write to {path}")


def half_of(records: list[Record]) -> str:
    """Return the narrow type that a run computed in: "bf16", or else "fp16"; see Note [Half]."""
    dtypes = {record.dtype for record in records}
    return "bf16" if "bf16" in dtypes and "fp16" not in dtypes else "fp16"


def _log_names(folder: str) -> list[str]:
    if not os.path.isdir(folder):
        raise NotFoundError(f"There is no folder {folder}.")
    names = sorted(name for name in os.listdir(folder) if "worker_" in name)
    if not names:
        raise NotFoundError(f"{folder} has no file worker_*; is it the output_dir of a run?")
    return names


def _records(path: str) -> list[Record]:
    with open(path, encoding="utf-8", errors="replace") as file:  # other lines are not records
        return [record for line in file if (record := parse_line(line)) is not None]


# ---- pairing


def key_of(record: Record) -> tuple[str, str]:
    """Return a key that is equal for lines of the same tensor.

    Example:
        >>> line = "[PRECISION] in [device=cpu, op=add, tensor={}, dtype=fp32], numel=1, " \\
        ...        "num_zero=0, max=1, min=1, mean=1"
        >>> key_of(parse_line(line.format("add3_out_float32_2x3")))
        ('add', 'out')
        >>> key_of(parse_line(line.format("x@Grad")))
        ('add', 'x@Grad')
        >>> key_of(parse_line(line.format("linear_3.w_0@Grad")))
        ('add', 'linear.w_0@Grad')
    """
    tensor = record.tensor.replace(".cast_fp16", "").replace(".cast_fp32", "")
    found = _UNIQUE.search(tensor)
    if found is not None:
        tensor = found.group(1) + tensor[found.end() :]
    return record.op, _NUMBER.sub(r"\1", tensor)


def paired(first: list[Record], second: list[Record]) -> list[Pair]:
    """Return the records of two runs in pairs, in order; see Note [Pairing]."""
    keys = [key_of(each) for each in first], [key_of(each) for each in second]
    matcher = difflib.SequenceMatcher(None, *keys, autojunk=False)
    pairs: list[Pair] = []
    counts: dict = {}
    for kind, a, b, c, d in matcher.get_opcodes():
        if kind == "equal":
            couples: list = list(zip(first[a:b], second[c:d], strict=True))
        else:
            couples = [(each, None) for each in first[a:b]] + [(None, each) for each in second[c:d]]
        for one, two in couples:
            key = key_of(one or two)
            counts[key] = counts.get(key, -1) + 1
            pairs.append(Pair(one, two, counts[key]))
    return pairs


# ---- a row


def is_normal(pair: Pair, loss_scale: float = 1, half: str = "fp16") -> bool:
    """Return whether a narrow type holds the numbers of a pair, and both runs nearly agree."""
    records = [each for each in (pair.first, pair.second) if each is not None]
    if any(each.num_nan or each.num_inf for each in records):
        return False
    numbers = [number for each in records for number in (each.max, each.min)]
    if any(_is_infinite(number, half) for number in numbers):
        return False
    if pair.first is None or pair.second is None:
        return True
    scale = loss_scale if "@grad" in pair.first.tensor.lower() else 1
    return all(
        np.allclose(two, scale * one, atol=_TOLERANCE * max(1, abs(scale)), rtol=_TOLERANCE)
        for one, two in ((pair.first.max, pair.second.max), (pair.first.min, pair.second.min))
    )


def _is_infinite(number: float, half: str) -> bool:
    with np.errstate(over="ignore"):
        return not np.isfinite(float(np.asarray(number).astype(_HALVES[half])))


def _row(pair: Pair, is_fine: bool) -> list:
    known = pair.known
    head = [known.op, f"{known.tensor}#{pair.ordinal}", known.numel]
    ratios: list = ["--"] * 3
    if pair.first is not None and pair.second is not None:
        ratios = [
            _ratio(getattr(pair.second, name), getattr(pair.first, name))
            for name in ("max", "min", "mean")
        ]
    return [
        *head, "0" if is_fine else "1",
        *_half(pair.first, False), *_half(pair.second, True), *ratios,
    ]  # fmt: skip


def _half(record: Record | None, with_counts: bool) -> list:
    if record is None:
        return ["--"] * (7 if with_counts else 5)
    numbers = [_number(record.max), _number(record.min), _number(record.mean)]
    counts = [record.num_inf or 0, record.num_nan or 0] if with_counts else []
    return [record.dtype, *numbers, record.num_zero, *counts]


def _number(value: float) -> str:
    return f"{value:.6E}" if abs(value) < 1e-5 else f"{value:.6f}"


def _ratio(a: float, b: float) -> str:
    return f"{a / b if b else 1.0:.6f}"


# ---- writing


def _heads(loss_scale: float, half: str) -> list[list]:
    row: list = []
    for text, width in _GROUPS:
        row += [text.format(half=half, scale=loss_scale) or None] + [None] * (width - 1)
    return [row, list(_TITLES)]


def _write(path: str, sheets: dict[str, list]) -> None:
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    if path.lower().endswith(".csv"):
        _write_text(path, sheets)
        return
    try:
        import xlsxwriter  # type: ignore[import-not-found]
    except ImportError:
        raise UnavailableError(
            'An Excel workbook needs xlsxwriter: pip install "jaxeager[excel]"; or call the file '
            f"something that ends in .csv, got {path!r}."
        ) from None
    _write_workbook(xlsxwriter.Workbook(path), sheets)


def _write_text(path: str, sheets: dict[str, list]) -> None:
    import csv

    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        for name, rows in sheets.items():
            if len(sheets) > 1:
                writer.writerow([name])
            writer.writerows(rows)


def _is_red(column: int, value) -> bool:
    return (_TITLES[column] == "infinite" and value == "1") or (
        _TITLES[column] in ("num_inf", "num_nan") and value not in (0, "--")
    )


def _write_workbook(book: Any, sheets: dict[str, list]) -> None:
    bold, red = book.add_format({"bold": True}), book.add_format({"bg_color": "red"})
    for name, rows in sheets.items():
        sheet = book.add_worksheet(name[:31])
        for column, title in enumerate(_TITLES):
            sheet.set_column(column, column, _WIDTHS.get(title, 16))
        for line, row in enumerate(rows):
            for column, value in enumerate(row):
                style = bold if line < 2 else red if _is_red(column, value) else None
                sheet.write(line, column, value, style)
    book.close()
