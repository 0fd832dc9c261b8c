"""A program in the booted container that floods its table as `tiltboard bench loop` does."""

import http.client
import json
import sys
import tempfile
from pathlib import Path

from tiltboard_lab.bench.loop import API, ask_all, floods_of, with_a_long_game

PORT = 8080
SECONDS = 3


def asked(path, body=None):
    data = None if body is None else json.dumps(body).encode()
    page = http.client.HTTPConnection("127.0.0.1", PORT, timeout=60)
    headers = {"content-type": "application/json"}
    page.request("GET" if body is None else "POST", f"{API}{path}", data, headers)
    return json.loads(page.getresponse().read())


with tempfile.TemporaryDirectory() as folder:
    text = with_a_long_game(Path(folder))
asked("/command", {"type": "import", "text": text})
floods = floods_of(text, asked("/history")[0]["id"])
counts = {flood.name: ask_all([flood], PORT, SECONDS) for flood in floods}
counts["all at once"] = ask_all(floods, PORT, SECONDS)
json.dump(counts, sys.stdout)
