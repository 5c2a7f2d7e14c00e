"""A GAN on points of a circle: two networks, two optimizers, detach."""

import numpy as np
import paddle
from paddle import nn, optimizer

rng = np.random.RandomState(11)


def mlp(sizes, act):
    layers = []
    for ins, outs in zip(sizes, sizes[1:]):
        attr = paddle.ParamAttr(
            initializer=nn.initializer.Assign(rng.normal(0, 0.4, (ins, outs)).astype("float32"))
        )
        layers += [nn.Linear(ins, outs, weight_attr=attr, bias_attr=nn.initializer.Constant(0.0))]
        layers += [act()]
    return nn.Sequential(*layers[:-1])


generator = mlp([4, 16, 2], nn.ReLU)
discriminator = mlp([2, 16, 16, 1], lambda: nn.LeakyReLU(0.2))
g_optimizer = optimizer.Adam(0.005, beta1=0.5, beta2=0.9, parameters=generator.parameters())
d_optimizer = optimizer.Adam(0.005, beta1=0.5, beta2=0.9, parameters=discriminator.parameters())
criterion = nn.BCEWithLogitsLoss()

for step in range(1, 13):
    angle = rng.uniform(0, 2 * np.pi, 32)
    real = paddle.to_tensor(np.stack([np.cos(angle), np.sin(angle)], 1).astype("float32"))
    noise = paddle.to_tensor(rng.normal(size=(32, 4)).astype("float32"))
    fake = generator(noise)

    d_loss = criterion(discriminator(real), paddle.ones([32, 1]) * 0.9) + criterion(
        discriminator(fake.detach()), paddle.zeros([32, 1])
    )
    d_optimizer.clear_grad()
    d_loss.backward()
    d_optimizer.step()

    for parameter in discriminator.parameters():
        parameter.stop_gradient = True
    g_loss = criterion(discriminator(fake), paddle.full([32, 1], 1.0))
    g_optimizer.clear_grad()
    g_loss.backward()
    g_optimizer.step()
    for parameter in discriminator.parameters():
        parameter.stop_gradient = False
    if step % 4 == 0:
        radius = paddle.linalg.norm(fake, axis=-1)
        print(
            f"[{step:03d}] D {d_loss.item():.5f} G {g_loss.item():.5f} "
            f"radius {radius.mean().item():.5f} +- {radius.std().item():.5f}"
        )
print(sum(int(np.prod(p.shape)) for p in generator.parameters()), "parameters")
