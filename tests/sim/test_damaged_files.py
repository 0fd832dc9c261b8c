"""Tests of firmware_host/config/files.py and firmware_host/journal/records.py: a table whose
files are damaged says so, keeps them aside, and plays.
"""

from tests.unhurried import unhurried
from tiltboard.firmware_host.config.files import CALIBRATION_NAME, JOURNAL_NAME
from tiltboard.firmware_host.service.publish import Publisher
from tiltboard.hw_sim.session import SimSession


def test_a_damaged_journal_is_kept_aside_and_the_page_says_so(tmp_path):
    rubbish = b"this was a journal once" * 100
    (tmp_path / JOURNAL_NAME).write_bytes(rubbish)
    with SimSession(unhurried("plate-10"), tmp_path) as session:
        session.run_until(session.clock.now() + 3)
        snapshot = Publisher(session.host).snapshot()
    assert snapshot.guidance.phase == "turn"
    (notice,) = snapshot.guidance.faults
    kept = [path for path in tmp_path.iterdir() if path.read_bytes() == rubbish]
    assert len(kept) == 1
    assert kept[0].name in str(notice.problem)


def test_a_damaged_calibration_is_made_anew(tmp_path, caplog):
    (tmp_path / CALIBRATION_NAME).write_text("{")
    with SimSession(unhurried("plate-10"), tmp_path) as session:
        session.run_until(session.clock.now() + 3)
        assert session.host.status.phase == "turn"
    assert "not JSON" in caplog.text
    assert (tmp_path / CALIBRATION_NAME).read_text() != "{"
