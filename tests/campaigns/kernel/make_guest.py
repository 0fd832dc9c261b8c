"""Makes the files from which guests boot (kernels, device trees, root file systems, wheels), and
boots the guests.

All files are stored in ``${XDG_CACHE_HOME:-~/.cache}/tiltboard-kernel``, in folders named after
their sources, and are made again when the sources change. Needs Debian's packages and root.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from zipfile import ZipFile

HERE = Path(__file__).resolve().parent
CHECKOUT = HERE.parents[2]
CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "tiltboard-kernel"

SOURCE = "linux-source-6.12"
# The packages of docs/service.md's apt line and of Raspberry Pi OS Lite, without a compiler.
PACKAGES = [
    "ca-certificates",
    "dbus",
    "dnsmasq-base",
    "e2fsprogs",
    "fdisk",
    "git",
    "i2c-tools",
    "init",
    "iproute2",
    "iw",
    "kmod",
    "make",
    "network-manager",
    "nftables",
    "openssh-client",
    "polkitd",
    "procps",
    "python3",
    "python3-spidev",
    "python3-venv",
    "sudo",
    "systemd",
    "systemd-timesyncd",
    "udev",
    "wpasupplicant",
]
# Raspberry Pi OS has python3-lgpio, Debian does not. PYPI=1 builds the C library into the module.
LGPIO = "lgpio>=0.2.2"
LGPIO_TOOLS = "gcc libc6-dev python3-dev python3-pip python3-setuptools python3-wheel swig"
DIST = "/usr/lib/python3/dist-packages"
RPI_GPIO = "rpi-lgpio>=0.6"  # The package of the extra rpigpio.

PYTHONS = {"bookworm": "3.11", "trixie": "3.13"}
# The names of the processors in wheels, by Debian's names.
PROCESSORS = {"amd64": "x86_64", "arm64": "aarch64"}
# Model and revision code, which a Pi's firmware writes into the device tree.
TREES = {
    "pi4": ("Raspberry Pi 4 Model B Rev 1.4", "c03114"),
    "pi5": ("Raspberry Pi 5 Model B Rev 1.0", "c04170"),
}
DISK_SIZE = "1500M"
CARD_ROOT_MB, CARD_STATE_MB = 1500, 192
UNITS = {
    "header.service": "sysinit.target",
    "world.service": "multi-user.target",
    "plan.service": "default.target",
}
CUT = "PULL-THE-PLUG"
# Time limit of a plan in seconds; at a load of 20, one plan took a quarter of an hour.
PATIENCE_S = 3600.0


NEEDS = {  # Debian's package of each program for making and booting a guest.
    **{name: name for name in ("gcc", "make", "flex", "bison", "bc", "mmdebstrap")},
    "mke2fs": "e2fsprogs",
    "sfdisk": "fdisk",
    "depmod": "kmod",
    "ssh-keygen": "openssh-client",
    "dtc": "device-tree-compiler",
}
ARM_NEEDS = {"mmdebstrap": "mmdebstrap", "qemu-aarch64-static": "qemu-user-static"}


def run(*words: str | Path, **options: object) -> str:
    """Run a program and return its output. Raises RuntimeError with the output if the program
    fails.
    """
    done = subprocess.run(  # type: ignore[call-overload]
        [str(word) for word in words],
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
        **({"stdin": subprocess.DEVNULL} if "input" not in options else {}),
        **options,
    )
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, words))}: {done.stdout[-3000:]}")
    return str(done.stdout)


def missing(needs: dict[str, str]) -> str | None:
    """Return the reason why guests cannot be made here, or None. ``needs``: NEEDS or ARM_NEEDS."""
    if os.geteuid() != 0:
        return "only root can make the guests' file systems"
    packages = {name for tool, name in needs.items() if shutil.which(tool) is None}
    return f"install: {' '.join(sorted(packages))}" if packages else None


_making: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)


def kept(kind: str, made_from: object, make: Callable[[Path], None]) -> Path:
    """Return the folder that ``make`` fills, once for each value of ``made_from``.

    Threads that need the same kind of folder at the same time wait for each other.
    """
    key = hashlib.sha256(repr(made_from).encode()).hexdigest()[:12]
    folder = CACHE / f"{kind}-{key}"
    with _making[kind]:
        if not folder.exists():
            with scratch(kind) as fresh:
                make(fresh)
                fresh.chmod(0o755)
                for old in CACHE.glob(f"{kind}-????????????"):
                    shutil.rmtree(old)
                fresh.rename(folder)
    return folder


@contextmanager
def scratch(kind: str) -> Iterator[Path]:
    """Yield a temporary folder in the cache, which is deleted at the end unless it was renamed."""
    CACHE.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix=f"making-{kind}-", dir=CACHE))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def kernel() -> Path:
    """Return a folder with ``kernel`` and ``modules``, a tree to copy over a root file system."""
    known = run("apt-cache", "show", "--no-all-versions", SOURCE).splitlines()
    version = next(line for line in known if line.startswith("Version: "))
    asked = (HERE / "um.config").read_text()
    module = {file.name: file.read_text() for file in sorted((HERE / "module").iterdir())}

    def make(fresh: Path) -> None:
        with scratch("source") as folder:
            run("apt-get", "download", SOURCE, cwd=folder)
            run("dpkg-deb", "-x", next(folder.glob("*.deb")), folder)
            run("tar", "xf", folder / f"usr/src/{SOURCE}.tar.xz", cwd=folder)
            (folder / "asked").write_text(asked)
            build, own = folder / "build", folder / "module"
            build.mkdir()
            shutil.copytree(HERE / "module", own)
            call = ["make", "-s", "-C", folder / SOURCE, f"O={build}", "ARCH=um"]
            call.append(f"-j{os.cpu_count()}")
            run(*call, f"KCONFIG_ALLCONFIG={folder / 'asked'}", "allnoconfig")
            got = (build / ".config").read_text().splitlines()
            lost = [line for line in asked.splitlines() if line not in got and line[0] != "#"]
            if lost:
                raise RuntimeError(f"{SOURCE} does not take {lost}")
            run(*call, "linux", "modules")
            run(*call, f"M={own}", "modules")
            call.append(f"INSTALL_MOD_PATH={fresh / 'modules/usr'}")
            run(*call, "modules_install")
            run(*call, f"M={own}", "modules_install")
            shutil.copy(build / "linux", fresh / "kernel")

    return kept("kernel-um", (version, asked, module), make)


def root(suite: str) -> Path:
    """Return a folder with ``root``: Debian's root file system with python3-lgpio."""

    def make(fresh: Path) -> None:
        source = ("--no-deps", "--no-binary=:all:", "-d", fresh)
        run(sys.executable, "-m", "pip", "download", "-q", *source, LGPIO)
        archive = next(fresh.glob("lgpio-*.tar.gz"))
        pip = f"python3 -m pip install --target {DIST}"
        options = "--no-index --no-build-isolation --no-deps --break-system-packages"
        hooks = [
            f"copy-in {archive} /tmp",
            f'chroot "$1" apt-get install -y --no-install-recommends {LGPIO_TOOLS}',
            f'chroot "$1" env PYPI=1 {pip} {options} /tmp/{archive.name}',
            f'chroot "$1" apt-get purge -y --autoremove {LGPIO_TOOLS}',
            f'rm "$1/tmp/{archive.name}"',
        ]
        unread = ("man", "locale", "doc")
        run(
            *("mmdebstrap", "--variant=minbase", f"--include={','.join(PACKAGES)}"),
            '--aptopt=Acquire::Languages "none"',
            *(f"--dpkgopt=path-exclude=/usr/share/{name}/*" for name in unread),
            *(f"--customize-hook={hook}" for hook in hooks),
            *(suite, fresh / "root"),
        )

    recipe = (PACKAGES, LGPIO, LGPIO_TOOLS)
    return kept(f"root-amd64-{suite}", recipe, make)


