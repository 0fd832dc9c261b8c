"""The plans of a guest, one boot for each plan. Runs as root, and prints a JSON line for each
check.

``install`` follows docs/service.md until the doctor finds no problem. ``play`` runs all other
checks on the disk that ``install`` left. ``after-cut`` runs on the disk of a guest that was ended
during a game.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path

PAYLOAD = Path("/payload")
CHECKOUT = Path("/home/pi/tiltboard")
MARK = "CHECK "
ENV = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(PAYLOAD / "wheels")}
INSTALLED = "/opt/tiltboard/bin/tiltboard"


def run(*words: str, **options: object) -> str:
    """Run a program and return its output. Raises RuntimeError with the output if the program
    fails.
    """
    done = subprocess.run(
        words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, **options
    )  # type: ignore[call-overload]
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(words)}: {done.returncode}: {done.stdout[-3000:]}")
    return str(done.stdout)


def as_pi(script: str) -> str:
    """Run a script as the user "pi" in the clone; pip uses the downloaded wheels."""
    shell = ("runuser", "-u", "pi", "--", "sh", "-ec", script)
    return run(*shell, cwd=CHECKOUT, env=os.environ | ENV | {"HOME": "/home/pi"})


def doctor(*words: str) -> list[dict[str, str]]:
    """Return the problems that ``tiltboard doctor`` reports, with their remedies."""
    done = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=False, cwd=CHECKOUT)
    print(done.stdout, flush=True)
    return [
        line for line in map(json.loads, done.stdout.splitlines()) if line["state"] == "problem"
    ]


def doctor_of_pi() -> list[dict[str, str]]:
    script = f". {CHECKOUT}/.venv/bin/activate; tiltboard doctor --json"
    return doctor("runuser", "-u", "pi", "--", "sh", "-c", script)


# The plan "install".


def documented_steps() -> Iterator[str]:
    """Return the commands in docs/service.md."""
    block = re.search(r"```sh\n(.*?)```", (CHECKOUT / "docs/service.md").read_text(), re.DOTALL)
    if block is None:
        raise RuntimeError("docs/service.md has no commands")
    return (line.strip() for line in block[1].strip().splitlines())


def installs_as_documented() -> str:
    run("useradd", "--create-home", "--groups", "gpio,i2c,spi,dialout", "pi")
    run("cp", "-r", str(PAYLOAD / "tiltboard"), str(CHECKOUT))
    run("chown", "-R", "pi:", str(CHECKOUT))
    steps = []
    for line in documented_steps():
        # The guest has no network, but the image has the packages.
        if line.startswith("sudo apt install "):
            for package in line.split()[3:]:
                # Raspberry Pi OS has this package; the image has the module.
                if package != "python3-lgpio":
                    run("dpkg", "--status", package)
            run("/usr/bin/python3", "-c", "import lgpio; lgpio.gpiochip_open")
        else:
            steps.append(line)
    as_pi("\n".join(steps))
    run("systemctl", "restart", "world")
    return "; ".join(steps)


def doctor_says_how_to_have_i2c_dev_loaded() -> str:
    """Without this remedy there is no /dev/i2c-1, as on Raspberry Pi OS with config.txt alone."""
    [remedy] = [line["remedy"] for line in doctor_of_pi() if line["subject"] == "devices"]
    command = re.search(r"echo .*? \| sudo tee [^ ,]+", remedy)[0]
    as_pi(command)
    # The restart that the remedy asks for has the same effect.
    run("systemctl", "restart", "systemd-modules-load")
    return command


def doctor_finds_no_problem_as_pi() -> None:
    problems = doctor_of_pi()
    assert not problems, problems


def installs_the_service() -> str:
    as_pi("sudo --preserve-env=PIP_NO_INDEX,PIP_FIND_LINKS make install-service")
    return run("systemctl", "is-active", "tiltboard").strip()


def doctor_finds_no_problem_in_the_service() -> None:
    problems = doctor(INSTALLED, "doctor", "--json", "--state", "/var/lib/tiltboard")
    assert not problems, problems


INSTALL = (
    installs_as_documented,
    doctor_says_how_to_have_i2c_dev_loaded,
    doctor_finds_no_problem_as_pi,
    installs_the_service,
    doctor_finds_no_problem_in_the_service,
)


def report(check: Callable[[], object]) -> None:
    """Run a check, and print its result."""
    began = time.monotonic()
    line: dict[str, object] = {"check": check.__name__}
    try:
        line["found"] = check()
    except Exception as error:  # noqa: BLE001 - whatever it is, the next check is tried
        traceback.print_exc()
        line["failed"] = f"{type(error).__name__}: {error}"
    line["s"] = round(time.monotonic() - began, 1)
    print(f"\n{MARK}{json.dumps(line)}", flush=True)


def main() -> None:
    plan = re.search(r"tiltboard\.plan=(\S+)", Path("/proc/cmdline").read_text())[1]
    if plan == "install":
        for check in INSTALL:
            report(check)
        return
    # The checks use packages of the service's Python.
    import card
    import play

    for check in (play.PLANS | card.PLANS)[plan]:
        report(check)


if __name__ == "__main__":
    main()
