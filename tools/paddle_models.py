"""docs/models.md: Paddle's own models, run from its source files on both libraries.

`python tools/paddle_models.py` runs those that are not recorded in paddle_models.json (with real
Paddle installed; `--all` every one); `make test-all` runs each again and checks the limits.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
RECORDS = ROOT / "tools" / "paddle_models.json"
SCRIPT = ROOT / "tests" / "compat" / "run_model.py"
LIMIT_S = 1500
# The largest differences allowed, each relative to the largest number of its tensor (or a
# thousandth of the largest of all tensors of the kind). Statistics of float64 models are float32,
# and a deep stack of normalisations multiplies their rounding error, in each step again.
LIMITS = {"logits": 1e-7, "loss": 1e-5, "gradient": 1e-5, "moved": 1e-2}
DTYPE = "float64"  # so that a difference is not due to rounding


class Model(NamedTuple):
    """A model of a family, in the smallest size that the family has.

    Attributes:
        file: the source file below paddle/vision/models.
        factory: the function or class that creates it.
        shape: the shape of one picture.
        keywords: further arguments of the factory.
    """

    file: str
    factory: str
    shape: tuple[int, int, int] = (3, 64, 64)
    keywords: tuple[tuple[str, float], ...] = ()


MODELS = (
    Model("alexnet", "alexnet", (3, 224, 224)),
    Model("densenet", "densenet121"),
    Model("googlenet", "googlenet", (3, 224, 224)),
    Model("inceptionv3", "inception_v3", (3, 128, 128)),
    Model("lenet", "LeNet", (1, 28, 28)),
    Model("mobilenetv1", "mobilenet_v1", keywords=(("scale", 0.25),)),
    Model("mobilenetv2", "mobilenet_v2", keywords=(("scale", 0.25),)),
    Model("mobilenetv3", "mobilenet_v3_small", keywords=(("scale", 0.5),)),
    Model("resnet", "resnet18"),
    Model("shufflenetv2", "shufflenet_v2_x0_25"),
    Model("squeezenet", "squeezenet1_1"),
    Model("vgg", "vgg11"),
)


def source_of(model: Model, paddle_python: str) -> Path:
    """Return the source file of a model's family in an installed Paddle."""
    code = "import importlib.util as u; print(u.find_spec('paddle').submodule_search_locations[0])"
    found = subprocess.run([paddle_python, "-c", code], env=_environment(None), text=True,
                           capture_output=True, check=True)  # fmt: skip
    return Path(found.stdout.strip()) / "vision" / "models" / f"{model.file}.py"


def measure(model: Model, paddle_python: str) -> dict[str, float]:
    """Return the largest difference of each kind between the two libraries.

    Raises:
        RuntimeError: when a run fails, or returns other tensors than the other library.
    """
    source = source_of(model, paddle_python)
    with tempfile.TemporaryDirectory() as folder:
        theirs = _run([paddle_python], model, source, Path(folder) / "theirs.npz", None)
        launcher = [sys.executable, "-m", "jaxeager"]
        ours = _run(launcher, model, source, Path(folder) / "ours.npz", str(ROOT))
    if theirs.keys() != ours.keys():
        raise RuntimeError(
            f"{model.factory} returns different tensors: {theirs.keys() ^ ours.keys()}"
        )
    return differences(theirs, ours)


def _environment(path: str | None) -> dict[str, str]:
    kept = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    return kept | ({} if path is None else {"PYTHONPATH": path})


def _run(
    python: list[str], model: Model, source: Path, out: Path, path: str | None
) -> dict[str, np.ndarray]:
    given = {"dtype": DTYPE, "shape": model.shape, "keywords": dict(model.keywords)}
    order = [*python, str(SCRIPT), str(source), model.factory, json.dumps(given), str(out)]
    done = subprocess.run(
        order, env=_environment(path), capture_output=True, text=True, timeout=LIMIT_S
    )
    if done.returncode:
        raise RuntimeError(f"{model.factory} on {python}: {done.stderr[-3000:]}")
    with np.load(out) as found:
        return dict(found)


def differences(theirs: dict[str, np.ndarray], ours: dict[str, np.ndarray]) -> dict[str, float]:
    """Return the largest difference of each kind: logits, loss, gradient, moved."""
    largest: dict[str, float] = {}
    for name, array in theirs.items():
        kind = _kind(name)
        largest[kind] = max(largest.get(kind, 0.0), float(np.abs(array).max()))
    found = dict.fromkeys(largest, 0.0)
    for name, array in theirs.items():
        kind = _kind(name)
        scale = max(float(np.abs(array).max()), 1e-3 * largest[kind])
        gap = float(np.abs(array.astype("float64") - ours[name]).max()) / scale
        found[kind] = max(found[kind], gap) if np.isfinite(gap) else float("inf")
    return found


def _kind(name: str) -> str:
    return "logits" if name.endswith("logits") else name.partition(" ")[0]


def beyond(model: Model, found: dict[str, float]) -> list[str]:
    """Return a line for each kind of number whose difference exceeds its limit."""
    return [
        f"{model.factory}: {kind} differs by {gap:.2g}, more than {LIMITS[kind]:.2g}"
        for kind, gap in found.items()
        if gap > LIMITS[kind]
    ]


# ---- the page


def records() -> dict[str, Any]:
    """Return the recorded {factory: differences}."""
    return json.loads(RECORDS.read_text(encoding="utf-8")) if RECORDS.exists() else {}


def models_page() -> str:
    """Return docs/models.md."""
    lines = [
        "# Paddle's own models, from its source files",
        "",
        "Made by `python tools/generate.py` from `paddle_models.json`, which `python",
        "tools/paddle_models.py` records; `make test-all` runs each again. Do not edit.",
        "",
        "Every file of `paddle/vision/models` of an installed Paddle 3.3.1 is run as it is, with",
        "jaxeager beneath (`python -m jaxeager`), and the same model on Paddle: eval and train",
        "logits, the loss, every gradient, and how far three steps of Momentum with weight decay",
        "move every weight and statistic, on the CPU. The numbers are the largest differences,",
        "relative to the largest number of the same tensor, as powers of ten; both compute in",
        "float64, so that no difference is a rounding of float32.",
        "",
        "| source | model | picture | logits | loss | gradients | three steps |",
        "|---|---|---|---|---|---|---|",
    ]
    found = records()
    for model in MODELS:
        shape = " x ".join(map(str, model.shape))
        given = ", ".join(f"{name}={value}" for name, value in model.keywords)
        gaps = [_cell(found.get(model.factory, {}).get(kind)) for kind in LIMITS]
        cells = [f"`{model.file}.py`", f"`{model.factory}({given})`", shape, *gaps]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _cell(gap: float | None) -> str:
    if gap is None:
        return "not run"
    return "0" if gap == 0 else f"1e{int(np.ceil(np.log10(gap)))}"


def main(arguments: list[str]) -> int:
    """Record the models that are not recorded, all with --all; return the exit status."""
    sys.path.insert(0, str(ROOT))
    from tests.parity.harness import paddle_python

    python = paddle_python()
    if python is None:
        print("real Paddle is not installed")
        return 1
    found = records()
    for model in MODELS:
        if model.factory in found and "--all" not in arguments:
            continue
        gaps = measure(model, python)
        print(model.factory, gaps, *beyond(model, gaps), flush=True)
        found[model.factory] = {kind: float(f"{gap:.1g}") for kind, gap in gaps.items()}
        ordered = {each.factory: found[each.factory] for each in MODELS if each.factory in found}
        RECORDS.write_text(json.dumps(ordered, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
