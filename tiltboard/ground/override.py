"""``override`` of typing, from Python 3.12 on: what its base says holds for the method."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

__all__ = ["override"]

if TYPE_CHECKING:
    from typing_extensions import override
else:
    M = TypeVar("M", bound=Callable[..., Any])

    def override(method: M) -> M:
        """Return the method, of which its base's docstring is true."""
        return method
