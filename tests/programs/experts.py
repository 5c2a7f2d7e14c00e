"""A ViT with a mixture of experts: patches, class token, top-k gates, drop path, layer-wise decay."""

import numpy as np
import paddle
import paddle.nn as nn
import paddle.nn.functional as F
from paddle.nn.initializer import Constant, TruncatedNormal

trunc_normal_ = TruncatedNormal(std=0.02)
zeros_ = Constant(value=0.0)
ones_ = Constant(value=1.0)


def drop_path(x, prob=0.0, training=False):
    if prob == 0.0 or not training:
        return x
    keep = paddle.to_tensor(1 - prob)
    shape = (paddle.shape(x)[0],) + (1,) * (x.ndim - 1)
    mask = paddle.floor(keep + paddle.rand(shape, dtype=x.dtype))
    return x.divide(keep) * mask


class DropPath(nn.Layer):
    def __init__(self, p=None):
        super().__init__()
        self.p = p

    def forward(self, x):
        return drop_path(x, self.p, self.training)


class Attention(nn.Layer):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads, self.scale = heads, (dim // heads) ** -0.5
        self.qkv = nn.Linear(dim, dim * 3, bias_attr=True)
        self.proj = nn.Linear(dim, dim)

    def forward(self, x):
        B, N, C = x.shape
        qkv = self.qkv(x).reshape((B, N, 3, self.heads, C // self.heads)).transpose((2, 0, 3, 1, 4))
        q, k, v = qkv[0], qkv[1], qkv[2]
        attn = (q.matmul(k.transpose((0, 1, 3, 2)))) * self.scale
        attn = nn.functional.softmax(attn, axis=-1)
        x = (attn.matmul(v)).transpose((0, 2, 1, 3)).reshape((-1, N, C))
        return self.proj(x)


class MoE(nn.Layer):
    def __init__(self, dim, experts=4, k=2):
        super().__init__()
        self.k, self.n = k, experts
        self.gate = nn.Linear(dim, experts, bias_attr=False)
        self.experts = nn.LayerList(
            [
                nn.Sequential(
                    nn.Linear(dim, 2 * dim), nn.GELU(approximate=True), nn.Linear(2 * dim, dim)
                )
                for _ in range(experts)
            ]
        )

    def forward(self, x):
        flat = x.reshape([-1, x.shape[-1]])
        scores = F.softmax(self.gate(flat), axis=-1)
        top, ids = paddle.topk(scores, self.k, axis=-1)
        top = top / top.sum(axis=-1, keepdim=True)
        out = paddle.zeros_like(flat)
        for e, expert in enumerate(self.experts):
            rows, slot = paddle.nonzero(ids == e, as_tuple=True)
            if rows.shape[0] == 0:
                continue
            rows, slot = rows.flatten(), slot.flatten()
            part = expert(paddle.gather(flat, rows)) * top[rows, slot].unsqueeze(-1)
            out = paddle.index_add(out, rows, 0, part)
        load = F.one_hot(ids[:, 0], self.n).mean(0)
        self.aux = (load * scores.mean(axis=0)).sum() * self.n
        return out.reshape(x.shape)


class Block(nn.Layer):
    def __init__(self, dim, heads, epsilon=1e-6, moe=False, drop=0.0):
        super().__init__()
        self.norm1 = nn.LayerNorm(dim, epsilon=epsilon)
        self.attn = Attention(dim, heads)
        self.drop_path = DropPath(drop) if drop > 0.0 else nn.Identity()
        self.norm2 = nn.LayerNorm(dim, epsilon=epsilon)
        self.mlp = (
            MoE(dim)
            if moe
            else nn.Sequential(nn.Linear(dim, 2 * dim), nn.GELU(), nn.Linear(2 * dim, dim))
        )

    def forward(self, x):
        x = x + self.drop_path(self.attn(self.norm1(x)))
        return x + self.drop_path(self.mlp(self.norm2(x)))


class ViT(nn.Layer):
    def __init__(self, size=12, patch=4, dim=16, depth=2, heads=2, classes=4):
        super().__init__()
        self.patch_embed = nn.Conv2D(3, dim, kernel_size=patch, stride=patch)
        count = (size // patch) ** 2
        self.cls_token = self.create_parameter(shape=(1, 1, dim), default_initializer=zeros_)
        self.add_parameter("cls_token", self.cls_token)
        self.pos_embed = self.create_parameter(
            shape=(1, count + 1, dim), default_initializer=zeros_
        )
        dpr = np.linspace(0, 0.0, depth)
        self.blocks = nn.LayerList(
            [Block(dim, heads, moe=bool(i % 2), drop=dpr[i]) for i in range(depth)]
        )
        self.norm = nn.LayerNorm(dim)
        self.head = nn.Linear(dim, classes) if classes > 0 else nn.Identity()
        trunc_normal_(self.pos_embed)
        trunc_normal_(self.cls_token)
        self.apply(self._init_weights)

    def _init_weights(self, m):
        if isinstance(m, nn.Linear):
            trunc_normal_(m.weight)
            if isinstance(m, nn.Linear) and m.bias is not None:
                zeros_(m.bias)
        elif isinstance(m, nn.LayerNorm):
            zeros_(m.bias)
            ones_(m.weight)

    def forward(self, x):
        B = paddle.shape(x)[0]
        x = self.patch_embed(x).flatten(2).transpose((0, 2, 1))
        x = paddle.concat((self.cls_token.expand((B, -1, -1)).astype(x.dtype), x), axis=1)
        x = x + self.pos_embed
        for blk in self.blocks:
            x = blk(x)
        return self.head(self.norm(x)[:, 0])


paddle.seed(1)
model = ViT()
print("std", [round(float(p.std()), 1) for p in model.parameters() if p.ndim == 2][:3])
rng = np.random.RandomState(0)
for p in model.parameters():
    if p.ndim > 1:
        p.set_value(rng.normal(0, 0.1, p.shape).astype("float32"))
groups = []
for i, blk in enumerate(model.blocks):
    groups.append({"params": blk.parameters(), "learning_rate": 0.5 ** (2 - i)})
rest = [p for n, p in model.named_parameters() if not n.startswith("blocks")]
groups.append({"params": rest, "weight_decay": 0.0})
opt = paddle.optimizer.AdamW(learning_rate=0.005, parameters=groups, weight_decay=0.05)
criterion = nn.CrossEntropyLoss(label_smoothing=0.1)
for step in range(6):
    y = rng.randint(0, 4, 8)
    x = rng.normal(0, 1, (8, 3, 12, 12)).astype("float32") + y[:, None, None, None] / 2
    lam = rng.beta(0.8, 0.8)
    perm = paddle.to_tensor(rng.permutation(8))
    x, y = paddle.to_tensor(x.astype("float32")), paddle.to_tensor(y)
    mixed = lam * x + (1 - lam) * x[perm]
    logits = model(mixed)
    loss = (
        lam * criterion(logits, y)
        + (1 - lam) * criterion(logits, y[perm])
        + 0.01 * model.blocks[1].mlp.aux
    )
    loss.backward()
    opt.step()
    opt.clear_grad()
    print(f"step {step} loss {float(loss):.5f} aux {model.blocks[1].mlp.aux.item():.5f}")
acc = paddle.metric.accuracy(input=F.softmax(logits), label=y.unsqueeze(1), k=2)
print(acc.shape, model.pos_embed.shape, sum(p.numel().item() for p in model.parameters()))
