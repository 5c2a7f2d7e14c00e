"""The memory that devices allocate: the meter, and the log that is printed at exit."""
