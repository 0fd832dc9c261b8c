"""What the doctor says of the service: whether it may use, under its unit, what the table needs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from drivers.errors import how_to_install
from firmware_host.commissioning.findings import Finding, note, ok, problem
from firmware_host.config.needs import Need
from firmware_host.doctor.machine import Machine
from firmware_host.doctor.service_rights import Service
from firmware_host.messages import text


def examine_service(
    service: Service | None, machine: Machine, needs: Sequence[Need]
) -> Iterator[Finding]:
    """By what systemd has loaded, and each device's owner and mode."""
    if service is None:
        yield note(
            "service",
            text("The service is not installed, or systemd does not answer: it was not checked."),
            text("To install it: sudo make install-service"),
        )
        return
    found = [*_devices(service, machine, needs), *_packages(service, needs)]
    yield from found or [
        ok("service", text("The service, as {user}, may use all of it.", user=service.user))
    ]


def _devices(service: Service, machine: Machine, needs: Sequence[Need]) -> Iterator[Finding]:
    install = text("Run: sudo make install-service")
    for need in {need.device: need for need in needs}.values():
        path = machine.path(need.device)
        if not service.unit_allows(need.device, need.kind):
            yield problem(
                "service",
                text("The service may not use {device}: its unit keeps it.", device=need.device),
                install,
            )
        elif path.exists() and not service.may_open(path):
            yield problem(
                "service",
                text(
                    "The service's user {user} may not use {device}.",
                    user=service.user,
                    device=need.device,
                ),
                install,
            )


def _packages(service: Service, needs: Sequence[Need]) -> Iterator[Finding]:
    wanted = list(dict.fromkeys(modules for need in needs for modules in need.modules))
    try:
        lacking = service.lacks(name for modules in wanted for name in modules)
    except OSError as error:
        yield note(
            "service",
            text("The service's Python could not be asked: {why}.", why=error.strerror or error),
        )
        return
    for modules in wanted:
        if lacking.issuperset(modules):
            yield problem(
                "service",
                text("The service lacks the Python package {package}.", package=modules[0]),
                text(
                    "Run: {command} (with pip as /opt/tiltboard/bin/pip, as root); then:"
                    " sudo systemctl restart tiltboard",
                    command=how_to_install(modules[0]),
                ),
            )
