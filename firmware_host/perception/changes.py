"""Several places that changed together, understood as what a person did."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from firmware_host.table.sight import BoardEvent, Happening, Magnet

Change = tuple[Magnet, Magnet]  # before, after


def understand(
    time_s: float,
    changes: Mapping[int, Change],
    *,
    columns: int,
    seen_between: Collection[int] | None,
    slid: Mapping[int, int | None],
) -> tuple[BoardEvent, ...]:
    """The events that explain ``changes`` (place -> before and after).

    ``seen_between``: places over which something moved meanwhile; None where nobody could look.
    ``slid``: source and target of pieces that were followed.
    """
    if len(changes) >= 3:
        places = tuple(sorted(changes))
        after = tuple(changes[i][1] for i in places)
        return (BoardEvent(time_s, Happening.KNOCKED, places, after),)
    if len(changes) == 2:
        slide = _slide(changes, columns, seen_between, slid)
        if slide is not None:
            magnets = tuple(changes[i][1] for i in slide)
            return (BoardEvent(time_s, Happening.SLID, slide, magnets),)
    # What was lifted comes first: the same hand may have put it down again.
    order = sorted(changes, key=lambda i: (changes[i][1] is not Magnet.NONE, i))
    return tuple(BoardEvent(time_s, _single(changes[i]), (i,), (changes[i][1],)) for i in order)


def _single(change: Change) -> Happening:
    before, after = change
    if before is Magnet.NONE:
        return Happening.PLACED
    return Happening.LIFTED if after is Magnet.NONE else Happening.REPLACED


def _slide(
    changes: Mapping[int, Change],
    columns: int,
    seen_between: Collection[int] | None,
    slid: Mapping[int, int | None],
) -> tuple[int, int] | None:
    """Source and target, where the two changes are one piece that never left the plate."""
    first, second = changes
    source, target = (first, second) if changes[first][1] is Magnet.NONE else (second, first)
    if changes[source] != (changes[target][1], Magnet.NONE):
        return None
    if changes[target][0] is not Magnet.NONE:
        return None
    if slid.get(source) == target:
        return source, target
    if seen_between is not None and not _joined(source, target, columns, seen_between):
        return None
    return source, target


def _joined(source: int, target: int, columns: int, seen: Collection[int]) -> bool:
    """Whether steps to neighbouring places that were passed lead from source to target."""
    left = {*seen, target} - {source}
    edge = [source]
    while edge:
        y, x = divmod(edge.pop(), columns)
        near = [i for i in left if abs(i // columns - y) <= 1 and abs(i % columns - x) <= 1]
        if target in near:
            return True
        left.difference_update(near)
        edge.extend(near)
    return False
