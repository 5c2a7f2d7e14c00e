"""Tools for time: a recorder of events, its tables and pictures, and no_compile."""
