"""Ways to damage the bytes of a file, at random."""


def position(draw, data) -> int:
    """Return a position, the end included."""
    return draw.randrange(len(data) + 1)


def flip(draw, data, others):
    """Flip a bit."""
    if data:
        data[draw.randrange(len(data))] ^= 1 << draw.randrange(8)


def change(draw, data, others):
    """Change a byte."""
    if data:
        data[draw.randrange(len(data))] = draw.randrange(256)


def cut(draw, data, others):
    """Cut the end off."""
    del data[position(draw, data) :]


def repeat(draw, data, others):
    """Insert copies of a part."""
    start = position(draw, data)
    part = data[start : start + draw.choice((1, 5, 60, 1000))]
    at = position(draw, data)
    data[at:at] = part * draw.choice((1, 1, 2, 50))
