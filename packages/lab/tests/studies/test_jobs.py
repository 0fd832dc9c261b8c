"""Tests of tiltboard_lab/studies/jobs.py and workers.py: tasks, their file and their
workers: nothing is lost, and nothing is counted twice.
"""

import sys
from contextlib import closing
from pathlib import Path

import pytest

from tiltboard.firmware_host.config.errors import ConfigError, NotPossibleError
from tiltboard_lab.studies.jobs import Results, in_order
from tiltboard_lab.studies.workers import WorkersLostError, here, processes

sys.path.insert(0, str(Path(__file__).parent))
from chores import Deadly, Square

SQUARES = [[n, n * n] for n in range(8)]


def shuffled(job, numbers):
    """Workers that are ready in another order, and find some twice."""
    wanted = list(numbers)
    for number in [*wanted[::-1], *wanted]:
        yield number, job.run(number)


def nobody(job, numbers):
    assert not list(numbers)
    yield from ()


def found(job, count, workers, path=None):
    told = []
    with closing(Results(job, path)) as results:
        return list(in_order(job, results, count, workers, told.append)), sum(told)


@pytest.mark.parametrize("workers", [here, shuffled, processes(2)])
def test_the_order_is_that_of_the_numbers_whoever_is_ready_first(workers):
    assert found(Square(), 8, workers) == (SQUARES, 8)


def test_a_file_goes_on_where_it_was_cut_off(tmp_path):
    path = tmp_path / "s.jsonl"
    found(Square(), 5, here, path)
    path.write_bytes(path.read_bytes()[:-4])  # the power went within the last line
    asked = []

    def watched(job, numbers):
        for number in numbers:
            asked.append(number)
            yield number, job.run(number)

    assert found(Square(), 8, watched, path) == (SQUARES, 8)
    assert asked == [4, 5, 6, 7]
    assert found(Square(), 8, nobody, path) == (SQUARES, 8)
    assert len(path.read_bytes().splitlines()) == 9


def test_a_damaged_line_is_run_again_and_one_that_is_there_twice_counts_once(tmp_path):
    path = tmp_path / "s.jsonl"
    found(Square(), 3, here, path)
    heading, zero, _, two = path.read_bytes().splitlines()
    path.write_bytes(b"\n".join([heading, two, zero, two, b"[1,[1", b"[2,[2,99]]", b""]))
    assert found(Square(), 3, here, path) == (SQUARES[:3], 3)


def test_a_file_cut_off_within_its_heading_is_begun_again(tmp_path):
    path = tmp_path / "s.jsonl"
    found(Square(), 3, here, path)
    whole = path.read_bytes()
    path.write_bytes(whole[:10])
    found(Square(), 3, here, path)
    assert path.read_bytes() == whole


def test_the_file_of_another_job_or_program_is_refused(tmp_path):
    path = tmp_path / "s.jsonl"
    with (
        closing(Results(Square(), path)),
        pytest.raises(NotPossibleError, match="Another program"),
    ):
        Results(Square(), path)
    with pytest.raises(ConfigError, match="another study"):
        Results(Square(seed=2), path)


def test_who_has_seen_enough_ends_the_workers():
    with closing(Results(Square())) as results:
        running = in_order(Square(), results, 10**6, processes(2), lambda _: None)
        assert next(running) == [0, 0]
        running.close()
        # some of the next; how many while the first was at work is a matter of who came to run
        assert len(results.found) < 10**4


def test_the_tasks_of_a_killed_worker_are_run_again(tmp_path):
    job = Deadly(folder=str(tmp_path), task=3)
    assert found(job, 8, processes(2)) == (SQUARES, 8)
    assert (tmp_path / "killed").exists()


def test_a_task_that_kills_every_worker_ends_the_study_and_the_rest_is_kept(tmp_path):
    job = Deadly(folder=str(tmp_path), task=3, once=False)
    path = tmp_path / "s.jsonl"
    with pytest.raises(WorkersLostError), closing(Results(job, path)) as results:
        list(in_order(job, results, 8, processes(1), lambda _: None))
    with closing(Results(job, path)) as results:
        assert {0, 1, 2} <= set(results.found) <= {0, 1, 2, 4, 5, 6, 7}


@pytest.mark.parametrize("content", [b"dear diary", b'{"study":"other"', b"\x00\x01\x02"])
def test_a_file_that_is_none_of_its_own_is_left_as_it_is(tmp_path, content):
    path = tmp_path / "diary.txt"
    path.write_bytes(content)
    with pytest.raises(ConfigError, match="another study"):
        Results(Square(), path)
    assert path.read_bytes() == content
