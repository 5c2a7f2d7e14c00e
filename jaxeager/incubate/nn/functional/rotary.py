"""Rotary position embeddings."""

from __future__ import annotations

import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError


def pairs_turned(x: paddle.Tensor) -> paddle.Tensor:
    """Return ``(-b, a)`` for each two neighbours ``(a, b)`` of the last axis."""
    return paddle.stack([-x[..., 1::2], x[..., 0::2]], axis=-1).reshape(x.shape)


def halves_turned(x: paddle.Tensor) -> paddle.Tensor:
    """Return ``(-b, a)`` for the halves ``(a, b)`` of the last axis."""
    first, second = x.chunk(2, axis=-1)
    return paddle.concat([-second, first], axis=-1)


def turned(x: paddle.Tensor, cos: paddle.Tensor, sin: paddle.Tensor, by_pairs: bool):
    """Return pairs of the last axis, each rotated by its angle, in x's dtype."""
    other = pairs_turned(x) if by_pairs else halves_turned(x)
    return (x * cos + other * sin).astype(x.dtype)


def fused_rotary_position_embedding(
    q: paddle.Tensor,
    k: paddle.Tensor | None = None,
    v: paddle.Tensor | None = None,
    sin: paddle.Tensor | None = None,
    cos: paddle.Tensor | None = None,
    position_ids: paddle.Tensor | None = None,
    use_neox_rotary_style: bool = True,
    time_major: bool = False,
    rotary_emb_base: float = 10000.0,
) -> tuple[paddle.Tensor, paddle.Tensor | None, paddle.Tensor | None]:
    """Rotate pairs of elements by an angle that grows with the position.

    Args:
        q: float[batch, length, heads, n], n even.
        k: float[batch, length, heads, n], or None.
        v: float[batch, length, heads, n], or None.
        sin: float[length, n] or [1, length, 1, n]; computed from ``rotary_emb_base`` by default.
        cos: float of sin's shape.
        position_ids: int64[batch, length], the row of sin and cos for each position.
        use_neox_rotary_style: whether neighbours form a pair; else the halves of the last axis do.
        time_major: whether the length is the first axis, before the batch.
        rotary_emb_base: the base of the wave lengths.

    Returns:
        q, k and v, rotated; None for each that is None.

    Raises:
        InvalidArgumentError: for position_ids, or halves, without sin and cos.

    Paddle: computes this on a GPU only.

    Example:
        >>> import jaxeager as paddle
        >>> q = paddle.ones([1, 2, 1, 2])
        >>> out, _, _ = paddle.incubate.nn.functional.fused_rotary_position_embedding(q)
        >>> out[0, 0].tolist(), out[0, 1, 0].norm().allclose(q[0, 1, 0].norm()).item()
        ([[1.0, 1.0]], True)
    """
    if sin is None or cos is None:
        if position_ids is not None or not use_neox_rotary_style:
            raise InvalidArgumentError(
                "fused_rotary_position_embedding(): give sin and cos with position_ids or "
                "use_neox_rotary_style=False."
            )
        length = q.shape[0 if time_major else 1]
        sin, cos = _waves(length, q.shape[-1], rotary_emb_base)
    sin, cos = (_fitted(each, position_ids, time_major) for each in (sin, cos))
    return tuple(  # type: ignore[return-value]
        None if each is None else turned(each, cos, sin, use_neox_rotary_style)
        for each in (q, k, v)
    )


def _waves(length: int, size: int, base: float) -> tuple[paddle.Tensor, paddle.Tensor]:
    """Return sine and cosine, float[length, size]; neighbours have the same angle."""
    rates = base ** -(paddle.arange(0, size, 2, dtype="float32") / size)
    angles = paddle.outer(paddle.arange(length, dtype="float32"), rates)
    angles = angles.repeat_interleave(2, axis=-1)
    return paddle.sin(angles), paddle.cos(angles)


def _fitted(wave: paddle.Tensor, position_ids: paddle.Tensor | None, time_major: bool):
    """Return a wave in a shape that broadcasts with q."""
    wave = wave.reshape([-1, wave.shape[-1]])
    found = wave.unsqueeze(0) if position_ids is None else wave[position_ids]
    return found.transpose([1, 0, 2]).unsqueeze(2) if time_major else found.unsqueeze(2)
