"""Where a result lies: the ``place`` of ops that make tensors."""


def placed(found, place):
    """Return a new tensor where a place says; where it is without one."""
    return found if place is None or found.place == place else found.to(place)
