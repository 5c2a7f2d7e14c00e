"""paddle.incubate.nn.attn_bias: biases of attention that are described by lengths."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import jaxeager as paddle
from jaxeager.errors import InvalidArgumentError, UnimplementedError
from jaxeager.tensor import Tensor

if TYPE_CHECKING:
    from typing import Self

    from jaxeager.core.types import DTypeLike


class AttentionBias:
    """What is added to the scores of attention: 0 where a query may see a key, else -inf."""

    def materialize(self, shape: Sequence[int], dtype: DTypeLike = "float32") -> Tensor:
        """Return the bias as a tensor.

        Args:
            shape: [..., queries, keys].
            dtype: its dtype.
        """
        raise NotImplementedError


class LowerTriangularMask(AttentionBias):
    """A query sees the keys up to its own position.

    Example:
        >>> from jaxeager.incubate.nn.attn_bias import LowerTriangularMask
        >>> LowerTriangularMask().materialize([2, 2]).tolist()
        [[0.0, -inf], [0.0, 0.0]]
    """

    def materialize(self, shape: Sequence[int], dtype: DTypeLike = "float32") -> Tensor:
        """Return the bias as a tensor."""
        return _above(shape, 1, dtype)

    def add_bias(self, bias: Tensor) -> LowerTriangularMaskWithTensorBias:
        """Return this mask plus a tensor."""
        return LowerTriangularMaskWithTensorBias(bias)


class LowerTriangularMaskWithTensorBias(LowerTriangularMask):
    """A query sees the keys up to its own position, and a tensor is added to their scores.

    Args:
        bias: [..., queries, keys].
    """

    def __init__(self, bias: Tensor):
        self._bias = bias

    def materialize(self, shape: Sequence[int], dtype: DTypeLike = "float32") -> Tensor:
        """Return the bias as a tensor."""
        return super().materialize(shape, dtype) + self._bias


def _above(shape: Sequence[int], diagonal: int, dtype: DTypeLike) -> Tensor:
    """Return -inf on and above a diagonal, and 0 below it."""
    return paddle.triu(paddle.full(list(shape), float("-inf")), diagonal).astype(dtype)


@dataclass
class SeqLenInfo:
    """Sequences one after the other.

    Attributes:
        seqstart: int32[sequences + 1]: where each starts, and where the last one ends.
        max_seqlen: the longest length.
        seqstart_py: ``seqstart`` as a list.

    Example:
        >>> from jaxeager.incubate.nn.attn_bias import SeqLenInfo
        >>> list(SeqLenInfo.from_seqlens([2, 3]).intervals())
        [(0, 2), (2, 5)]
    """

    seqstart: Tensor
    max_seqlen: int
    seqstart_py: list[int]

    def intervals(self) -> Iterator[tuple[int, int]]:
        """Yield (start, end) of each sequence."""
        yield from pairwise(self.seqstart_py)

    @classmethod
    def from_seqlens(cls, seqlens: Sequence[int]) -> SeqLenInfo:
        """Return the sequences of some lengths."""
        starts = [0]
        for length in seqlens:
            starts.append(starts[-1] + length)
        return cls(paddle.to_tensor(starts, dtype="int32"), max([*seqlens, -1]), starts)

    def split(self, x: Tensor, batch_sizes: Sequence[int] | None = None) -> list[Tensor]:
        """Return the sequences of a tensor, those of a batch together.

        Args:
            x: [1, all lengths, ...].
            batch_sizes: how many sequences of equal length form each part; one each when None.

        Raises:
            InvalidArgumentError: for a tensor of another length.
        """
        if self.seqstart_py[-1] != x.shape[1] or x.shape[0] != 1:
            raise InvalidArgumentError(
                f"split takes a tensor [1, {self.seqstart_py[-1]}, ...], but its shape is "
                f"{list(x.shape)}."
            )
        parts, first = [], 0
        for size in batch_sizes or [1] * (len(self.seqstart_py) - 1):
            start, end = self.seqstart_py[first], self.seqstart_py[first + size]
            parts.append(x[:, start:end].reshape([size, -1, *x.shape[2:]]))
            first += size
        return parts


@dataclass
class PaddedSeqLenInfo(SeqLenInfo):
    """Sequences that are padded to the same length.

    Attributes:
        seqlen: int32[sequences]: the length of each, without the padding.
        seqlen_py: ``seqlen`` as a list.
    """

    seqlen: Tensor
    seqlen_py: Sequence[int]

    def intervals(self) -> Iterator[tuple[int, int]]:
        """Yield (start, end) of each sequence, without the padding."""
        for start, length in zip(self.seqstart_py, self.seqlen_py, strict=False):
            yield start, start + length

    @classmethod
    def from_seqlens(cls, seqlens: Sequence[int]) -> SeqLenInfo:
        """Raise UnimplementedError: ``from_seqlens_padded`` also takes the padded length."""
        raise UnimplementedError(
            "Please use SeqLenInfo.from_seqlens() or PaddedSeqLenInfo.from_seqlens_padded()."
        )

    @classmethod
    def from_seqlens_padded(cls, seqlens: Sequence[int], padding: int) -> PaddedSeqLenInfo:
        """Return the sequences of some lengths.

        Args:
            seqlens: the lengths.
            padding: the length with the padding.

        Raises:
            InvalidArgumentError: for a sequence that is longer.
        """
        if any(length > padding for length in seqlens):
            raise InvalidArgumentError(
                f"Every length must be at most the padded one, {padding}, but they are "
                f"{list(seqlens)}."
            )
        starts = list(range(0, len(seqlens) * padding + 1, padding))
        return cls(
            paddle.to_tensor(starts, dtype="int32"), max(seqlens), starts,
            paddle.to_tensor(list(seqlens), dtype="int32"), seqlens,
        )  # fmt: skip

    def split(self, x: Tensor, batch_sizes: Sequence[int] | None = None) -> list[Tensor]:
        """Raise UnimplementedError, as Paddle does."""
        raise UnimplementedError("PaddedSeqLenInfo.split: padded sequences are not split.")


class _Blocks(AttentionBias):
    """The queries of a sequence see keys of the same sequence only."""

    q_seqinfo: SeqLenInfo
    k_seqinfo: SeqLenInfo

    def _block(self, number: int, shape: Sequence[int], dtype: DTypeLike) -> Tensor:
        """Return the bias of one sequence."""
        return paddle.zeros(list(shape), dtype)

    def materialize(self, shape: Sequence[int], dtype: DTypeLike = "float32") -> Tensor:
        """Return the bias as a tensor.

        Raises:
            InvalidArgumentError: when the last dimensions are not the sums of the lengths.
        """
        wanted = [self.q_seqinfo.seqstart_py[-1], self.k_seqinfo.seqstart_py[-1]]
        if list(shape[-2:]) != wanted:
            raise InvalidArgumentError(
                f"The last dimensions must be the sums of the lengths, {wanted}, but the shape "
                f"is {list(shape)}."
            )
        mask = paddle.full(wanted, float("-inf"), dtype)
        intervals = zip(self.q_seqinfo.intervals(), self.k_seqinfo.intervals(), strict=False)
        for number, ((start, end), (first, last)) in enumerate(intervals):
            mask[start:end, first:last] = self._block(number, [end - start, last - first], dtype)
        return mask.expand(list(shape))


@dataclass
class BlockDiagonalMask(_Blocks):
    """The queries of a sequence see all keys of the same sequence, and no others.

    Attributes:
        q_seqinfo: the sequences of the queries.
        k_seqinfo: those of the keys.

    Example:
        >>> from jaxeager.incubate.nn.attn_bias import BlockDiagonalMask
        >>> BlockDiagonalMask.from_seqlens([1, 1]).materialize([2, 2]).tolist()
        [[0.0, -inf], [-inf, 0.0]]
    """

    q_seqinfo: SeqLenInfo
    k_seqinfo: SeqLenInfo
    _batch_sizes: Sequence[int] | None = None

    @classmethod
    def from_seqlens(cls, q_seqlen: Sequence[int], kv_seqlen: Sequence[int] | None = None) -> Self:
        """Return the mask of some lengths.

        Args:
            q_seqlen: the lengths of the queries.
            kv_seqlen: those of the keys; the same when None.

        Raises:
            InvalidArgumentError: when there are not as many of them.
        """
        if kv_seqlen is not None and len(q_seqlen) != len(kv_seqlen):
            raise InvalidArgumentError(
                f"There are {len(q_seqlen)} sequences of queries, but {len(kv_seqlen)} of keys."
            )
        queries = SeqLenInfo.from_seqlens(q_seqlen)
        is_same = kv_seqlen is None or list(q_seqlen) == list(kv_seqlen)
        return cls(queries, queries if is_same else SeqLenInfo.from_seqlens(kv_seqlen or ()))

    @classmethod
    def from_tensor_list(cls, tensors: Sequence[Tensor]) -> tuple[Self, Tensor]:
        """Return the mask of some batches of sequences, and the batches as one tensor.

        Args:
            tensors: each [batch, length, ...].
        """
        mask = cls.from_seqlens([each.shape[1] for each in tensors for _ in range(each.shape[0])])
        mask._batch_sizes = [each.shape[0] for each in tensors]
        return mask, _joined(tensors)

    @classmethod
    def from_tensor_lists_qkv(
        cls,
        tensors_q: Sequence[Tensor],
        tensors_k: Sequence[Tensor],
        tensors_v: Sequence[Tensor] | None = None,
    ) -> tuple[Self, Tensor, Tensor, Tensor | None]:
        """Return the mask of some batches, and their queries, keys and values as one tensor each.

        Args:
            tensors_q: each [batch, queries, ...].
            tensors_k: each [batch, keys, ...].
            tensors_v: each [batch, keys, ...].

        Raises:
            InvalidArgumentError: when they do not belong together.
        """
        pairs = list(zip(tensors_q, tensors_k, strict=False))
        values = tensors_k if tensors_v is None else tensors_v
        if (
            not len(tensors_q) == len(tensors_k) == len(values)
            or any(q.shape[0] != k.shape[0] for q, k in pairs)
            or any(
                list(k.shape[:2]) != list(v.shape[:2])
                for k, v in zip(tensors_k, values, strict=True)
            )
        ):
            raise InvalidArgumentError("Queries, keys and values must have the same batches.")
        mask = cls.from_seqlens(
            [q.shape[1] for q, _ in pairs for _ in range(q.shape[0])],
            [k.shape[1] for _, k in pairs for _ in range(k.shape[0])],
        )
        mask._batch_sizes = [q.shape[0] for q in tensors_q]
        joined_values = None if tensors_v is None else _joined(tensors_v)
        return mask, _joined(tensors_q), _joined(tensors_k), joined_values

    def split_queries(self, tensor: Tensor) -> list[Tensor]:
        """Return the batches of a tensor of queries."""
        return self.q_seqinfo.split(tensor, self._batch_sizes)

    def split_kv(self, tensor: Tensor) -> list[Tensor]:
        """Return the batches of a tensor of keys or values."""
        return self.k_seqinfo.split(tensor, self._batch_sizes)

    def split(self, tensor: Tensor) -> list[Tensor]:
        """Return the batches of a tensor, when queries and keys have the same lengths.

        Raises:
            InvalidArgumentError: when they have not.
        """
        if self.q_seqinfo is not self.k_seqinfo:
            raise InvalidArgumentError(
                "Queries and keys have other lengths: use split_queries or split_kv."
            )
        return self.q_seqinfo.split(tensor, self._batch_sizes)

    def make_causal(self) -> BlockDiagonalCausalMask:
        """Return the mask in which a query sees the keys up to its own position."""
        return BlockDiagonalCausalMask(self.q_seqinfo, self.k_seqinfo, self._batch_sizes)


def _joined(tensors: Sequence[Tensor]) -> Tensor:
    """Return batches of sequences one after the other, [1, all lengths, ...]."""
    return paddle.concat([each.reshape([1, -1, *each.shape[2:]]) for each in tensors], axis=1)


@dataclass
class BlockDiagonalCausalMask(BlockDiagonalMask):
    """A query sees the keys of the same sequence up to its own position."""

    def _block(self, number: int, shape: Sequence[int], dtype: DTypeLike) -> Tensor:
        return _above(shape, 1, dtype)


@dataclass
class BlockDiagonalCausalWithOffsetPaddedKeysMask(_Blocks):
    """A query sees the keys of the same sequence up to its own position plus an offset.

    Attributes:
        q_seqinfo: the sequences of the queries.
        k_seqinfo: those of the keys, padded.
        causal_diagonal: int[sequences]: the offset of each; 0 when None.
    """

    q_seqinfo: SeqLenInfo
    k_seqinfo: PaddedSeqLenInfo
    causal_diagonal: Tensor | None = None

    def _block(self, number: int, shape: Sequence[int], dtype: DTypeLike) -> Tensor:
        offset = 0 if self.causal_diagonal is None else int(self.causal_diagonal[number].item())
        return _above(shape, 1 + offset, dtype)

    @classmethod
    def from_seqlens(
        cls,
        q_seqlen: Sequence[int],
        kv_padding: int,
        kv_seqlen: Sequence[int],
        causal_diagonal: Tensor | None = None,
    ) -> BlockDiagonalCausalWithOffsetPaddedKeysMask:
        """Return the mask of some lengths.

        Args:
            q_seqlen: the lengths of the queries.
            kv_padding: the length of the keys with the padding.
            kv_seqlen: their lengths without it.
            causal_diagonal: int[sequences]: the offset of each.

        Raises:
            InvalidArgumentError: when there are not as many of them.
        """
        if len(q_seqlen) != len(kv_seqlen):
            raise InvalidArgumentError(
                f"There are {len(q_seqlen)} sequences of queries, but {len(kv_seqlen)} of keys."
            )
        keys = PaddedSeqLenInfo.from_seqlens_padded(kv_seqlen, kv_padding)
        return cls(SeqLenInfo.from_seqlens(q_seqlen), keys, causal_diagonal)