def wheels(debian: str, suite: str, name: str = "requirements.lock") -> Path:
    """Return a folder with wheels for pip in the guest, which has no network.

    The folder has the wheels of the lock file ``name`` and of the checks. ``debian``: Debian's name
    of the processor.
    """
    version, processor = PYTHONS[suite], PROCESSORS[debian]
    lock = CHECKOUT / name

    def make(fresh: Path) -> None:
        run(
            *(sys.executable, "-m", "pip", "download", "-q", "--only-binary=:all:"),
            *(f"--platform=manylinux_2_{glibc}_{processor}" for glibc in (17, 27, 28, 34)),
            *(f"--platform=manylinux2014_{processor}", f"--python-version={version}"),
            *("--implementation=cp", "--require-hashes", "-d", fresh, "-r", lock),
        )
        run(sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", fresh, RPI_GPIO)

    kind = f"{lock.stem.replace('requirements', 'wheels')}-{debian}-{suite}"
    return kept(kind, (lock.read_text(), RPI_GPIO), make)


def device_tree(name: str) -> Path:
    """Return a device tree file that identifies the model of Pi to programs."""
    model, revision = TREES[name]
    tree = CACHE / f"um-{name}.dtb"
    CACHE.mkdir(parents=True, exist_ok=True)
    source = f'/ {{ model = "{model}"; system {{ linux,revision = <0x{revision}>; }}; }};'
    run("dtc", "-q", "-I", "dts", "-O", "dtb", "-o", tree, input=f"/dts-v1/;\n{source}\n")
    return tree


def system(suite: str) -> Path:
    """Return a folder with ``disk``: root file system, modules, wheels, and the files of a Pi."""
    parts = [kernel(), root(suite), wheels("amd64", suite)]
    own = HERE / "guest/root"
    files = {str(file): file.read_text() for file in sorted(own.rglob("*")) if file.is_file()}

    def make(fresh: Path) -> None:
        tree = fresh / "root"
        run("cp", "-al", parts[1] / "root", tree)
        for part in (parts[0] / "modules", own):
            run("cp", "-a", "--remove-destination", "--no-preserve=ownership", f"{part}/.", tree)
        run("depmod", "-b", tree, next((tree / "usr/lib/modules").iterdir()).name)
        (tree / "payload").mkdir()
        run("cp", "-a", parts[2], tree / "payload/wheels")
        for unit, target_unit in UNITS.items():
            wants = tree / f"etc/systemd/system/{target_unit}.wants"
            wants.mkdir(exist_ok=True)
            (wants / unit).symlink_to(f"../{unit}")
        run("mke2fs", "-q", "-F", "-t", "ext4", "-d", tree, fresh / "disk", DISK_SIZE)
        shutil.rmtree(tree)

    recipe = ([part.name for part in parts], files, UNITS, DISK_SIZE)
    return kept(f"system-amd64-{suite}", recipe, make)


def make_disk(suite: str, to: Path) -> None:
    """Make a disk to boot from, with this checkout."""
    run("cp", "--sparse=always", system(suite) / "disk", to)
    listed = run("git", "-C", CHECKOUT, "ls-files", "-co", "--exclude-standard").splitlines()
    # Other listed files are deleted.
    files = [Path(name) for name in listed if (CHECKOUT / name).is_file()]
    folders = sorted({folder for file in files for folder in file.parents})
    script = [f"mkdir /payload/tiltboard/{folder}".removesuffix("/.") for folder in folders]
    script += [f'write "{CHECKOUT / file}" "/payload/tiltboard/{file}"' for file in files]
    # The links in the folder tiltboard/.
    links = [Path(name) for name in listed if (CHECKOUT / name).is_dir()]
    script += [
        f'symlink "/payload/tiltboard/{each}" "{(CHECKOUT / each).readlink()}"' for each in links
    ]
    said = run("debugfs", "-w", "-f", "/dev/stdin", to, input="\n".join(script))
    if said.count("Allocated inode") != len(files):
        raise RuntimeError(f"the checkout does not go on the disk: {said[-3000:]}")


def make_card(to: Path) -> int:
    """Make a card image by the steps of systemd/card/rpi-image-gen, for this processor. Return the
    offset of the partition for changing data, in bytes.
    """
    suite = "trixie"
    with scratch("card") as folder:
        tree = folder / "root"
        run("cp", "-a", root(suite) / "root", tree)
        for part in (kernel() / "modules", HERE / "guest/root"):
            run("cp", "-a", "--remove-destination", "--no-preserve=ownership", f"{part}/.", tree)
        run("depmod", "-b", tree, next((tree / "usr/lib/modules").iterdir()).name)
        for unit, target_unit in UNITS.items():
            wants = tree / f"etc/systemd/system/{target_unit}.wants"
            wants.mkdir(exist_ok=True)
            (wants / unit).symlink_to(f"../{unit}")
        for made, locks in (("package", ["", "-fast"]), ("release", [""])):
            taken = folder / "wheels" / made
            taken.mkdir(parents=True)
            for lock in locks:
                run("cp", "-a", f"{wheels('amd64', suite, f'requirements{lock}.lock')}/.", taken)
            run(sys.executable, CHECKOUT / ".ci/release.py", folder / made, "--wheels", taken)
        [package] = (folder / "package").glob("*.deb")
        run("cp", package, tree / "srv/tiltboard.deb")
        inside = """mount -t proc proc "$0/proc" && exec chroot "$0" sh -ec '
            dpkg --install /srv/tiltboard.deb
            sh /opt/tiltboard/source/systemd/card/prepare --read-only'"""
        run("unshare", "-mnf", "sh", "-c", inside, tree)
        (tree / "srv/tiltboard.deb").unlink()
        [update], key = (folder / "release").glob("*.update"), folder / "key"
        run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key)
        run("ssh-keygen", "-q", "-Y", "sign", "-f", key, "-n", "tiltboard-update", update)
        signature = update.with_name(f"{update.name}.sig").read_bytes()
        (tree / "srv/tiltboard.update").write_bytes(signature + update.read_bytes())
        public = key.with_suffix(".pub").read_text()
        signers = f'tiltboard namespaces="tiltboard-update" {public}'
        (tree / "etc/tiltboard/release-signers").write_text(signers)
        listed = run("git", "-C", CHECKOUT, "ls-files", "-co", "--exclude-standard").split("\n")
        for name in filter(None, listed):
            if name.startswith(("tests/campaigns/kernel", "tests/sim", "hw_sim")):
                (tree / "payload/tiltboard" / name).parent.mkdir(parents=True, exist_ok=True)
                run("cp", CHECKOUT / name, tree / "payload/tiltboard" / name)
        ext4 = folder / "ext4"
        run("mke2fs", "-q", "-F", "-t", "ext4", "-d", tree, ext4, f"{CARD_ROOT_MB}M")
        run("truncate", "-s", f"{2 + CARD_ROOT_MB + CARD_STATE_MB}M", to)
        parts = "label: dos\nstart=2048, size=1M, type=c\n"
        parts += f"start=4096, size={CARD_ROOT_MB}M, type=83\n"
        run("sfdisk", "--quiet", to, input=parts)
        run("dd", f"if={ext4}", f"of={to}", "bs=1M", "seek=2", "conv=notrunc,sparse")
    return (2 + CARD_ROOT_MB) << 20


