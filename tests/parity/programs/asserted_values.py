"""Values that Paddle refuses by an assert: AssertionErrors, in both libraries."""

from ..probe import error_of, refuses
from ..registry import differs, program


def _data(paddle, count=4):
    class Numbers(paddle.io.Dataset):
        def __len__(self):
            return count

        def __getitem__(self, index):
            return float(index)

    return Numbers()


def _stream(paddle):
    class Stream(paddle.io.IterableDataset):
        def __iter__(self):
            return iter(range(3))

    return Stream()


def _errors(calls):
    return {name: error_of(call) for name, call in calls.items()}


@program
def asserted_samplers(paddle, np):
    """BatchSampler, DataLoader and the samplers."""
    io, data, stream = paddle.io, _data(paddle), _stream(paddle)
    order = io.SequenceSampler(data)
    calls = {
        "no size": lambda: io.BatchSampler(data, batch_size=0),
        "negative size": lambda: io.BatchSampler(data, batch_size=-1),
        "float size": lambda: io.BatchSampler(data, batch_size=1.5),
        "nothing": lambda: io.BatchSampler(),
        "both": lambda: io.BatchSampler(data, sampler=order),
        "shuffle": lambda: io.BatchSampler(data, shuffle=2),
        "drop_last": lambda: io.BatchSampler(data, drop_last=2),
        "stream": lambda: io.BatchSampler(stream),
        "shuffled sampler": lambda: io.BatchSampler(sampler=order, shuffle=True),
        "loader of no size": lambda: io.DataLoader(data, batch_size=0),
        "workers": lambda: io.DataLoader(data, num_workers=-1),
        "timeout": lambda: io.DataLoader(data, timeout=-1),
        "no prefetch": lambda: io.DataLoader(data, prefetch_factor=0),
        "negative prefetch": lambda: io.DataLoader(data, prefetch_factor=-1),
        "two sizes": lambda: io.DataLoader(data, batch_sampler=io.BatchSampler(data), batch_size=2),
        "too many": lambda: list(io.WeightedRandomSampler([1.0, 2.0], 3, replacement=False)),
        "no weight": lambda: list(io.WeightedRandomSampler([0.0, 0.0], 1)),
        "distributed size": lambda: io.DistributedBatchSampler(data, 0),
        "replicas": lambda: io.DistributedBatchSampler(data, 1, num_replicas=0),
        "rank": lambda: io.DistributedBatchSampler(data, 1, num_replicas=1, rank=-1),
        "distributed shuffle": lambda: io.DistributedBatchSampler(data, 1, shuffle=2),
    }
    return _errors(calls)


@program
def a_bool_is_a_batch_size(paddle, np):
    """True is the integer 1."""
    data = _data(paddle)
    return [
        len(paddle.io.BatchSampler(data, batch_size=True)),
        len(paddle.io.DataLoader(data, batch_size=True)),
    ]


@program
def asserted_datasets(paddle, np):
    """Datasets that do not fit together."""
    io, data, stream = paddle.io, _data(paddle), _stream(paddle)
    calls = {
        "concat nothing": lambda: io.ConcatDataset([]),
        "concat stream": lambda: io.ConcatDataset([stream]),
        "chain nothing": lambda: io.ChainDataset([]),
        "chain map": lambda: io.ChainDataset([data]),
        "compose nothing": lambda: io.ComposeDataset([]),
        "compose stream": lambda: io.ComposeDataset([stream]),
        "compose lengths": lambda: io.ComposeDataset([data, _data(paddle, 3)]),
        "tensors": lambda: io.TensorDataset([paddle.ones([2]), paddle.ones([1])]),
    }
    return _errors(calls)


@program
def asserted_schedulers_and_optimizers(paddle, np):
    """Steps that are not positive, factors out of range, arguments of None."""
    rates, optimizers = paddle.optimizer.lr, paddle.optimizer
    parameters = paddle.nn.Linear(1, 1).parameters()
    calls = {
        "warmup": lambda: rates.LinearWarmup(0.1, 0, 0.0, 0.1),
        "warmup down": lambda: rates.LinearWarmup(0.1, 1, 0.2, 0.1),
        "warmup float": lambda: rates.LinearWarmup(0.1, 1.5, 0.0, 0.1),
        "natural": lambda: rates.NaturalExpDecay(0.1, 0.0),
        "polynomial": lambda: rates.PolynomialDecay(0.1, 0),
        "polynomial float": lambda: rates.PolynomialDecay(0.1, 1.5),
        "exponential": lambda: rates.ExponentialDecay(0.1, 1.5),
        "step": lambda: rates.StepDecay(0.1, 0),
        "cosine": lambda: rates.CosineAnnealingDecay(0.1, 0),
        "clip": lambda: paddle.nn.ClipGradByValue(-1),
        "clip 0": lambda: paddle.nn.ClipGradByValue(0.0),
        "epsilon": lambda: optimizers.Adam(0.1, epsilon=None, parameters=parameters),
        "beta1": lambda: optimizers.Adamax(0.1, beta1=None, parameters=parameters),
        "rate": lambda: optimizers.AdamW(None, parameters=parameters),
        "ratio": lambda: optimizers.AdamW(0.1, lr_ratio=3, parameters=parameters),
        "adagrad": lambda: optimizers.Adagrad(0.1, epsilon=None, parameters=parameters),
        "lamb": lambda: optimizers.Lamb(0.1, beta1=None, parameters=parameters),
        "orthogonal": lambda: paddle.nn.initializer.Orthogonal(gain=None),
    }
    return _errors(calls)


