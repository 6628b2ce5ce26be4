"""The commands of an installation by pip: each is replaced by the tool of its name.

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Beside the package async_gpu and not in it, since importing that loads the compiler.
"""

import os
import sys


def main() -> None:
    package = os.path.join(os.path.dirname(os.path.abspath(__file__)), "async_gpu")
    tool = os.path.join(package, "bin", os.path.basename(sys.argv[0]))
    os.execv(tool, [tool, *sys.argv[1:]])
