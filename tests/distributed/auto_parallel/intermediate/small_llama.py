"""A small Llama, and the plan that PaddleFormers writes for one."""

import jaxeager as paddle
from jaxeager import distributed as dist
from jaxeager import nn

VOCAB, HIDDEN, HEADS, SEQUENCE, BATCH = 32, 16, 4, 8, 4


class RMSNorm(nn.Layer):
    def __init__(self):
        super().__init__()
        self.weight = self.create_parameter(
            [HIDDEN], default_initializer=nn.initializer.Constant(1.0)
        )

    def forward(self, x):
        return x * paddle.rsqrt((x * x).mean(-1, keepdim=True) + 1e-6) * self.weight


class Attention(nn.Layer):
    def __init__(self):
        super().__init__()
        for name in ("q_proj", "k_proj", "v_proj", "o_proj"):
            setattr(self, name, nn.Linear(HIDDEN, HIDDEN, bias_attr=False))

    def forward(self, x):
        batch, length, _ = x.shape
        heads = [batch, length, HEADS, HIDDEN // HEADS]
        q, k, v = (
            proj(x).reshape(heads).transpose([0, 2, 1, 3])
            for proj in (self.q_proj, self.k_proj, self.v_proj)
        )
        scores = q @ k.transpose([0, 1, 3, 2]) / (HIDDEN // HEADS) ** 0.5
        mask = paddle.tril(paddle.ones([length, length])) - 1.0
        mixed = nn.functional.softmax(scores + 1e9 * mask) @ v
        return self.o_proj(mixed.transpose([0, 2, 1, 3]).reshape([batch, length, HIDDEN]))


class MLP(nn.Layer):
    def __init__(self):
        super().__init__()
        self.gate_proj = nn.Linear(HIDDEN, 2 * HIDDEN, bias_attr=False)
        self.up_proj = nn.Linear(HIDDEN, 2 * HIDDEN, bias_attr=False)
        self.down_proj = nn.Linear(2 * HIDDEN, HIDDEN, bias_attr=False)

    def forward(self, x):
        return self.down_proj(nn.functional.swiglu(self.gate_proj(x), self.up_proj(x)))


class Block(nn.Layer):
    def __init__(self):
        super().__init__()
        self.input_layernorm, self.self_attn = RMSNorm(), Attention()
        self.post_attention_layernorm, self.mlp = RMSNorm(), MLP()

    def forward(self, x):
        x = x + self.self_attn(self.input_layernorm(x))
        return x + self.mlp(self.post_attention_layernorm(x))


class Model(nn.Layer):
    def __init__(self):
        super().__init__()
        self.embed_tokens = nn.Embedding(VOCAB, HIDDEN)
        self.layers = nn.LayerList([Block() for _ in range(2)])
        self.norm = RMSNorm()

    def forward(self, ids):
        x = self.embed_tokens(ids)
        for layer in self.layers:
            x = layer(x)
        return self.norm(x)


class Head(nn.Layer):
    def __init__(self):
        super().__init__()
        self.weight = self.create_parameter([HIDDEN, VOCAB])

    def forward(self, x):
        return x @ self.weight


class Llama(nn.Layer):
    def __init__(self):
        super().__init__()
        self.llama, self.lm_head = Model(), Head()

    def forward(self, ids):
        return self.lm_head(self.llama(ids))


def loss_of(logits, labels):
    return nn.functional.cross_entropy(logits.reshape([-1, VOCAB]), labels.reshape([-1]))


def plan(is_sequence_parallel):
    """Return the plan, with or without sequence parallelism, as PaddleFormers 0.4.1 has it."""
    column, row = dist.ColWiseParallel, dist.RowWiseParallel
    found = {
        "llama.embed_tokens": column(gather_output=True),
        "llama.layers.*.self_attn.qkv_proj": column(),
        "llama.layers.*.self_attn.q_proj": column(),
        "llama.layers.*.self_attn.k_proj": column(),
        "llama.layers.*.self_attn.v_proj": column(),
        "llama.layers.*.self_attn.o_proj": row(),
        "llama.layers.*.mlp.gate_proj": column(),
        "llama.layers.*.mlp.up_proj": column(),
        "llama.layers.*.mlp.gate_up_fused_proj": column(),
        "llama.layers.*.mlp.down_proj": row(),
        "lm_head.weight": column(),
    }
    if is_sequence_parallel:
        found["llama.embed_tokens"] = [column(), dist.SequenceParallelBegin()]
        found["llama.layers.*.self_attn"] = dist.SequenceParallelDisable()
        found["llama.layers.*.mlp"] = dist.SequenceParallelDisable(need_transpose=False)
        found["lm_head"] = dist.SequenceParallelEnd()
    return found
