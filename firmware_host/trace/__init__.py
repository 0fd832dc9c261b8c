"""Recorded raw scans: a trace is a bug report, and then a regression test."""

from __future__ import annotations

from firmware_host.trace.format import Trace, TraceHeader, TraceWriter, header_for, read_trace
from firmware_host.trace.replay import replay

__all__ = ["Trace", "TraceHeader", "TraceWriter", "header_for", "read_trace", "replay"]
