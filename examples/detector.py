"""Find and read several digits in one picture: a detector without anchors, and NMS.

scikit-learn's digits are at random places of a noisy picture, in two sizes. At each of 12x12 cells
the network predicts the digit whose middle is near (focal loss) and the distances of the sides of
its box (GIoU loss); boxes that overlap a better one of the same digit are dropped. It is ordinary
Paddle code:

    python examples/detector.py                           # on Paddle
    python -m jaxeager examples/detector.py --steps 500   # here
"""

import argparse
from pathlib import Path

import numpy as np
import paddle
import paddle.nn.functional as F
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from paddle import nn
from paddle.vision.ops import nms
from sklearn.datasets import load_digits
from tqdm import tqdm

SIDE, CELL, BATCH = 48, 4, 16
CELLS = SIDE // CELL


def scene(data, rng):
    """Return a picture float[1, SIDE, SIDE], boxes float[n, 4] and digits int64[n]."""
    picture, boxes, digits = rng.uniform(0, 0.25, (SIDE, SIDE)), [], []
    for _ in range(rng.randint(2, 5)):
        at, size = rng.randint(len(data.images)), rng.choice([12, 16])
        x, y = rng.randint(0, SIDE - size, 2)
        if any(x < b[2] and y < b[3] and b[0] < x + size and b[1] < y + size for b in boxes):
            continue
        pixels = np.arange(size) * 8 // size
        glyph = data.images[at][np.ix_(pixels, pixels)] / 16.0
        picture[y : y + size, x : x + size] = np.maximum(picture[y : y + size, x : x + size], glyph)
        boxes.append((x, y, x + size, y + size))
        digits.append(data.target[at])
    return picture.astype("float32")[None], np.array(boxes, "float32"), np.array(digits, "int64")


def batch_of(data, rng):
    """Return pictures, and the targets of the cells: digits [n, CELLS, CELLS, 10] and boxes."""
    pictures = np.zeros((BATCH, 1, SIDE, SIDE), "float32")
    digits = np.zeros((BATCH, CELLS, CELLS, 10), "float32")
    boxes = np.zeros((BATCH, CELLS, CELLS, 4), "float32")
    for row in range(BATCH):
        pictures[row], places, names = scene(data, rng)
        for box, name in zip(places, names, strict=True):
            x, y = ((box[:2] + box[2:]) / 2 / CELL).astype(int)
            digits[row, y, x, name], boxes[row, y, x] = 1.0, box
    return map(paddle.to_tensor, (pictures, digits, boxes))


