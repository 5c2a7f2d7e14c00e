"""DataParallel: a wrapper of a Layer that averages gradients over processes."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import jaxeager as paddle
from jaxeager.core.further_names import also_named
from jaxeager.distributed.communication.group_call import has_peers, is_outside
from jaxeager.distributed.communication.groups import used_group
from jaxeager.distributed.ranks.environment import get_world_size
from jaxeager.distributed.ranks.reducer import MEGABYTE, Reducer
from jaxeager.distributed.ranks.synchronize import sync_params_buffers
from jaxeager.errors import InvalidTypeError

if TYPE_CHECKING:
    from jaxeager.distributed.communication.group import Group


class DataParallel(paddle.nn.Layer):
    """A wrapper that runs a Layer on this process's part of a batch, and averages gradients.

    Its constructor copies the parameters and buffers of the group's first process to all. Each
    backward through it then sets ``grad`` to the mean over the processes of their gradients, as if
    one process had computed the mean loss of the whole batch. With one process it has no effect.

    Args:
        layers: the Layer.
        strategy: Paddle's settings; stored, and otherwise ignored.
        comm_buffer_size: megabytes of gradients per message.
        last_comm_buffer_size: the same for the last messages.
        find_unused_parameters: whether some parameters may get no gradient on some processes. If
            another process has one, the missing ones count as zeros in the mean.
        group: the processes; all of them by default.

    Attributes:
        find_unused_parameters: as given.
        grad_need_sync: whether backward averages over processes; False within ``no_sync``.
        group: as given.

    Shapes:
        Those of the Layer.

    Raises:
        InvalidTypeError: when it is not a Layer.
        InvalidArgumentError: when the processes' Layers have different parameters.
        PreconditionNotMetError: for several processes before ``init_parallel_env``; in backward,
            when a parameter got no gradient and ``find_unused_parameters`` is False.

    Paddle: without ``find_unused_parameters`` such a backward continues, and leaves gradients that
    do not include all processes.

    Example:
        >>> import jaxeager as paddle
        >>> net = paddle.DataParallel(paddle.nn.Linear(2, 3))
        >>> net(paddle.ones([1, 2])).shape, list(net.state_dict())
        (paddle.Size([1, 3]), ['weight', 'bias'])
    """

    def __init__(
        self,
        layers: paddle.nn.Layer,
        strategy: object = None,
        comm_buffer_size: int = 25,
        last_comm_buffer_size: float = 1,
        find_unused_parameters: bool = False,
        group: Group | None = None,
    ):
        if not isinstance(layers, paddle.nn.Layer):
            raise InvalidTypeError(f"DataParallel takes a Layer, but received {layers!r}.")
        super().__init__(f"{layers.full_name()}_data_parallel")
        self._layers = layers
        self._strategy = strategy
        self.find_unused_parameters = find_unused_parameters
        self.grad_need_sync = True
        self.group = group
        self.var_dtype = paddle.Tensor
        self._reducer: Reducer | None = None
        if get_world_size() == 1:
            return
        used = used_group(group)
        if not has_peers(used) or is_outside(used):
            return
        sync_params_buffers(layers, used, src_rank=used.ranks[0])
        self._reducer = Reducer(
            [(n, p) for n, p in layers.named_parameters() if not p.stop_gradient],
            used,
            comm_buffer_size * MEGABYTE,
            last_comm_buffer_size * MEGABYTE,
            find_unused_parameters,
            [each.weight for each in layers.sublayers(include_self=True) if _is_sparse(each)],
        )

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """Return the output of the Layer; calls within ``no_sync`` are not averaged."""
        if self._reducer is not None:
            self._reducer.is_on = self.grad_need_sync
        return self._layers(*inputs, **kwargs)

    def scale_loss(self, loss: paddle.Tensor) -> paddle.Tensor:
        """Return the loss unchanged, as in Paddle, because backward averages gradients."""
        return loss

    def apply_collective_grads(self) -> None:
        """Do nothing, as in Paddle, because backward already reduces gradients."""

    @contextlib.contextmanager
    def no_sync(self) -> Iterator[None]:
        """Skip the average of gradients in this context, to accumulate several batches.

        Example:
            >>> import jaxeager as paddle
            >>> net = paddle.DataParallel(paddle.nn.Linear(2, 3))
            >>> with net.no_sync():
            ...     net(paddle.ones([1, 2])).sum().backward()
        """
        before, self.grad_need_sync = self.grad_need_sync, False
        try:
            yield
        finally:
            self.grad_need_sync = before

    def state_dict(
        self,
        destination: dict | None = None,
        include_sublayers: bool = True,
        structured_name_prefix: str = "",
    ) -> dict:
        """Return the state of the Layer, with the Layer's own names.

        Args:
            destination: a dict that receives the state.
            include_sublayers: whether to include the state of sublayers.
            structured_name_prefix: a prefix for every name.
        """
        return self._layers.state_dict(destination, include_sublayers, structured_name_prefix)

    @also_named("stat_dict=state_dict")
    def set_state_dict(
        self, state_dict: dict, use_structured_name: bool = True
    ) -> tuple[list[str], list[str]]:
        """Copy values into the Layer; see ``Layer.set_state_dict``.

        Args:
            state_dict: {name: value}, with the Layer's own names.
            use_structured_name: False if the names are those of parameters.

        Returns:
            The missing names, and the unknown ones.

        Paddle: returns None.
        """
        return self._layers.set_state_dict(state_dict, use_structured_name)

    set_dict = set_state_dict
    load_dict = set_state_dict


def _is_sparse(layer: paddle.nn.Layer) -> bool:
    return isinstance(layer, paddle.nn.Embedding) and layer._sparse
