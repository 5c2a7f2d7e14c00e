"""What `benchmarks/run.py` is made of: one file a measurement, one a tool."""
