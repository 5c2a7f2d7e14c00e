"""Attention that Paddle computes on a GPU only: against plain attention with a mask."""

import functools
import re

import jax
import numpy as np
import pytest

import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError, UnimplementedError
from jaxeager.nn.attention import SDPBackend, sdpa_kernel
from jaxeager.nn.functional import attention
from jaxeager.ops.nn import attention_kernels
from jaxeager.ops.nn.attention import flash_attn_forward, flash_attn_vjp
from tests.support.often import only

F = paddle.nn.functional
flash = F.flash_attention


def leaves(*shapes, seed=0):
    """Return tensors of random numbers that require gradients."""
    draw = np.random.default_rng(seed)
    return [paddle.to_tensor(draw.normal(size=s), stop_gradient=False) for s in shapes]


def agree(call, plain, tensors):
    """Assert that two calls have the same values and gradients."""
    out, expected = call(*tensors), plain(*tensors)
    np.testing.assert_allclose(out.numpy(), expected.numpy(), rtol=1e-9, atol=1e-12)
    got = paddle.grad((out**2).sum(), tensors)
    want = paddle.grad((expected**2).sum(), tensors)
    for one, other in zip(got, want, strict=True):
        np.testing.assert_allclose(one.numpy(), other.numpy(), rtol=1e-8, atol=1e-11)


@pytest.mark.parametrize("causal", [False, True])
def test_blocks_of_queries_are_one_attention(causal, monkeypatch):
    monkeypatch.setattr(attention_kernels, "BLOCK", 4)
    tensors = leaves((2, 10, 2, 3), (2, 10, 2, 3), (2, 10, 2, 3), seed=int(causal))
    agree(
        lambda q, k, v: flash.flash_attention(q, k, v, causal=causal, softmax_scale=0.61)[0],
        lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=causal, scale=0.61),
        tensors,
    )


@pytest.mark.parametrize("causal", [False, True])
def test_a_quarter_of_the_queries_is_multiplied_only_with_earlier_keys(causal):
    x = jax.ShapeDtypeStruct((1, 4096, 1, 8), "float32")
    lowered = jax.jit(functools.partial(flash_attn_forward, causal=causal)).lower(x, x, x)
    keys = re.findall(r"dot_general.*tensor<8x(\d+)xf32>\) ->", lowered.as_text())
    assert list(map(int, keys)) == ([1024, 2048, 3072, 4096] if causal else [4096])


def test_listed_keys_by_blocks_of_queries(monkeypatch):
    monkeypatch.setattr(attention_kernels, "BLOCK", 4)
    seen = np.random.default_rng(3).random((1, 2, 10, 10)) < 0.4
    seen[0, 1] = np.roll(seen[0, 1], 1)
    seen[..., 0] = True  # each query sees a key
    rows, most = seen.sum(-1), seen.sum((-1, -2)).max()
    offset = np.concatenate([np.zeros((1, 2, 1)), rows.cumsum(-1)], -1).astype("int32")
    listed = [np.nonzero(each)[1] for each in seen[0]]
    columns = np.stack([np.pad(each, (0, most - len(each))) for each in listed])[None]
    lists = [paddle.to_tensor(each.astype("int32")) for each in (offset, columns)]

    def plain(q, k, v):
        three = [each.transpose([0, 2, 1, 3]) for each in (q, k, v)]
        out = F.scaled_dot_product_attention(*three, attn_mask=paddle.to_tensor(seen))
        return out.transpose([0, 2, 1, 3])

    shape = (1, 2, 10, 3)
    agree(lambda q, k, v: F.sparse_attention(q, k, v, *lists), plain, leaves(*[shape] * 3))


def test_long_sequences_never_hold_all_weights():
    x = jax.ShapeDtypeStruct((1, 8192, 1, 4), "float32")
    lse = jax.ShapeDtypeStruct((1, 1, 8192), "float32")

    def backward(x, lse):
        given = {"dropout": 0.0, "causal": True, "scale": 0.0}
        return flash_attn_vjp(x, x, x, None, None, lse, x, **given)

    for function, operands in (
        (lambda x: flash_attn_forward(x, x, x, causal=True), [x]),
        (backward, [x, lse]),
        (jax.grad(lambda x: sum(each.sum() for each in flash_attn_forward(x, x, x))), [x]),
    ):
        compiled = jax.jit(function).lower(*operands).compile()
        assert compiled.memory_analysis().temp_size_in_bytes < 8192 * 8192 * 2  # half of them


