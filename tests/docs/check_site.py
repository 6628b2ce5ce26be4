#!/usr/bin/env python3
"""Makes the site of the pages and fails when a link in it leads nowhere, or a page has
no way to it. Exit status 77 where MkDocs is not installed.

    check_site.py --source FOLDER --output FOLDER

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import argparse
import html.parser
import pathlib
import shutil
import subprocess
import sys
import urllib.parse


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.links, self.anchors = set(), set()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if name in ("href", "src") and value:
                self.links.add(value)
            elif name == "id":
                self.anchors.add(value)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--source", type=pathlib.Path, required=True)
    parser.add_argument("--output", type=pathlib.Path, required=True)
    arguments = parser.parse_args()
    if not shutil.which("mkdocs"):
        print("skipped: MkDocs (package mkdocs) is not installed")
        return 77
    output = arguments.output.resolve()
    shutil.rmtree(output, ignore_errors=True)
    done = subprocess.run([arguments.source / "scripts/site.sh", output],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, check=False)
    if done.returncode or "WARNING" in done.stdout:
        print(done.stdout)
        return 1
    pages = {path: Page(path.read_text()) for path in output.rglob("*.html")}
    problems, reached = [], set()
    for path, page in pages.items():
        for link in page.links:
            target = urllib.parse.urlsplit(link)
            if target.scheme or target.netloc:
                continue
            # The page for what is not found has links from the top.
            start = output if target.path.startswith("/") else path.parent
            other = (start / urllib.parse.unquote(target.path.lstrip("/"))
                     ).resolve() if target.path else path
            reached.add(other)
            if not other.exists():
                problems.append(f"{path.relative_to(output)}: {link} leads nowhere")
            elif (target.fragment and other in pages and
                  urllib.parse.unquote(target.fragment) not in pages[other].anchors):
                problems.append(f"{path.relative_to(output)}: {link}: no such heading")
    for path in sorted(set(pages) - reached - {output / "404.html"}):
        problems.append(f"no link leads to {path.relative_to(output)}")
    print("\n".join([*problems, f"{len(pages)} pages"]))
    return 1 if problems or len(pages) < 10 else 0


if __name__ == "__main__":
    sys.exit(main())
