"""Whether the ranks of a group make the same calls.

Note [Same calls]
    Ranks whose calls differ in what they do, in dtype, shape, reduction or source take each
    other's bytes for something else, mostly without an error. So each rank compares its call with
    that of the rank before it in the group, through the store of keys, before the call runs: when
    all neighbours agree, all do. It takes as long as two small calls, and a training makes the same
    few calls again and again. So a call is compared when none of its kind was made before among
    these ranks, and every 128th is. The line is no part of the kind: ranks may make one call on
    different lines. As long as the calls of all ranks are alike, all know which one is new.

    When they are not alike, a rank may wait for a word that never comes. After two seconds it asks
    the other rank, whose thread of status.py answers, for its last calls; they show what the other
    did in the place of this call.

    Calls may differ though both kinds were made before. A running hash of all calls goes with each
    comparison, so that the next one finds it, or the last one, when the program ends.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import threading
import time
from collections import deque
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import jax

from jaxeager.core import flags
from jaxeager.distributed.communication import status, world
from jaxeager.errors import InvalidArgumentError, UnavailableError

if TYPE_CHECKING:
    from jaxeager.distributed.communication.calls import Call

EVERY = 128  # so many calls are remembered, and at least every so many one is compared
_PATIENCE_SECONDS = 2.0  # after which a rank that waits for a word asks
_ANSWER_SECONDS = 4.0
_STORE_ERRORS = (jax.errors.JaxRuntimeError, AttributeError)  # no such key; no store any more

_sequences: dict[tuple, _Calls] = {}
_lock = threading.Lock()


class Made(NamedTuple):
    """One call that a rank has made.

    Attributes:
        count: how many there were among the same ranks in the same lane.
        call: what was called, with which operands.
        details: what else has to be the same: group, kernel, settings, each dtype and shape.
        number: its number within the group, as errors show it.
        group: the number of the group.
        site: the user's line.
        history: a hash of this call and all before it.
    """

    count: int
    call: str
    details: str
    number: int
    group: int
    site: str
    history: int

    def is_like(self, other: Made) -> bool:
        """Return whether two ranks can make these two calls together."""
        return self.call == other.call and self.details == other.details


class _Calls:
    """What this rank has called among the same ranks in one lane."""

    def __init__(self, ranks: tuple[int, ...], lane: tuple):
        place = ranks.index(world.rank())
        self.before, self.after = ranks[place - 1], ranks[(place + 1) % len(ranks)]
        self.id = hashlib.blake2b(repr((ranks, lane)).encode(), digest_size=8).hexdigest()
        self.kinds: dict[str, int] = {}
        self.last: deque[Made] = deque(maxlen=EVERY)
        self.count = self.history = 0
        self.raised = 0  # the count of the last call whose difference was raised

    def add(self, call: Call) -> bool:
        """Add a call, and return whether none of its kind was made before."""
        name = "send or recv" if call.lane[0] == "p2p" else call.name
        shown = f"{name}({call.operands})"
        kind = f"{shown} {call.details}"
        is_new = kind not in self.kinds
        if is_new:
            digest = hashlib.blake2b(kind.encode(), digest_size=8).digest()
            self.kinds[kind] = int.from_bytes(digest)
        self.count += 1
        self.history = (self.history * 0x5851F42D4C957F2D + self.kinds[kind]) % 2**64
        self.last.append(
            Made(self.count, shown, call.details, call.number, call.group, call.site, self.history)
        )
        return is_new

    def compare(self, limit: float) -> None:
        """Compare the last call with that of the rank before this one.

        Raises:
            InvalidArgumentError: when they differ, or earlier calls did.
            UnavailableError: when that rank does not come in time.
        """
        own = self.last[-1]
        world.store().key_value_set(self._key(world.rank(), own), json.dumps(own))
        try:
            other = self._word(own, limit)
            if not own.is_like(other):
                raise self._differ(own, other)
            if own.history != other.history:
                raise self._differed_before(own)
        except InvalidArgumentError:
            self.history, self.raised = 0, own.count  # a program may catch it, and go on
            raise

    def _key(self, rank: int, made: Made) -> str:
        return f"jaxeager/check/{self.id}/{made.count}/{rank}"

    def _word(self, own: Made, limit: float) -> Made:
        """Return the call of the rank before this one, which only this rank reads."""
        key, store = self._key(self.before, own), world.store()
        until, was_like = time.monotonic() + limit, False
        while (left := until - time.monotonic()) > 0:
            try:
                text = store.blocking_key_value_get(key, int(1000 * min(left, _PATIENCE_SECONDS)))
            except jax.errors.JaxRuntimeError as error:
                if "DEADLINE_EXCEEDED" not in str(error):
                    raise
            else:
                store.key_value_delete(key)
                return Made(*json.loads(text))
            was_like = self._look(own, was_like)
        raise UnavailableError(
            f"{own.call}, number {own.number} of group {own.group}, has not ended on rank "
            f"{world.rank()} within {limit:g} s, at {own.site}: rank {self.before} has not come."
            f"{status.shown(status.of_others((self.before,)))}"
        )

    def _look(self, own: Made, was_like: bool) -> bool:
        """Look what the rank before this one did in the place of a call.

        Args:
            own: the call.
            was_like: what the last look has returned.

        Returns:
            Whether that rank makes the same call, and has not compared it yet.

        Raises:
            InvalidArgumentError: when it made another call, here or before, or does not compare
                this one.
            UnavailableError: when it has ended without it.
        """
        theirs, has_ended = self._asked(self.before)
        found = next((each for each in theirs if each.count == own.count), None)
        if found is None:
            pair = self._first_difference(theirs)  # it may be stuck in an earlier call
            if pair is not None:
                raise self._differ(*pair)
            if has_ended:
                raise UnavailableError(
                    f"{own.call}, number {own.number} of group {own.group}, cannot end: rank "
                    f"{self.before} has ended without it. Rank {world.rank()} is at {own.site}."
                )
            return False
        if not own.is_like(found):
            raise self._differ(own, found)
        if was_like:
            raise self._differed_before(own, theirs)
        return True

    def _asked(self, rank: int) -> tuple[list[Made], bool]:
        """Return the last calls of a rank, and whether it has ended; no calls without answer."""
        store = world.store()
        ended, answer = (f"jaxeager/{kind}/{rank}/{self.id}" for kind in ("ended", "answers"))
        with contextlib.suppress(*_STORE_ERRORS):
            store.key_value_delete(answer)
            store.key_value_set(f"jaxeager/asks/{rank}/{self.id}", "", allow_overwrite=True)
        until = time.monotonic() + _ANSWER_SECONDS
        while time.monotonic() < until:
            for key in (ended, answer):
                with contextlib.suppress(*_STORE_ERRORS):
                    text = store.key_value_try_get(key)
                    return [Made(*each) for each in json.loads(text)], key == ended
            time.sleep(0.2)
        return [], False

    def _first_difference(self, theirs: Sequence[Made]) -> tuple[Made, Made] | None:
        """Return the first two calls that differ after those whose difference was raised."""
        own = [each for each in self.last if each.count > self.raised]
        return first_difference(own, theirs)

    def _differ(self, own: Made, other: Made) -> InvalidArgumentError:
        """Return the error that names two calls."""
        rows = {world.rank(): own, self.before: other}
        hidden = own.call == other.call
        lines = "".join(
            f"\n  rank {rank}: {each.call}{f' with {each.details}' if hidden else ''}, "
            f"at {each.site}"
            for rank, each in sorted(rows.items())
        )
        return InvalidArgumentError(
            f"The ranks of group {own.group} do not make the same call, number {own.number}:{lines}"
            "\nAll ranks of a group make the same calls in the same order, with equal dtypes, "
            "shapes and settings."
        )

    def _differed_before(self, own: Made, theirs: Sequence[Made] = ()) -> InvalidArgumentError:
        """Return the error for calls that differed before the one that is compared."""
        theirs = theirs or self._asked(self.before)[0]
        pair = self._first_difference(theirs)
        if pair is not None:
            return self._differ(*pair)
        return InvalidArgumentError(
            f"The ranks of group {own.group} do not make the same calls. At number {own.number}, "
            f"{own.call}, at {own.site}, rank {self.before} has made others before than rank "
            f"{world.rank()}, or has another value of FLAGS_check_collectives."
        )


def first_difference(own: Sequence[Made], others: Sequence[Made]) -> tuple[Made, Made] | None:
    """Return the first two calls with one count that differ, None when there are none."""
    theirs = {each.count: each for each in others}
    pairs = ((each, theirs[each.count]) for each in own if each.count in theirs)
    return next((pair for pair in pairs if not pair[0].is_like(pair[1])), None)


@functools.lru_cache(1024)
def text_of(kinds: tuple[tuple[tuple[int, ...], Any], ...]) -> str:
    """Return shapes and dtypes as text; a hash of it when it is long."""
    text = " ".join(f"{dtype}{list(shape)}" for shape, dtype in kinds)
    if len(text) <= 100:
        return text
    return (
        f"{len(kinds)} tensors of hash {hashlib.blake2b(text.encode(), digest_size=8).hexdigest()}"
    )


def compare(call: Call) -> None:
    """Compare a call with those of other ranks, when that is due; see Note [Same calls].

    Raises:
        InvalidArgumentError: when they differ.
        UnavailableError: when another rank does not come in time.
    """
    calls = _sequences.get((call.ranks, call.lane)) or _begun(call)
    is_new = calls.add(call)
    how = flags.flag("FLAGS_check_collectives")
    if how is True or (how and (is_new or calls.count % EVERY == 0)):
        calls.compare(call.limit)


def _begun(call: Call) -> _Calls:
    """Return the calls among ranks that have made none yet."""
    with _lock:
        if not _sequences:
            status.each_second.append(answer)
        return _sequences.setdefault((call.ranks, call.lane), _Calls(call.ranks, call.lane))


def answer() -> None:
    """Write the last calls of this rank for ranks that have asked for them."""
    prefix, store = f"jaxeager/asks/{world.rank()}/", world.store()
    with contextlib.suppress(*_STORE_ERRORS):
        for key, _ in store.key_value_dir_get(prefix):
            store.key_value_delete(key)
            _write("answers", key.removeprefix(prefix))


def _write(kind: str, which: str) -> None:
    made = next((list(each.last) for each in list(_sequences.values()) if each.id == which), [])
    world.store().key_value_set(
        f"jaxeager/{kind}/{world.rank()}/{which}", json.dumps(made), allow_overwrite=True
    )


def compare_at_the_end() -> None:
    """Compare the last calls of this rank with those of neighbours that have ended.

    Both write before they read, so at least the later one sees a difference.

    Raises:
        InvalidArgumentError: when they differ.
    """
    if not flags.flag("FLAGS_check_collectives"):
        return
    with contextlib.suppress(*_STORE_ERRORS):  # rank 0, which keeps the store, may have ended
        for each in _sequences.values():
            _write("ended", each.id)
        for each in _sequences.values():
            _compare_ended(each)


def _compare_ended(calls: _Calls) -> None:
    """Raise InvalidArgumentError when a neighbour has ended after other calls."""
    for rank in {calls.before, calls.after}:
        with contextlib.suppress(jax.errors.JaxRuntimeError):  # it has not ended yet
            text = world.store().key_value_try_get(f"jaxeager/ended/{rank}/{calls.id}")
            theirs = [Made(*each) for each in json.loads(text)]
            calls.before = rank
            pair = calls._first_difference(theirs)
            if pair is not None:
                raise calls._differ(*pair)