def boot(
    disk: Path, tree: str, plan: str, core: int, *, card: bool = False, pid: list[int] | None = None
) -> Iterator[str]:
    """Run a guest until it is off, and yield the lines of its console. A line with CUT ends the
    guest immediately, like pulling the plug.

    ``core``: the processor core; User Mode Linux uses one core, and is slower if it changes cores.
    ``card``: whether to boot like a card. ``pid``: a list that gets the guest's process id. Raises
    TimeoutError after PATIENCE_S.
    """
    words = ["taskset", "--cpu-list", str(core % (os.cpu_count() or 1)), str(kernel() / "kernel")]
    words += ["mem=1G", "con0=fd:0,fd:1", "con=null", "ssl=null", "time-travel=inf-cpu"]
    words += [f"dtb={device_tree(tree)}", "root=none", "rootfstype=hostfs"]
    words += [f"init={HERE / 'guest/start.sh'}", f"disk={disk}", "rw", "quiet"]
    words += ["systemd.show_status=0", f"tiltboard.plan={plan}"]
    words += ["card=/usr/sbin/tiltboard-init"] if card else []
    guest = subprocess.Popen(
        words,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        # User Mode Linux keeps its memory in this folder.
        env=os.environ | {"TMPDIR": "/dev/shm"},  # noqa: S108
        start_new_session=True,
    )
    if pid is not None:
        pid.append(guest.pid)
    late = threading.Timer(PATIENCE_S, os.killpg, (guest.pid, signal.SIGKILL))
    late.start()
    try:
        for line in guest.stdout or ():
            text = line.decode(errors="replace").rstrip()
            yield text
            if CUT in text:
                return
        if not late.is_alive():
            raise TimeoutError(f"the guest was not off after {PATIENCE_S} s")
    finally:
        late.cancel()
        with contextlib.suppress(ProcessLookupError):
            os.killpg(guest.pid, signal.SIGKILL)
        guest.communicate()


def arm_python(suite: str) -> Path:
    """Return a folder with ``root``: Debian's Python for 64-bit Arm, only unpacked."""

    packages = "base-files,python3"  # base-files has the link from /lib to /usr/lib.

    def make(fresh: Path) -> None:
        foreign = ("--variant=extract", "--architectures=arm64", f"--include={packages}")
        run("mmdebstrap", *foreign, suite, fresh / "root")

    return kept(f"root-arm64-{suite}", packages, make)


def played_on_arm(suite: str, scenario: Path) -> str:
    """Return the output of a scenario on the simulated table, with the wheels for a 64-bit Pi. The
    emulator translates each instruction of Python and of the wheels.
    """
    place, version = arm_python(suite) / "root", PYTHONS[suite]
    with scratch("site") as site:
        for wheel in wheels("arm64", suite).iterdir():
            with ZipFile(wheel) as packed:
                packed.extractall(site)
        words = ("qemu-aarch64-static", "-L", place, place / f"usr/bin/python{version}")
        env = os.environ | {"PYTHONHOME": f"{place}/usr", "PYTHONPATH": f"{site}:{CHECKOUT}"}
        return run(*words, "-m", "tiltboard.firmware_host.cli", "scenario", scenario, env=env)
