"""The ``place`` argument of ops that create tensors."""


def placed(found, place):
    """Return a new tensor on the given place; unchanged if no place is given."""
    return found if place is None or found.place == place else found.to(place)
