"""Snapshots with changed fields, for states that a test's table cannot reach."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from tiltboard.firmware_host.service.snapshot import GROUPS, Snapshot


def with_fields(snapshot: Snapshot, **fields: Any) -> Snapshot:
    """Return ``snapshot`` with changed fields, which belong to the snapshot or to one of its
    groups.
    """
    for name, value in fields.items():
        if name in Snapshot.__struct_fields__:
            snapshot = replace(snapshot, **{name: value})
        else:
            group = next(each for each in GROUPS if hasattr(getattr(snapshot, each), name))
            changed = replace(getattr(snapshot, group), **{name: value})
            snapshot = replace(snapshot, **{group: changed})
    return snapshot
