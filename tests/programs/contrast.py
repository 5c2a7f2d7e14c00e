"""Contrastive learning: SimCLR's NT-Xent, a momentum encoder with a queue (MoCo), triplets, retrieval."""

import copy

import numpy as np
import paddle
import paddle.nn as nn
import paddle.nn.functional as F


class Encoder(nn.Layer):
    def __init__(self, dim=8):
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(12, 24), nn.LayerNorm(24), nn.LeakyReLU(0.1), nn.Linear(24, dim)
        )

    def forward(self, x):
        return F.normalize(self.net(x), p=2, axis=1)


class MoCo(nn.Layer):
    def __init__(self, base, size=32, m=0.9, T=0.2):
        super().__init__()
        self.m, self.T, self.size = m, T, size
        self.q = base
        self.k = copy.deepcopy(base)
        for p in self.k.parameters():
            p.stop_gradient = True
        rng = np.random.RandomState(1)
        queue = F.normalize(paddle.to_tensor(rng.normal(size=(8, size)).astype("float32")), axis=0)
        self.register_buffer("queue", queue)
        self.register_buffer("ptr", paddle.zeros([1], dtype="int64"))

    @paddle.no_grad()
    def update(self):
        for pq, pk in zip(self.q.parameters(), self.k.parameters()):
            paddle.assign(pk * self.m + pq * (1.0 - self.m), pk)
            pk.stop_gradient = True

    @paddle.no_grad()
    def enqueue(self, keys):
        n, at = keys.shape[0], int(self.ptr[0])
        self.queue[:, at : at + n] = keys.transpose([1, 0])
        self.ptr[0] = (at + n) % self.size

    def forward(self, a, b):
        q = self.q(a)
        with paddle.no_grad():
            self.update()
            k = self.k(b)
        pos = paddle.sum(q * k, axis=1).unsqueeze(-1)
        neg = paddle.matmul(q, self.queue.clone().detach())
        logits = paddle.concat((pos, neg), axis=1) / self.T
        labels = paddle.zeros([logits.shape[0]], dtype="int64")
        self.enqueue(k)
        return logits, labels, q


def nt_xent(z1, z2, temperature=0.5):
    z = paddle.concat([z1, z2])
    n = z1.shape[0]
    sim = z @ z.t() / temperature
    sim = paddle.where(paddle.eye(2 * n).astype("bool"), paddle.full_like(sim, -1e9), sim)
    target = paddle.concat([paddle.arange(n, 2 * n), paddle.arange(n)])
    return F.cross_entropy(sim, target)


rng = np.random.RandomState(0)
centres = rng.normal(0, 2, (5, 12))
encoder = Encoder()
for p in encoder.parameters():
    if p.ndim == 2:
        p.set_value(rng.normal(0, 0.3, p.shape).astype("float32"))
model = MoCo(encoder)
print(len(list(model.parameters())), len([p for p in model.parameters() if not p.stop_gradient]))
opt = paddle.optimizer.Lamb(0.01, lamb_weight_decay=0.01, parameters=model.q.parameters())
triplet = nn.TripletMarginLoss(margin=0.3)
for step in range(6):
    ids = rng.randint(0, 5, 8)
    a = (centres[ids] + rng.normal(0, 0.3, (8, 12))).astype("float32")
    b = (centres[ids] + rng.normal(0, 0.3, (8, 12))).astype("float32")
    c = (centres[(ids + 1) % 5] + rng.normal(0, 0.3, (8, 12))).astype("float32")
    a, b, c = paddle.to_tensor(a), paddle.to_tensor(b), paddle.to_tensor(c)
    logits, labels, q = model(a, b)
    parts = [
        F.cross_entropy(logits, labels),
        nt_xent(q, model.q(b)),
        triplet(q, model.q(b), model.q(c)),
    ]
    cos = F.cosine_embedding_loss(q, model.q(c), paddle.full([8], -1), margin=0.2)
    loss = paddle.add_n(parts) + cos
    loss.backward()
    opt.step()
    opt.clear_grad()
    print(step, " ".join(f"{float(p):.5f}" for p in parts), f"{cos.item():.5f}", model.ptr.item())
encoder.eval()
gallery = encoder(paddle.to_tensor(centres.astype("float32")))
distance = paddle.cdist(gallery, gallery)
_, nearest = paddle.topk(distance, k=2, largest=False, sorted=True)
print(nearest[:, 0].tolist(), f"{distance.sum().item():.4f}", f"{model.queue.norm().item():.4f}")
print(F.pairwise_distance(gallery[:2], gallery[1:3]).shape, list(model.state_dict())[-3:])
