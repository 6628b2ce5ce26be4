"""Statuses as exceptions.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from __future__ import annotations

from typing import Optional

from ._native import library


class Error(Exception):
    """What went wrong, and where in the program.

    `file`, `line` and `column` are the place, `source_line` is what stands
    there; each is None where it is not known.
    """

    def __init__(self, message: str, location: str = "",
                 source: Optional[str] = None) -> None:
        super().__init__(message)
        self.message = message
        self.location = location
        self.file: Optional[str] = None
        self.line: Optional[int] = None
        self.column: Optional[int] = None
        self.source_line: Optional[str] = None
        parts = location.rsplit(":", 2)
        if len(parts) == 3 and parts[1].isdigit() and parts[2].isdigit():
            self.file = parts[0]
            self.line, self.column = int(parts[1]), int(parts[2])
            lines = source.splitlines() if source else []
            if 0 < self.line <= len(lines):
                self.source_line = lines[self.line - 1]

    def __str__(self) -> str:
        # A compiler's message begins with its place; a run's does not.
        if not self.location or self.message.startswith(self.location):
            return self.message
        shown = f"{self.location}: error: {self.message}"
        return f"{shown}\n{self.source_line}" if self.source_line else shown


class CompileError(Error):
    """The program is wrong, or cannot be lowered."""


class RunError(Error):
    """A call has failed: an assertion, the device, an allocation."""


def check(status: Optional[int], kind: type = CompileError,
          source: Optional[str] = None) -> None:
    """Raises `kind` unless `status`, which is consumed, is OK."""
    if not status:
        return
    message = library.agpu_status_get_message(status).decode(errors="replace")
    location = library.agpu_status_get_location(status).decode(errors="replace")
    library.agpu_status_release(status)
    raise kind(message, location, source)
