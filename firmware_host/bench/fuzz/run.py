"""Mutates, reads, counts; and says how to repeat what went wrong."""

from __future__ import annotations

import tempfile
import traceback
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from drivers.clock import cpu_s
from drivers.errors import TiltboardError
from firmware_host.bench.fuzz import archives, files, lines
from firmware_host.bench.fuzz.target import Target
from firmware_host.config import nearest
from firmware_host.errors import ConfigError
from firmware_host.quiet import quiet
from games.base import RulesError

TARGETS: tuple[type[Target], ...] = (
    *(lines.FromNode, lines.ToNode, lines.Messages),
    *(files.Scenarios, files.Profiles, files.SettingsFiles, files.Boards, files.Calibrations),
    *(files.Imports, files.Questions, files.PairedDevices, files.Interrupted, archives.Traces),
    archives.Backups,
)
SHOWN_BYTES = 300


class FuzzError(TiltboardError, RuntimeError):
    """Some input ended in an error that is not one of the table's own."""


@dataclass(slots=True)
class Count:
    """Of one target. ``taken``: read without an error; ``refused``: with one of the table's own.

    ``broken``: how many went wrong; ``first``: where -> the first of that kind, as lines of text.
    ``slowest_s``: CPU.
    """

    taken: int = 0
    refused: int = 0
    broken: int = 0
    first: dict[str, str] = field(default_factory=dict)
    slowest_s: float = 0.0


def run(
    echo: Callable[[str], None],
    mutations: int = 2000,
    seed: int = 1,
    target: str = "",
    only: int | None = None,
) -> None:
    """``mutations`` of each target's examples (of one ``target``'s; ``only`` that one of them).

    Raises FuzzError if any ended in another error than the table's own; ConfigError.
    """
    chosen = [kind for kind in TARGETS if target in ("", kind.name)]
    if not chosen:
        raise ConfigError(
            "There is no target {target!r}; {hint}",
            remedy="Leave it out for all of them.",
            target=target,
            hint=nearest(target, [kind.name for kind in TARGETS]),
        )
    numbers = range(mutations) if only is None else range(only, only + 1)
    echo(f"mutations {numbers.start} to {numbers.stop - 1} of seed {seed}")
    echo(f"  {'target':<12} {'read':<30} {'taken':>7} {'refused':>8} {'broken':>7} {'slowest':>9}")
    broken = 0
    first: list[str] = []
    for kind in chosen:
        count = fuzz(kind, numbers, seed)
        broken += count.broken
        first += count.first.values()
        echo(
            f"  {kind.name:<12} {kind.what:<30} {count.taken:>7} {count.refused:>8}"
            f" {count.broken:>7} {count.slowest_s * 1000:>6.0f} ms"
        )
    for each in first:
        echo(each)
    if broken:
        raise FuzzError(
            "{count} mutations did not end in one of the table's own errors.",
            remedy="Repeat the first of each kind with the command above it.",
            count=broken,
        )


def fuzz(kind: type[Target], numbers: Iterable[int], seed: int) -> Count:
    """Have ``kind`` read the mutations with these ``numbers``. Each depends on seed and number."""
    from hw_sim.rng import Streams

    count = Count()
    with tempfile.TemporaryDirectory() as folder, quiet(), warnings.catch_warnings():
        warnings.simplefilter("error")
        target = kind(Path(folder))
        with target.held:
            examples = target.examples()
            _check(target, examples)
            for number in numbers:
                stream = Streams(seed).stream(f"{kind.name}-{number}")
                data = target.spoil(stream, examples)
                before_s = cpu_s()
                why = _attempt(target, data, count)
                count.slowest_s = max(count.slowest_s, cpu_s() - before_s)
                if why is not None:
                    where, what = why
                    again = f"--target {kind.name} --seed {seed} --only {number}"
                    shown = f"tiltboard bench fuzz {again}\n  {data[:SHOWN_BYTES]!r}\n  {what}"
                    count.broken += 1
                    count.first.setdefault(where, shown)
    return count


def _check(target: Target, examples: Sequence[bytes]) -> None:
    """The first example must be read as it is, or nothing would be tested."""
    if not target.read(examples[0]):
        raise RuntimeError(f"{target.name}: the example is refused")


def _attempt(target: Target, data: bytes, count: Count) -> tuple[str, str] | None:
    """Where and what went wrong, if anything did."""
    try:
        if target.read(data):
            count.taken += 1
        else:
            count.refused += 1
    except (TiltboardError, RulesError) as error:
        count.refused += 1
        if "\n" not in str(error):
            return None
        return _where(error), f"more than one line: {error}"
    except Exception as error:  # noqa: BLE001 - any other is what is looked for
        return _where(
            error
        ), f"{type(error).__name__}: {str(error)[:SHOWN_BYTES]} ({_where(error)})"
    return None


def _where(error: Exception) -> str:
    """Where it was raised."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"{last.filename}:{last.lineno}"
