"""memory_summary: the allocations of a device, as a table."""

from collections import Counter

from jaxeager.core.places import place_of
from jaxeager.device.properties import device_of, get_device_properties

_MIB = 1 << 20
_CLASSES = ("1K", 1 << 10), ("1M", _MIB), ("10M", 10 * _MIB), ("100M", 100 * _MIB), ("1G", 1 << 30)


def memory_summary(device=None) -> None:
    """Print the memory of a device, its allocations, and its live buffers by size.

    Args:
        device: "cpu", "gpu:0", a number, a Place or a Device; the current device by default.

    Raises:
        InvalidArgumentError: when this machine has no such device.

    Paddle: raises AttributeError on a machine that has only a CPU.

    Example:
        >>> import jaxeager as paddle
        >>> paddle.device.cuda.memory_summary()  # doctest: +ELLIPSIS
        Global Summary (cpu)...
    """
    from jaxeager.debug.memory.meter import ALLOCATED, RESERVED, live_buffers, meter

    found = device_of(device)
    name, total = place_of(found).name(), get_device_properties(found).total_memory
    seen = meter(found)
    now = seen.measure()
    lines = [f"Global Summary ({name})"]
    lines += [_line("Model", found.device_kind), _line("Total", _megabytes(total))]
    lines += ["", "Allocator Summary", _line("Allocated", _megabytes(now.allocated))]
    lines += [_line("Peak allocated", _megabytes(seen.peak(ALLOCATED)))]
    lines += [_line("Reserved", _megabytes(now.reserved))]
    lines += [_line("Peak reserved", _megabytes(seen.peak(RESERVED)))]
    lines += ["", "Distribution", _line("Size", "Buffers   Together")]
    lines += [
        _line(f"up to {label}", f"{count:7}   {_megabytes(nbytes)}")
        for label, count, nbytes in _distribution(live_buffers(found).values())
    ]
    print("\n".join(lines))


def _line(what: str, value: str) -> str:
    return f"  {what:16}{value}"


def _megabytes(nbytes: int | None) -> str:
    return "unknown" if nbytes is None else f"{nbytes / _MIB:.3f} MB"


def _distribution(sizes) -> list[tuple[str, int, int]]:
    """Return (size class, number, bytes) of buffers."""
    counts, sums = Counter(), Counter()
    for nbytes in sizes:
        label = next((label for label, most in _CLASSES if nbytes <= most), "more")
        counts[label] += 1
        sums[label] += nbytes
    labels = [label for label, _ in _CLASSES] + ["more"]
    return [(label, counts[label], sums[label]) for label in labels if counts[label]]
