"""Measure special functions, each step with the Python that has what it needs.

    python -m tests.ulps reference right.npz           # mpmath and SciPy
    python -m tests.ulps evaluate right.npz jaxeager mine.npz    # also: paddle, scipy
    python -m tests.ulps table right.npz mine.npz paddle.npz scipy.npz
    python -m tests.ulps record right.npz before.npz mine.npz    # a part of it, for the tests

``--only lgamma,digamma`` selects functions, ``--points 500`` shrinks the grids.
"""

import argparse
import importlib
import time
from pathlib import Path

import numpy as np

from tests.ulps.cases import CASES, DTYPES, error_in_ulps, grid

RECORDED = Path(__file__).parent / "recorded.npz"
SPREAD_POINTS, WORST_POINTS = 24, 8  # of each region


def keys(only: list[str]):
    """Yield the name, region and dtype of each grid."""
    for name, case in CASES.items():
        if not only or name.split()[0] in only:
            for region in case.regions:
                for dtype in DTYPES:
                    yield name, region, dtype


def _reference(options) -> None:
    from tests.ulps.references import right_values

    found = dict(np.load(options.files[0])) if Path(options.files[0]).exists() else {}
    for key in keys(options.only):
        began = time.monotonic()
        operands = grid(*key, count=options.points)
        found["|".join(key)] = np.stack([*operands, *right_values(key[0], operands)])
        print(*key, f"{time.monotonic() - began:.1f} s", flush=True)
    np.savez_compressed(options.files[0], **found)


def evaluate(library: str, name: str, operands: tuple[np.ndarray, ...]) -> np.ndarray:
    """Return what a library gives, nan where it has no such function."""
    case = CASES[name]
    if library == "scipy":
        if case.scipy is None:
            return np.full_like(operands[0], np.nan)
        special = importlib.import_module("scipy.special")
        call = getattr(special, case.scipy) if isinstance(case.scipy, str) else None
        with np.errstate(all="ignore"):
            found = call(*operands) if call else case.scipy(special, *operands)
        return found.astype(operands[0].dtype)
    paddle = importlib.import_module(library)
    return case.call(paddle, *(paddle.to_tensor(each) for each in operands)).numpy()


def _evaluate(options) -> None:
    right, library, file = options.files
    right = np.load(right)
    found = dict(np.load(file)) if Path(file).exists() else {}
    for key in keys(options.only):
        *operands, _, _ = right["|".join(key)].astype(key[2])
        found["|".join(key)] = evaluate(library, key[0], tuple(operands))
    np.savez_compressed(file, **found)


def _worst(right: np.ndarray, found: np.ndarray) -> str:
    if np.isnan(found).all():
        return "-"
    worst = error_in_ulps(found, *right[-2:]).max()
    return f"{worst:.1f}" if worst < 100 else f"{worst:.0e}".replace("e+0", "e").replace("e+", "e")


def _table(options) -> None:
    right, *libraries = (np.load(file) for file in options.files)
    for name, region in dict.fromkeys(key[:2] for key in keys(options.only)):
        each = [f"{name}|{region}|{dtype}" for dtype in DTYPES]
        cells = [_worst(right[key], library[key]) for key in each for library in libraries]
        print(f"| `{name}` | {region} | " + " | ".join(cells) + " |")


def _record(options) -> None:
    """Keep some points of each grid: spread ones, and the worst of each library."""
    right, *libraries = (np.load(file) for file in options.files)
    found = {}
    for key in map("|".join, keys([])):
        whole = right[key]
        chosen = set(range(0, whole.shape[1], max(1, whole.shape[1] // SPREAD_POINTS)))
        for library in libraries:
            if not np.isnan(library[key]).all():
                errors = error_in_ulps(library[key], *whole[-2:])
                chosen |= {int(place) for place in np.argsort(-errors)[:WORST_POINTS]}
        found[key] = whole[:, sorted(chosen)]
    np.savez_compressed(RECORDED, **found)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("step", choices=("reference", "evaluate", "table", "record"))
    parser.add_argument("files", nargs="*")
    parser.add_argument("--only", type=lambda text: text.split(","), default=[])
    parser.add_argument("--points", type=int)
    options = parser.parse_args()
    globals()[f"_{options.step}"](options)
