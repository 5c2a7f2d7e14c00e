"""A model of tensors that share memory: NumPy has the place of each, JAX its values.

A `Memory` is a flat array of cells. A `Model` tensor is the integer array of its cells, which is a
NumPy view of the memory's own numbering: slicing it, transposing it or taking its diagonal does
what the program does to the tensor. A write changes cells, for all tensors that read them.

Tensors that were cut off from each other (`detach`, a view under `no_grad`) share values but no
history. So a memory has its cells once per group: a recorded write gives one group new cells with
their history, and the other groups the new values with their previous history.
"""

import jax
import jax.numpy as jnp
import numpy as np


class Memory:
    """Cells that tensors share.

    Attributes:
        numbers: the cells' numbers in the shape of the first tensor; its views are tensors' cells.
        groups: per group the flat array of the cells' values, with its history.
        counter: a list of one number, the version; copies made by reshape count with it.
    """

    def __init__(self, values, shape, counter=None):
        self.numbers = np.arange(int(np.prod(shape))).reshape(shape)
        self.groups = [jnp.asarray(values).reshape(-1)]
        self.counter = [0] if counter is None else counter


class Model:
    """A tensor of the model.

    Attributes:
        memory: its memory.
        group: the number of its group there.
        cells: the numbers of its cells, a view of ``memory.numbers``.
        is_leaf: whether it requires gradients and no op created it.
    """

    def __init__(self, memory, group, cells, is_leaf=False):
        self.memory, self.group, self.cells, self.is_leaf = memory, group, cells, is_leaf

    @property
    def shape(self):
        return self.cells.shape

    @property
    def version(self):
        return self.memory.counter[0]

    def read(self):
        """Return its values, flat."""
        return self.memory.groups[self.group][self.cells.reshape(-1)]

    def view(self, read):
        """Return the view that a function of NumPy arrays reads; a copy gets its own memory."""
        cells = read(self.cells)
        if np.may_share_memory(cells, self.memory.numbers) or not cells.size:
            return Model(self.memory, self.group, cells)
        values = self.memory.groups[self.group][cells.reshape(-1)]
        copy = Memory(values, cells.shape, self.memory.counter)
        return Model(copy, 0, copy.numbers)

    def cut(self):
        """Return the same cells without history."""
        groups = self.memory.groups
        groups.append(jax.lax.stop_gradient(groups[self.group]))
        return Model(self.memory, len(groups) - 1, self.cells)

    def write(self, values, is_recorded=True, moves_version=True):
        """Write flat values. For a cell that occurs several times the last one stays."""
        cells, last = np.unique(self.cells.reshape(-1)[::-1], return_index=True)
        values = jnp.broadcast_to(values, self.cells.size)[::-1][last]
        for number, held in enumerate(self.memory.groups):
            new = values
            if number != self.group or not is_recorded:
                old = held[cells]
                new = old + jax.lax.stop_gradient(values - old)
            self.memory.groups[number] = held.at[cells].set(new)
        self.memory.counter[0] += moves_version
