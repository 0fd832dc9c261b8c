"""One cause does not fill the card, and hides no other."""

from __future__ import annotations

import logging

from firmware_host.service.log import AGAIN_S, MOST_AT_ONCE, MOST_CAUSES, OneCauseAtATime


def record(created_s, line=1, text="no descriptor is left", error=None):
    info = None if error is None else (type(error), error, None)
    made = logging.LogRecord("asyncio", logging.ERROR, "loop.py", line, text, None, info)
    made.created = created_s
    return made


def test_a_cause_that_comes_a_thousand_times_a_second_is_written_ten_times_a_minute():
    limit = OneCauseAtATime()
    told = [each for n in range(100_000) if limit.filter(each := record(n / 1000))]
    assert len(told) == 2 * MOST_AT_ONCE
    assert told[MOST_AT_ONCE].getMessage() == (
        f"no descriptor is left (and {60_000 - MOST_AT_ONCE} more such lines)"
    )


def test_another_cause_is_written_meanwhile():
    limit = OneCauseAtATime()
    for n in range(100):
        limit.filter(record(n / 1000))
    assert limit.filter(record(0.2, line=2))
    assert limit.filter(record(0.2, error=OSError()))
    assert not limit.filter(record(0.2))
    assert limit.filter(record(-AGAIN_S))  # the clock was set


def test_what_it_remembers_and_writes_is_limited():
    limit = OneCauseAtATime()
    for line in range(3 * MOST_CAUSES):
        limit.filter(record(0.0, line=line))
    assert len(limit._causes) == MOST_CAUSES
    long = record(0.0, line=-1, text="x" * 10**6)
    assert limit.filter(long)
    assert len(long.getMessage()) < 5000
