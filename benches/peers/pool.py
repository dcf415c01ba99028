"""The pool in SimPy: a process for the consumer, and one for each record that a worker has.

Prints `seconds finished last_tick digest`: the best of RUNS, and what main.rs compares.

    python pool.py LOG.csv WORKERS POLL HIGH LOW RUNS
"""

import csv
import heapq
import sys
import time
from collections import deque

import simpy


class Pool:
    """Keyed mailboxes, a pause gate, WORKERS threads. Completions fall on whole ticks, polls half a tick later."""

    def __init__(self, env, log, workers, poll, high, low):
        self.env, self.log = env, log
        self.poll_size, self.high, self.low = poll, high, low
        self.position = self.in_flight = 0
        self.paused = False
        self.mailboxes = {}
        self.ready, self.free = [], list(range(workers))
        self.finished = self.last_tick = self.digest = 0
        env.process(self.consume())

    def consume(self):
        yield self.env.timeout(0.5)
        while self.finished < len(self.log):
            if not self.paused:
                self.poll()
            self.paused = self.in_flight > self.low if self.paused else self.in_flight >= self.high
            while self.ready and self.free:
                offset, worker = heapq.heappop(self.ready), heapq.heappop(self.free)
                self.env.process(self.work(offset, worker))
            yield self.env.timeout(1)

    def poll(self):
        end = min(self.position + self.poll_size, len(self.log))
        for offset in range(self.position, end):
            mailbox = self.mailboxes.setdefault(self.log[offset][0], deque())
            if not mailbox:
                heapq.heappush(self.ready, offset)
            mailbox.append(offset)
        self.in_flight += end - self.position
        self.position = end

    def work(self, offset, worker):
        key, work = self.log[offset]
        yield self.env.timeout(work - 0.5)
        tick = int(self.env.now)
        self.finished += 1
        self.last_tick = tick
        self.digest += (offset + 1) * tick
        self.in_flight -= 1
        heapq.heappush(self.free, worker)
        mailbox = self.mailboxes[key]
        mailbox.popleft()
        if mailbox:
            heapq.heappush(self.ready, mailbox[0])


def run(log, settings):
    started = time.perf_counter()
    env = simpy.Environment()
    pool = Pool(env, log, *settings)
    env.run()
    return time.perf_counter() - started, pool


def main():
    path, *numbers = sys.argv[1:]
    *settings, runs = map(int, numbers)
    with open(path, newline="") as file:
        log = [(int(row["key"]), int(row["work"])) for row in csv.DictReader(file)]
    seconds, pool = min((run(log, settings) for _ in range(runs)), key=lambda best: best[0])
    print(seconds, pool.finished, pool.last_tick, pool.digest % 2**64)


main()