@program
def asserted_signals(paddle, np):
    """stft and istft check ranks, sizes, windows and options."""
    signal, ones = paddle.signal, paddle.ones
    spectrum = ones([3, 4], "complex64")
    calls = {
        "rank": lambda: signal.stft(ones([2, 2, 4]), n_fft=2),
        "n_fft": lambda: signal.stft(ones([4]), n_fft=8, center=False),
        "hop": lambda: signal.stft(ones([8]), n_fft=4, hop_length=0),
        "length": lambda: signal.stft(ones([8]), n_fft=4, win_length=8),
        "window": lambda: signal.stft(ones([8]), n_fft=4, window=ones([2])),
        "mode": lambda: signal.stft(ones([8]), n_fft=4, pad_mode="x"),
        "onesided": lambda: signal.stft(ones([8], "complex64"), n_fft=4, onesided=True),
        "inverse rank": lambda: signal.istft(ones([4]), n_fft=2),
        "bins": lambda: signal.istft(spectrum, n_fft=8),
        "inverse hop": lambda: signal.istft(spectrum, n_fft=4, hop_length=0),
        "inverse length": lambda: signal.istft(spectrum, n_fft=4, win_length=9),
        "inverse window": lambda: signal.istft(spectrum, n_fft=4, window=ones([2])),
    }
    return _errors(calls)


@program
def asserted_shapes_of_ops(paddle, np):
    """Functions of matrices, of axes, and losses."""
    ones, functional = paddle.ones, paddle.nn.functional
    ormqr, label = paddle.linalg.ormqr, paddle.to_tensor([[1, 0]])
    calls = {
        "ormqr ranks": lambda: ormqr(ones([2]), ones([2]), ones([2, 2])),
        "ormqr tau": lambda: ormqr(ones([2, 2]), ones([3]), ones([2, 2])),
        "ormqr rows": lambda: ormqr(ones([2, 2]), ones([2]), ones([3, 2])),
        "ormqr columns": lambda: ormqr(ones([2, 2]), ones([2]), ones([3, 3]), left=False),
        "tensordot": lambda: paddle.tensordot(ones([2, 3]), ones([2, 4]), axes=[[1], [0]]),
        "moveaxis": lambda: paddle.moveaxis(ones([1, 2]), [0], [0, 1]),
        "cdist": lambda: paddle.cdist(ones([2, 2]), ones([2, 3])),
        "cdist p": lambda: paddle.cdist(ones([2, 2]), ones([2, 2]), p=-1.0),
        "histogramdd": lambda: paddle.histogramdd(ones([2, 2]), bins=[1]),
        "dice": lambda: functional.dice_loss(ones([1, 1]), ones([1, 1])),
        "dice classes": lambda: functional.dice_loss(ones([1, 2]), label),
        "pad": lambda: functional.pad(ones([1, 1, 2]), [1, 1], mode="x"),
        "unfold": lambda: functional.unfold(ones([1, 1, 2]), 1),
        "prelu": lambda: functional.prelu(ones([1, 2, 1, 1]), ones([3])),
        "psroi_pool": lambda: paddle.vision.ops.psroi_pool(
            ones([1, 2]), ones([1, 4]), paddle.to_tensor([1], dtype="int32"), 1
        ),
        "spectral norm": lambda: paddle.nn.SpectralNorm([0, 1]),
        "parameters": lambda: paddle.nn.ParameterList([3]),
    }
    return _errors(calls)


