"""Tests of firmware_host/config/boot.py: config.txt as its documentation says that it is read.

Sources: the pages named in the module; for what they leave open raspberrypi/firmware #1569 (GPIO
filters replace each other), #1669 (a number ends where its digits end), #1839 (unknown filters),
bluerobotics/BlueOS #4488 (a comment behind an overlay's name), and Ubuntu's page on config.txt
(capitals, blanks, comments).
"""

from __future__ import annotations

import re

import pytest

from tiltboard.firmware_host.config.boot import lines_for_every_pi, pi_of, read_boot_config
from tiltboard.firmware_host.config.pi_board import GPIO_MODULES, gpio_need
from tiltboard.firmware_host.config.profile import load_profile, profile_names

# As /proc/device-tree/model has them: each Pi that runs the 64-bit system, and its filters.
PIS = {
    "Raspberry Pi Zero 2 W Rev 1.0": "pi02 pi0w pi0",
    "Raspberry Pi 3 Model A Plus Rev 1.0": "pi3 pi3+",
    "Raspberry Pi 3 Model B Rev 1.2": "pi3",
    "Raspberry Pi 3 Model B Plus Rev 1.3": "pi3 pi3+",
    "Raspberry Pi Compute Module 3 Rev 1.0": "pi3",
    "Raspberry Pi Compute Module 3 Plus Rev 1.0": "pi3",
    "Raspberry Pi 4 Model B Rev 1.5": "pi4",
    "Raspberry Pi 400 Rev 1.0": "pi4 pi400",
    "Raspberry Pi Compute Module 4 Rev 1.1": "pi4 cm4",
    "Raspberry Pi Compute Module 4S Rev 1.0": "pi4 cm4s",
    "Raspberry Pi 5 Model B Rev 1.1": "pi5",
    "Raspberry Pi 500 Rev 1.0": "pi5 pi500",
    "Raspberry Pi 500+ Rev 1.0": "pi5 pi500",
    "Raspberry Pi Compute Module 5 Rev 1.0": "pi5 cm5",
    "Raspberry Pi Compute Module 5 Lite Rev 1.0": "pi5 cm5",
}
# Revision codes' board types, from the documentation's table of them.
BOARD_TYPES = dict(
    zip(
        PIS,
        (0x12, 0xE, 0x8, 0xD, 0xA, 0x10, 0x11, 0x13, 0x14, 0x15, 0x17, 0x19, 0x19, 0x18, 0x1A),
        strict=True,
    )
)
EVERY = {name for names in PIS.values() for name in names.split()} | {"pi1", "pi2"}
ZERO, THREE, CM3, FOUR, CM4, FIVE = (
    next(model for model in PIS if model.startswith(f"Raspberry Pi {name} "))
    for name in ("Zero 2 W", "3 Model B", "Compute Module 3", "4", "Compute Module 4", "5")
)
SERIAL = 0x1000_0000_1234_5678

SPI, SPI1, I2C = "dtparam=spi=on", "dtoverlay=spi1-1cs", "dtparam=i2c_arm=on"
FAST = "dtparam=i2c_arm_baudrate=400000"
CORE, CORE_MIN = "core_freq=500", "core_freq_min=500"


def read(text: str, model: str = FOUR, **included: str):
    files = {"boot/firmware/config.txt": text}
    files |= {f"boot/firmware/{name}.txt": text for name, text in included.items()}
    return read_boot_config("boot/firmware/config.txt", files.get, model, SERIAL)


def answer(text: str, line: str, model: str = FOUR, **included: str) -> bool | None:
    """Whether it holds; None: perhaps."""
    boot = read(text, model, **included)
    assert not boot.sure & boot.perhaps
    return None if line in boot.perhaps else line in boot.sure


@pytest.mark.parametrize("model", PIS)
def test_a_model_filter_holds_on_the_models_of_the_table(model):
    for name in EVERY:
        assert answer(f"[{name}]\n{SPI}", SPI, model) is (name in PIS[model].split()), name
    for other, board_type in BOARD_TYPES.items():
        for written in (f"{board_type:#x}", str(board_type)):
            held = answer(f"[board-type={written}]\n{SPI}", SPI, model)
            same = BOARD_TYPES[model] == board_type
            assert held is same, (written, other)


