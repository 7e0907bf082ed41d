"""How far apart colours look, to people with each kind of colour vision."""

from __future__ import annotations

from itertools import combinations

import numpy as np

# What is seen of linear red, green and blue by those who lack one kind of cone: Machado, Oliveira and
# Fernandes (2009), at severity 1.
SEEN = {
    "usual": np.eye(3),
    "protanopia": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "deuteranopia": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
    "tritanopia": np.array(
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ]
    ),
}
# From linear sRGB to CIE XYZ, with the white of daylight.
TO_XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)


def as_seen(colour, vision):
    """Return lightness and the two axes of colour (CIE L*a*b*) of a colour such as "#0072B2"."""
    light = np.array([int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)])
    linear = np.where(light <= 0.04045, light / 12.92, ((light + 0.055) / 1.055) ** 2.4)
    x, y, z = TO_XYZ @ np.clip(SEEN[vision] @ linear, 0, 1) / TO_XYZ.sum(axis=1)
    x, y, z = (
        np.cbrt(one) if one > (6 / 29) ** 3 else one / (3 * (6 / 29) ** 2) + 4 / 29 for one in (x, y, z)
    )
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def least_distance(colours, vision):
    """Return how far apart the two colours are that look the most alike; 100 is from black to white."""
    seen = [as_seen(colour, vision) for colour in colours]
    return min(float(np.linalg.norm(one - other)) for one, other in combinations(seen, 2))
