"""Data sets that tests of loaders read."""

from jaxeager import io


class Made(io.Dataset):
    """A data set whose ``n`` samples are those of a function of the index."""

    def __init__(self, make, n=8):
        self.make = make
        self.n = n

    def __getitem__(self, idx):
        return self.make(idx)

    def __len__(self):
        return self.n
