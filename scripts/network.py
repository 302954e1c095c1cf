#!/usr/bin/env python3
"""Measures builds by MPI processes that are connected by a slower network than this machine's
memory, and prints a Markdown table.

    scripts/network.py PROGRAM [RULES] [--slice K2v4] [--ranks N] [--rate 1gbit ...] [--delay US ...]

PROGRAM is a taflbase with the feature `mpi`. Each process runs in a network namespace of its own
with one thread; a token bucket (`tc tbf`) limits what it sends to each --rate, and "-" is no limit.
Not every kernel has netem, so a delay is added by a small library in front of MPI: each collective
call begins --delay microseconds later. A last row, "memory", is for processes that communicate
through shared memory. The tables are compared byte by byte with those of one process.

"wall" is the time of the whole build of the slice, without the smaller ones; "waiting" the share
of the plies' time that the processes wait for each other and for the network.

Needs root, iproute2, and Open MPI with its compiler: apt-get install iproute2 openmpi-bin
libopenmpi-dev. It creates namespaces named taflbase-N and removes them at the end.
"""

import argparse
import filecmp
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

# Leave no cache files in the source folder.
sys.dont_write_bytecode = True

from program import print_head, print_row

HEAD = ["network", "delay, µs", "wall, s", "computing, s", "waiting, s", "waiting", "sent, MB"]
HUB = "taflbase-hub"

# Each collective call begins later.
DELAY = """
#include <mpi.h>
#include <stdlib.h>
#include <time.h>
static void wait_first(void) {
    const char *micros = getenv("TAFLBASE_DELAY");
    struct timespec time = {0, (micros ? atol(micros) : 0) * 1000};
    nanosleep(&time, NULL);
}
int MPI_Alltoall(const void *a, int b, MPI_Datatype c, void *d, int e, MPI_Datatype f, MPI_Comm g) {
    wait_first();
    return PMPI_Alltoall(a, b, c, d, e, f, g);
}
int MPI_Alltoallv(const void *a, const int *b, const int *c, MPI_Datatype d, void *e,
                  const int *f, const int *g, MPI_Datatype h, MPI_Comm i) {
    wait_first();
    return PMPI_Alltoallv(a, b, c, d, e, f, g, h, i);
}
"""


def run(*command, **options):
    """Runs a command; the script ends if it fails."""
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, **options)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}: {done.stderr.strip()}")
    return done.stdout


def node(number):
    """The name of the namespace of a process, which is also the name of its host."""
    return f"taflbase-{number}"


@contextmanager
def network(ranks, rate):
    """Creates a namespace for each process, and a bridge between them."""
    names = [HUB, *map(node, range(ranks))]
    hosts = "127.0.0.1 localhost\n"
    hosts += "".join(f"10.77.0.{number + 1} {node(number)}\n" for number in range(ranks))
    try:
        for name in names:
            # `ip netns exec` puts this file in the place of /etc/hosts.
            Path("/etc/netns", name).mkdir(parents=True, exist_ok=True)
            Path("/etc/netns", name, "hosts").write_text(hosts)
            run("ip", "netns", "add", name)
            run("ip", "-n", name, "link", "set", "lo", "up")
        run("ip", "-n", HUB, "link", "add", "bridge", "type", "bridge")
        run("ip", "-n", HUB, "link", "set", "bridge", "up")
        for number in range(ranks):
            run("ip", "-n", HUB, "link", "add", f"port{number}", "type", "veth", "peer", "name",
                "wire", "netns", node(number))
            run("ip", "-n", HUB, "link", "set", f"port{number}", "master", "bridge", "up")
            run("ip", "-n", node(number), "address", "add", f"10.77.0.{number + 1}/24", "dev", "wire")
            run("ip", "-n", node(number), "link", "set", "wire", "up")
            if rate != "-":
                run("tc", "-n", node(number), "qdisc", "add", "dev", "wire", "root", "tbf",
                    "rate", rate, "burst", "1mb", "latency", "100ms")
        yield
    finally:
        for name in names:
            subprocess.run(["ip", "netns", "delete", name], capture_output=True)
            shutil.rmtree(Path("/etc/netns", name), ignore_errors=True)


def inside(number):
    """The words that run a command in a namespace, on a host of its own name."""
    name = node(number)
    return ["ip", "netns", "exec", name, "unshare", "--uts", "sh", "-c",
            f'hostname {name}; exec "$@"', "sh"]