@pytest.mark.parametrize(
    ("text", "line", "held"),
    [
        # The last value wins.
        (f"{SPI}\ndtparam=spi=off", SPI, False),
        (f"dtparam=spi=off\n{SPI}", SPI, True),
        (f"{SPI}\n[pi5]\ndtparam=spi=off", SPI, True),
        (f"{SPI}\n[pi4]\ndtparam=spi=off", SPI, False),
        (f"{FAST}\n{I2C}\ndtparam=i2c_baudrate=100000", FAST, False),
        # [all] takes every filter back, [none] holds nowhere, kinds of filters add up.
        (f"[pi5]\n[all]\n{SPI}", SPI, True),
        (f"[none]\n{SPI}", SPI, False),
        (f"[none]\n[all]\n{SPI}", SPI, True),
        (f"[pi5]\n[pi4]\n{SPI}", SPI, True),
        (f"[pi4]\n[pi5]\n{SPI}", SPI, False),
        (f"[tryboot]\n{SPI}", SPI, False),
        (f"[0x1000000012345678]\n{SPI}", SPI, True),
        (f"[0x12345678]\n{SPI}", SPI, True),
        (f"[0x12345679]\n{SPI}", SPI, False),
        (f"[0x12345679]\n[pi4]\n{SPI}", SPI, False),
        (f"[0x12345678]\n[pi4]\n{SPI}", SPI, True),
        (f"[HDMI:1]\n{SPI}", SPI, True),
        # What the file alone does not decide.
        (f"[EDID=VSC-TD2220]\n{SPI}", SPI, None),
        (f"[EDID=VSC-TD2220]\n[pi5]\n{SPI}", SPI, False),
        (f"[gpio4=1]\n{SPI}", SPI, None),
        (f"[gpio4=1]\n[none]\n{SPI}", SPI, False),
        (f"{SPI}\n[gpio4=1]\ndtparam=spi=off", SPI, None),
        (f"{SPI}\n[gpio4=1]\n{SPI}", SPI, True),
        (f"{SPI}\n[gpio4=1]\ndtparam=spi=off\n[all]\n[EDID=X]\n{SPI}", SPI, None),
        (f"{SPI}\n[gpio4=1]\ndtparam=spi=off\n[all]\n{SPI}", SPI, True),
        (f"{SPI}\n[gpio4=1]\n[EDID=X]\ndtparam=spi=off", SPI, None),
        (f"[partition=2]\n{SPI}", SPI, None),
        (f"[bootvar0&0x10]\n{SPI}", SPI, None),
        (f"[pi6]\n{SPI}", SPI, None),
        (f"[whatever]\n{SPI}", SPI, None),
        (f"[PI4]\n{SPI}", SPI, None),
        (f"[PI5]\n{SPI}", SPI, False),
        # Comments stand on lines of their own, and blanks count.
        (f"#{SPI}", SPI, False),
        (f"  # x\n  {SPI}\r\n", SPI, True),
        (f"{SPI}  \t", SPI, True),
        (f"{SPI} # lights", SPI, None),
        ("dtparam=spi=off # lights", SPI, False),
        (f"{SPI1} # sensors", SPI1, False),
        ("dtparam = spi = on", SPI, False),
        ("dtparam=spi = on", SPI, False),
        ("dtparam =spi=on", SPI, False),
        ("DTPARAM=spi=on", SPI, False),
        ("dtparam=SPI=on", SPI, False),
        ("dtparam=spi=ON", SPI, False),
        ("\ufeffdtparam=spi=on", SPI, False),
        # Of a line 98 characters are read.
        (f"dtparam={'x=1,' * 20}spi=on", SPI, True),
        (f"dtparam={'x=1,' * 21}spi=on", SPI, True),
        (f"dtparam={'x=1,' * 22}spi=on", SPI, False),
        # A parameter's value.
        ("dtparam=spi", SPI, True),
        ("dtparam=spi,i2c", I2C, True),
        *((f"dtparam=spi={value}", SPI, True) for value in ("yes", "true", "y", "1", "enable")),
        *((f"dtparam=spi={value}", SPI, False) for value in ("no", "false", "n", "0", "2", "")),
        *((f"dtparam={name}=on", SPI, False) for name in ("spi0", "spi1", "spi_bus")),
        ("device_tree_param=spi=on", SPI, True),
        ("device_tree_overlay=spi1-1cs", SPI1, True),
        ("dtparam=audio=on,i2c_arm=on,i2c_arm_baudrate=400000,spi=on", FAST, True),
        # The header's bus by its names.
        *((f"dtparam={name}=on", I2C, True) for name in ("i2c", "i2c1", "i2c_arm")),
        *((f"dtparam={name}=on", I2C, False) for name in ("i2c0", "i2c_vc", "i2c3")),
        ("dtparam=i2c1=on,i2c1_baudrate=400000", FAST, True),
        ("dtparam=i2c,i2c_baudrate=400000", FAST, True),
        ("dtparam=i2c_arm=on,i2c_vc_baudrate=400000", FAST, False),
        (f"{I2C}\ndtparam=i2c_arm_baudrate=400_000", FAST, False),
        (f"{I2C}\ndtparam=i2c_arm_baudrate=4000000", FAST, False),
        (f"{I2C}\ndtparam=i2c1=off", I2C, False),
        ("dtoverlay=i2c1", I2C, True),
        ("dtoverlay=i2c1,pins_2_3", I2C, True),
        ("dtoverlay=i2c1,pins_44_45", I2C, False),
        ("dtoverlay=i2c-rtc,ds3231", I2C, True),
        ("dtoverlay=i2c-rtc,ds3231,i2c0", I2C, False),
        (f"{I2C}\ndtoverlay=i2c-rtc,ds3231,i2c0", I2C, True),
        ("dtoverlay=i2c-rtc\ndtparam=ds3231\ndtparam=i2c_csi_dsi", I2C, False),
        ("dtoverlay=i2c-rtc-gpio,ds3231", I2C, False),
        # SPI's overlays; their own parameters, until another one or none is open.
        ("dtoverlay=spi0-1cs", SPI, True),
        ("dtoverlay=spi0-2cs,cs0_pin=7,cs1_pin=8", SPI, True),
        ("dtoverlay=spi0-0cs", SPI, True),
        ("dtoverlay=spi0-1cs,cs0_spidev=off", SPI, True),
        ("dtoverlay=spi0-1cs\ndtoverlay=\ndtparam=spi=off", SPI, False),
        ("dtoverlay=spi1-2cs", SPI1, True),
        ("dtoverlay=spi1-3cs", "dtoverlay=spi1-2cs", True),
        ("dtoverlay=spi1-3cs\ndtoverlay=spi1-1cs", "dtoverlay=spi1-2cs", False),
        (SPI1, "dtoverlay=spi1-2cs", False),
        ("dtoverlay=spi2-1cs", SPI1, False),
        ("dtoverlay=spi1-1cs,cs0_pin=18", SPI1, True),
        ("dtoverlay=spi1-1cs,cs0_pin=27", SPI1, False),
        ("dtoverlay=spi1-1cs,cs0_spidev=disabled", SPI1, False),
        ("dtoverlay=spi1-1cs\ndtparam=cs0_spidev=off", SPI1, False),
        ("dtoverlay=spi1-1cs\ndtoverlay=\ndtparam=cs0_spidev=off", SPI1, True),
        ("dtoverlay=spi1-1cs\ndtoverlay=w1-gpio\ndtparam=cs0_spidev=off", SPI1, True),
        (f"dtoverlay=spi1-1cs\n{I2C}", I2C, True),
        # A line of which nothing is known changes nothing.
        (f"{SPI}\nfrobnicate=1\ngpio=5=ip,pu\ninitramfs x followkernel\n[\n=\n,", SPI, True),
        # Includes are read in their place.
        ("include more.txt", SPI, True),
        ("include more.txt\ndtparam=spi=off", SPI, False),
        ("dtparam=spi=off\ninclude more.txt", SPI, True),
        ("[pi5]\ninclude more.txt", SPI, False),
        ("include none.txt", SPI, False),
        ("include filtered.txt\ndtparam=spi=on", SPI, False),
        ("include filtered.txt\n[all]\ndtparam=spi=on", SPI, True),
        ("include circle.txt\ndtparam=spi=on", SPI, True),
    ],
)  # fmt: skip
def test_what_a_file_does(text, line, held):
    files = {"more": SPI, "filtered": "[pi5]", "circle": "include circle.txt"}
    assert answer(text, line, **files) is held


