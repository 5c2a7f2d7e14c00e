"""Arguments of layers, functions, datasets and tools that Paddle refuses by an assert."""

import tempfile
from pathlib import Path

from ..probe import error_of
from ..registry import program


def _errors(calls):
    return {name: error_of(call) for name, call in calls.items()}


def _ones(paddle, *shape, dtype="float32"):
    return paddle.ones(list(shape), dtype)


@program
def asserted_layers(paddle, np):
    """Containers, norms of weights and layers."""
    nn, linear = paddle.nn, paddle.nn.Linear(2, 2)
    layers = nn.LayerList([nn.ReLU()])
    calls = {
        "insert": lambda: layers.insert(9, nn.ReLU()),
        "insert before": lambda: layers.insert(-3, nn.ReLU()),
        "weight_norm": lambda: nn.utils.weight_norm(linear, dim=5),
        "SpectralNorm": lambda: nn.SpectralNorm([2, 3], dim=5),
        "Softmax2D": lambda: nn.Softmax2D()(_ones(paddle, 2, 2)),
        "DeformConv2D": lambda: paddle.vision.ops.DeformConv2D(1, 1, 3, weight_attr=False),
        "sparse groups": lambda: paddle.sparse.nn.Conv3D(1, 1, 3, groups=2),
        "sparse padding": lambda: paddle.sparse.nn.Conv3D(1, 1, 3, padding_mode="reflect"),
    }
    return _errors(calls)


@program
def asserted_functions(paddle, np):
    """Functions of images, losses, attention and shapes."""
    F, vision = paddle.nn.functional, paddle.vision.ops
    image, labels = _ones(paddle, 1, 1, 2, 2), _ones(paddle, 2, 2, dtype="int64")
    boxes, ids = _ones(paddle, 2, 4), _ones(paddle, 2, dtype="int64")
    query = _ones(paddle, 1, 4, 2, 8)

    def masked(*shape, dtype="int32", **options):
        rows = _ones(paddle, *shape, dtype=dtype)
        return F.flashmask_attention(query, query, query, startend_row_indices=rows, **options)

    calls = {
        "size 0": lambda: F.interpolate(image, size=[0, 2]),
        "output_size": lambda: F.max_unpool2d(image, image.astype("int32"), 2, output_size=3),
        "dice dtype": lambda: F.dice_loss(labels, labels),
        "dice rank": lambda: F.dice_loss(_ones(paddle, 2), ids),
        "dice ranks": lambda: F.dice_loss(_ones(paddle, 2, 2), labels.unsqueeze(2)),
        "dice shapes": lambda: F.dice_loss(_ones(paddle, 3, 2, 2), labels.unsqueeze(2)),
        "window": lambda: masked(1, 1, 4, 1, window_size=2),
        "rows dtype": lambda: masked(1, 1, 4, 1, dtype="int64"),
        "rows rank": lambda: masked(4, 1),
        "rows heads": lambda: masked(1, 3, 4, 1),
        "rows length": lambda: masked(1, 1, 3, 1),
        "nms categories": lambda: vision.nms(boxes, 0.5, _ones(paddle, 2), ids),
        "nms top_k": lambda: vision.nms(boxes, 0.5, _ones(paddle, 2), ids, [1], 5),
        "levels": lambda: vision.distribute_fpn_proposals(boxes, 5, 2, 4, 224),
        "level 0": lambda: vision.distribute_fpn_proposals(boxes, 0, 2, 4, 224),
        "rois_num": lambda: vision.distribute_fpn_proposals(boxes, 2, 5, 4, 224),
        "narrow": lambda: paddle.narrow(_ones(paddle, 3), 0, 2, 5),
        "narrow length": lambda: paddle.narrow(_ones(paddle, 3), 0, 0, -1),
        "narrow 0-D": lambda: paddle.narrow(paddle.to_tensor(1.0), 0, 0, 0),
        "histogramdd": lambda: paddle.histogramdd(_ones(paddle, 3), bins=[2]),
    }
    return _errors(calls)


@program
def asserted_states_of_optimizers(paddle, np):
    """A loaded state without an accumulator, or with another shape or dtype; groups, metrics."""
    optimizer, lr = paddle.optimizer, paddle.optimizer.lr
    network = paddle.nn.Linear(2, 2)
    adam = optimizer.Adam(parameters=network.parameters())
    network(_ones(paddle, 1, 2)).sum().backward()
    adam.step()
    state = adam.state_dict()
    some = dict(list(state.items())[:3])
    stepped = optimizer.SGD(lr.StepDecay(0.1, 1), parameters=network.parameters())
    slow = optimizer.SGD(parameters=network.parameters())
    calls = {
        "empty": lambda: adam.set_state_dict({}),
        "some": lambda: adam.set_state_dict(some),
        "shape": lambda: adam.set_state_dict({k: _ones(paddle, 7) for k in state}),
        "dtype": lambda: adam.set_state_dict({k: v.astype("float64") for k, v in state.items()}),
        "scheduler": lambda: stepped.set_state_dict({"a": _ones(paddle, 1)}),
        "group": lambda: optimizer.AdamW(parameters=[{"learning_rate": 0.1}]),
        "metric": lambda: lr.ReduceOnPlateau(0.1).step(_ones(paddle, 2)),
        "LookAhead": lambda: paddle.incubate.LookAhead(None),
        "LookAhead alpha": lambda: paddle.incubate.LookAhead(slow, alpha=2.0),
        "LookAhead k": lambda: paddle.incubate.LookAhead(slow, k=0),
    }
    return _errors(calls)


