"""Training steps of image classifiers from the same weights: the losses agree."""

from ..registry import program
from .vision_models import set_weights

CURVES = {"rtol": 1e-4, "reason": "what the project promises of twenty float32 steps"}
STEPS = 20


def _losses(paddle, np, model, optimizer, size, channels=3, count=8, steps=STEPS):
    """Returns the losses of training on two batches in turn, and whether it learns."""
    r = np.random.default_rng(11)
    images = r.normal(size=(2, count, channels, size, size)).astype(paddle.get_default_dtype())
    labels = r.integers(0, 10, (2, count))
    losses = []
    for step in range(steps):
        x, y = paddle.to_tensor(images[step % 2]), paddle.to_tensor(labels[step % 2])
        loss = paddle.nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        losses.append(float(loss))
    return [losses, losses[-1] < losses[0]]


@program(**CURVES)
def twenty_steps_of_lenet(paddle, np):
    """LeNet with Adam."""
    model = set_weights(paddle, np, paddle.vision.models.LeNet())
    optimizer = paddle.optimizer.Adam(1e-3, parameters=model.parameters())
    return _losses(paddle, np, model, optimizer, 28, 1)


@program(is_deep=True)
def twenty_steps_of_resnet18(paddle, np):
    """ResNet-18 with momentum and weight decay."""
    return _resnet18(paddle, np, STEPS)


@program
def two_steps_of_resnet18(paddle, np):
    """The first of them."""
    return _resnet18(paddle, np, 2)


def _resnet18(paddle, np, steps):
    """Returns the losses of a ResNet-18 in float64.

    Its float32 runs part by 1e-4 to 1e-3, from CPU to CPU: roundings grow that fast in it.
    """
    paddle.set_default_dtype("float64")
    try:
        model = set_weights(paddle, np, paddle.vision.models.resnet18(num_classes=10))
        model.fc.weight.set_value(model.fc.weight * 0.03)
        optimizer = paddle.optimizer.Momentum(
            1e-3, 0.9, parameters=model.parameters(), weight_decay=1e-4
        )
        return _losses(paddle, np, model, optimizer, 32, steps=steps)
    finally:
        paddle.set_default_dtype("float32")


@program(**CURVES)
def twenty_steps_of_mobilenet(paddle, np):
    """MobileNetV3 with momentum and gradient clipping; its dropout is off."""
    model = set_weights(paddle, np, paddle.vision.models.mobilenet_v3_small(num_classes=10))
    model.classifier[2].p = 0.0
    optimizer = paddle.optimizer.Momentum(
        1e-3, 0.9, parameters=model.parameters(), grad_clip=paddle.nn.ClipGradByGlobalNorm(1.0)
    )
    return _losses(paddle, np, model, optimizer, 32)
