"""paddle.distributed.sharding: optimizers whose state processes share; with one it is whole."""

from __future__ import annotations

import os
from typing import Any

import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError


def group_sharded_parallel(
    model: paddle.nn.Layer,
    optimizer: Any,
    level: str,
    scaler: Any = None,
    group: object = None,
    offload: bool = False,
    sync_buffers: bool = False,
    buffer_max_size: int = 2**23,
    segment_size: int = 2**20,
    sync_comm: bool = False,
    dp_group: object = None,
    exclude_layer: list | None = None,
) -> tuple[paddle.nn.Layer, Any, Any]:
    """Returns a Layer, its optimizer and its scaler as they are: one process has all of them.

    Args:
        model: the Layer.
        optimizer: the optimizer.
        level: what is shared: "os" (the optimizer's state), "os_g" (gradients too) or "p_g_os"
            (parameters too).
        scaler: a GradScaler.
        group: the processes.
        offload: whether Paddle keeps the state on the host; it stays on the device.
        sync_buffers: whether buffers are the same in all processes.
        buffer_max_size: elements sent together.
        segment_size: elements of the smallest parameter that is shared.
        sync_comm: whether to wait for what is sent.
        dp_group: processes that share batches beside.
        exclude_layer: layers that are not shared.

    Raises:
        InvalidArgumentError: for another level. (Paddle: AssertionError.)

    Example:
        >>> import jaxeager as paddle
        >>> net = paddle.nn.Linear(2, 3)
        >>> sgd = paddle.optimizer.SGD(parameters=net.parameters())
        >>> found, *_ = paddle.distributed.sharding.group_sharded_parallel(net, sgd, "os")
        >>> found is net
        True
    """
    if level not in ("os", "os_g", "p_g_os"):
        raise InvalidArgumentError(
            f"The level is 'os', 'os_g' or 'p_g_os', but received {level!r}."
        )
    return model, optimizer, scaler


def save_group_sharded_model(model: paddle.nn.Layer, output: str, optimizer: Any = None) -> None:
    """Writes ``model.pdparams`` and ``model.pdopt`` into a folder.

    Args:
        model: the Layer.
        output: the folder.
        optimizer: its optimizer.

    Raises:
        InvalidArgumentError: when there is a file of that name. (Paddle: AssertionError.)

    Example:
        >>> import jaxeager as paddle, os, tempfile
        >>> folder = tempfile.mkdtemp()
        >>> paddle.distributed.sharding.save_group_sharded_model(paddle.nn.Linear(2, 3), folder)
        >>> os.listdir(folder)
        ['model.pdparams']
    """
    if os.path.isfile(output):
        raise InvalidArgumentError(f"Saving directory ({output}) should be a directory, not a file")
    os.makedirs(output, exist_ok=True)
    paddle.save(model.state_dict(), os.path.join(output, "model.pdparams"))
    if optimizer is not None:
        paddle.save(optimizer.state_dict(), os.path.join(output, "model.pdopt"))
