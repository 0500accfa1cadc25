"""Concurrent deletes in LangGraph's Postgres store, for the benchmark's optional rows.

Used as its documentation does: one store from a connection string, awaited by many tasks. The store merges what was
asked for at the same time into one commit. Prints a line per call: when it was answered, counted from the start, and
how long it took, in microseconds.
"""

import argparse
import asyncio
import itertools
import time

from langgraph.store.postgres import AsyncPostgresStore


async def run(arguments: argparse.Namespace) -> None:
    async with AsyncPostgresStore.from_conn_string(arguments.database) as store:
        if arguments.setup:
            await store.setup()
            return
        numbers = itertools.count()
        calls: list[tuple[int, int]] = []
        start = time.perf_counter_ns()
        end = start + arguments.seconds * 1_000_000_000

        async def caller() -> None:
            while (sent := time.perf_counter_ns()) < end:
                place, namespace = divmod(next(numbers), arguments.namespaces)
                if place >= arguments.keys:
                    raise RuntimeError("the keys are used up before the time is")
                # Shuffled as the other sides' ids are.
                key = f"m{place * arguments.step % arguments.keys + 1}"
                await store.adelete(("memories", f"t-{namespace}"), key)
                answered = time.perf_counter_ns()
                calls.append((answered - start, answered - sent))

        async with asyncio.TaskGroup() as group:
            for _ in range(arguments.callers):
                group.create_task(caller())
        print("\n".join(f"{answered // 1000} {took // 1000}" for answered, took in calls))


parser = argparse.ArgumentParser()
parser.add_argument("--database", required=True)
parser.add_argument("--setup", action="store_true")
parser.add_argument("--callers", type=int, default=1)
parser.add_argument("--namespaces", type=int, default=1)
parser.add_argument("--keys", type=int, default=1, help="of each namespace")
parser.add_argument("--step", type=int, default=1)
parser.add_argument("--seconds", type=int, default=1)
asyncio.run(run(parser.parse_args()))
