"""Who may talk to the page: this machine's own browser, and no page of somebody else's.

The table has no passwords, so a foreign web site must not reach it through the visitor's browser:
neither directly (Origin) nor by a name of its own that points here (Host, DNS rebinding).
"""

from __future__ import annotations

from collections.abc import Callable

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LOCAL_NAMES = ("localhost", "127.0.0.1", "[::1]")

SECURITY_HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}


class TokenBucket:
    """Lets ``burst`` things through at once and ``per_s`` a second after that."""

    def __init__(self, per_s: float, burst: float, now: Callable[[], float]) -> None:
        self._per_s = per_s
        self._burst = burst
        self._now = now
        self._tokens = burst
        self._filled_s = now()

    def take(self) -> bool:
        """True, and one token fewer, where there is one."""
        now = self._now()
        grown = self._tokens + (now - self._filled_s) * self._per_s
        self._tokens = min(self._burst, grown)
        self._filled_s = now
        if self._tokens < 1:
            return False
        self._tokens -= 1
        return True


def is_local(headers: Headers, port: int | None) -> bool:
    """Whether Host names this machine and Origin, if there is one, is our own page."""
    hosts = headers.getlist("host")
    origins = headers.getlist("origin")
    names = {f"{name}:{port}" for name in LOCAL_NAMES}
    if port == 80:
        names |= set(LOCAL_NAMES)
    if len(hosts) != 1 or hosts[0].lower() not in names:
        return False
    return all(origin.lower() in {f"http://{name}" for name in names} for origin in origins)


class LocalOnly:
    """ASGI middleware: refuses foreign requests with 403 and adds the security headers."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on what comes from this machine's own page."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        server = scope.get("server")
        allowed = is_local(Headers(scope=scope), server[1] if server else None)
        if scope["type"] == "websocket":
            if allowed:
                await self._app(scope, receive, send)
            else:  # before it is accepted, this answers 403
                await receive()
                await send({"type": "websocket.close", "code": 1008})
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(SECURITY_HEADERS)
            await send(message)

        if allowed:
            await self._app(scope, receive, send_guarded)
        else:
            refusal = PlainTextResponse("Only this machine's own page may talk to the table.", 403)
            await refusal(scope, receive, send_guarded)
