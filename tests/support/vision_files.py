"""Saves models of paddle.vision with their logits, or loads and runs them: on either library.

python vision_files.py save|run FOLDER
"""

import sys
from pathlib import Path

import numpy as np

# The smallest of each family whose weights are stored in another way.
MODELS = {
    "LeNet": {"num_classes": 10},
    "mobilenet_v3_small": {"scale": 0.35, "num_classes": 10},
    "resnet18": {"num_classes": 10},
    "shufflenet_v2_x0_25": {"num_classes": 10},
    "squeezenet1_1": {"num_classes": 10},
}


def main(what: str, folder: Path) -> None:
    """Write NAME.pdparams and NAME.npy (the logits), or the logits of existing files."""
    # not above: pytest imports this file without Paddle
    import paddle  # pyright: ignore[reportMissingImports]

    for name, settings in MODELS.items():
        shape = [1, 1, 28, 28] if name == "LeNet" else [1, 3, 64, 64]
        rng = np.random.RandomState(5)
        picture = paddle.to_tensor(rng.normal(size=shape).astype("float32"))
        model = getattr(paddle.vision.models, name)(**settings)
        file = folder / f"{name}.pdparams"
        if what == "save":
            for key, value in model.state_dict().items():
                if key.endswith(("_mean", "_variance")):  # as if it had been trained
                    value.set_value(rng.uniform(0.5, 1.5, value.shape).astype("float32"))
            paddle.save(model.state_dict(), str(file))
        else:
            missing, unknown = model.set_state_dict(paddle.load(str(file)))
            assert (missing, unknown) == ([], []), name
        model.eval()
        np.save(folder / f"{name}.{what}.npy", model(picture).numpy())


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
