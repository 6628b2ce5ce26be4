#!/usr/bin/env python3
"""Sets the clock of a dump of a trace.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    skew_trace.py FILE.trace OFFSET_NS DRIFT_PPM OUT.trace

Writes the dump as if its process had had another clock: OFFSET_NS ahead at the first
event, and faster by DRIFT_PPM. docs/formats.md describes the format.
"""

import struct
import sys

HEADER, RECORD, EVENT, EVENTS = 24, struct.Struct("<IIQ"), 64, 7


def records(data):
    """(kind, begin, end) of what each record has, in the file's order."""
    at = HEADER
    while at + RECORD.size <= len(data):
        kind, _, size = RECORD.unpack_from(data, at)
        at += RECORD.size
        yield kind, at, at + size
        at += size + -size % 8


def times(data):
    """Where the times of all events are."""
    for kind, begin, end in records(data):
        if kind == EVENTS:
            yield from range(begin, end, EVENT)


def skew(data, offset, ppm):
    """Changes the dump, a bytearray. Returns the time of its first event."""
    places = list(times(data))
    first = min(struct.unpack_from("<q", data, at)[0] for at in places)
    for at in places:
        time = struct.unpack_from("<q", data, at)[0]
        time += offset + (time - first) * ppm // 1_000_000
        struct.pack_into("<q", data, at, time)
    return first


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    with open(sys.argv[1], "rb") as file:
        dump = bytearray(file.read())
    skew(dump, int(sys.argv[2]), int(sys.argv[3]))
    with open(sys.argv[4], "wb") as file:
        file.write(dump)
