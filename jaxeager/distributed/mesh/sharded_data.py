"""shard_dataloader: batches that are placed on a mesh of devices."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from jaxeager.distributed.mesh.local_tensors import dtensor_from_local
from jaxeager.distributed.mesh.placements import Placement, ProcessMesh, Replicate, Shard
from jaxeager.distributed.mesh.sharded_tensors import shard_tensor
from jaxeager.errors import InvalidArgumentError
from jaxeager.tensor import Tensor


class ShardDataloader:
    """A loader that places the batches of a DataLoader on a mesh: see ``shard_dataloader``.

    Example:
        >>> import jaxeager as paddle
        >>> data = paddle.io.TensorDataset([paddle.ones([4, 2])])
        >>> data = paddle.io.DataLoader(data, batch_size=4)
        >>> mesh = paddle.distributed.ProcessMesh([0], ["x"])
        >>> loader = paddle.distributed.shard_dataloader(data, mesh, shard_dims="x")
        >>> len(loader), next(iter(loader))[0].placements
        (1, [Shard(dim=0)])
    """

    def __init__(
        self,
        dataloader: Any,
        meshes: ProcessMesh | Sequence[ProcessMesh],
        input_keys: Sequence[str] | None = None,
        shard_dims: Any = None,
        is_dataset_splitted: bool = False,
        dense_tensor_idx: list[list[int]] | None = None,
    ):
        if is_dataset_splitted and shard_dims is None:
            raise InvalidArgumentError("shard_dims must be set when is_dataset_splitted is True")
        self._meshes = [meshes] if isinstance(meshes, ProcessMesh) else list(meshes)
        if not self._meshes:
            raise InvalidArgumentError("meshes must be set")
        if not isinstance(shard_dims, (list, tuple)):
            shard_dims = [shard_dims] * len(self._meshes)
        self._shard_dims = list(shard_dims)
        if len(self._shard_dims) != len(self._meshes):
            raise InvalidArgumentError(
                f"There are {len(self._meshes)} meshes, but {len(self._shard_dims)} shard_dims."
            )
        self._dataloader = dataloader
        self._input_keys = input_keys
        self._is_split = is_dataset_splitted
        self._dense = dense_tensor_idx

    def __len__(self) -> int:
        return len(self._dataloader)

    def __iter__(self) -> Iterator[Any]:
        return map(self._batch, self._dataloader)

    def __call__(self) -> ShardDataloader:
        return self

    def _batch(self, batch: Any) -> Any:
        if isinstance(batch, dict):
            keys = list(batch) if self._input_keys is None else self._input_keys
            return {key: self._item(number, batch[key]) for number, key in enumerate(keys)}
        if isinstance(batch, (list, tuple)):
            return [self._item(number, each) for number, each in enumerate(batch)]
        return self._item(0, batch)

    def _item(self, number: int, value: Any) -> Any:
        """Place one input of a batch, a tensor or a list of them, on its mesh."""
        dense = set() if self._dense is None else set(self._dense[number])
        if isinstance(value, (list, tuple)):
            return [
                each if place in dense else self._placed(number, each)
                for place, each in enumerate(value)
            ]
        return value if dense else self._placed(number, value)

    def _placed(self, number: int, value: Any) -> Any:
        if not isinstance(value, Tensor):
            return value
        number = min(number, len(self._meshes) - 1)
        mesh, dim = self._meshes[number], self._shard_dims[number]
        placements: list[Placement] = [Replicate() for _ in mesh.shape]
        if dim is not None:
            axis = mesh._axis(dim) if isinstance(dim, str) else dim
            placements[axis] = Shard(0)
        if self._is_split:
            return dtensor_from_local(value, mesh, placements)
        return shard_tensor(value, mesh, placements)


def shard_dataloader(
    dataloader: Any,
    meshes: ProcessMesh | Sequence[ProcessMesh],
    input_keys: Sequence[str] | None = None,
    shard_dims: Any = None,
    is_dataset_splitted: bool = False,
    dense_tensor_idx: list[list[int]] | None = None,
) -> ShardDataloader:
    """Return a loader that places the batches of another one on a mesh.

    Args:
        dataloader: a ``paddle.io.DataLoader`` of whole batches. Each process reads all of them and
            keeps its part, so if it shuffles, all processes need the same seed.
        meshes: the mesh; or a list with a mesh for each input of a batch.
        input_keys: for batches that are dicts, the inputs to use, in the order of ``meshes``.
        shard_dims: the axis of a mesh that divides the first axis of an input, its name or number;
            or a list of them. None: each device has the whole batch.
        is_dataset_splitted: whether the loader of each process already yields its own part of a
            batch; then each device of the process gets that part.
        dense_tensor_idx: per input, the indices of the values that are not placed.

    Raises:
        InvalidArgumentError: without meshes, or for unequal numbers of meshes and shard_dims; and
            for a batch whose rows cannot be divided evenly.

    Example:
        >>> import jaxeager as paddle
        >>> data = paddle.io.TensorDataset([paddle.ones([4, 2])])
        >>> data = paddle.io.DataLoader(data, batch_size=2)
        >>> mesh = paddle.distributed.ProcessMesh([0], ["x"])
        >>> [each[0].shape for each in paddle.distributed.shard_dataloader(data, mesh)]
        [paddle.Size([2, 2]), paddle.Size([2, 2])]
    """
    return ShardDataloader(
        dataloader, meshes, input_keys, shard_dims, is_dataset_splitted, dense_tensor_idx
    )
