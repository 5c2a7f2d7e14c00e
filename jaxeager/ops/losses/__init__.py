"""What losses record."""
