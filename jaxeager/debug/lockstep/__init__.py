"""The same program under two libraries, gradient by gradient: docs/lockstep.md."""
