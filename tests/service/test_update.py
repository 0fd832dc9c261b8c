"""Tests of systemd/update and firmware_host/cli/machine.py: an update from a file is verified,
cut short before each of its commands, and taken back.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import tarfile
from pathlib import Path

import msgspec
import pytest

from tiltboard.firmware_host.cli import machine

pytestmark = pytest.mark.skipif(
    None in map(shutil.which, ("ssh-keygen", "bash", "tar")), reason="needs ssh-keygen and bash"
)
# What a release's own installer does, as far as an update sees it
INSTALL = """#!/bin/sh
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
while [ $# -gt 0 ]; do
    case $1 in
    --program)
        mkdir -p "$2/source"
        cp -R "$here/systemd" "$2/source"
        cp "$here/VERSION" "$2/source/"
        cp "$here/VERSION" "$2/program"
        cp "$here/VERSION" "$2/update"
        [ -z "${HOLD:-}" ] || { echo >"$HOLD"; cat "$HOLD" >/dev/null; }
        [ -z "${FAIL:-}" ] || exit 1
        exit ;;
    --root) root=$2; shift 2 ;;
    --units) shift ;;
    esac
done
mkdir -p "$root/etc/systemd"
cp "$here/VERSION" "$root/etc/systemd/unit"
"""
END = b"-----END SSH SIGNATURE-----\n"
# Something happens before the command of that number: bash runs this before each
STAGE = """set -T
trap 'n=$((${n:-0} + 1)); [ "$n" != "$STAGE" ] || { >>"$SEEN" echo; eval "$HAPPENS"; }' DEBUG
"""
POWER_CUT = "kill -KILL $$"


class System:
    """One that is not running, with a version installed, and releases to update it with."""

    def __init__(self, folder: Path, script: Path) -> None:
        self.folder, self.root, self.script = folder, folder / "root", script
        self.key, self.seen = folder / "key", folder / "seen"
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", self.key], check=True)
        (self.root / "etc/tiltboard").mkdir(parents=True)
        public = self.key.with_suffix(".pub").read_text()
        self.signers = self.root / "etc/tiltboard/release-signers"
        self.signers.write_text(f'tiltboard namespaces="tiltboard-update" {public}')
        self.games = self.root / "var/lib/tiltboard/journal.sqlite"
        self.games.parent.mkdir(parents=True)
        self.games.write_bytes(b"a game in the middle")
        (self.root / "opt").mkdir()
        assert self.update(self.release("1")).returncode == 0

    def release(self, version: str, key: Path | None = None, space: str = "tiltboard-update"):
        tree = self.folder / f"tree-{version}"
        (tree / "systemd").mkdir(parents=True, exist_ok=True)
        (tree / "systemd/install").write_text(INSTALL)
        (tree / "VERSION").write_text(version)
        made = self.folder / f"{version}.update"
        with tarfile.open(made, "w") as archive:
            archive.add(tree, f"tiltboard-{version}")
        signed = subprocess.run(
            ["ssh-keygen", "-q", "-Y", "sign", "-f", key or self.key, "-n", space],
            input=made.read_bytes(), check=True, capture_output=True,
        )  # fmt: skip
        made.write_bytes(signed.stdout + made.read_bytes())
        return made

    def update(
        self, *words: object, stage: int | None = None, happens: str = POWER_CUT, **more: str
    ) -> subprocess.CompletedProcess[str]:
        environment = os.environ | more
        self.seen.unlink(missing_ok=True)
        if stage is not None:
            (self.folder / "stage").write_text(STAGE)
            environment |= {"BASH_ENV": str(self.folder / "stage"), "STAGE": str(stage)}
            environment |= {"SEEN": str(self.seen), "HAPPENS": happens}
        return subprocess.run(
            ["bash", self.script, "--root", self.root, *words],
            capture_output=True, text=True, env=environment, check=False,
        )  # fmt: skip

    @property
    def version(self) -> str:
        """Of the program that would start; all of it must be of one."""
        program = self.root / "opt/tiltboard"
        of = {(program / name).read_text() for name in ("program", "update", "source/VERSION")}
        assert len(of) == 1
        return of.pop()

    @property
    def leaves_nothing(self) -> bool:
        """Whether there is nothing of an update that has ended."""
        return {each.name for each in (self.root / "opt").iterdir()} <= {
            "tiltboard",
            "tiltboard.old",
        }

    @property
    def unit(self) -> str:
        return (self.root / "etc/systemd/unit").read_text()


@pytest.fixture
def system(root, tmp_path):
    return System(tmp_path, root / "systemd/update")


def test_updated_and_taken_back_and_forth_with_the_games_as_they_were(system):
    assert system.update(system.release("2")).returncode == 0
    assert (system.version, system.unit) == ("2", "2")
    assert system.update("--rollback").returncode == 0
    assert (system.version, system.unit) == ("1", "1")
    assert system.update("--rollback").returncode == 0
    assert (system.version, system.unit) == ("2", "2")
    assert system.games.read_bytes() == b"a game in the middle"
    assert system.leaves_nothing


def test_a_power_cut_before_any_command_leaves_a_whole_version_and_the_next_try_ends_it(system):
    system.update(system.release("2"))
    kept = shutil.copytree(system.root, system.folder / "kept", symlinks=True)
    file, seen = system.release("3"), []
    for number in range(1, 200):
        done = system.update(file, stage=number)
        assert system.version in ("2", "3"), number
        assert system.games.read_bytes() == b"a game in the middle"
        seen.append(system.version)
        if done.returncode == 0:
            break
        assert done.returncode == -9, (number, done.stderr)
        # the next try ends it, from whatever was left; and the way back is a whole version too
        if number % 5 == 0 or len(set(seen[-2:])) == 2:
            assert system.update(file).returncode == 0
            assert (system.version, system.unit) == ("3", "3")
            assert system.update("--rollback").returncode == 0
            assert system.version == "2", number
        shutil.rmtree(system.root)
        shutil.copytree(kept, system.root, symlinks=True)
    else:
        pytest.fail("it never ended")
    assert (seen[0], seen[-1]) == ("2", "3")
    assert len(set(seen[:-1])) == 2  # it was cut on either side of the change


# The world changes: what happens before a command -> the statuses with which the update ends
WORLD = {
    "told to stop": ("kill -TERM $$", {0, 143, -signal.SIGTERM}),
    "hung up": ("kill -HUP $$", {0, 143, -signal.SIGHUP}),
    "disk full": ("trap '' XFSZ; ulimit -f 0", {0, 1, 2}),
    "two at once": ('env -u BASH_ENV bash "$0" --root "$ROOT" "$FILE" 2>"$SECOND" || :', {0}),
    "stick pulled": (': >"$FILE"', {0, 1}),
    "clock leap": ('find "$ROOT/opt" -exec touch -d @0 {} + || :', {0}),
}


@pytest.mark.parametrize("change", WORLD)
def test_whatever_changes_at_any_stage_a_whole_version_is_there_and_the_next_try_ends_it(
    system, change
):
    happens, statuses = WORLD[change]
    version, ended = 1, set()
    for stage in range(12, 200, 9):
        version += 1
        file = system.release(str(version))
        whole, second = file.read_bytes(), system.folder / "second"
        more = {"ROOT": str(system.root), "FILE": str(file), "SECOND": str(second)}
        done = system.update(file, stage=stage, happens=happens, **more)
        assert done.returncode in statuses, (stage, done.stderr)
        ended.add(done.returncode)
        assert system.version in (str(version - 1), str(version)), stage
        assert system.leaves_nothing, stage
        if change == "two at once" and system.seen.exists():
            # before it has the lock, the other one ends
            assert ("another update is under way" in second.read_text()) == (stage > 16)
        if not system.seen.exists():  # it has fewer commands
            assert done.returncode == 0
            break
        file.write_bytes(whole)
        assert system.update(file).returncode == 0, stage
        assert (system.version, system.unit) == (str(version), str(version))
        assert system.games.read_bytes() == b"a game in the middle"
    else:
        pytest.fail("it never ended")
    assert {each for each in statuses if each != 2 and each >= 0} <= ended


def test_a_command_that_outlives_a_killed_update_keeps_no_next_one_out(system, tmp_path):
    first, fifo = held(system, tmp_path, system.release("2"))
    first.kill()
    assert first.wait(60) == -signal.SIGKILL
    assert system.update(system.release("3")).returncode == 0
    fifo.write_text("go on")  # the installer of the first was there all the time
    assert (system.version, system.unit) == ("3", "3")


def test_a_version_that_is_half_deleted_is_nothing_to_go_back_to(system, tmp_path):
    """The power fails while the version before last is being deleted."""
    system.update(system.release("2"))
    rm = tmp_path / "bin/rm"
    rm.parent.mkdir()
    rm.write_text(
        '#!/bin/sh\n[ "$2" != "$OLD" ] || { /bin/rm "$OLD/program"; kill -KILL $PPID; exit; }\n'
        'exec /bin/rm "$@"\n'
    )
    rm.chmod(0o755)
    path = f"{rm.parent}:{os.environ['PATH']}"
    old = str(system.root / "opt/tiltboard.old")
    done = system.update(system.release("3"), PATH=path, OLD=old)
    assert (done.returncode, system.version) == (-signal.SIGKILL, "2")
    assert system.update("--rollback").returncode == 1
    assert system.version == "2"


def test_there_is_nothing_to_go_back_to_at_first(system):
    done = system.update("--rollback")
    assert (done.returncode, system.version) == (1, "1")
    assert "no other version" in done.stderr


def refused(system, file) -> str:
    done = system.update(file)
    assert done.returncode != 0
    assert system.version == system.unit == "1"
    assert system.leaves_nothing
    return done.stderr


def test_what_nobody_known_has_signed_is_not_unpacked(system, tmp_path):
    stranger = tmp_path / "stranger"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", stranger], check=True)
    assert "is not signed by anybody" in refused(system, system.release("2", stranger))


def test_a_signature_for_something_else_does_not_do(system):
    assert "is not signed by anybody" in refused(system, system.release("2", space="git"))


def test_a_file_that_was_changed_by_a_bit_or_exchanged_is_refused(system):
    file = system.release("2")
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)
    assert "is not signed by anybody" in refused(system, file)
    ours, theirs = (system.release(each).read_bytes().partition(END) for each in "23")
    file.write_bytes(ours[0] + END + theirs[2])
    assert "is not signed by anybody" in refused(system, file)


@pytest.mark.parametrize("content", [b"", b"no update", END, b"\0" * 100_000, b"x\n" + END + END])
def test_what_is_no_update_is_refused(system, content):
    file = system.folder / "4.update"
    file.write_bytes(content)
    said = refused(system, file)
    assert "this is no signed update" in said or "is not signed by anybody" in said


@pytest.mark.parametrize("lacking", ["{file}", "{signers}"])
def test_what_lacks_is_named(system, lacking):
    file = system.release("2")
    path = Path(lacking.format(file=file, signers=system.signers))
    path.unlink()
    assert f"there is no {path}" in refused(system, file)


def test_an_older_version_is_taken_only_if_it_is_asked_for(system):
    assert system.update(system.release("0.9.2")).returncode == 1
    assert system.update(system.release("0.10.0"), "--older").returncode == 0
    assert system.version == "0.10.0"
    for version in ("0.9.2", "0.9.10", "0.10.0rc1", "0.10.0.dev3"):
        done = system.update(system.release(version))
        assert (done.returncode, system.version) == (1, "0.10.0")
        assert "older" in done.stderr
        assert system.leaves_nothing
    for version in ("0.10.1a1", "0.10.1rc1", "0.10.1", "0.11.0"):
        assert system.update(system.release(version)).returncode == 0, version
        assert system.version == version
    assert system.update("--rollback").returncode == 0  # what has run here is no older one


def test_an_update_whose_installation_fails_leaves_nothing(system):
    file = system.release("2")
    done = system.update(file, FAIL="yes")
    assert (done.returncode, system.version) == (1, "1")
    assert system.leaves_nothing
    assert system.update(file).returncode == 0


def test_a_package_that_somebody_has_put_there_is_named_as_left_behind(system):
    packages = system.root / "opt/tiltboard/lib/python3.13/site-packages"
    for name, groups in {
        "reversi-1.0": "[tiltboard.games]",
        "six-1.17": "[console_scripts]",
    }.items():
        points = packages / f"{name}.dist-info/entry_points.txt"
        points.parent.mkdir(parents=True)
        points.write_text(f"{groups}\nx = y:z\n")
    done = system.update(system.release("2"))
    assert (done.returncode, system.version) == (0, "2")
    assert re.search(r"install them again: reversi$", done.stderr, re.MULTILINE)


def held(system, tmp_path, file):
    """An update that waits in its installer, and what it waits for."""
    fifo = tmp_path / "hold"
    os.mkfifo(fifo)
    first = subprocess.Popen(
        ["bash", system.script, "--root", system.root, file],
        env=os.environ | {"HOLD": str(fifo)}, start_new_session=True,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    fifo.read_bytes()
    return first, fifo


def test_of_two_at_once_one_is_refused_in_words_and_the_other_ends(system, tmp_path):
    first, fifo = held(system, tmp_path, system.release("2"))
    for words in ([system.release("3")], ["--rollback"]):
        done = system.update(*words)
        assert (done.returncode, system.version) == (1, "1")
        assert "another update is under way" in done.stderr
    fifo.write_text("go on")
    assert first.wait(60) == 0
    assert (system.version, system.unit) == ("2", "2")
    assert system.leaves_nothing


def test_one_that_is_told_to_stop_leaves_nothing_and_the_next_is_not_kept_out(system, tmp_path):
    first, _ = held(system, tmp_path, system.release("2"))
    os.killpg(first.pid, signal.SIGTERM)
    assert first.wait(60) == 143
    assert system.version == "1"
    assert system.leaves_nothing
    assert system.update(system.release("3")).returncode == 0


def test_what_a_power_cut_has_left_makes_room_for_the_next(system):
    left = system.root / "opt/tiltboard.next.aBcDeF/release"
    left.mkdir(parents=True)
    assert system.update(system.release("2")).returncode == 0
    assert system.leaves_nothing


def test_without_room_it_is_refused_before_anything_is_written(system, tmp_path):
    file = system.release("2")
    need_kb = file.stat().st_size // 512 + (64 << 10)
    df = tmp_path / "bin/df"
    df.parent.mkdir()
    df.write_text(f"#!/bin/sh\necho Avail\necho {need_kb - 1}\n")
    df.chmod(0o755)
    done = system.update(file, PATH=f"{df.parent}:{os.environ['PATH']}")
    assert (done.returncode, system.version) == (1, "1")
    assert re.search(r"(\d+) MB are needed, and (\d+) MB are free", done.stderr)
    assert system.leaves_nothing


def test_the_installer_knows_what_an_update_asks_of_it(root):
    update, install = ((root / "systemd" / name).read_text() for name in ("update", "install"))
    asked = set(re.findall(r'systemd/install" (--\w+)', update))
    assert asked == {"--units", "--program"}
    assert all(f"    {option})" in install for option in asked)
    # Cut short between the two, the way back is there.
    [beside] = re.findall(r'install -m 0755 (.*) "\$program"', install)
    assert beside.split() == re.findall(r"^put (\S+) /opt/tiltboard/", install, re.MULTILINE)


# The page's own way to it: the newest on a stick


# Each device is a folder that is copied in; one that is not there cannot be mounted
STAND_INS = {
    "lsblk": 'cat "$DEVICES"',
    "mount": """test "$1 $2" = "-o ro,nosuid,nodev,noexec" && cp -R "$3/." "$4" || exit 32
