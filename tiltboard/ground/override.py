"""The decorator ``override`` of the typing module (Python 3.12), also for older Python versions."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

__all__ = ["override"]

if TYPE_CHECKING:
    from typing_extensions import override
else:
    M = TypeVar("M", bound=Callable[..., Any])

    def override(method: M) -> M:
        """Return the method unchanged. The docstring of the overridden method applies."""
        return method
