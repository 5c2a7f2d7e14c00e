"""Datasets, samplers and DataLoader: which batches come, of what kind."""

from ..probe import attempt
from ..registry import program


def _plain(batch):
    """Returns a batch with arrays for tensors, whatever holds them."""
    if hasattr(batch, "numpy"):
        return batch.numpy()
    if isinstance(batch, dict):
        return {k: _plain(v) for k, v in batch.items()}
    if isinstance(batch, (list, tuple)):
        return [_plain(v) for v in batch]
    return batch


def _squares(paddle, np, kind="pair", count=7):
    class Squares(paddle.io.Dataset):
        def __getitem__(self, index):
            x = np.float32([index, index + 1])
            return {
                "pair": (x, index * index),
                "dict": {"x": x, "y": index},
                "one": x,
                "float": (x, float(index)),
            }[kind]

        def __len__(self):
            return count

    return Squares()


@program
def batches_in_order(paddle, np):
    """Batches of pairs, dicts and single arrays, the last one short or dropped."""
    io = paddle.io
    out = {}
    for text, kind, attributes in [
        ("pairs", "pair", {"batch_size": 3}),
        ("drop", "pair", {"batch_size": 3, "drop_last": True}),
        ("dict", "dict", {"batch_size": 4}),
        ("one", "one", {"batch_size": 4}),
        ("floats", "float", {"batch_size": 4}),
        ("default", "pair", {}),
    ]:
        loader = io.DataLoader(_squares(paddle, np, kind), **attributes)
        out[text] = [len(loader), [_plain(b) for b in loader]]
    return out


@program
def kinds_of_batches(paddle, np):
    """What a batch is: a list of tensors, their dtypes and flags."""
    batch = next(iter(paddle.io.DataLoader(_squares(paddle, np), batch_size=2)))
    return [
        type(batch).__name__,
        [str(t.dtype) for t in batch],
        [t.stop_gradient for t in batch],
        [list(t.shape) for t in batch],
    ]


@program
def tensor_dataset(paddle, np):
    """TensorDataset, its items, its batches."""
    x = paddle.to_tensor(np.arange(10, dtype="float32").reshape(5, 2))
    y = paddle.to_tensor([0, 1, 2, 3, 4])
    data = paddle.io.TensorDataset([x, y])
    loader = paddle.io.DataLoader(data, batch_size=2)
    return [len(data), [t.numpy() for t in data[3]], [_plain(b) for b in loader]]


@program
def shuffled_batches(paddle, np):
    """A shuffle is a permutation."""
    loader = paddle.io.DataLoader(_squares(paddle, np, count=20), batch_size=6, shuffle=True)
    seen = [int(v) for batch in loader for v in batch[1].numpy()]
    return [sorted(seen), len(seen), [len(b[1]) for b in loader]]


@program
def samplers(paddle, np):
    """Sequence, random, weighted, batch samplers; a loader with its own batch sampler."""
    io = paddle.io
    data = _squares(paddle, np)
    order = list(io.RandomSampler(data))
    batches = io.BatchSampler(data, batch_size=3)
    own = io.BatchSampler(sampler=io.SequenceSampler(data), batch_size=2, drop_last=True)
    loader = io.DataLoader(data, batch_sampler=own)
    return {
        "sequence": list(io.SequenceSampler(data)),
        "random": sorted(order),
        "weighted": sorted(set(io.WeightedRandomSampler([0.0, 1.0, 0.0, 2.0], 50))),
        "batches": [len(batches), list(batches)],
        "own": [len(own), [_plain(b)[1] for b in loader]],
    }


@program
def datasets_made_of_others(paddle, np):
    """Subset, ConcatDataset, ComposeDataset, ChainDataset, random_split."""
    io = paddle.io
    data = _squares(paddle, np)
    parts = io.random_split(data, [5, 2])
    both = io.ConcatDataset([data, _squares(paddle, np, count=2)])
    return {
        "subset": [_plain(io.Subset(data, [2, 4])[1]), len(io.Subset(data, [2, 4]))],
        "split": [
            [len(p) for p in parts],
            sorted(int(p[i][1]) for p in parts for i in range(len(p))),
        ],
        "concat": [len(both), _plain(both[8])],
        "compose": _plain(io.ComposeDataset([data, data])[2]),
    }


@program
def iterable_datasets(paddle, np):
    """A dataset that is only iterated."""

    class Stream(paddle.io.IterableDataset):
        def __iter__(self):
            yield from (np.float32([k]) for k in range(5))

    return [
        [_plain(b) for b in paddle.io.DataLoader(Stream(), batch_size=2)],
        [_plain(b) for b in paddle.io.DataLoader(Stream(), batch_size=2, drop_last=True)],
        attempt(lambda: len(paddle.io.DataLoader(Stream(), batch_size=2)))["error"],
    ]


@program
def collating(paddle, np):
    """A collate function of one's own; nested samples; a dataset without items."""
    io = paddle.io
    data = _squares(paddle, np)

    class Nested(io.Dataset):
        def __getitem__(self, index):
            return {"a": [np.float32([index]), index], "b": "text"}

        def __len__(self):
            return 2

    own = io.DataLoader(
        data, batch_size=3, collate_fn=lambda items: [np.stack([i[0] for i in items]) * 2]
    )
    return {
        "own": [_plain(b) for b in own],
        "nested": [_plain(b) for b in io.DataLoader(Nested(), batch_size=2)],
        "not implemented": attempt(lambda: io.Dataset()[0])["error"],
    }


@program
def concatenated_datasets_in_a_for(paddle, np):
    """Python's loop over an index ends at an IndexError; texts of a batch within a field."""
    both = paddle.io.ConcatDataset([_squares(paddle, np, count=2), _squares(paddle, np, count=1)])
    return {
        "samples": [np.asarray(sample[0]).tolist() for sample in both],
        "loaded": next(iter(paddle.io.DataLoader([(1.0, "a"), (2.0, "b")], batch_size=2)))[1],
    }


@program
def attributes_of_a_loader(paddle, np):
    """What other code reads from a loader."""
    data = _squares(paddle, np)

    class Endless(paddle.io.IterableDataset):
        def __iter__(self):
            yield from range(3)

    sampler = paddle.io.BatchSampler(data, batch_size=2)
    loaders = {
        "batches": paddle.io.DataLoader(data, batch_size=3),
        "samples": paddle.io.DataLoader(data, batch_size=None),
        "sampler": paddle.io.DataLoader(data, batch_sampler=sampler),
        "iterable": paddle.io.DataLoader(Endless(), batch_size=2, places=paddle.CPUPlace()),
        "samples of an iterable": paddle.io.DataLoader(Endless(), batch_size=None),
    }
    return {
        name: [
            loader.dataset_kind, loader.auto_collate_batch, loader._persistent_workers,
            [place.is_cpu_place() for place in loader.places], loader.batch_size, loader.drop_last,
        ]
        for name, loader in loaders.items()
    }  # fmt: skip