class Detector(nn.Layer):
    """Pictures float[n, 1, SIDE, SIDE] to logits and boxes of [n, CELLS, CELLS] cells."""

    def __init__(self, width=32):
        super().__init__()
        layers, wide = [], 1
        for out, stride in ((width // 2, 2), (width, 2), (width, 1), (width, 1)):
            layers += [nn.Conv2D(wide, out, 3, stride, padding=1, bias_attr=False)]
            layers += [nn.BatchNorm2D(out), nn.ReLU()]
            wide = out
        self.body = nn.Sequential(*layers)
        rare = nn.initializer.Constant(-4.0)  # most cells have no digit
        self.digits = nn.Conv2D(
            width, 10, 3, padding=1, bias_attr=paddle.ParamAttr(initializer=rare)
        )
        self.sides = nn.Conv2D(width, 4, 3, padding=1)
        x = (paddle.arange(CELLS, dtype="float32") + 0.5) * CELL
        middles = paddle.stack(
            [x.expand([CELLS, CELLS]), x.unsqueeze(1).expand([CELLS, CELLS])], -1
        )
        self.register_buffer("middles", middles)

    def forward(self, pictures):
        x = self.body(pictures)
        sides = F.softplus(self.sides(x)).transpose([0, 2, 3, 1]) * CELL
        boxes = paddle.concat([self.middles - sides[..., :2], self.middles + sides[..., 2:]], -1)
        return self.digits(x).transpose([0, 2, 3, 1]), boxes


def giou_loss(found, wanted):
    """Return the mean of 1 - GIoU of boxes float[n, 4]."""
    sizes = [(each[:, 2] - each[:, 0]) * (each[:, 3] - each[:, 1]) for each in (found, wanted)]
    low, high = paddle.maximum(found, wanted), paddle.minimum(found, wanted)
    shared = (high[:, 2:] - low[:, :2]).clip(min=0).prod(axis=1)
    around = (low[:, 2:] - high[:, :2]).prod(axis=1)
    union = sizes[0] + sizes[1] - shared
    return (1 - shared / union + (around - union) / around).mean()


def loss_of(model, pictures, digits, boxes):
    """Return the loss of a batch."""
    logits, found = model(pictures)
    is_middle = digits.sum(-1) > 0
    focal = F.sigmoid_focal_loss(logits, digits, is_middle.astype("float32").sum())
    return focal + giou_loss(found[is_middle], boxes[is_middle])


@paddle.no_grad()
def detect(model, picture, least=0.3):
    """Return the boxes, digits and scores of a picture that remain after NMS, as arrays."""
    logits, boxes = model(paddle.to_tensor(picture[None]))
    scores, digits = F.sigmoid(logits).reshape([-1, 10]).topk(1)
    scores, digits, boxes = scores.squeeze(1), digits.squeeze(1), boxes.reshape([-1, 4])
    is_good = scores > least
    if not is_good.any():
        return np.zeros((0, 4)), np.zeros(0), np.zeros(0)
    scores, digits, boxes = scores[is_good], digits[is_good], boxes[is_good]
    kept = nms(boxes, 0.4, scores, category_idxs=digits, categories=list(range(10)))
    return tuple(each[kept].numpy() for each in (boxes, digits, scores))


def evaluate(model, data, rng, count):
    """Return the share of digits found, at the right place, and of boxes that are right."""
    hits = wanted = given = 0
    for _ in range(count):
        picture, places, names = scene(data, rng)
        boxes, digits, _ = detect(model, picture)
        wanted, given = wanted + len(names), given + len(digits)
        for place, name in zip(places, names, strict=True):
            near = np.abs(boxes - place).max(axis=1, initial=0.0) < 3
            hits += bool((near & (digits == name)).any())
    return hits / wanted, hits / max(given, 1)


def plot(model, data, rng, path):
    """Write eight pictures with the boxes found."""
    figure = Figure(figsize=(10, 5.2), layout="constrained")
    for axes in figure.subplots(2, 4).flat:
        picture, _, _ = scene(data, rng)
        axes.imshow(picture[0], cmap="gray_r")
        axes.axis("off")
        for (left, top, right, bottom), digit, score in zip(*detect(model, picture), strict=True):
            at = (left - 0.5, top - 0.5)
            axes.add_patch(Rectangle(at, right - left, bottom - top, fill=False, ec="tab:red"))
            axes.text(left, top - 1, f"{int(digit)}  {100 * score:.0f}%", color="tab:red", size=8)
    figure.savefig(path, dpi=110)


def main(arguments=None):
    """Train, count the found digits, and draw them; return the losses."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=500)
    parser.add_argument("--scenes", type=int, default=50, help="on which it is tried in the end")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("out/detector"))
    options = parser.parse_args(arguments)
    options.out.mkdir(parents=True, exist_ok=True)
    paddle.seed(options.seed)
    data, rng, losses = load_digits(), np.random.RandomState(options.seed), []
    model = Detector()
    rate = paddle.optimizer.lr.OneCycleLR(8e-3, total_steps=options.steps + 1)
    adam = paddle.optimizer.AdamW(rate, parameters=model.parameters(), weight_decay=1e-4)
    for _ in (bar := tqdm(range(options.steps), unit="step")):
        loss = loss_of(model, *batch_of(data, rng))
        loss.backward()
        adam.step()
        adam.clear_grad()
        rate.step()
        losses.append(float(loss))
        bar.set_postfix(loss=f"{losses[-1]:.4f}", refresh=False)
    model.eval()
    found, right = evaluate(model, data, rng, options.scenes)
    plot(model, data, rng, options.out / "detector.png")
    print(f"{100 * found:.0f} % of the digits found, {100 * right:.0f} % of the boxes are right")
    print(f"wrote {options.out / 'detector.png'}")
    return losses


if __name__ == "__main__":
    main()
