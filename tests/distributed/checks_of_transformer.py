"""The example's five ways against the same steps in plain JAX; run by test_on_devices.py."""

from examples import parallel_transformer as example
from jaxeager.distributed.mesh.collective_counts import counted
from tests.distributed import plain_transformer


def check_messages_and_losses():
    wanted = example.train(example.OneDevice(), 3)[0]
    for name, way in example.WAYS.items():
        losses, program = example.train_compiled(way(), 3)
        plain_losses, plain = plain_transformer.run(way(), 3)
        for each in (losses, plain_losses):
            assert max(abs(a - b) for a, b in zip(each, wanted, strict=True)) < 1e-4, name
        ours, theirs = counted(program), counted(plain)
        if way().mesh.shape[1] == 1:
            assert ours == theirs, name
        else:  # of softmax and norms there are several ways to write the gradient
            assert sum(ours.values()) <= sum(theirs.values()), (name, ours, theirs)