# Where SPI follows the core clock it must have one frequency: the highest and the lowest are the
# same, by the table of defaults, or the mini UART or turbo mode holds it.
@pytest.mark.parametrize(
    ("model", "text", "still"),
    [
        *((model, "", False) for model in (ZERO, THREE, CM3, FOUR, CM4)),
        (FIVE, "", True),
        (FOUR, "core_freq=500\ncore_freq_min=500", True),
        (FOUR, "core_freq_min=500", True),
        (FOUR, "core_freq=500", False),
        (FOUR, "core_freq=500\ncore_freq_min=500\ncore_freq=550", False),
        (FOUR, "core_freq=550\ncore_freq_min=550", True),
        (FOUR, "gpu_freq=500\ngpu_freq_min=500", True),
        (FOUR, "core_freq = 500\ncore_freq_min=500 # as wide as high", True),
        (FOUR, "core_freq=600 # fast\ncore_freq_min=500", False),
        (FOUR, "core_freq=250", False),
        (FOUR, "enable_uart=1", True),
        (FOUR, "enable_uart=1\nenable_uart=0", False),
        (FOUR, "enable_uart=1\ndtoverlay=disable-bt", False),
        (FOUR, "enable_uart=1\ndtoverlay=miniuart-bt", False),
        (FOUR, "enable_uart=1\n[pi5]\ndtoverlay=miniuart-bt", True),
        (FOUR, "force_turbo=1", True),
        (FOUR, "force_turbo=1\nforce_turbo=0", False),
        (CM4, "[pi4]\ncore_freq=500\ncore_freq_min=500", True),
        (CM4, "enable_uart=1", None),
        (THREE, "core_freq=250", True),
        (THREE, "core_freq_min=400", True),
        (THREE, "core_freq=250\ncore_freq_min=200", False),
        (THREE, "core_freq=500", False),
        (THREE, "enable_uart=1", True),
        (CM3, "[pi3]\ncore_freq=250", True),
        (CM3, "enable_uart=1", False),  # its header's UART is the PL011
        (ZERO, "[pi0]\ncore_freq=250", True),
        (ZERO, "[pi3]\ncore_freq=250", False),
        (ZERO, "enable_uart=1", True),
    ],
)
def test_when_the_core_clock_stands_still(model, text, still):
    needed = load_profile("plate-10").needs(model)
    wanted = {line for need in needs_of_lights(needed) for line in need.lines} - {SPI}
    answers = {answer(text, line, model) for line in wanted}
    assert (answers or {True}) == {True} if still else still in answers


