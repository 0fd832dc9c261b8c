"""What a Raspberry Pi's config.txt switches on, as far as a table needs it.

Source: https://www.raspberrypi.com/documentation/computers/config_txt.html: ``[filter]`` lines,
``dtparam=a=on,b=on``, a value that is left out means on.
"""

from __future__ import annotations

MODELS = {  # filter -> how such a Pi's model begins
    "pi3": "Raspberry Pi 3",
    "pi3+": "Raspberry Pi 3 Model B Plus",
    "pi4": "Raspberry Pi 4",
    "pi5": "Raspberry Pi 5",
    "pi02": "Raspberry Pi Zero 2",
    "pi0w": "Raspberry Pi Zero W",
    "pi400": "Raspberry Pi 400",
    "pi500": "Raspberry Pi 500",
    "cm4": "Raspberry Pi Compute Module 4",
    "cm5": "Raspberry Pi Compute Module 5",
}
# With one of these the mini UART is not at the header, and enable_uart leaves the clock as it is.
OTHER_UART = frozenset({"dtoverlay=disable-bt", "dtoverlay=miniuart-bt"})
ON = ("on", "yes", "true", "1", "")


def settings_in(text: str, model: str) -> frozenset[str]:
    """Lines in force for ``model``, each as ``key=value`` or ``dtparam=key=value``.

    Lines under a filter that is not in the table above are taken not to be in force.
    """
    found: set[str] = set()
    in_force = True
    for raw in text.splitlines():
        line = raw.partition("#")[0].strip()
        if line.startswith("[") and line.endswith("]"):
            name = line[1:-1].lower()
            in_force = name == "all" or (name in MODELS and model.startswith(MODELS[name]))
        elif line and in_force:
            found.update(_settings(line))
    return frozenset(found)


def core_clock_stands_still(settings: frozenset[str]) -> bool:
    """Whether other settings than core_freq keep a Pi 4 or earlier at one core clock. Any will do:
    the kernel divides it for SPI.

    Source: https://www.raspberrypi.com/documentation/computers/configuration.html, mini UART and
    core frequency.
    """
    uart = "enable_uart=1" in settings and not settings & OTHER_UART
    return uart or "force_turbo=1" in settings


def _settings(line: str) -> set[str]:
    key, _, value = (part.strip() for part in line.partition("="))
    if key != "dtparam":
        # An overlay's own parameters do not matter here.
        return {f"{key}={value.partition(',')[0].strip() if key == 'dtoverlay' else value}"}
    found = set()
    for item in value.split(","):
        name, _, setting = (part.strip() for part in item.partition("="))
        name = {"i2c": "i2c_arm", "i2c_baudrate": "i2c_arm_baudrate"}.get(name, name)
        found.add(f"dtparam={name}={'on' if setting.lower() in ON else setting}")
    return found
