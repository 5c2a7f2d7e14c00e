"""Random indices for ``x[...]``, each in NumPy's form and in this library's."""

import numpy as np

import jaxeager as paddle

SHAPES = ((), (3,), (2, 3), (3, 4), (2, 3, 4), (0, 3), (3, 1, 2), (300,))


class Whole:
    """An integer that is not an int, and has ``__index__``."""

    def __init__(self, value):
        self.value = value

    def __index__(self):
        return self.value


def _number(rng, size):
    """Return an int for a dimension, in five of six cases one within it."""
    least, most = (-size, size) if size and rng.random() < 0.85 else (-size - 2, size + 2)
    return int(rng.integers(least, most))


def _int_entry(rng, size):
    value = _number(rng, size)
    forms = (int, np.int64, np.int32, Whole, np.asarray)
    form = int(rng.integers(len(forms) + 1))
    if form == len(forms):
        return value, paddle.to_tensor(value)
    return value, forms[form](value)  # NumPy copies for a 0-D array; here that is a view too


def _slice_entry(rng, size):
    def bound():
        return None if rng.random() < 0.3 else int(rng.integers(-size - 3, size + 4))

    step = None if rng.random() < 0.4 else int(rng.choice([1, 2, 3, -1, -2, -3, 1000, -1000]))
    parts = [bound(), bound(), step]
    found = slice(*parts)
    if rng.random() < 0.15 and parts[0] is not None:
        return found, slice(paddle.to_tensor(parts[0]), *parts[1:])
    return found, found


def _array_entry(rng, size, shape):
    values = np.array([_number(rng, size) for _ in range(int(np.prod(shape)))], np.int64)
    values = values.reshape(shape)
    form = int(rng.integers(6))
    if form == 0:
        return values.tolist() if values.size else values, values.tolist()
    if form == 1 and values.ndim == 1:
        start, stop = sorted(int(v) for v in rng.integers(0, size + 1, 2))
        return range(start, stop), range(start, stop)
    if form == 2 and values.ndim == 1:  # NumPy treats a tuple within an index as a list
        return tuple(values.tolist()) if values.size else values, tuple(values.tolist())
    dtype = str(rng.choice(["int64", "int32", "int16", "int8", "uint8"]))
    narrow = values.astype(dtype)
    if not (narrow == values).all():
        narrow = values
    given = paddle.to_tensor(narrow) if form in (3, 4) else narrow
    return (narrow if shape else int(narrow)), given


def _mask_entry(rng, sizes):
    shape = list(sizes)
    if shape and rng.random() < 0.06:
        shape[int(rng.integers(len(shape)))] += 1
    mask = rng.random(shape) < 0.5
    form = int(rng.integers(3))
    if form == 0 and mask.size:
        return mask.tolist(), mask.tolist()
    return mask, paddle.to_tensor(mask) if form == 1 else mask


def _bool_entry(rng):
    value = bool(rng.random() < 0.7)
    forms = (bool, np.bool_, np.array)
    form = int(rng.integers(len(forms) + 1))
    if form == len(forms):
        return value, paddle.to_tensor(value)
    return forms[form](value), forms[form](value)


def random_index(rng, shape):
    """Return an index of a shape in NumPy's form, and the same for this library."""
    entries, dim = [], 0
    common = tuple(int(n) for n in rng.choice([1, 2, 3], int(rng.integers(1, 3))))
    wanted = int(rng.integers(0, len(shape) + 1)) if rng.random() < 0.95 else len(shape) + 1
    weights = rng.dirichlet(np.full(6, 0.6))
    while dim < wanted or (rng.random() < 0.3 and len(entries) < 6):
        size = shape[dim] if dim < len(shape) else 2
        kind = int(rng.choice(6, p=weights))
        if dim >= wanted and kind not in (1, 5):
            kind = 5 if rng.random() < 0.5 else 1
        if kind == 5:
            entries.append((None, None))
        elif kind == 1:
            entries.append(_bool_entry(rng))
        elif kind == 4:
            rank = int(rng.integers(1, max(len(shape) - dim, 1) + 1))
            entries.append(_mask_entry(rng, shape[dim : dim + rank]))
            dim += rank
        else:
            if kind == 0:
                entries.append(_int_entry(rng, size))
            elif kind == 2:
                entries.append(_slice_entry(rng, size))
            else:
                broadcast = [(), common, common, common[-1:], (1,), (0,)]
                each = broadcast[int(rng.choice(6, p=[0.1, 0.3, 0.25, 0.15, 0.15, 0.05]))]
                entries.append(_array_entry(rng, size, each))
            dim += 1
    if rng.random() < 0.3:
        entries.insert(int(rng.integers(len(entries) + 1)), (Ellipsis, Ellipsis))
    if len(entries) == 1 and rng.random() < 0.5 and not isinstance(entries[0][1], tuple):
        return entries[0]
    return tuple(tuple(part) for part in zip(*entries, strict=True)) if entries else ((), ())
