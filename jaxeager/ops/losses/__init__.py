"""The rows that losses record."""
