"""A picture as the parameter: style transfer with Gram matrices, total variation, hooks, a frozen net."""

import numpy as np
import paddle
import paddle.nn as nn
import paddle.nn.functional as F


def gram(x):
    b, c, h, w = x.shape
    f = x.reshape([b, c, h * w])
    return paddle.bmm(f, f.transpose([0, 2, 1])) / (c * h * w)


net = nn.Sequential(
    nn.Conv2D(3, 6, 3, padding=1, padding_mode="reflect"),
    nn.ReLU(),
    nn.AvgPool2D(2),
    nn.Conv2D(6, 8, 3, padding=1, padding_mode="replicate"),
    nn.ELU(),
)
rng = np.random.RandomState(0)
for p in net.parameters():
    p.set_value(rng.normal(0, 0.3, p.shape).astype("float32"))
    p.stop_gradient = True
net.eval()
features = {}


def keep(name):
    def hook(layer, inputs, output):
        features[name] = output

    return hook


handles = [net[i].register_forward_post_hook(keep(i)) for i in (1, 4)]
content = paddle.to_tensor(rng.rand(1, 3, 12, 12).astype("float32"))
style = paddle.to_tensor(rng.rand(1, 3, 12, 12).astype("float32"))
net(content)
wanted = features[4].detach()
net(style)
grams = {k: gram(v).detach() for k, v in features.items()}
image = paddle.create_parameter(
    shape=content.shape, dtype="float32", default_initializer=nn.initializer.Assign(content.numpy())
)
opt = paddle.optimizer.Rprop(learning_rate=0.01, parameters=[image])
opt2 = paddle.optimizer.RAdam(learning_rate=0.05, parameters=[image])
for step in range(10):
    net(image)
    c = F.mse_loss(features[4], wanted)
    s = sum(F.l1_loss(gram(features[k]), g) for k, g in grams.items())
    tv = (image[:, :, 1:] - image[:, :, :-1]).abs().mean() + (
        image[..., 1:] - image[..., :-1]
    ).abs().mean()
    loss = c + 10 * s + 0.1 * tv
    loss.backward()
    (opt if step < 5 else opt2).step()
    image.clear_grad()
    with paddle.no_grad():
        image.clip_(0.0, 1.0)
    print(f"{step} {float(c):.6f} {float(s):.6f} {float(tv):.6f}")
for handle in handles:
    handle.remove()
features.clear()
net(image)
print(features, image.is_leaf, image.stop_gradient)
resized = F.interpolate(image, size=[6, 6], mode="bicubic", align_corners=False)
rotated = paddle.rot90(resized, k=1, axes=[2, 3]).flip(axis=[3])
theta = paddle.to_tensor([[[0.9, 0.1, 0.0], [-0.1, 0.9, 0.1]]])
warped = F.grid_sample(
    image, F.affine_grid(theta, [1, 3, 8, 8], align_corners=False), align_corners=False
)
print(f"{resized.mean().item():.5f} {rotated.std().item():.5f} {warped.mean().item():.5f}")
patches = F.unfold(image, kernel_sizes=[4, 4], strides=4)
back = F.fold(patches, output_sizes=[12, 12], kernel_sizes=[4, 4], strides=4)
print(patches.shape, bool(paddle.equal_all(back, image)))
print(image[0, 0, :2, :3])