@pytest.mark.parametrize("causal", [False, True])
def test_unpadded_sequences_do_not_see_each_other(causal):
    ends = paddle.to_tensor([0, 3, 5], dtype="int32")
    tensors = leaves((5, 2, 4), (5, 2, 4), (5, 2, 4))
    sequence = np.array([0, 0, 0, 1, 1])
    seen = sequence[:, None] == sequence
    seen = paddle.to_tensor(np.tril(seen) if causal else seen)

    def plain(q, k, v):
        return F.scaled_dot_product_attention(q, k, v, attn_mask=seen, scale=0.3)

    def call(q, k, v):
        return flash.flash_attn_unpadded(q, k, v, ends, ends, 3, 3, 0.3, causal=causal)[0]

    agree(call, plain, tensors)


def test_packed_sequences_are_padded_or_follow_each_other():
    (qkv,) = leaves((6, 4, 2, 4))  # two groups of queries share the keys
    ends = paddle.to_tensor([0, 3, 4], dtype="int32")
    padded, _ = F.flash_attn_varlen_qkvpacked(qkv, ends, ends, 3, 3, 0.3)
    packed, _ = F.flash_attn_varlen_qkvpacked(qkv[:4], ends, ends, 3, 3, 0.3, varlen_padded=False)
    np.testing.assert_allclose(padded.numpy()[:4], packed.numpy(), rtol=1e-12)
    assert padded.shape == [6, 4, 4]
    assert not padded.numpy()[4:].any()


def test_flashmask_window():
    tensors = leaves((1, 6, 2, 4), (1, 6, 2, 4), (1, 6, 2, 4))
    place = np.arange(6)
    gap = place[:, None] - place
    for causal, seen in [(True, (gap >= 0) & (gap <= 2)), (False, (gap >= -1) & (gap <= 2))]:
        mask = paddle.to_tensor(seen)
        agree(
            lambda q, k, v, c=causal: F.flashmask_attention(q, k, v, causal=c, window_size=(2, 1)),
            lambda q, k, v, m=mask: F.scaled_dot_product_attention(q, k, v, attn_mask=m),
            tensors,
        )


def test_flashmask_without_bounds_is_attention_and_gives_log_sums():
    tensors = leaves((1, 3, 2, 4), (1, 3, 2, 4), (1, 3, 2, 4))
    out, lse = F.flashmask_attention(*tensors, return_softmax_lse=True)
    plain = F.scaled_dot_product_attention(*tensors)
    np.testing.assert_allclose(out.numpy(), plain.numpy(), rtol=1e-9)
    scores = np.einsum("bqhd,bkhd->bhqk", tensors[0].numpy(), tensors[1].numpy()) / 2
    np.testing.assert_allclose(lse.numpy(), np.log(np.exp(scores).sum(-1)), rtol=1e-9)


def test_a_query_that_sees_nothing_gets_0_and_no_nan():
    tensors = leaves((1, 3, 1, 2), (1, 3, 1, 2), (1, 3, 1, 2))
    bounds = paddle.zeros([1, 1, 3, 1], "int32")  # every key is hidden from every query
    out = F.flashmask_attention(*tensors, bounds, causal=True)
    grads = paddle.grad(out.sum(), tensors)
    assert not any(each.numpy().any() for each in [out, *grads])


def test_dropout_draws_again_on_each_call_and_stops_in_evaluation():
    q, k, _ = leaves((1, 64, 1, 4), (1, 64, 1, 4), (1, 1))
    ones = paddle.ones(k.shape, "float64")
    one, other = (flash.flash_attention(q, k, ones, 0.5)[0].numpy() for _ in range(2))
    assert one.std() > 0.01
    assert abs(one.mean() - 1) < 0.2
    assert (one != other).any()
    still, _ = flash.flash_attention(q, k, ones, 0.5, training=False)
    np.testing.assert_allclose(still.numpy(), 1)


