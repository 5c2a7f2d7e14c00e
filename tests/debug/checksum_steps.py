"""Prints, as JSON, the checksum lines of one step of each optimizer, on one of the libraries.

python checksum_steps.py LIBRARY FOLDER
"""

import contextlib
import importlib
import json
import sys
from pathlib import Path

OPTIMIZERS = [
    ["SGD", {}], ["Momentum", {}], ["Adam", {}], ["AdamW", {}], ["Adam", {"amsgrad": True}],
    ["Adagrad", {}], ["Adamax", {}], ["Adadelta", {}], ["RMSProp", {}],
    ["RMSProp", {"centered": True}], ["Lamb", {}], ["NAdam", {}], ["RAdam", {}], ["Rprop", {}],
]  # fmt: skip


def main(library: str, folder: str) -> None:
    """Steps every optimizer once from the same values."""
    paddle, path, found = importlib.import_module(library), Path(folder, "step.log"), {}
    for name, more in OPTIMIZERS:
        start = paddle.nn.initializer.Constant(1.0)
        w = paddle.create_parameter([2], "float32", default_initializer=start)
        optimizer = getattr(paddle.optimizer, name)(0.5, parameters=[w], **more)
        (w * 2).sum().backward()
        paddle.set_flags({"FLAGS_tensor_md5_checksum_output_path": str(path)})
        with contextlib.suppress(Exception):  # Paddle's Adamax loses its state for w's new name
            optimizer.step()
        paddle.set_flags({"FLAGS_tensor_md5_checksum_output_path": ""})
        lines = path.read_text().split()
        found[name + json.dumps(more)] = [x for x in lines if x.startswith(name.lower() + "_")]
        path.unlink()
    print(json.dumps(found))


if __name__ == "__main__":
    main(*sys.argv[1:])
