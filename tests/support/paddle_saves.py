"""Real Paddle saves a network, an optimizer and nested tensors: python paddle_saves.py FOLDER."""

import sys
from pathlib import Path

import numpy as np


def main(folder: Path) -> None:
    """Writes them with two protocols, and the network's values beside, for NumPy."""
    # not above: pytest imports this file where there is no Paddle
    import paddle  # pyright: ignore[reportMissingImports]

    net = paddle.nn.Linear(3, 2)
    step = paddle.optimizer.lr.StepDecay(0.1, 2)
    adam = paddle.optimizer.Adam(step, parameters=net.parameters())
    net(paddle.ones([2, 3])).sum().backward()
    adam.step()
    for protocol in (2, 4):
        paddle.save(net.state_dict(), str(folder / f"net{protocol}.pdparams"), protocol=protocol)
        paddle.save(adam.state_dict(), str(folder / f"net{protocol}.pdopt"), protocol=protocol)
        nested = {"a": [paddle.to_tensor([1.5]).astype("bfloat16"), (1, "x")]}
        nested["c"] = paddle.to_tensor(1j)
        paddle.save(nested, str(folder / f"nested{protocol}"), protocol=protocol)
    values = {key: value.numpy() for key, value in net.state_dict().items()}
    np.savez(folder / "expected.npz", **values)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
