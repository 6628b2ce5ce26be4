"""Fails where upstream's lowering calls a wrapper that the runtime lacks.

    check_mgpu_exports.py LLVM_LIBRARIES RUNTIME

The names come from the installed libMLIR, which holds those that gpu-to-llvm
and the translation of gpu.binary call. Sparse matrices are not the runtime's
(docs/upstream-gpu.md).
"""

# Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import ctypes
import glob
import os
import re
import sys

LEFT_OUT = re.compile(
    "mgpu(Create(Bsr|Coo|Csc|Csr|Dn|CuSparse)|Cu[Ss]parse|"
    "Destroy(CuSparse|Dn|SpMat)|SDDMM|SetCsrPointers|Sp[GM])"
)


def main():
    libraries = glob.glob(os.path.join(sys.argv[1], "libMLIR.so*"))
    if not libraries:
        print("there is no libMLIR.so in", sys.argv[1])
        sys.exit(77)
    with open(libraries[0], "rb") as library:
        names = re.findall(rb"\0(mgpu[A-Z][A-Za-z0-9]+)\0", library.read())
    names = sorted({name.decode() for name in names})
    wanted = [name for name in names if not LEFT_OUT.match(name)]
    if len(wanted) < 10:
        sys.exit("%s names few wrappers: %s" % (libraries[0], names))
    runtime = ctypes.CDLL(sys.argv[2])
    missing = [name for name in wanted if not hasattr(runtime, name)]
    if missing:
        sys.exit("the runtime lacks " + " ".join(missing))
    print("the runtime has", " ".join(wanted))


main()
