"""paddle.vision.models: the keys of state_dict, and what each model gives from the same weights."""

import zlib

from ..registry import program

FLOAT32 = {"rtol": 2e-4, "reason": "float32 sums of many terms in another order"}


def set_weights(paddle, np, model):
    """Gives every weight of a model values that depend on its key alone; returns the model."""
    for key, value in model.state_dict().items():
        draw = np.random.default_rng(zlib.crc32(key.encode()))
        shape = tuple(value.shape)
        fan_in = max(int(np.prod(shape[1:])), 1) if len(shape) > 1 else 1
        array = draw.uniform(-1.0, 1.0, shape) * (2.0 / fan_in) ** 0.5
        if key.endswith("_variance") or (len(shape) == 1 and key.endswith("weight")):
            array = draw.uniform(0.5, 1.5, shape)
        value.set_value(paddle.to_tensor(array.astype(value.numpy().dtype)))
    return model


def image(paddle, np, size, channels=3, count=2):
    """Returns images with fixed values."""
    draw = np.random.default_rng(7)
    return paddle.to_tensor(draw.normal(size=(count, channels, size, size)).astype("float32"))


def told(paddle, np, model, size, channels=3, dtype="float32"):
    """Returns keys and shapes of a model, and its outputs in evaluation."""
    set_weights(paddle, np, model.to(dtype=dtype)).eval()
    outs = model(image(paddle, np, size, channels).astype(dtype))
    outs = outs if isinstance(outs, (list, tuple)) else [outs]
    keys = [[key, list(value.shape)] for key, value in model.state_dict().items()]
    return [keys, [out.numpy() for out in outs]]


@program(**FLOAT32)
def lenet_and_alexnet(paddle, np):
    """LeNet and AlexNet, with and without classifier."""
    models = paddle.vision.models
    return [
        told(paddle, np, models.LeNet(), 28, 1),
        told(paddle, np, models.LeNet(num_classes=0), 28, 1),
        told(paddle, np, models.alexnet(num_classes=0), 64),
    ]


@program(rtol=1e-8, reason="float64 sums of fifty layers in another order")
def residual_networks(paddle, np):
    """ResNet with basic blocks and with bottlenecks, ResNeXt.

    In float64: in float32 the fifth digit of fifty layers depends on how XLA compiles them.
    """
    models = paddle.vision.models
    return [
        told(paddle, np, models.resnet18(num_classes=10), 32, dtype="float64"),
        told(paddle, np, models.resnet50(num_classes=0, with_pool=False), 32, dtype="float64"),
        told(paddle, np, models.resnext50_32x4d(num_classes=0), 32, dtype="float64"),
    ]


@program(**FLOAT32)
def mobile_networks(paddle, np):
    """MobileNet 1 to 3 at several scales."""
    models = paddle.vision.models
    return [
        told(paddle, np, models.mobilenet_v1(scale=0.25, num_classes=10), 32),
        told(paddle, np, models.mobilenet_v2(scale=0.5, num_classes=10), 32),
        told(paddle, np, models.mobilenet_v3_small(scale=0.75, num_classes=10), 32),
        told(paddle, np, models.mobilenet_v3_large(scale=0.5, num_classes=10), 32),
    ]


@program(**FLOAT32)
def vgg_and_squeezenet(paddle, np):
    """VGG with batch norm, and SqueezeNet in both versions."""
    models = paddle.vision.models
    return [
        told(paddle, np, models.vgg11(batch_norm=True, num_classes=0, with_pool=False), 32),
        told(paddle, np, models.squeezenet1_0(num_classes=10), 64),
        told(paddle, np, models.squeezenet1_1(num_classes=10), 64),
        told(paddle, np, models.squeezenet1_1(num_classes=0, with_pool=False), 64),
    ]


@program(**FLOAT32)
def shuffling_networks(paddle, np):
    """ShuffleNetV2 with relu and with swish."""
    models = paddle.vision.models
    return [
        told(paddle, np, models.shufflenet_v2_x0_25(num_classes=10), 32),
        told(paddle, np, models.ShuffleNetV2(0.5, "swish", 10), 32),
    ]


@program(**FLOAT32)
def dense_network(paddle, np):
    """DenseNet of 121 layers."""
    return told(paddle, np, paddle.vision.models.densenet121(num_classes=10), 32)


@program(**FLOAT32)
def googlenet_in_three_outputs(paddle, np):
    """GoogLeNet with its auxiliary classifiers needs large images; its features do not."""
    models = paddle.vision.models
    return [
        told(paddle, np, models.googlenet(num_classes=0, with_pool=False), 64),
        [
            [key, list(value.shape)]
            for key, value in models.googlenet(num_classes=7).state_dict().items()
        ],
    ]


@program(**FLOAT32)
def inception(paddle, np):
    """InceptionV3."""
    return told(paddle, np, paddle.vision.models.inception_v3(num_classes=10), 75)


def keys_of(paddle, names):
    """Returns the keys and shapes of state_dict of models by the names of their constructors.

    They are thousands: each model's as their count, a checksum, and the last one.
    """
    found = {}
    for name in names.split():
        model = getattr(paddle.vision.models, name)()
        keys = [[key, list(value.shape)] for key, value in model.state_dict().items()]
        found[name] = [len(keys), zlib.crc32(repr(keys).encode()), keys[-1]]
    return found


@program
def keys_of_small_networks(paddle, np):
    """state_dict of a few constructors, one of each kind."""
    return keys_of(paddle, "mobilenet_v3_small squeezenet1_1 shufflenet_v2_x0_25 resnet18")


@program(is_deep=True)
def keys_of_residual_networks(paddle, np):
    """state_dict of every ResNet, ResNeXt and wide ResNet."""
    return keys_of(
        paddle,
        "resnet18 resnet34 resnet50 resnet101 resnet152 resnext50_32x4d resnext50_64x4d "
        "resnext101_32x4d resnext101_64x4d resnext152_32x4d resnext152_64x4d wide_resnet50_2 "
        "wide_resnet101_2",
    )


@program(is_deep=True)
def keys_of_other_networks(paddle, np):
    """state_dict of every other constructor of paddle.vision.models."""
    return keys_of(
        paddle,
        "alexnet densenet121 densenet161 densenet169 densenet201 densenet264 googlenet "
        "inception_v3 mobilenet_v1 mobilenet_v2 mobilenet_v3_large mobilenet_v3_small "
        "shufflenet_v2_swish shufflenet_v2_x0_25 shufflenet_v2_x0_33 shufflenet_v2_x0_5 "
        "shufflenet_v2_x1_0 shufflenet_v2_x1_5 shufflenet_v2_x2_0 squeezenet1_0 squeezenet1_1 "
        "vgg11 vgg13 vgg16 vgg19",
    )
