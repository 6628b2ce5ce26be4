// --emit=plan-*: what it takes, and what Graphviz draws.

// Passes that make no plan leave nothing to show.
// RUN: not async-gpu-opt %s --emit=plan-json --canonicalize -o %t.no 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not test -e %t.no
// NONE: async-gpu-opt: error: there is no plan, as the pass async-gpu-regions did not run: name it or --async-gpu-lower, or no pass
// RUN: not async-gpu-opt %s --emit=plan-png 2>&1 | FileCheck %s --check-prefix=FORM
// FORM: error: option '--emit' is mlir, llvm, ptx, asm, obj, exe, plan-dot, plan-svg or plan-json, not 'plan-png'
// RUN: not async-gpu-opt %s --emit=plan-dot --split-input-file 2>&1 | FileCheck %s --check-prefix=SPLIT
// SPLIT: error: '--split-input-file' gives several modules, '--emit' writes one

// Flags of the whole way hold for its plan: regions that are formed are in it.
// RUN: async-gpu-opt %integration/sequential/order.mlir --emit=plan-json | not grep async.execute
// RUN: async-gpu-opt %integration/sequential/order.mlir --sequential --device-region-ops=0 --emit=plan-json | FileCheck %s --check-prefix=FORMED
// FORMED: "op": "async.execute", "kind": "device"

// Without Graphviz, and with one that fails, nothing is written.
// RUN: not env PATH=%t.none %bin/async-gpu-opt %s --emit=plan-svg -o %t.no 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: not test -e %t.no
// MISSING: error: --emit=plan-svg needs Graphviz, whose 'dot' cannot be run: No such file or directory; install graphviz, or take --emit=plan-dot
// RUN: mkdir -p %t.bin
// RUN: %python -c 'import os, sys; open(sys.argv[1], "w").write("#!/bin/sh\necho no fonts; exit 3\n"); os.chmod(sys.argv[1], 0o755)' %t.bin/dot
// RUN: not env PATH=%t.bin %bin/async-gpu-opt %s --emit=plan-svg -o %t.no 2>&1 | FileCheck %s --check-prefix=FAILS
// RUN: not test -e %t.no
// FAILS: error: Graphviz could not draw the plan:
// FAILS-NEXT: no fonts
// What Graphviz has drawn gets the colours of readers who have it dark.
// RUN: %python -c 'import os, sys; open(sys.argv[1], "w").write("#!/bin/sh\nprintf \"<svg>\\n</svg>\\n\" >$3\n"); os.chmod(sys.argv[1], 0o755)' %t.bin/dot
// RUN: env PATH=%t.bin %bin/async-gpu-opt %s --emit=plan-svg | FileCheck %s --check-prefix=DARK
// DARK: <svg>
// DARK-NEXT: <style>
// DARK-NEXT: @media (prefers-color-scheme: dark) {
// DARK: </style>
// DARK-NEXT: </svg>

// RUN: %if graphviz %{ async-gpu-opt %s --emit=plan-svg | FileCheck %s --check-prefix=SVG %}
// SVG: <svg
// SVG: id="region{{-|&#45;}}1"

func.func @main() {
  %t = async.execute {
    async.yield
  }
  async.await %t : !async.token
  return
}
