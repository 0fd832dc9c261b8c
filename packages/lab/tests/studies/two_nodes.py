"""A program that runs tasks on two Ray nodes and kills one node on the way: ``two_nodes.py
FOLDER``.
"""

import json
import sys
import time
from contextlib import closing
from pathlib import Path

import ray
from chores import Waiting
from ray.cluster_utils import Cluster

from tiltboard_lab.studies.jobs import Results, in_order
from tiltboard_lab.studies.on_ray import cluster

folder = Path(sys.argv[1])
NODE = {"num_cpus": 1, "object_store_memory": 80_000_000, "include_dashboard": False}
nodes = Cluster(initialize_head=True, head_node_args=NODE)
second = nodes.add_node(num_cpus=1, object_store_memory=80_000_000)
nodes.wait_for_nodes()


def alive():
    return sum(node["Alive"] for node in ray.nodes())


def begun_on_second():
    lines = [line.split() for line in (folder / "run").read_text().splitlines()]
    return {int(number) for number, node in lines if node == second.node_id and int(number) >= 10}


path = folder / "s.jsonl"
job = Waiting(folder=str(folder), seed=3)
found = []
with closing(Results(job, path)) as results:
    for each in in_order(job, results, 40, cluster(nodes.address), lambda _: None):
        found.append(each)
        if len(found) == 1:
            told = [alive()]
        if len(found) == 10:
            while not (killed_in := begun_on_second()):
                time.sleep(0.01)
            nodes.remove_node(second, allow_graceful=False)
            (folder / "killed").touch()
nodes.wait_for_nodes()  # Wait until the cluster knows the second node.
told.append(alive())
lines = path.read_text().splitlines()
ran = {"found": found, "lines": lines, "nodes": told, "killed_in": sorted(killed_in)}
# Ray writes to standard output itself, so use a file.
(folder / "told.json").write_text(json.dumps(ran))
ray.shutdown()
nodes.shutdown()
