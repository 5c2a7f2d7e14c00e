"""DataLoader with worker processes: which batches come, from whom."""

from ..registry import differs, program


def _plain(batch):
    """Returns a batch with arrays for tensors."""
    if isinstance(batch, dict):
        return {k: _plain(v) for k, v in batch.items()}
    if isinstance(batch, (list, tuple)):
        return [_plain(v) for v in batch]
    return batch.numpy() if hasattr(batch, "numpy") else batch


def _numbers(paddle, np, make, count=9):
    class Numbers(paddle.io.Dataset):
        def __getitem__(self, index):
            return make(index)

        def __len__(self):
            return count

    return Numbers()


def _sharded(paddle, count):
    class Sharded(paddle.io.IterableDataset):
        def __iter__(self):
            info = paddle.io.get_worker_info()
            yield from range(info.id, count, info.num_workers)

    return Sharded()


@program
def batches_from_workers(paddle, np):
    """Pairs, dicts, nested ones, a collate function, small and large arrays, both transports."""
    io = paddle.io
    out = {}
    makes = {
        "pair": lambda i: (np.float32([i, i + 1]), i * i),
        "dict": lambda i: {"x": np.full([2, 3], i, "int32"), "y": float(i)},
        "nested": lambda i: [np.float64([i]), [i, (i, i)]],
        "large": lambda i: np.full([64, 64], i, "float32"),
    }
    for text, make in makes.items():
        for shared in (True, False):
            loader = io.DataLoader(
                _numbers(paddle, np, make),
                batch_size=4,
                num_workers=2,
                use_shared_memory=shared,
            )
            out[f"{text} {shared}"] = [len(loader), [_plain(b) for b in loader]]
    own = io.DataLoader(
        _numbers(paddle, np, makes["pair"]),
        batch_size=4,
        num_workers=2,
        drop_last=True,
        collate_fn=lambda samples: np.stack([s[0] for s in samples]) * 2,
    )
    out["collate"] = [_plain(b) for b in own]
    return out


@program
def workers_of_an_iterable_dataset(paddle, np):
    """Each worker gives its share; a batch holds one worker's samples."""
    out = {}
    for count, workers, drop in ((7, 2, False), (9, 2, True), (5, 3, False)):
        loader = paddle.io.DataLoader(
            _sharded(paddle, count), batch_size=2, num_workers=workers, drop_last=drop
        )
        out[str([count, workers])] = [_plain(b) for b in loader]
    return out


@program
def what_workers_know(paddle, np):
    """Their number, how many they are; worker_init_fn; batch k is worker k % n's."""
    seen = []

    def make(index):
        info = paddle.io.get_worker_info()
        return info.id, info.num_workers, len(info.dataset), *seen

    loader = paddle.io.DataLoader(
        _numbers(paddle, np, make, 6), num_workers=2, worker_init_fn=seen.append
    )
    return [[[f.numpy() for f in b] for b in loader], paddle.io.get_worker_info(), seen]


@program
def persistent_workers_go_on(paddle, np):
    """What a worker's copy of the dataset remembers stays for the next pass."""
    out = {}
    for persistent in (True, False):
        count = [0]

        def make(index, count=count):
            count[0] += 1
            return count[0]

        loader = paddle.io.DataLoader(
            _numbers(paddle, np, make, 4), num_workers=1, persistent_workers=persistent
        )
        out[str(persistent)] = [[_plain(b) for b in loader] for _ in range(2)]
    return out


@differs(
    "the seed of the workers is drawn from NumPy's generator before the order is",
    right=[True],
    paddle_gives=[False],
)
def shuffling_with_workers(paddle, np):
    """The same seed gives the same order with workers as without."""
    orders = []
    for workers in (0, 2):
        np.random.seed(5)
        loader = paddle.io.DataLoader(
            _numbers(paddle, np, lambda i: i), shuffle=True, num_workers=workers
        )
        orders.append([int(b.numpy()[0]) for b in loader])
    return [orders[0] == orders[1]]
