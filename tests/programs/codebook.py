"""VQ-VAE: a codebook with straight-through gradients and EMA, and a Gumbel-softmax twin."""

import numpy as np
import paddle
import paddle.nn as nn
import paddle.nn.functional as F


class VectorQuantizer(nn.Layer):
    def __init__(self, codes, dim, decay=0.9, eps=1e-5):
        super().__init__()
        self.codes, self.dim, self.decay, self.eps = codes, dim, decay, eps
        embed = np.random.RandomState(2).normal(size=(codes, dim)).astype("float32")
        self.embedding = nn.Embedding(codes, dim, weight_attr=nn.initializer.Assign(embed))
        self.embedding.weight.stop_gradient = True
        self.register_buffer("size", paddle.zeros([codes]))
        self.register_buffer("mean", paddle.to_tensor(embed))

    def forward(self, z):
        flat = z.transpose([0, 2, 3, 1]).reshape([-1, self.dim])
        w = self.embedding.weight
        d = (
            (flat**2).sum(1, keepdim=True)
            - 2 * paddle.matmul(flat, w, transpose_y=True)
            + (w**2).sum(1)
        )
        ids = paddle.argmin(d, axis=1)
        hot = F.one_hot(ids, self.codes)
        if self.training:
            with paddle.no_grad():
                self.size.set_value(self.size * self.decay + (1 - self.decay) * hot.sum(0))
                self.mean.set_value(self.mean * self.decay + (1 - self.decay) * hot.t() @ flat)
                n = self.size.sum()
                size = (self.size + self.eps) / (n + self.codes * self.eps) * n
                w.set_value(self.mean / size.unsqueeze(1))
        q = self.embedding(ids).reshape([z.shape[0], z.shape[2], z.shape[3], self.dim])
        q = paddle.transpose(q, perm=[0, 3, 1, 2])
        commit = F.mse_loss(z, q.detach())
        q = z + (q - z).detach()
        p = hot.mean(0)
        perplexity = paddle.exp(-paddle.sum(p * paddle.log(p + 1e-10)))
        return q, commit, perplexity, ids


class VQVAE(nn.Layer):
    def __init__(self):
        super().__init__()
        self.enc = nn.Sequential(
            nn.Conv2D(1, 8, 4, 2, 1), nn.GroupNorm(2, 8), nn.Swish(), nn.Conv2D(8, 4, 3, 1, 1)
        )
        self.vq = VectorQuantizer(6, 4)
        self.dec = nn.Sequential(
            nn.Conv2D(4, 16, 3, padding=1),
            nn.InstanceNorm2D(16),
            nn.Mish(),
            nn.Conv2D(16, 4, 3, padding=1),
            nn.PixelShuffle(2),
            nn.Hardsigmoid(),
        )

    def forward(self, x):
        q, commit, perplexity, ids = self.vq(self.enc(x))
        return self.dec(q), commit, perplexity, ids


rng = np.random.RandomState(0)
model = VQVAE()
for name, p in model.named_parameters():
    if p.ndim == 4:
        p.set_value(rng.normal(0, 0.3, p.shape).astype("float32"))
trained = [p for p in model.parameters() if not p.stop_gradient]
opt = paddle.optimizer.NAdam(0.01, parameters=trained)
for step in range(6):
    x = paddle.to_tensor((rng.rand(4, 1, 8, 8) > 0.5).astype("float32"))
    out, commit, perplexity, ids = model(x)
    loss = F.binary_cross_entropy(out.clip(1e-4, 1 - 1e-4), x) + 0.25 * commit
    loss.backward()
    opt.step()
    opt.clear_grad()
    print("step", step, "loss", "%.5f" % loss.item(), "perplexity", "%.4f" % perplexity.item())
model.eval()
with paddle.no_grad():
    out, _, _, ids = model(x)
codes, counts = paddle.unique(ids, return_counts=True)
print(codes.dtype, int(counts.sum()), f"{model.vq.size.sum().item():.4f}", out.shape)

logits = paddle.to_tensor(rng.normal(size=(5, 6)).astype("float32"), stop_gradient=False)
paddle.seed(3)
hard = F.gumbel_softmax(logits, temperature=0.7, hard=True)
soft = F.gumbel_softmax(logits, temperature=0.7)
(hard * paddle.arange(6, dtype="float32")).sum().backward()
print(
    hard.sum(-1).tolist(), bool(paddle.allclose(soft.sum(-1), paddle.ones([5]))), logits.grad.shape
)
print(float(hard.max()), bool(paddle.isfinite(logits.grad).all()))
