#!/usr/bin/env python3
"""Links of Markdown pages lead to files, and to headings that are there.

    links.py FOLDER        fails where one of a page below the folder does not

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import pathlib
import re
import sys


def anchors_of(page):
    """As GitHub makes them of headings."""
    found = set()
    for line in page.splitlines():
        if line.startswith("#"):
            text = line.lstrip("#").strip().lower()
            found.add(re.sub(r"[^\w\- ]", "", text).replace(" ", "-"))
    return found


def find_dead(path):
    """What is wrong with each link of the page at `path` that leads nowhere."""
    text = re.sub(r"^    .*$|`[^`]*`", "", path.read_text(), flags=re.MULTILINE)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if "://" in target:
            continue
        file, _, anchor = target.partition("#")
        other = (path.parent / file).resolve() if file else path
        if not other.exists():
            yield f"{target} leads nowhere"
        elif anchor and anchor not in anchors_of(other.read_text()):
            yield f"{target}: no such heading"


def main():
    folder = pathlib.Path(sys.argv[1])
    pages = sorted(folder.rglob("*.md"))
    problems = [f"{page}: {problem}" for page in pages
                for problem in find_dead(page)]
    print("\n".join([*problems, f"{len(pages)} pages"]))
    return 1 if problems or not pages else 0


if __name__ == "__main__":
    sys.exit(main())
