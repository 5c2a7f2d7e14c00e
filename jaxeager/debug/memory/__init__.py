"""The memory that devices give out: the meter, and the log that is printed at exit."""
