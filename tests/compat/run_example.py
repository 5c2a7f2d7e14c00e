"""Runs one of the examples from weights that Paddle and jaxeager share, and prints its losses.

    python run_example.py EXAMPLE.py [ARGUMENT ...]

Both libraries draw the first weights of a layer from generators of their own. Here NumPy draws
them, as the layer asks for them; what is constant (biases, scales) stays. The examples draw all
else from NumPy themselves, and `main()` returns the loss of each step.
"""

import contextlib
import importlib
import io
import sys
from pathlib import Path

import numpy as np
import paddle


def draw_weights_from_numpy() -> None:
    """Makes every parameter of a layer start from NumPy's numbers."""
    create = paddle.nn.Layer.create_parameter
    rng = np.random.RandomState(0)

    def create_parameter(self, *args, **kwargs):
        made = create(self, *args, **kwargs)
        values = np.zeros(0) if made is None else made.numpy()  # None: bias_attr=False
        if values.size > 1 and values.min() != values.max():
            fan_in = np.prod(values.shape[1:]) if values.ndim == 4 else values.shape[0]
            drawn = rng.normal(0, 1 / np.sqrt(fan_in), values.shape)
            made.set_value(drawn.astype(values.dtype))
        return made

    paddle.nn.Layer.create_parameter = create_parameter


def main() -> None:
    example, *arguments = sys.argv[1:]
    draw_weights_from_numpy()
    path = Path(example).resolve()
    sys.path.insert(0, str(path.parent))  # the examples find each other as scripts do
    module = importlib.import_module(path.stem)
    shown = io.StringIO()  # what the example prints, and its progress bar
    with contextlib.redirect_stdout(shown), contextlib.redirect_stderr(shown):
        losses = module.main(arguments)
    for step, loss in enumerate(losses):
        print(f"step {step} loss {loss:.9g}")


if __name__ == "__main__":
    main()
