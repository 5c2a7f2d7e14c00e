"""shard_dataloader: batches that are placed on a mesh of devices.

Note [Order of divided batches]
    In Paddle, each process has a DistributedBatchSampler in place of the loader's own sampler, so
    the rows of a batch, the order of each epoch, and the samples that are repeated at its end are
    those of such samplers. Here one process may have several of the devices: it reads the batches
    of the samplers of all parts, joined, and keeps what its devices need. A loader that has a
    DistributedBatchSampler of several processes yields the part of each process.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from jaxeager.distributed.mesh.local_tensors import dtensor_from_local
from jaxeager.distributed.mesh.placements import Placement, ProcessMesh, Replicate, Shard
from jaxeager.distributed.mesh.sharded_tensors import shard_tensor
from jaxeager.distributed.ranks.environment import get_world_size
from jaxeager.errors import InvalidArgumentError
from jaxeager.io import BatchSampler, DistributedBatchSampler
from jaxeager.tensor import Tensor

if TYPE_CHECKING:
    from collections.abc import Iterable


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
        sampler = getattr(dataloader, "batch_sampler", None)
        self._input_keys = input_keys
        self._is_split = is_dataset_splitted
        if shard_dims[0] is not None and not is_dataset_splitted:
            if isinstance(sampler, DistributedBatchSampler):
                self._is_split = sampler.nranks > 1 and get_world_size() > 1
            elif type(sampler) is BatchSampler and sampler.data_source is not None:
                dataloader = copy.copy(dataloader)
                dataloader.batch_sampler = sampler = _JoinedParts(sampler, self._count())
        self._dataloader = dataloader
        self.batch_sampler = sampler
        self.batch_size = getattr(sampler, "batch_size", None)
        self._dense = dense_tensor_idx

    def _count(self) -> int:
        """Return the number of parts of a batch."""
        mesh, dim = self._meshes[0], self._shard_dims[0]
        return mesh.shape[mesh._axis(dim) if isinstance(dim, str) else dim]

    def __len__(self) -> int:
        return len(self._dataloader)

    def __iter__(self) -> Iterator[Any]:
        return map(self._batch, self._dataloader)

    def __call__(self) -> ShardDataloader:
        return self

    def _batch(self, batch: object) -> Any:
        if isinstance(batch, dict):
            keys = list(batch) if self._input_keys is None else self._input_keys
            return {key: self._item(number, batch[key]) for number, key in enumerate(keys)}
        if isinstance(batch, (list, tuple)):
            return [self._item(number, each) for number, each in enumerate(batch)]
        return self._item(0, batch)

    def _item(self, number: int, value: object) -> object:
        """Place one input of a batch, a tensor or a list of them, on its mesh."""
        dense = set() if self._dense is None else set(self._dense[number])
        if isinstance(value, (list, tuple)):
            return [
                each if place in dense else self._placed(number, each)
                for place, each in enumerate(value)
            ]
        return value if dense else self._placed(number, value)

    def _placed(self, number: int, value: object) -> object:
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


class _JoinedParts:
    """Whole batches, each made of the batches of the samplers of all parts.

    Args:
        whole: the sampler of whole batches.
        count: the number of parts.

    Attributes:
        batch_size: the number of samples in a part.
        shuffle: whether the order of an epoch is random.
        drop_last: whether a last batch that is smaller is left out.
    """

    def __init__(self, whole: BatchSampler, count: int):
        self.batch_size = whole.batch_size // count
        self.shuffle, self.drop_last = whole.shuffle, whole.drop_last
        if self.batch_size == 0:
            raise InvalidArgumentError(
                f"A batch of {whole.batch_size} cannot be divided into {count} parts: use a "
                f"batch_size of at least {count}."
            )
        self._parts = [
            DistributedBatchSampler(
                whole.data_source, self.batch_size, count, part, whole.shuffle, whole.drop_last
            )
            for part in range(count)
        ]

    def __iter__(self) -> Iterator[list[int]]:
        for parts in zip(*self._parts, strict=True):
            yield [index for part in parts for index in part]

    def __len__(self) -> int:
        return len(self._parts[0])

    def set_epoch(self, epoch: int) -> None:
        """Set the number of the next epoch."""
        for each in self._parts:
            each.set_epoch(epoch)


def shard_dataloader(
    dataloader: Iterable,
    meshes: ProcessMesh | Sequence[ProcessMesh],
    input_keys: Sequence[str] | None = None,
    shard_dims: str | int | Sequence[str | int | None] | None = None,
    is_dataset_splitted: bool = False,
    dense_tensor_idx: list[list[int]] | None = None,
) -> ShardDataloader:
    """Return a loader that places the batches of another one on a mesh.

    Args:
        dataloader: a ``paddle.io.DataLoader`` of whole batches. Each process reads all of them and
            keeps its part. With ``shard_dims``, the order is that of DistributedBatchSamplers,
            one for each part; a shuffled order is that of the epoch's number.
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