@pytest.mark.parametrize("causal", [False, True])
def test_dropout_of_backward_is_that_of_forward(causal, monkeypatch):
    monkeypatch.setattr(attention_kernels, "BLOCK", 4)
    q, k, v = leaves((1, 11, 1, 4), (1, 11, 1, 4), (1, 11, 1, 4))
    out, _ = flash.flash_attention(q, k, v, 0.5, causal=causal)
    (grad,) = paddle.grad(out.sum(), v)
    # The output is linear in the values, so it is the gradient times the values.
    np.testing.assert_allclose((grad * v).sum().item(), out.sum().item(), rtol=1e-9)


CALLS = {
    "seed": lambda x: flash.flash_attention(x, x, x, fixed_seed_offset=x),
    "generator": lambda x: flash.flash_attention(x, x, x, rng_name="mine"),
    "weights": lambda x: flash.flash_attn_unpadded(x, x, x, x, x, 1, 1, 1.0, return_softmax=True),
    "packed weights": lambda x: F.flash_attn_varlen_qkvpacked(
        x, x, x, 1, 1, 1.0, return_softmax=True
    ),
    "blocks": lambda x: F.flashmask_attention(x, x, x, block_mask=x),
}


@pytest.mark.parametrize("name", CALLS)
def test_options_that_do_not_exist_here_are_refused(name):
    with pytest.raises(UnimplementedError):
        CALLS[name](paddle.ones([1, 2, 1, 2]))


def _bounds(*shape, dtype="int32"):
    return paddle.zeros(shape, dtype)


BAD = {
    "dropout must be in": lambda x: flash.flash_attention(x, x, x, 1.5),
    "must be a multiple of that in": lambda x: flash.flash_attention(x[:, :, :1], x, x),
    "qkv must be \\[batch, length": lambda x: F.flash_attn_qkvpacked(x),
    "qkv must be \\[tokens, groups": lambda x: F.flash_attn_varlen_qkvpacked(
        x[0], _bounds(2), _bounds(2), 1, 1, 1.0
    ),
    "both cu_seqlens of one": lambda x: flash.flash_attn_unpadded(
        x[0], x[0], x[0], _bounds(2), _bounds(3), 1, 1, 1.0
    ),
    "dtype must be paddle.int32": lambda x: F.flashmask_attention(
        x, x, x, _bounds(1, 1, 2, 1, dtype="int64"), causal=True
    ),
    "rank must be 4": lambda x: F.flashmask_attention(x, x, x, _bounds(1, 2, 1)),
    "the key's batch and length": lambda x: F.flashmask_attention(x, x, x, _bounds(1, 1, 3, 2)),
    "head_num must be equal": lambda x: F.flashmask_attention(x, x, x, _bounds(1, 3, 2, 2)),
    "can't use window_size": lambda x: F.flashmask_attention(
        x, x, x, _bounds(1, 1, 2, 2), window_size=1
    ),
    "length \\+ 1": lambda x: F.sparse_attention(x, x, x, _bounds(1, 2, 2), _bounds(1, 2, 1)),
    "heads, listed": lambda x: F.sparse_attention(x, x, x, _bounds(1, 2, 3), _bounds(1, 1, 1)),
}


@pytest.mark.parametrize("text", BAD)
def test_invalid_arguments_are_refused(text):
    with pytest.raises(InvalidArgumentError, match=text):
        BAD[text](paddle.ones([1, 2, 2, 4]))


# ---- which kind of attention scaled_dot_product_attention is


