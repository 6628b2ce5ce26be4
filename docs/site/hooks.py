"""What MkDocs is told beside mkdocs.yml: anchors as GitHub makes them, so that links
between pages lead to the same places here.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import pathlib
import re


def slugify(text, separator):
    return re.sub(r"[^\w\- ]", "", text.strip().lower()).replace(" ", separator)


def named(nav):
    """The files that a table of contents names."""
    if isinstance(nav, str):
        return [nav]
    inside = nav.values() if isinstance(nav, dict) else nav
    return [file for part in inside for file in named(part)]


def on_config(config):
    # A page that has no place in mkdocs.yml yet stands at the end.
    known = named(config["nav"])
    config["nav"] += [f"docs/{page.name}" for page in
                      sorted(pathlib.Path(config["docs_dir"], "docs").glob("*.md"))
                      if f"docs/{page.name}" not in known]
    config["mdx_configs"].setdefault("toc", {}).update(slugify=slugify)
    return config


def on_page_markdown(markdown, **_):
    # GitHub begins a list behind a line of text, Python's Markdown behind an empty one.
    return re.sub(r"(?m)^((?!- |\s|\||#).+)\n(- )", r"\1\n\n\2", markdown)
