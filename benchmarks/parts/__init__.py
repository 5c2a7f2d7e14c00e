"""The parts of `benchmarks/run.py`: one file per measurement, one per tool."""