MASKS = {
    "none": lambda draw: None,
    "bool": lambda draw: paddle.to_tensor(draw.random((2, 1, 6, 7)) < 0.7),
    "bool of heads": lambda draw: paddle.to_tensor(draw.random((2, 4, 6, 7)) < 0.7),
    "float of pairs": lambda draw: paddle.to_tensor(draw.normal(size=(6, 7))),
    "float of keys": lambda draw: paddle.to_tensor(draw.normal(size=(2, 1, 1, 7))),
}
LATER_MASKS = ("bool of heads", "float of keys")


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize(
    "mask",
    only(("none", "bool", "float of pairs"), MASKS),
)
def test_both_kinds_agree(mask, causal, monkeypatch):
    monkeypatch.setattr(attention_kernels, "BLOCK", 4)
    mask = MASKS[mask](np.random.default_rng(5))
    if mask is not None and mask.dtype == paddle.bool:
        mask[..., 0] = True  # each query sees a key
    given = {"attn_mask": mask, "is_causal": causal, "scale": 0.4}

    def of_kind(*backends):
        def call(q, k, v):
            with sdpa_kernel(list(backends)):
                return F.scaled_dot_product_attention(q, k, v, **given)

        return call

    few = of_kind(SDPBackend.FLASH_ATTENTION, SDPBackend.EFFICIENT_ATTENTION)
    tensors = leaves((2, 6, 4, 3), (2, 7, 2, 3), (2, 7, 2, 3))
    assert few(*tensors).grad_fn.name() == "FlashAttnGradNode"
    agree(few, of_kind(SDPBackend.MATH), tensors)


def test_many_scores_keep_no_weights(monkeypatch):
    q, k, v = leaves((1, 6, 2, 4), (1, 6, 2, 4), (1, 6, 2, 4))
    monkeypatch.setattr(attention, "MANY_SCORES", 73)
    assert F.scaled_dot_product_attention(q, k, v).grad_fn.name() == "TransposeGradNode"
    monkeypatch.setattr(attention, "MANY_SCORES", 72)
    assert F.scaled_dot_product_attention(q, k, v).grad_fn.name() == "FlashAttnGradNode"
    with sdpa_kernel(SDPBackend.MATH):
        assert F.scaled_dot_product_attention(q, k, v).grad_fn.name() == "TransposeGradNode"
    (bias,) = leaves((6, 6))
    F.scaled_dot_product_attention(q, k, v, attn_mask=bias).sum().backward()
    assert bias.grad is not None
    single = F.scaled_dot_product_attention(q[0], k[0], v[0], dropout_p=0.5)
    assert single.shape == [6, 2, 4]
    with sdpa_kernel(SDPBackend.MATH):
        plain = F.scaled_dot_product_attention(q, k, v)
    still = F.scaled_dot_product_attention(q, k, v, dropout_p=0.5, training=False)
    np.testing.assert_allclose(still.numpy(), plain.numpy(), rtol=1e-12)


def test_gradients_of_gradients_of_attention_that_keeps_no_weights():
    tensors = leaves((1, 5, 2, 3), (1, 5, 1, 3), (1, 5, 1, 3))

    def second(kind):
        with sdpa_kernel(kind):
            out = F.scaled_dot_product_attention(*tensors, is_causal=True)
        grads = paddle.grad((out**2).sum(), tensors, create_graph=True)
        return paddle.grad(sum((each**2).sum() for each in grads), tensors)

    kinds = SDPBackend.FLASH_ATTENTION, SDPBackend.MATH
    for one, other in zip(*map(second, kinds), strict=True):
        np.testing.assert_allclose(one.numpy(), other.numpy(), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_half_precision_keeps_log_sums_in_float32(dtype):
    q, k, v = (
        each.astype(dtype) for each in leaves((1, 300, 2, 4), (1, 300, 2, 4), (1, 300, 2, 4))
    )
    out, lse = F.flashmask_attention(q, k, v, return_softmax_lse=True)
    assert (out.dtype, lse.dtype) == (getattr(paddle, dtype), paddle.float32)
    wide = F.flashmask_attention(*[each.astype("float64") for each in (q, k, v)])
    want = wide.astype(dtype).numpy().astype("float64")
    last_bit = {"bfloat16": 2.0**-7, "float16": 2.0**-10}[dtype]  # scores are in float32
    np.testing.assert_allclose(out.numpy().astype("float64"), want, rtol=last_bit, atol=1e-6)