@program
def asserted_arguments_of_backward(paddle, np):
    """grad and autograd.backward check every argument."""
    x = paddle.to_tensor(1.0, stop_gradient=False)
    y, backward = x * 1, paddle.autograd.backward
    calls = {
        "no outputs": lambda: paddle.grad(None, x),
        "no inputs": lambda: paddle.grad(y, None),
        "nothing": lambda: paddle.grad([], []),
        "text": lambda: paddle.grad("a", x),
        "list of text": lambda: paddle.grad(["a"], x),
        "two seeds": lambda: paddle.grad([y], [x], grad_outputs=[x, x]),
        "all inputs": lambda: paddle.grad([y], [x], only_inputs=False),
        "flag": lambda: paddle.grad([y], [x], create_graph=3),
        "variables": lambda: paddle.grad([y], [x], no_grad_vars=3),
        "seed": lambda: paddle.grad([y], [x], grad_outputs="a"),
        "twice": lambda: backward([y, y]),
        "lengths": lambda: backward([y], [None, None]),
        "elements": lambda: backward(["a"]),
    }
    return _errors(calls)


@program
def sizes_and_dtypes_of_another_class(paddle, np):
    """A negative size is a TypeError, a name that is no dtype is a ValueError."""
    row, functional = paddle.to_tensor([[1.0, 2.0]]), paddle.nn.functional
    calls = {
        "eye": lambda: paddle.eye(-3),
        "eye columns": lambda: paddle.eye(3, -1),
        "tril": lambda: paddle.tril_indices(-1, 1, 0),
        "triu": lambda: paddle.triu_indices(-1),
        "astype": lambda: paddle.nn.Linear(1, 1).astype("aaa"),
        "tensor_split": lambda: paddle.tensor_split(paddle.to_tensor(1.0), 2),
        "layer_norm": lambda: functional.layer_norm(row, None),
        "rrelu": lambda: functional.rrelu(row, "0.1"),
        "glu": lambda: functional.glu(row, axis="1"),
        "softmax": lambda: functional.softmax(row, axis=None),
        "log_softmax": lambda: functional.log_softmax(row, axis=None),
    }
    return _errors(calls)


@program
def dtypes_of_positions_and_draws(paddle, np):
    """argmax has int32 and int64, randint too, randperm floats besides; others are refused."""
    x = paddle.to_tensor([1.0, 2.0])
    calls = {
        "argmax float": lambda: paddle.argmax(x, dtype="float32"),
        "argmax short": lambda: paddle.argmax(x, dtype="int16"),
        "argmax None": lambda: paddle.argmax(x, dtype=None),
        "argmin None": lambda: paddle.argmin(x, dtype=None),
        "argmin short": lambda: paddle.argmin(x, dtype="int16"),
        "randint float": lambda: paddle.randint(0, 2, [2], dtype="float32"),
        "randint short": lambda: paddle.randint(0, 2, [2], dtype="int16"),
        "randint bool": lambda: paddle.randint(0, 2, [2], dtype="bool"),
        "randperm short": lambda: paddle.randperm(3, dtype="int16"),
        "randperm half": lambda: paddle.randperm(3, dtype="float16"),
        "randperm of a float": lambda: paddle.randperm(3.0),
    }
    return {name: refuses(call) for name, call in calls.items()}


@program
def values_of_another_dtype(paddle, np):
    """Distributions warn of a value that they convert; the dtype of the result is the same."""
    import warnings

    def of(*values):
        return paddle.to_tensor(np.array(values, "float32"))

    library, one, two = paddle.distribution, of(1.0, 1.0), of(1.0, 2.0)
    found, text = {}, "needs to be the same as parameters of distribution class"
    for each in (
        library.Normal(one, two),
        library.Uniform(of(0.0, 0.0), two),
        library.Cauchy(one, two),
        library.Bernoulli(of(0.5, 0.4)),
        library.StudentT(two, one, two),
        library.LogNormal(one, two),
        library.Beta(one, two),
        library.Gamma(one, two),
        library.Chi2(two),
        library.Dirichlet(two),
        library.Exponential(two),
    ):
        for name in ("log_prob", "prob"):
            if (type(each).__name__, name) == ("Bernoulli", "prob"):
                continue
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                result = getattr(each, name)(paddle.to_tensor(np.array([0.25, 0.75])))
            warned = any(text in str(warning.message) for warning in caught)
            rounded = np.round(result.numpy(), 4) + 0.0
            found[f"{type(each).__name__}.{name}"] = [str(result.dtype), rounded, warned]
    return found


@program
def a_reader_shuffled_in_no_buffer(paddle, np):
    """Every sample is there, also with a buffer of 0 or 1."""

    def numbers():
        return iter(range(5))

    return [sorted(paddle.reader.shuffle(numbers, size)()) for size in (0, 1, 3, 9)]


@differs(
    "A negative number of samples is taken for all of them.",
    right=["refused"] * 2,
    paddle_gives=["taken"] * 2,
)
def readers_of_negative_sizes(paddle, np):
    def numbers():
        return iter(range(5))

    calls = [
        lambda: list(paddle.reader.shuffle(numbers, -1)()),
        lambda: list(paddle.reader.firstn(numbers, -1)()),
    ]
    return ["taken" if refuses(call) == "no error" else "refused" for call in calls]
