"""Recorded raw scans: a trace is a bug report, and then a regression test."""

from __future__ import annotations

from firmware_host.trace.format import TraceHeader
from firmware_host.trace.reader import Trace, read_trace
from firmware_host.trace.replay import replay
from firmware_host.trace.writer import TraceWriter, header_for

__all__ = ["Trace", "TraceHeader", "TraceWriter", "header_for", "read_trace", "replay"]
