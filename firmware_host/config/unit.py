"""The part of the systemd unit that depends on the table: its devices, groups and networks."""

from __future__ import annotations

import ipaddress

from firmware_host.config.needs import needs_of, needs_of_speaker
from firmware_host.config.profile import Profile
from firmware_host.config.settings import Settings

# RFC 1918, RFC 4193 and link-local: what a household's network uses
PRIVATE_NETWORKS = (
    "10.0.0.0/8",
    "172.16.0.0/12",
    "192.168.0.0/16",
    "169.254.0.0/16",
    "fc00::/7",
    "fe80::/10",
)


def drop_in(profile: Profile, settings: Settings) -> str:
    """A drop-in for tiltboard.service."""
    needs = (*needs_of(profile), *needs_of_speaker(settings.speaker))
    groups = dict.fromkeys(need.kind.group for need in needs)
    allowed = dict.fromkeys(name for need in needs for name in need.kind.allow)
    lines = [
        f"# Of profile {profile.name} and the settings; written anew by: make install-service",
        "[Service]",
        f"SupplementaryGroups={' '.join(groups)}",
        *(f"DeviceAllow={name} rw" for name in allowed),
    ]
    if not ipaddress.ip_address(settings.host).is_loopback:
        lines += [
            "# The setting host opens the page to the network: to a household's own only.",
            f"IPAddressAllow={' '.join(PRIVATE_NETWORKS)}",
        ]
    return "\n".join(lines) + "\n"