>>"$DONE" echo "mount ${3##*/}" """,
    "umount": 'rm -rf "$1"/*; >>"$DONE" echo umount',
    "update": """>>"$DONE" echo "update ${1##*/} $(cat "$1")"
test ! -e "$REFUSED" || { echo "update: not signed" >&2; exit 1; }""",
}


@pytest.fixture
def sticks(tmp_path, monkeypatch):
    """Asks for an update from these devices: the error, and what was done."""
    for name, script in STAND_INS.items():
        program = tmp_path / "bin" / name
        program.parent.mkdir(exist_ok=True)
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:{os.environ['PATH']}")
    for name in ("DEVICES", "DONE", "REFUSED"):
        monkeypatch.setenv(name, str(tmp_path / name))
    for name in ("empty", "full/tiltboard-9.0.0.update"):
        (tmp_path / name).mkdir(parents=True)
    for version in ("0.9.1", "0.10.0"):
        (tmp_path / f"full/tiltboard-{version}.update").write_text(version)
    made = machine.tempfile.TemporaryDirectory
    monkeypatch.setattr(machine.tempfile, "TemporaryDirectory", lambda **_: made(dir=tmp_path))
    monkeypatch.setattr(machine, "UPDATE", f"{tmp_path}/bin/update")
    monkeypatch.setattr(machine, "FAILED", tmp_path / "failed")

    def ask(*names, **other):
        usual = {"fstype": "vfat", "hotplug": True, "mountpoint": None}
        devices = [{"path": str(tmp_path / name), **usual, **other} for name in names]
        (tmp_path / "DEVICES").write_bytes(msgspec.json.encode({"blockdevices": devices}))
        (tmp_path / "DONE").write_text("")
        error = machine.answer(b'{"type": "update"}').error
        assert (tmp_path / "failed").exists() == (error is not None)
        return error, (tmp_path / "DONE").read_text().splitlines()

    return ask


def test_the_newest_on_the_first_stick_that_has_one_is_taken(sticks):
    assert sticks("torn", "empty", "full") == (
        None,
        ["mount empty", "umount", "mount full", "update tiltboard-0.10.0.update 0.10.0", "umount"],
    )


def test_a_stick_whose_update_is_refused_is_unmounted_too(sticks, tmp_path):
    (tmp_path / "REFUSED").touch()
    error, done = sticks("full", "empty")
    assert error == "{why}"
    assert done == ["mount full", "update tiltboard-0.10.0.update 0.10.0", "umount"]
    assert b"update: not signed" in (tmp_path / "failed").read_bytes()


def test_sticks_without_an_update_are_unmounted_and_said_to_have_none(sticks):
    none = "There is no tiltboard-….update on the stick."
    assert sticks("empty", "torn") == (none, ["mount empty", "umount"])
    assert sticks("torn") == (none, [])


def test_a_stick_that_a_desktop_has_mounted_is_read_where_it_is(sticks, tmp_path, monkeypatch):
    monkeypatch.setattr(machine, "MOUNTED_BY_DESKTOPS", (f"{tmp_path}/media/", "/run/media/"))
    (tmp_path / "media/pi").mkdir(parents=True)
    (tmp_path / "full").rename(tmp_path / "media/pi/STICK")
    mounted = sticks("gone", mountpoint=f"{tmp_path}/media/pi/STICK")
    assert mounted == (None, ["update tiltboard-0.10.0.update 0.10.0"])
    assert (tmp_path / "media/pi/STICK/tiltboard-0.9.1.update").exists()


@pytest.mark.parametrize(
    "other",
    [{"hotplug": False}, {"fstype": None}, {"mountpoint": "/"}, {"mountpoint": "/boot/firmware"}],
)
def test_what_is_no_stick_is_not_mounted(sticks, other):
    assert sticks("full", **other) == ("There is no stick in the Pi.", [])
