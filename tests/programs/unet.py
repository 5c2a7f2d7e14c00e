"""U-Net: segmentation of discs, skip connections, transposed convolutions, Dice loss, IoU."""

import numpy as np
import paddle
import paddle.nn as nn
import paddle.nn.functional as F


class ConvBNReLU(nn.Sequential):
    def __init__(self, ins, outs, **kwargs):
        super().__init__(
            nn.Conv2D(ins, outs, 3, padding=1, bias_attr=False, **kwargs),
            nn.BatchNorm2D(outs, momentum=0.8),
            nn.ReLU(),
        )


class Up(nn.Layer):
    def __init__(self, ins, skip, outs, bilinear=False):
        super().__init__()
        if bilinear:
            self.up = nn.Upsample(scale_factor=2, mode="bilinear", align_corners=True)
            mid = ins
        else:
            self.up = nn.Conv2DTranspose(ins, ins // 2, kernel_size=2, stride=2)
            mid = ins // 2
        self.conv = ConvBNReLU(mid + skip, outs)

    def forward(self, x, skip):
        x = self.up(x)
        dh, dw = skip.shape[2] - x.shape[2], skip.shape[3] - x.shape[3]
        x = F.pad(x, [dw // 2, dw - dw // 2, dh // 2, dh - dh // 2])
        return self.conv(paddle.concat([skip, x], axis=1))


class UNet(nn.Layer):
    def __init__(self, classes=3, width=4):
        super().__init__()
        w = [width, 2 * width, 4 * width]
        self.stem = ConvBNReLU(1, w[0])
        self.downs = nn.LayerList(
            [nn.Sequential(nn.MaxPool2D(2), ConvBNReLU(a, b)) for a, b in zip(w, w[1:])]
        )
        self.ups = nn.LayerList([Up(w[2], w[1], w[1]), Up(w[1], w[0], w[0], bilinear=True)])
        self.head = nn.Conv2D(w[0], classes, 1)

    def forward(self, x):
        skips = [self.stem(x)]
        for down in self.downs:
            skips.append(down(skips[-1]))
        y = skips.pop()
        for up in self.ups:
            y = up(y, skips.pop())
        return self.head(y)


def discs(rng, count, size=18):
    grid = np.mgrid[:size, :size]
    images, masks = [], []
    for _ in range(count):
        mask = np.zeros((size, size), "int64")
        for label in (1, 2):
            middle, radius = rng.uniform(4, size - 4, 2), rng.uniform(2, 5)
            mask[((grid - middle[:, None, None]) ** 2).sum(0) < radius**2] = label
        images.append(mask * 0.5 + rng.normal(0, 0.2, mask.shape))
        masks.append(mask)
    return np.stack(images)[:, None].astype("float32"), np.stack(masks)


def dice_loss(logits, mask, eps=1e-5):
    p = F.softmax(logits, axis=1)
    one_hot = F.one_hot(mask, logits.shape[1]).transpose((0, 3, 1, 2))
    dims = [0, 2, 3]
    inter = paddle.sum(p * one_hot, axis=dims)
    cardinality = paddle.sum(p + one_hot, axis=dims)
    return 1 - ((2 * inter + eps) / (cardinality + eps)).mean()


rng = np.random.RandomState(0)
net = UNet()
for p in net.parameters():
    if len(p.shape) > 1:
        p.set_value(rng.normal(0, np.sqrt(2 / np.prod(p.shape[1:])), p.shape).astype("float32"))
print(net)
opt = paddle.optimizer.Momentum(0.05, 0.9, parameters=net.parameters(), weight_decay=1e-4)
weights = paddle.to_tensor([0.5, 1.0, 1.5])
for step in range(6):
    images, masks = discs(rng, 6)
    x, y = paddle.to_tensor(images), paddle.to_tensor(masks)
    logits = net(x)
    ce = F.cross_entropy(logits, y, weight=weights, axis=1)
    loss = ce + dice_loss(logits, y)
    loss.backward()
    opt.step()
    opt.clear_grad()
    pred = paddle.argmax(logits, axis=1)
    ious = []
    for c in range(3):
        a, b = pred == c, y == c
        ious.append(((a & b).sum() / paddle.clip((a | b).sum().astype("float32"), min=1)).item())
    print("step %d loss %.5f ce %.5f miou %.4f" % (step, loss, ce, np.mean(ious)))
confusion = paddle.bincount((y * 3 + pred).flatten(), minlength=9).reshape([3, 3])
print(confusion.shape, int(confusion.sum()), net.head.weight.grad)
