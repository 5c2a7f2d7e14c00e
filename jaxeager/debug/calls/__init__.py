"""Logs of calls of public APIs: FLAGS_trace_api, and the configuration text it writes."""
