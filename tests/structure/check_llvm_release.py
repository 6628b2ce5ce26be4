#!/usr/bin/env python3
"""What ties the sources to one release of LLVM stands in one file.

    check_llvm_release.py [--root DIR]

Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
See LICENSE for license information.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Of src/ and tools/, says which files beside src/lower/ir/llvm_compat.[ch]

- choose what is compiled by LLVM's version or configuration;
- call functions of the C APIs that other releases declare otherwise;
- write types that other releases write in another way;
- include LLVM's or MLIR's C++ headers. Those in tools/plugin are C++ in whole: a plugin
  and a language server, which fit one release by their nature.

Prints how many there are. Ends with 1 if there is one.
"""

import argparse
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
COMPAT = "src/lower/ir/llvm_compat"
PLUGIN = "tools/plugin/"
# Tables of targets and assemblers, of macros alone.
TABLES = {"llvm/Config/Targets.def", "llvm/Config/AsmParsers.def",
          "llvm/Config/llvm-config.h"}

# Parameters added or changed, renamed or on their way out from release 19 to 24.
DIFFERENT = {
    "mlirPassManagerEnableIRPrinting",
    "LLVMOrcCreateNewThreadSafeContext",
    "LLVMOrcCreateNewThreadSafeContextFromLLVMContext",
    "LLVMOrcThreadSafeContextGetContext", "LLVMParseCommandLineOptions",
    "LLVMConstStringInContext", "LLVMGetGlobalContext",
    "LLVMCreateBuilder", "LLVMCreateBuilderInContext", "LLVMCreateBuilderForModule",
    "mlirSymbolTableGetVisibilityAttributeName",
    "LLVMBuildNUWNeg", "LLVMConstMul", "LLVMBuildCall", "LLVMBuildLoad",
}
CONDITION = re.compile(r"^\s*#\s*(?:el)?if.*\b(?:LLVM|MLIR)_[A-Z_]+", re.MULTILINE)
GUARD = re.compile(r"^\s*#\s*if(?:n?def)? ASYNC_GPU_\w+_H$", re.MULTILINE)
INCLUDE = re.compile(r'^\s*#\s*include "((?:llvm|mlir)/[^"]+)"', re.MULTILINE)
# Types that are written in another way.
SPELLED = re.compile(r"!llvm\.token\b")
CALL = re.compile(r"\b(?:mlir|LLVM)[A-Z]\w*(?=\()")


def offenders(name, text):
    text = re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.DOTALL)
    for found in CONDITION.finditer(GUARD.sub("", text)):
        yield f"{name}: {found[0].strip()}"
    for header in INCLUDE.findall(text):
        if header not in TABLES:
            yield f"{name}: includes {header}"
    for spelling in SPELLED.findall(text):
        yield f"{name}: has {spelling}"
    for call in sorted(set(CALL.findall(text)) & DIFFERENT):
        yield f"{name}: calls {call}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", default=ROOT, type=pathlib.Path)
    root = parser.parse_args().root
    files = [path for top in ("src", "tools") for path in sorted((root / top).rglob("*.[ch]"))]
    found = []
    for path in files:
        name = path.relative_to(root).as_posix()
        if not name.startswith((COMPAT, PLUGIN)):
            found += offenders(name, path.read_text())
    print("\n".join([*found, f"{len(found)} in {len(files)} files"]))
    return 1 if found or not files else 0


if __name__ == "__main__":
    sys.exit(main())
