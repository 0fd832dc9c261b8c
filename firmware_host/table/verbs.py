"""What every verb of the table's vocabulary is made of."""

from __future__ import annotations

from typing import Annotated

import msgspec

# Without control characters: names stand in sentences and in the log
Name = Annotated[
    str, msgspec.Meta(min_length=1, max_length=40, pattern=r"^[^\x00-\x1f\x7f-\x9f\u2028\u2029]+$")
]
Number = Annotated[int, msgspec.Meta(ge=0, le=2**53)]


class Verb(msgspec.Struct, frozen=True, tag_field="type", forbid_unknown_fields=True):
    """A thing to ask for. The limits of its fields are checked where one is decoded."""