@program
def asserted_datasets_and_tools(paddle, np):
    """Modes and files of datasets, features of audio, the profiler, debugging and strategies."""
    text, images, features = paddle.text, paddle.vision.datasets, paddle.audio.features
    strategy = paddle.distributed.fleet.DistributedStrategy()
    checker, deprecated = paddle.amp.debugging.TensorCheckerConfig, paddle.utils.deprecated
    calls = {
        "Imdb": lambda: text.Imdb(mode="other"),
        "Imikolov": lambda: text.Imikolov(data_type="other"),
        "UCIHousing": lambda: text.UCIHousing(download=False),
        "WMT14": lambda: text.WMT14("file", dict_size=-1),
        "WMT16": lambda: text.WMT16("file", src_dict_size=-1, trg_dict_size=3),
        "MNIST": lambda: images.MNIST(mode="other"),
        "MNIST file": lambda: images.MNIST(download=False),
        "Cifar10": lambda: images.Cifar10(mode="other"),
        "Flowers": lambda: images.Flowers(download=False),
        "power": lambda: features.Spectrogram(64, power=-1),
        "n_mfcc": lambda: features.MFCC(8000, 30, n_fft=64, n_mels=4),
        "dct": lambda: paddle.audio.functional.create_dct(4, 6, norm="other"),
        "samples": lambda: paddle.audio.save("none.wav", _ones(paddle, 5), 8000),
        "scheduler": lambda: paddle.profiler.Profiler(scheduler=(3, 2)),
        "debug_step": lambda: checker(True, debug_step=[3, 1]),
        "level": lambda: deprecated(level=7)(len),
        "update_to": lambda: deprecated(update_to="other")(len),
        "weights": lambda: list(paddle.io.WeightedRandomSampler(np.ones([2, 2, 2]), 1)),
        "configs": lambda: setattr(strategy, "amp_configs", {"other": 1}),
    }
    return _errors(calls)


@program
def asserted_transforms_of_images(paddle, np):
    """Probabilities, ranges, sizes and paddings of transforms; the endings of a folder."""
    transforms, datasets = paddle.vision.transforms, paddle.vision.datasets
    image = _ones(paddle, 3, 4, 4)
    folder = tempfile.mkdtemp()
    (Path(folder) / "class").mkdir()
    (Path(folder) / "class" / "a.py").touch()
    calls = {
        "size": lambda: transforms.Resize("a"),
        "padding_mode": lambda: transforms.functional.pad(image, 1, padding_mode="other"),
        "Pad": lambda: transforms.Pad(1, padding_mode="other"),
        "flip": lambda: transforms.RandomHorizontalFlip(2.0),
        "erasing": lambda: transforms.RandomErasing(prob=2),
        "erasing ratio": lambda: transforms.RandomErasing(ratio=(2, 1)),
        "perspective": lambda: transforms.RandomPerspective(prob=2),
        "distortion": lambda: transforms.RandomPerspective(distortion_scale=2),
        "extensions": lambda: datasets.DatasetFolder(folder, extensions=".py"),
    }
    return _errors(calls)


@program
def classes_of_refusals(paddle, np):
    """Errors of shapes, dtypes, reductions and names have the builtin class of Paddle's."""
    functional, utils, colors = paddle.nn.functional, paddle.nn.utils, paddle.vision.transforms

    def ones(*shape, dtype="float32"):
        return paddle.ones(list(shape), dtype=dtype)

    class Stream(paddle.io.IterableDataset):
        def __iter__(self):
            return iter([1])

    columns, image = ones(1, 4, 1), ones(3, 4, 4)
    labels, size = ones(1, 2, dtype="int32"), paddle.to_tensor([2], dtype="int32")
    ctc, rnnt = functional.ctc_loss, functional.rnnt_loss
    steps = paddle.to_tensor([4])
    calls = {
        "dot": lambda: paddle.dot(ones(3), ones(4)),
        "dot of ranks": lambda: paddle.dot(ones(2, 3), ones(3)),
        "dot of 3 axes": lambda: paddle.dot(ones(2, 2, 3), ones(2, 2, 3)),
        "searchsorted": lambda: paddle.searchsorted(ones(2, 3), ones(3, 3)),
        "searchsorted of ranks": lambda: paddle.searchsorted(ones(2, 3), ones(2)),
        "cholesky": lambda: paddle.linalg.cholesky(ones(2, 3)),
        "cholesky of a vector": lambda: paddle.linalg.cholesky(ones(2)),
        "matrix_exp": lambda: paddle.linalg.matrix_exp(ones(2, 2, dtype="int32")),
        "scatter_nd_add": lambda: paddle.scatter_nd_add(
            ones(3), paddle.to_tensor([[1]]), ones(1, dtype="float64")
        ),
        "ctc_loss": lambda: ctc(ones(4, 1, 3), labels, steps, paddle.to_tensor([2]), reduction=""),
        "rnnt_loss": lambda: rnnt(
            ones(1, 4, 3, 3), labels, steps.astype("int32"), size, reduction="bad"
        ),
        "weight_norm": lambda: utils.weight_norm(paddle.nn.Linear(2, 2), "wrong"),
        "spectral_norm": lambda: utils.spectral_norm(paddle.nn.Linear(2, 2), "wrong"),
        "length": lambda: len(Stream()),
        "hue": lambda: colors.adjust_hue(image, 0.7),
        "brightness": lambda: colors.adjust_brightness(image, -1.0),
        "contrast": lambda: colors.adjust_contrast(image, -1.0),
        "output_sizes": lambda: functional.fold(columns, [2], 2),
        "kernel_sizes": lambda: functional.fold(columns, [2, 2], [2, 2, 2]),
        "strides": lambda: functional.fold(columns, [2, 2], 2, strides=[1]),
        "dilations": lambda: functional.fold(columns, [2, 2], 2, dilations=[1]),
    }
    return {name: error_of(call) for name, call in calls.items()}
