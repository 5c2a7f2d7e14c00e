"""Maps from the pixels of a result to those of an image: rotation, affine, perspective."""

import math
from collections.abc import Sequence

import numpy as np


def affine_matrix(center, angle: float, translate, scale: float, shear) -> list[float]:
    """Return the six numbers that map a point of the result to one of the image.

    The map inverts these steps: shear and rotate about the center, scale, move.

    Args:
        center: x and y of the fixed point.
        angle: rotation in degrees, clockwise.
        translate: distance to move along x and y.
        scale: scale factor of the result.
        shear: shear in degrees, along x and y.
    """
    turn, shear_x, shear_y = (math.radians(each) for each in (angle, *shear))
    cos, sin = (f(turn - shear_y) / math.cos(shear_y) for f in (math.cos, math.sin))
    down = -cos * math.tan(shear_x) - math.sin(turn)
    right = -sin * math.tan(shear_x) + math.cos(turn)
    linear = [right / scale, -down / scale, -sin / scale, cos / scale]
    x, y = (-at - by for at, by in zip(center, translate, strict=True))
    return [
        *linear[:2], linear[0] * x + linear[1] * y + center[0],
        *linear[2:], linear[2] * x + linear[3] * y + center[1],
    ]  # fmt: skip


def rotation_matrix(
    size: tuple[int, int], angle: float, center=None, expand: bool = False
) -> tuple[list[float], tuple[int, int]]:
    """Return the six numbers of a rotation, as for ``affine_matrix``, and (width, height).

    Args:
        size: width and height of the image.
        angle: rotation in degrees, counterclockwise.
        center: x and y of the center of rotation; None for the middle.
        expand: whether to enlarge the result so that it holds the whole image.
    """
    width, height = size
    turn = -math.radians(angle % 360)
    cos, sin = round(math.cos(turn), 15), round(math.sin(turn), 15)
    x, y = (width / 2, height / 2) if center is None else center
    matrix = [cos, sin, x - cos * x - sin * y, -sin, cos, y + sin * x - cos * y]
    if not expand:
        return matrix, size
    corners = [
        (matrix[0] * i + matrix[1] * j + matrix[2], matrix[3] * i + matrix[4] * j + matrix[5])
        for i, j in ((0, 0), (width, 0), (width, height), (0, height))
    ]
    wide, high = (
        math.ceil(max(along)) - math.floor(min(along)) for along in zip(*corners, strict=True)
    )
    back = (width - wide) / 2, (height - high) / 2
    matrix[2] += matrix[0] * back[0] + matrix[1] * back[1]
    matrix[5] += matrix[3] * back[0] + matrix[4] * back[1]
    return matrix, (wide, high)


def perspective_coefficients(startpoints: Sequence, endpoints: Sequence) -> list[float]:
    """Return the eight numbers a..h of the map ``((ax + by + c) / s, (dx + ey + f) / s)``.

    Its divisor s is ``gx + hy + 1``; it maps each endpoint to its startpoint.
    """
    rows = []
    for (x, y), (u, v) in zip(endpoints, startpoints, strict=True):
        rows.append([x, y, 1, 0, 0, 0, -u * x, -u * y])
        rows.append([0, 0, 0, x, y, 1, -v * x, -v * y])
    found = np.linalg.lstsq(np.array(rows, float), np.array(startpoints, float).ravel(), rcond=None)
    return found[0].tolist()
