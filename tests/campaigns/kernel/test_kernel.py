"""Tests of systemd/install and firmware_host/cli/serve.py: the installed program on real kernels
(opt-in): docs/kernel-tests.md.
"""

from __future__ import annotations

import importlib.util
import json
import os
import sys
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(
    os.environ.get("TILTBOARD_KERNEL_TEST") != "1",
    reason="makes and boots whole guests, as root: make kernel-test",
)
# machine, Debian, device tree
USUAL = ("um bookworm pi4", "um bookworm pi5")
NIGHTLY = ("um trixie pi5",)
ARM = ("arm64 bookworm", "arm64 trixie")  # a processor without a kernel
ASKED = os.environ.get("TILTBOARD_KERNEL_GUESTS", ",".join(USUAL)).split(",")
BOOTED = [guest for guest in ASKED if guest not in ARM]
GAME = Path(__file__).resolve().parents[2] / "sim/scenarios/over.scenario"
CHECK = "CHECK "


def _load(name: str):
    found = importlib.util.spec_from_file_location(name, Path(__file__).with_name(f"{name}.py"))
    assert found is not None and found.loader is not None
    module = importlib.util.module_from_spec(found)
    sys.modules[name] = module
    found.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def runs() -> Iterator[dict[str, Future[dict[str, list[dict]]]]]:
    """Guest -> plan -> what each check found; all guests run at once, two at a time."""
    make_guest = _load("make_guest")
    with ThreadPoolExecutor(max_workers=2) as pool:
        yield {guest: pool.submit(_run, make_guest, guest, i) for i, guest in enumerate(BOOTED)}


def _run(make_guest, guest: str, core: int) -> dict[str, list[dict]]:
    _, suite, tree = guest.split()
    why_not = make_guest.missing(make_guest.NEEDS)
    if why_not is not None:
        raise RuntimeError(why_not)
    with make_guest.scratch("disk") as folder:
        disk = folder / "disk"
        make_guest.make_disk(suite, disk)
        return {
            plan: _checks(make_guest.boot(disk, tree, plan, core), guest, plan)
            for plan in ("install", "play", "after-cut")
        }


def _checks(console: Iterator[str], guest: str, plan: str) -> list[dict]:
    """Every line goes to build/kernel, too."""
    log = Path(__file__).resolve().parents[3] / "build/kernel" / f"{guest} {plan}.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    found = []
    with log.open("w") as out:
        for line in console:
            print(line, file=out, flush=True)
            if line.startswith(CHECK):
                found.append(json.loads(line.removeprefix(CHECK)))
    assert found, f"no check was made: see {log}"
    return found


@pytest.mark.parametrize("plan", ["install", "play", "after-cut"])
@pytest.mark.parametrize("guest", dict.fromkeys((*BOOTED, *NIGHTLY)))
def test_guest(runs, guest, plan, subtests):
    _skip_unless_asked_for(guest)
    for check in runs[guest].result()[plan]:
        print(f"{check['check']}: {check['s']} s, {check.get('found', 'FAILED')}")
        with subtests.test(check["check"]):
            assert "failed" not in check, check["failed"]


@pytest.mark.parametrize("guest", ARM)
def test_a_whole_game_with_the_wheels_of_64_bit_arm(guest):
    _skip_unless_asked_for(guest)
    make_guest = _load("make_guest")
    why_not = make_guest.missing(make_guest.ARM_NEEDS)
    assert why_not is None, why_not
    said = make_guest.played_on_arm(guest.split()[1], GAME)
    print(said)
    assert "21 steps held" in said


def _skip_unless_asked_for(guest: str) -> None:
    if guest not in ASKED:
        pytest.skip(f'takes longer, ask for it: make kernel-test GUESTS="{guest}"')
