"""Train one model of Paddle's own source files for three steps, and write the results.

    python run_model.py SOURCE FACTORY '{"dtype": ..., "shape": ..., "keywords": ...}' OUT.npz

SOURCE is a file of paddle/vision/models of an installed Paddle. On Paddle it is the imported
module; the launcher runs the same file on jaxeager.
"""

import importlib
import importlib.util
import json
import sys
from pathlib import Path

import numpy as np
import paddle

BATCH, CLASSES, STEPS = 4, 10, 3
LONGEST = 20_000  # elements of an array that are written


def load(source: Path):
    """Return the module of a source file, under the name that Paddle gives it."""
    name = f"paddle.vision.models.{source.stem}"
    module = importlib.import_module("paddle.vision.models")
    if Path(str(module.__file__)).parent == source.parent:
        return importlib.import_module(name)
    for each in ("_utils", source.stem):  # the shared helpers of the models too
        module = run(f"paddle.vision.models.{each}", source.with_name(f"{each}.py"))
    return module


def run(name: str, path: Path):
    """Return a new module made of a file, replacing any other of its name."""
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def prepare(model, dtype: str) -> None:
    """Set weights that depend only on the order of their names, and disable dropout."""
    rng = np.random.RandomState(0)
    for parameter in model.parameters():
        shape = parameter.shape
        fan_in = int(np.prod(shape[1:])) if len(shape) == 4 else shape[0]
        scale = 1.0 / np.sqrt(fan_in) if len(shape) > 1 else 0.05
        shift = 1.0 if parameter.numpy().mean() == 1 else 0.0  # of a normalisation
        parameter.set_value((rng.normal(0, scale, shape) + shift).astype(dtype))
    for layer in model.sublayers():
        if isinstance(layer, paddle.nn.Dropout):
            layer.p = 0.0


def thinned(array):
    """Return an array and its norm; of a long array some elements, evenly spread."""
    if array.size <= LONGEST:
        return array
    flat = array.reshape(-1)
    return np.append(flat[:: flat.size // LONGEST + 1], np.linalg.norm(flat.astype("float64")))


def first(outputs):
    """Return the logits of models that also return those of side branches."""
    return outputs[0] if isinstance(outputs, (list, tuple)) else outputs


def train(model, pictures, labels) -> dict:
    """Return logits, losses, gradients, and the change of weights and statistics in three steps."""
    found = {}
    before = {name: value.numpy().copy() for name, value in model.state_dict().items()}
    optimizer = paddle.optimizer.Momentum(
        0.0002, momentum=0.9, parameters=model.parameters(), weight_decay=1e-4
    )
    model.eval()
    with paddle.no_grad():
        found["eval logits"] = first(model(pictures)).numpy()
    model.train()
    for step in range(STEPS):
        outputs = model(pictures)
        outputs = outputs if isinstance(outputs, (list, tuple)) else [outputs]
        loss = sum(paddle.nn.functional.cross_entropy(each, labels) for each in outputs)
        loss.backward()
        if step == 0:
            found["train logits"] = outputs[0].numpy()
            for name, parameter in model.named_parameters():
                if parameter.grad is not None:
                    found[f"gradient {name}"] = thinned(parameter.grad.numpy())
        optimizer.step()
        optimizer.clear_grad()
        found[f"loss {step}"] = loss.numpy()
    for name, value in model.state_dict().items():
        found[f"moved {name}"] = thinned(value.numpy() - before[name])
    return found


def main() -> None:
    source, factory, settings, out = sys.argv[1:]
    given = json.loads(settings)
    paddle.set_default_dtype(given["dtype"])
    model = getattr(load(Path(source)), factory)(num_classes=CLASSES, **given["keywords"])
    model.to(dtype=given["dtype"])  # layers that ignore the default
    prepare(model, given["dtype"])
    rng = np.random.RandomState(1)
    pictures = rng.normal(size=(BATCH, *given["shape"])).astype(given["dtype"])
    labels = paddle.to_tensor(rng.randint(0, CLASSES, BATCH))
    np.savez(out, **train(model, paddle.to_tensor(pictures), labels))


if __name__ == "__main__":
    main()
