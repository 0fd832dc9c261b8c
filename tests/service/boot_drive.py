"""A program that runs as root in the booted container: it plays, stalls the service, and records
results.

It waits in real time, because it tests the timing of systemd.
"""

import contextlib
import http.client
import json
import os
import shutil
import signal
import socket
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
    wait_until(f"move {count}", lambda: len(ask("/snapshot")["game"]["moves"]) == count)


def position():
    state = ask("/snapshot")["game"]
    return {key: state[key] for key in ("moves", "position", "to_move", "reserve")} | {
        "game": ask("/layout")["game"]["id"]
    }


def restarted(count):
    return shown("NRestarts") == str(count) and shown("ActiveState") == "active"


def after_restart():
    """Return the position after the page answers again."""
    try:
        return position()
    except ConnectionError:
        return None


def stopped_after(seconds):
    """Return the result of a start that is stopped ``seconds`` after the program has started."""
    subprocess.run(["systemctl", "start", "--no-block", UNIT], check=True)
    wait_until("start", lambda: shown("MainPID") != "0")
    time.sleep(seconds)
    subprocess.run(["systemctl", "stop", UNIT], check=True)
    return [shown("ActiveState"), shown("Result")]


def updated(version):
    """Return the table's answer to a request for an update, and the version afterwards."""
    sent = Path("/var/lib/tiltboard/sent.update")
    shutil.copy(f"/boot-test/{version}.update", sent)
    shutil.chown(sent, "tiltboard", "tiltboard")
    with socket.socket(socket.AF_UNIX) as line:
        line.connect("/run/tiltboard-machine.sock")
        line.sendall(b'{"type": "update", "sent": true}')
        line.shutdown(socket.SHUT_WR)
        said = b""
        while more := line.recv(4096):
            said += more
    runs = Path("/opt/tiltboard/source/VERSION").read_text().strip()
    return [said.decode(), runs, shown("ActiveState")]


def drive(seen):
    profile = ["--profile", "/home/pi/my-table.toml"]
    install = ["sh", "/opt/tiltboard/source/systemd/install", "--units", *profile]
    installed = subprocess.run(install, capture_output=True, text=True, check=False)
    if installed.returncode:
        raise ValueError(installed.stderr)
    # The installation has started the service, and returns when the service is ready.
    found = ["runuser", "-u", "nobody", "--", "sh", "-lc", "command -v tiltboard"]
    found = subprocess.run(found, capture_output=True, text=True, check=False)
    seen["command"] = found.stdout.strip()
    seen["title"] = ask("/layout")["title"]
    pid = int(shown("MainPID"))
    status = Path(f"/proc/{pid}/status").read_text()
    seen["user"] = subprocess.run(
        ["stat", "--format=%U", f"/proc/{pid}"], capture_output=True, text=True, check=True
    ).stdout.strip()
    seen["capabilities"] = [line.split()[1] for line in status.splitlines() if "Cap" in line]
    ask("/command", {"type": "game", "game": "momentum", "options": {"pie": False}})
    # The sensors are zeroed now.
    wait_until("turn", lambda: ask("/snapshot")["guidance"]["phase"] == "turn")
    drop("red", "d4", 1)
    drop("blue", "a1", 2)
    seen["status"] = shown("StatusText")
    seen["before"] = position()

    os.kill(pid, signal.SIGSTOP)
    wait_until("watchdog", lambda: restarted(1))
    seen["after_watchdog"] = after_restart()
    seen["new_pid"] = int(shown("MainPID")) != pid
    wait_until("turn", lambda: ask("/snapshot")["guidance"]["phase"] == "turn")
    drop("red", "g7", 3)
    seen["played_on"] = position()

    os.kill(int(shown("MainPID")), signal.SIGKILL)
    wait_until("kill", lambda: restarted(2))
    seen["after_kill"] = after_restart()

    if Path("/boot-test/flood.py").exists():
        flood = ["/opt/tiltboard/bin/python", "/boot-test/flood.py"]
        flooded = subprocess.run(flood, capture_output=True, text=True, check=False)
        seen["floods"] = json.loads(flooded.stdout) if flooded.returncode == 0 else {}
        seen["flood_errors"] = flooded.stderr
        seen["restarts_after_flood"] = shown("NRestarts")
        seen["after_flood"] = ask("/snapshot")["guidance"]["phase"]
        ask("/command", {"type": "resume", "game": seen["before"]["game"]})

    subprocess.run(["systemctl", "stop", UNIT], check=True)
    # From here on, use the log's cursor, because its times have a resolution of one second.
    mark = ["journalctl", "--quiet", "--lines=0", "--show-cursor"]
    subprocess.run(["journalctl", "--sync"], check=True)
    mark = subprocess.run(mark, capture_output=True, text=True, check=True).stdout
    seen["stops"] = [stopped_after(seconds) for seconds in (0.0, 0.3, 0.7, 1.2)]
    log = ["journalctl", "--no-pager", f"--unit={UNIT}", f"--after-cursor={mark.split()[-1]}"]
    seen["log_of_stops"] = subprocess.run(log, capture_output=True, text=True, check=False).stdout
    subprocess.run(["systemctl", "start", UNIT], check=True)
    seen["after_stops"] = position()

    seen["updated"] = updated("99.0")
    seen["after_update"] = position()
    seen["broken"] = updated("99.1")
    seen["after_broken"] = position()
    seen["older"] = updated("0.0.1")
    seen["left_in_opt"] = sorted(each.name for each in Path("/opt").iterdir())

    seen["memory_mb"] = int(shown("MemoryCurrent")) / 1e6 if shown("MemoryCurrent").isdigit() else 0
    subprocess.run(["systemctl", "stop", UNIT], check=True)
    seen["stopped"] = [shown("ActiveState"), shown("Result")]
    number = str(seen["before"]["game"])
    export = ["/opt/tiltboard/bin/tiltboard", "games", "export", number, "--state"]
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
            seen["error"] += repr({k: seen["snapshot"][k] for k in ("guidance", "plate")})
    log = ["journalctl", "--no-pager", "--output=short-monotonic", "--boot", f"--unit={UNIT}"]
    seen["log"] = subprocess.run(log, capture_output=True, text=True, check=False).stdout
    Path(sys.argv[1]).write_text(json.dumps(seen))
    subprocess.run(["systemctl", "poweroff"], check=False)


main()
