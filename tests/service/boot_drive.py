"""Runs as root inside the booted container: plays, stalls the service, and writes down what it saw.

It waits in real time, since what it waits for is systemd's own clock.
"""

import contextlib
import http.client
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

PATIENCE_S = 60
UNIT = "tiltboard.service"


def shown(name):
    asked = ["systemctl", "show", UNIT, f"--property={name}", "--value"]
    return subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()


def wait_until(what, condition):
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        if condition():
            return
        time.sleep(0.1)
    raise TimeoutError(what)


def ask(path, body=None):
    data = None if body is None else json.dumps(body).encode()
    page = http.client.HTTPConnection("127.0.0.1", 8080, timeout=PATIENCE_S)
    try:
        headers = {"content-type": "application/json"}
        page.request("GET" if body is None else "POST", f"/api/v1{path}", data, headers)
        answer = page.getresponse()
        said = answer.read()
        if answer.status != 200:
            raise ValueError(f"{path}: {answer.status} {said.decode()}")
        return json.loads(said)
    finally:
        page.close()


def drop(piece, place, count):
    ask("/command", {"type": "put", "piece": piece, "place": place})
    wait_until(f"move {count}", lambda: len(ask("/snapshot")["moves"]) == count)


def position():
    state = ask("/snapshot")
    return {key: state[key] for key in ("moves", "position", "to_move", "reserve")} | {
        "game": ask("/layout")["game"]["id"]
    }


def restarted(count):
    return shown("NRestarts") == str(count) and shown("ActiveState") == "active"


def after_restart():
    """The position, once the page answers again."""
    try:
        return position()
    except ConnectionError:
        return None


def drive(seen):
    subprocess.run(["systemctl", "start", UNIT], check=True)  # returns when it is ready
    pid = int(shown("MainPID"))
    status = Path(f"/proc/{pid}/status").read_text()
    seen["user"] = subprocess.run(
        ["stat", "--format=%U", f"/proc/{pid}"], capture_output=True, text=True, check=True
    ).stdout.strip()
    seen["capabilities"] = [line.split()[1] for line in status.splitlines() if "Cap" in line]
    ask("/command", {"type": "game", "game": "momentum", "options": {"pie": False}})
    wait_until("turn", lambda: ask("/snapshot")["phase"] == "turn")  # its sensors are zeroed
    drop("red", "d4", 1)
    drop("blue", "a1", 2)
    seen["status"] = shown("StatusText")
    seen["before"] = position()

    os.kill(pid, signal.SIGSTOP)
    wait_until("watchdog", lambda: restarted(1))
    seen["after_watchdog"] = after_restart()
    seen["new_pid"] = int(shown("MainPID")) != pid
    wait_until("turn", lambda: ask("/snapshot")["phase"] == "turn")
    drop("red", "g7", 3)
    seen["played_on"] = position()

    os.kill(int(shown("MainPID")), signal.SIGKILL)
    wait_until("kill", lambda: restarted(2))
    seen["after_kill"] = after_restart()

    flood = ["/opt/tiltboard/bin/python", "/boot-test/flood.py"]
    flooded = subprocess.run(flood, capture_output=True, text=True, check=False)
    seen["floods"] = json.loads(flooded.stdout) if flooded.returncode == 0 else {}
    seen["flood_errors"] = flooded.stderr
    seen["restarts_after_floods"] = shown("NRestarts")
    seen["after_floods"] = ask("/snapshot")["phase"]

    seen["memory_mb"] = int(shown("MemoryCurrent")) / 1e6 if shown("MemoryCurrent").isdigit() else 0
    subprocess.run(["systemctl", "stop", UNIT], check=True)
    seen["stopped"] = [shown("ActiveState"), shown("Result")]
    number = str(seen["before"]["game"])
    export = ["/opt/tiltboard/bin/tiltboard", "export", number, "--state"]
    exported = subprocess.run(
        [
            "setpriv",
            "--reuid=tiltboard",
            "--regid=tiltboard",
            "--clear-groups",
            *export,
            "/var/lib/tiltboard/sim",
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    seen["exported"] = exported.stdout


def main():
    seen = {}
    try:
        drive(seen)
    except (OSError, ValueError, subprocess.CalledProcessError) as error:
        seen["error"] = repr(error)
        with contextlib.suppress(OSError):
            seen["snapshot"] = ask("/snapshot")
            seen["error"] += repr({k: seen["snapshot"][k] for k in ("say", "faults", "cells")})
    log = ["journalctl", "--no-pager", "--output=short-monotonic", "--boot", f"--unit={UNIT}"]
    seen["log"] = subprocess.run(log, capture_output=True, text=True, check=False).stdout
    Path(sys.argv[1]).write_text(json.dumps(seen))
    subprocess.run(["systemctl", "poweroff"], check=False)


main()
