#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""First come, first served, with backfilling: the scheduler `easy` of ovlp as a program of one's own.

    ovlp cluster workload.json --scheduler easy,examples/scheduler/easy.py

Each line on standard input tells what is new, and is answered by a line of orders: docs/formats/scheduler.md.
"""
import json
import sys


def decide(now_s, free, waiting, running):
    """Orders, from jobs that wait, the first one first, and jobs that run."""
    orders = []
    ends = [(max(job["start_s"] + job["requested_s"], now_s), job["held"]) for job in running]

    def start(job):
        nonlocal free
        orders.append({"start": job["job"], "nodes": job["requested"]})
        ends.append((now_s + job["requested_s"], job["requested"]))
        free -= job["requested"]

    places = iter(waiting)
    for first in places:
        if first["requested"] > free:
            break
        start(first)
    else:
        return orders

    # The first one that finds no room gets it at shadow_s, if all take as long as they have said; `spare` are left.
    shadow_s, spare = now_s, free - first["requested"]
    for end_s, nodes in sorted(ends):
        if spare >= 0 and end_s > shadow_s:
            break
        shadow_s, spare = end_s, spare + nodes
    for job in places:  # those behind it go ahead if they are gone by then, or leave it enough nodes
        if free == 0:
            break
        if job["requested"] <= free:
            if now_s + job["requested_s"] <= shadow_s:
                start(job)
            elif job["requested"] <= spare:
                spare -= job["requested"]
                start(job)
    return orders


jobs = {}  # that have come and not ended, by number
for line in sys.stdin:
    known = json.loads(line)
    for news in known["jobs"]:
        jobs.setdefault(news["job"], {}).update(news)
    for number in known["ended"]:
        del jobs[number]
    waiting = sorted((job for job in jobs.values() if job["held"] == 0), key=lambda job: -job["priority"])
    running = [job for job in jobs.values() if job["held"] > 0]
    print(json.dumps(decide(known["now_s"], known["free"], waiting, running)), flush=True)
