"""Workers that run the tasks of a study on a Ray cluster (docs.ray.io). The extra ``study``
installs Ray.

Every node of the cluster needs the same version of tiltboard. If a node is lost, Ray runs its tasks
again on another node; a repeated task gives the same result.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from itertools import islice
from typing import Any

from tiltboard.firmware_host.config.errors import ConfigError
from tiltboard.ground.errors import extra_command
from tiltboard_lab.studies.jobs import Job, Running, Workers
from tiltboard_lab.studies.workers import AHEAD

FOREVER = -1


def cluster(address: str | None = None) -> Workers:
    """Return workers that run tasks on a Ray cluster. Raises ConfigError if Ray is not installed.

    ``address``: the address of the cluster. If None, Ray uses the cluster in the variable
    RAY_ADDRESS, or otherwise a cluster that runs on this machine, or otherwise a new cluster.
    """
    try:
        import ray
    except ImportError:
        raise ConfigError(
            "Ray is not installed.",
            remedy="In a clone of tiltboard run: {command}",
            command=extra_command("ray", "./packages/lab"),
        ) from None

    def run(job: Job, numbers: Iterable[int]) -> Running:
        if not ray.is_initialized():
            ray.init(
                address, include_dashboard=False, log_to_driver=False, logging_level=logging.WARNING
            )
        work = ray.remote(num_cpus=1, max_retries=FOREVER)(_task)
        shared = ray.put(job)
        waiting = iter(numbers)
        running: list[Any] = []
        try:
            while True:
                room = AHEAD * max(int(ray.cluster_resources().get("CPU", 1)), 1) - len(running)
                running += [work.remote(shared, each) for each in islice(waiting, max(room, 0))]
                if not running:
                    return
                ready, running = ray.wait(running)
                for each in ready:
                    yield ray.get(each)
        finally:
            for each in running:
                ray.cancel(each, force=True)

    return run


def _task(job: Job, number: int) -> tuple[int, Any]:
    return number, job.run(number)
