"""The batches that a Model reads: a DataLoader for a Dataset, and how many there are."""

from jaxeager.errors import InvalidTypeError, RefusedArgumentError
from jaxeager.io import DataLoader, Dataset, DistributedBatchSampler


def loader_of(data, batch_size, num_workers, shuffle=False, drop_last=False):
    """Return an iterable of batches: a DataLoader for a Dataset, any other object as it is."""
    if not isinstance(data, Dataset):
        if data is not None and not hasattr(data, "__iter__"):
            raise InvalidTypeError(
                f"The data must be a Dataset or an iterable of batches, but received {data!r}."
            )
        return data
    sampler = DistributedBatchSampler(
        data, batch_size=batch_size, shuffle=shuffle, drop_last=drop_last
    )
    return DataLoader(data, batch_sampler=sampler, num_workers=num_workers, return_list=True)


def length_of(data):
    """Return the number of batches, None when it is unknown."""
    try:
        return len(data)
    except TypeError:
        return None


def two_sizes(batch_size) -> tuple[int, int]:
    """Return the batch sizes of training and evaluation."""
    if isinstance(batch_size, (list, tuple)):
        if len(batch_size) != 2:
            wanted = "expected train_batch_size and eval_batch_size"
            raise RefusedArgumentError(f"batch_size length error, {wanted}. Received {batch_size}.")
        return tuple(batch_size)
    return batch_size, batch_size


def checked_iters(num_iters: int) -> int:
    """Return a number of batches; raise RefusedArgumentError unless it is positive."""
    if num_iters <= 0:
        raise RefusedArgumentError("num_iters must be greater than 0!")
    return num_iters
