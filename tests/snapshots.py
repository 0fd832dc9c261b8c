"""Snapshots with other fields, for what a test's table cannot be brought to show."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from tiltboard.firmware_host.service.snapshot import GROUPS, Snapshot


def with_fields(snapshot: Snapshot, **fields: Any) -> Snapshot:
    """Return ``snapshot`` with these fields, each of the snapshot or of the group that has it."""
    for name, value in fields.items():
        if name in Snapshot.__struct_fields__:
            snapshot = replace(snapshot, **{name: value})
        else:
            group = next(each for each in GROUPS if hasattr(getattr(snapshot, each), name))
            changed = replace(getattr(snapshot, group), **{name: value})
            snapshot = replace(snapshot, **{group: changed})
    return snapshot
