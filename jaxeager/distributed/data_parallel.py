"""DataParallel: a Layer around another, whose gradients are averaged over processes."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import jaxeager as paddle
from jaxeager.distributed.communication.between import goes_out, is_outside
from jaxeager.distributed.communication.groups import used_group
from jaxeager.distributed.environment import get_world_size
from jaxeager.distributed.reducer import MEGABYTE, Reducer
from jaxeager.distributed.synchronize import sync_params_buffers
from jaxeager.errors import InvalidTypeError

if TYPE_CHECKING:
    from jaxeager.distributed.communication.group import Group


class DataParallel(paddle.nn.Layer):
    """Runs a Layer on this process's part of a batch, and averages gradients over processes.

    Making it gives all processes the parameters and buffers of the group's first. Each backward
    through it then leaves in ``grad`` the mean over the processes of what each has there, as if one
    process had seen the whole batch and taken the mean of the loss. With one process it does
    nothing.

    Args:
        layers: the Layer.
        strategy: settings of Paddle's; kept, and otherwise not looked at.
        comm_buffer_size: megabytes of gradients that are sent together.
        last_comm_buffer_size: the same for the last ones.
        find_unused_parameters: whether some parameters may get no gradient on some processes. Where
            another has one, the mean has zeros for those that do not.
        group: the processes; all of them by default.

    Attributes:
        find_unused_parameters: as given.
        grad_need_sync: whether backward sums over processes; False within ``no_sync``.
        group: as given.

    Shapes:
        Those of the Layer.

    Raises:
        InvalidTypeError: when it is no Layer.
        InvalidArgumentError: when the processes' Layers have other parameters.
        PreconditionNotMetError: for several processes before ``init_parallel_env``; in backward,
            when a parameter got no gradient and ``find_unused_parameters`` is False.

    Paddle: without ``find_unused_parameters`` such a backward goes on, and leaves gradients that
    are not those of all processes.

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
        if not goes_out(used) or is_outside(used):
            return
        sync_params_buffers(layers, used, src_rank=used.ranks[0])
        self._reducer = Reducer(
            [(n, p) for n, p in layers.named_parameters() if not p.stop_gradient],
            used,
            comm_buffer_size * MEGABYTE,
            last_comm_buffer_size * MEGABYTE,
            find_unused_parameters,
        )

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """Return what the Layer returns; what is called within ``no_sync`` is not averaged."""
        if self._reducer is not None:
            self._reducer.is_on = self.grad_need_sync
        return self._layers(*inputs, **kwargs)

    def scale_loss(self, loss: paddle.Tensor) -> paddle.Tensor:
        """Return the loss as it is, as Paddle does since gradients are averaged elsewhere."""
        return loss

    def apply_collective_grads(self) -> None:
        """Leave gradients as they are, as Paddle does since backward sums them."""

    @contextlib.contextmanager
    def no_sync(self) -> Iterator[None]:
        """Leave gradients within it unsummed over processes, to accumulate several batches.

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
        """Return the state of the Layer, in the Layer's own names.

        Args:
            destination: a dict that gets it.
            include_sublayers: whether that of the Layers below is in it.
            structured_name_prefix: put before every name.
        """
        return self._layers.state_dict(destination, include_sublayers, structured_name_prefix)

    def set_state_dict(
        self, state_dict: dict, use_structured_name: bool = True
    ) -> tuple[list[str], list[str]]:
        """Copy values into the Layer; see ``Layer.set_state_dict``.

        Args:
            state_dict: {name: value}, in the Layer's own names.
            use_structured_name: False for names of parameters.

        Returns:
            The names that were missing, and those nobody knows.

        Paddle: returns None.
        """
        return self._layers.set_state_dict(state_dict, use_structured_name)

    set_dict = set_state_dict
    load_dict = set_state_dict
