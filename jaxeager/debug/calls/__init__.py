"""Lines about calls of public APIs: FLAGS_trace_api, and the configuration it writes."""
