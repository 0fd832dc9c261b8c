"""Not a test: an engine that plays the first legal move of Momentum, or misbehaves as its argument
says.

With ``once`` before the argument, only the first process in a folder misbehaves. The variable
``TILTBOARD_FAKE_LOG`` names a file that gets a copy of each line that the engine reads.
"""

import os
import signal
import sys
from pathlib import Path

from tiltboard.games.registry import game_type

LOG = Path(os.environ["TILTBOARD_FAKE_LOG"]) if "TILTBOARD_FAKE_LOG" in os.environ else None


def main(how: str) -> None:
    if how == "mute":
        sys.stdin.read()
    if how == "babble":
        babble("id name x")
    if how == "long":
        babble("x" * 100_000)
    if how == "leaves":
        leave_somebody()
    game = game_type("momentum").create({"size": 5, "marbles": 4})
    position = game.start()
    for line in sys.stdin:
        words = line.split()
        if LOG is not None:
            with LOG.open("a") as log:
                log.write(line)
        match words[:1]:
            case ["ugi"] if how == "coloured":
                print(
                    "id name \x1b[31mRed\x1b]0;owned\x07 \u202eeno", "ugiok", sep="\n", flush=True
                )
            case ["ugi"]:
                option = "option name Ponder type check default false"
                print(f"id name Fake {os.getpid()}", option, "ugiok", sep="\n", flush=True)
            case ["isready"]:
                if how == "unready babble":
                    babble("info string wait")
                if how != "unready":
                    print("error no such game" if how == "refuse" else "readyok", flush=True)
            case ["position"]:
                position = game.start()
                for move in words[3:]:
                    position = position.play(move).position
            case ["go"] if words[1:2] != ["ponder"]:
                go(how, position)
            case ["ponderhit"]:
                go(how, position)
            case ["stop"] if how in ("stoppable", "well"):
                print("bestmove a1", flush=True)
            case ["quit"] if how != "deaf":
                break


def babble(line):
    while True:
        sys.stdout.write((line + "\n") * 10_000)


def leave_somebody():
    """Start a child that leaves the process group and closes all files, so that only its
    environment shows its parent.
    """
    if os.fork() == 0:
        os.setsid()
        if os.fork():
            os._exit(0)
        Path(os.environ["TILTBOARD_FAKE_CHILD"]).write_text(str(os.getpid()))
        os.closerange(0, 3)
        signal.pause()
    os.wait()


def go(how, position):
    match how:
        case "crash":
            os._exit(3)
        case "hang" | "stoppable":
            return
        case "illegal":
            print("bestmove z9", flush=True)
        case "stone deaf":
            signal.pause()
        case "silly":
            print("bestmove", flush=True)
        case "flood":
            while True:
                print("info depth 1 score cp 5 " + "x" * 5000)
        case _:
            print("info depth 3 score cp 40 nodes 9 pv", position.legal()[0])
            print("bestmove", position.legal()[0], flush=True)


if __name__ == "__main__":
    how = sys.argv[1]
    if how == "once":
        mark = Path(sys.argv[3])
        how = "well" if mark.exists() else sys.argv[2]
        mark.touch()
    main(how)