def needs_of_lights(needed):
    return [need for need in needed if need.part == "lights"]


@pytest.mark.parametrize("model", PIS)
def test_each_pi_has_the_clock_and_the_libraries_of_its_chip(model):
    """BCM2712 alone has SPI with a clock of its own, and pins that RPi.GPIO cannot reach."""
    pi = pi_of(model)
    assert pi is not None
    clock = {"pi4": {CORE, CORE_MIN}, "pi5": set()}.get(PIS[model].split()[0], {"core_freq=250"})
    assert set(pi.clock) == clock
    modules = gpio_need("panel", model).modules
    assert modules == ((GPIO_MODULES if clock else ("lgpio",)),)
    assert pi_of("Raspberry Pi 6 Model B Rev 1.0") is None


def test_on_a_pi_5_an_include_may_not_be_followed():
    assert answer("include more.txt", SPI, FIVE, more=SPI) is None


def test_a_line_with_blanks_at_its_equals_sign_is_named():
    text = "dtparam = spi = on\ncore_freq =500\nhdmi_mode = 5\n[pi5]\ndtparam = i2c"
    assert read(text).unread == ("dtparam = spi = on", "core_freq =500")


@pytest.mark.parametrize("profile", profile_names())
def test_what_a_card_gets_is_what_each_pi_s_table_needs(profile):
    """Read as the firmware of that Pi reads it, below whatever the file had before."""
    table = load_profile(profile)
    lines = lines_for_every_pi(table.boot_lines)
    assert all(re.fullmatch(r"\[\S+\]|\S+=\S+", line) for line in lines.splitlines())
    before = "dtparam=spi=off\ncore_freq=550\n[cm5]\ndtoverlay=i2c-rtc,ds3231\n[pi5]\n"
    for model in PIS:
        needed = {line for need in table.needs(model) for line in (*need.lines, *need.advised)}
        assert needed <= read(before + lines, model).sure, model
    assert answer(lines + "\ndtparam=audio=on,spi=on", SPI)
