"""The page beside a scenario that a person carries out: it says what is asked."""

from __future__ import annotations

import threading
from collections.abc import Callable

from firmware_host.host.host import Host
from firmware_host.messages import Catalogue
from firmware_host.scenario.person import RealTable, StoppedError
from firmware_host.service.table import Table
from firmware_host.web.server import WebServer


def with_page(
    real: RealTable,
    catalogue: Catalogue,
    port: int,
    play: Callable[[], int],
    tell: Callable[[str], None],
) -> int:
    """``play()``, in the table's thread, while the page is served on this machine's own address.

    ``tell`` is given the page's URL before. Opens and closes ``real``. Raises what kept the table
    or the page from opening, and what ``play`` raised.
    """
    done, ending = threading.Event(), threading.Event()
    result: list[int] = []

    def run(stepped: Callable[[Host], None]) -> None:
        served.wait()

        def watch(host: Host) -> None:
            stepped(host)
            if ending.is_set():
                raise StoppedError("The run was stopped here.")

        real.stepped = watch
        result.append(play())

    served = threading.Event()
    table = Table(
        lambda: real.__enter__().host,
        lambda: None,
        real.clock,
        close=lambda: real.__exit__(None, None, None),
        loop=run,
        on_stop=done.set,
    )
    server = WebServer(table, port, catalogue)
    try:
        table.start()
        server.start()
        tell(server.url)
        served.set()
        done.wait()
    finally:
        ending.set()
        served.set()
        server.stop()
        table.stop()
    if table.failure is not None:
        raise table.failure
    return result[0]
