"""Fine-tune the GPT of gpt.py with LoRA: the Zen of Python, after a licence.

The trained model is frozen; for each of its projections of queries and values two thin matrices are
trained, whose product is added. Only they are saved, and in the end they are merged into the
weights. It is ordinary Paddle code:

    python examples/lora.py                           # on Paddle
    python -m jaxeager examples/lora.py --steps 150   # here
"""

import argparse
import codecs
import contextlib
import io
from pathlib import Path

import numpy as np
import paddle
import paddle.nn.functional as F
from gpt import BATCH, GPT, LENGTH, TEXT, batches, train
from paddle import nn

with contextlib.redirect_stdout(io.StringIO()):
    import this  # it prints itself


class LoRALinear(nn.Layer):
    """A frozen linear layer, and a trained product added to it: x W + (x A B) scale."""

    def __init__(self, linear, rank, alpha):
        super().__init__()
        self.linear, self.scale = linear, alpha / rank
        wide, out = linear.weight.shape
        self.down = self.create_parameter(
            [wide, rank], default_initializer=nn.initializer.Normal(std=1 / rank)
        )
        self.up = self.create_parameter(
            [rank, out], default_initializer=nn.initializer.Constant(0.0)
        )

    def forward(self, x):
        return self.linear(x) + x @ self.down @ self.up * self.scale

    @paddle.no_grad()
    def merged(self):
        """Return the linear layer with the trained product added to its weight."""
        self.linear.weight.set_value(self.linear.weight + self.down @ self.up * self.scale)
        return self.linear


def add_lora(model, rank=4, alpha=8):
    """Freeze a model, and wrap each `query` and `value` of it in a LoRALinear."""
    for parameter in model.parameters():
        parameter.stop_gradient = True
    for block in model.blocks:
        for name in ("query", "value"):
            linear = getattr(block.attention, name)
            setattr(block.attention, name, LoRALinear(linear, rank, alpha))


def merge_lora(model):
    """Replace all LoRALinears by linear layers again."""
    for block in model.blocks:
        for name, layer in list(block.attention.named_children()):
            if isinstance(layer, LoRALinear):
                setattr(block.attention, name, layer.merged())


def lora_state(model):
    """Return the trained part: a few percent of the model."""
    return {name: p for name, p in model.state_dict().items() if name.endswith((".down", ".up"))}


@paddle.no_grad()
def loss_on(model, ids):
    """Return the loss on a whole text, cut into pieces."""
    rows = (len(ids) - 1) // LENGTH
    inputs = paddle.to_tensor(ids[: rows * LENGTH].reshape(rows, LENGTH))
    labels = paddle.to_tensor(ids[1 : rows * LENGTH + 1].reshape(rows, LENGTH))
    return float(F.cross_entropy(model(inputs)[0], labels))


def main(arguments=None):
    """Train the model, then its LoRA, save, and merge; return the losses of LoRA."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=150)
    parser.add_argument("--base-steps", type=int, default=150, help="of the model, before LoRA")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("out/lora"))
    options = parser.parse_args(arguments)
    paddle.seed(options.seed)
    licence = " ".join(TEXT.read_text(encoding="utf-8").split())
    zen = codecs.decode(this.s, "rot13")
    letters = sorted(set(licence + zen))
    licence, zen = (np.array([letters.index(each) for each in text]) for text in (licence, zen))
    model = GPT(len(letters))
    adam = paddle.optimizer.AdamW(3e-3, parameters=model.parameters())
    train(model, adam, batches(licence, options.base_steps, options.seed), options.base_steps)
    before = loss_on(model, zen)

    add_lora(model)
    learnt = [p for p in model.parameters() if not p.stop_gradient]
    count, total = (sum(p.size for p in each) for each in (learnt, model.parameters()))
    print(f"LoRA trains {count} of {total} parameters on {len(zen)} letters, {BATCH} lines a step")
    adam = paddle.optimizer.AdamW(1e-2, parameters=learnt, weight_decay=0.0)
    losses = train(model, adam, batches(zen, options.steps, options.seed), options.steps)

    after = loss_on(model, zen)
    options.out.mkdir(parents=True, exist_ok=True)
    path = str(options.out / "lora.pdparams")
    paddle.save(lora_state(model), path)
    for parameter in lora_state(model).values():
        parameter.set_value(paddle.zeros_like(parameter))
    forgotten = loss_on(model, zen)
    model.set_state_dict({**model.state_dict(), **paddle.load(path)})
    merge_lora(model)
    print(f"on the Zen of Python: {before:.4f} before, {after:.4f} with LoRA")
    print(f"{forgotten:.4f} without it, {loss_on(model, zen):.4f} loaded from {path} and merged")
    return losses


if __name__ == "__main__":
    main()