def launcher(options, folder, delay, networked):
    """The words that start the processes."""
    words = ["mpirun", "--allow-run-as-root", "-n", options.ranks, "--bind-to", "none"]
    words += ["-x", f"TAFLBASE_DELAY={delay}", "-x", f"LD_PRELOAD={folder / 'delay.so'}"]
    if not networked:
        return [*words, "--oversubscribe"]
    # Instead of ssh: the first argument is the host, the others are the command.
    agent = folder / "agent"
    agent.write_text(
        "#!/bin/sh\nhost=$1\nshift\n"
        'exec ip netns exec "$host" unshare --uts sh -c "hostname $host; $*"\n'
    )
    agent.chmod(0o755)
    words += ["--host", ",".join(f"{node(number)}:1" for number in range(options.ranks))]
    words += ["--mca", "plm_rsh_agent", agent, "--mca", "btl", "self,tcp", "--mca", "pml", "ob1"]
    words += ["--mca", "btl_tcp_if_include", "wire", "--mca", "oob_tcp_if_include", "wire"]
    return [*inside(0), *words]


def build(options, folder, smaller, words):
    """Builds the slice by the processes that these words start; returns seconds and the JSON of
    the plies, and checks the files."""
    tables = folder / "tables"
    shutil.rmtree(tables, ignore_errors=True)
    shutil.copytree(smaller, tables)
    command = [*words, options.program, "--json", "--tables", tables, "build", options.rules]
    begun = time.monotonic()
    printed = run(*command, "--slice", options.slice, "--threads", 1, "--memory", options.memory)
    seconds = time.monotonic() - begun
    for metric in "wdl", "dtw":
        path = Path(options.rules, f"{options.slice}.{metric}")
        if not filecmp.cmp(tables / path, folder / "alone" / path, shallow=False):
            sys.exit(f"{path}: another file than that of one process")
    return seconds, [json.loads(line) for line in printed.splitlines()]


def row(options, folder, smaller, rate, delay):
    """Measures a build and prints its row."""
    if rate == "memory":
        seconds, lines = build(options, folder, smaller, launcher(options, folder, delay, False))
    else:
        with network(options.ranks, rate):
            words = launcher(options, folder, delay, True)
            seconds, lines = build(options, folder, smaller, words)
    ranks = [rank for line in lines if "ranks" in line for rank in line["ranks"]]
    computing, packing, waiting, sent = (
        sum(rank[name] for rank in ranks) for name in ["computing", "packing", "waiting", "bytes"]
    )
    share = 100 * waiting / (computing + packing + waiting)
    cells = [rate, str(delay), f"{seconds:.1f}", f"{computing + packing:.1f}", f"{waiting:.1f}"]
    print_row([*cells, f"{share:.0f} %", f"{sent / 1e6:.0f}"])


def parse():
    """Returns the command line's options."""
    parser = argparse.ArgumentParser(description="Measures builds over a simulated network.")
    parser.add_argument("program", metavar="PROGRAM", help="taflbase with the feature mpi")
    parser.add_argument("rules", metavar="RULES", nargs="?", default="brandubh")
    parser.add_argument("--slice", default="K2v4")
    parser.add_argument("--ranks", type=int, default=2, help="[default: 2]")
    parser.add_argument("--memory", default="4GiB", help="memory of each process")
    parser.add_argument("--rate", nargs="*", default=["-", "10gbit", "1gbit", "200mbit"])
    parser.add_argument("--delay", nargs="*", type=int, default=[0], help="microseconds")
    return parser.parse_args()


def main():
    options = parse()
    options.program = Path(options.program).resolve()
    if os.geteuid() != 0:
        sys.exit("only root may create network namespaces")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        run("mpicc", "-shared", "-fPIC", "-o", folder / "delay.so", "-x", "c", "-", input=DELAY)
        alone, smaller = folder / "alone", folder / "smaller"
        build_alone = [options.program, "--tables", alone, "build", options.rules]
        run(*build_alone, "--slice", options.slice)
        shutil.copytree(alone, smaller)
        for path in Path(smaller, options.rules).glob(f"{options.slice}.*"):
            path.unlink()
        print_head(HEAD)
        for rate in [*options.rate, "memory"]:
            for delay in options.delay:
                row(options, folder, smaller, rate, delay)


if __name__ == "__main__":
    main()
