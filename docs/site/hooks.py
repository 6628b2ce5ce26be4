"""What MkDocs is told beside mkdocs.yml: anchors as GitHub makes them, so that links
between pages lead to the same places here.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import re


def slugify(text, separator):
    return re.sub(r"[^\w\- ]", "", text.strip().lower()).replace(" ", separator)


def on_config(config):
    config["mdx_configs"].setdefault("toc", {}).update(slugify=slugify)
    return config


def on_page_markdown(markdown, **_):
    # GitHub begins a list behind a line of text, Python's Markdown behind an empty one.
    return re.sub(r"(?m)^((?!- |\s|\||#).+)\n(- )", r"\1\n\n\2", markdown)
