// Bytecode, remarks as YAML, and colours.

// RUN: async-gpu-opt %s --emit-bytecode -o %t.mlirbc
// RUN: async-gpu-opt %t.mlirbc | FileCheck %s --check-prefix=BYTECODE
// RUN: mlir-opt %t.mlirbc | FileCheck %s --check-prefix=BYTECODE
// RUN: async-gpu-opt %s --emit-bytecode --emit-bytecode-version=5 | async-gpu-opt | FileCheck %s --check-prefix=BYTECODE
// BYTECODE: async.execute
// RUN: not async-gpu-opt %s --emit-bytecode --emit-bytecode-version=99 -o %t.no 2>&1 | FileCheck %s --check-prefix=VERSION
// RUN: not test -e %t.no
// VERSION: error: unsupported version requested 99
// RUN: not async-gpu-opt %s --emit-bytecode-version=1 2>&1 | FileCheck %s --check-prefix=NEEDS
// NEEDS: error: '--emit-bytecode-version' needs '--emit-bytecode'
// RUN: not async-gpu-opt %s --emit-bytecode --emit=llvm 2>&1 | FileCheck %s --check-prefix=FORMS
// FORMS: error: '--emit-bytecode' is a form of the module, and '--emit' names another
// RUN: %python %S/Inputs/terminal.py async-gpu-opt --emit-bytecode %s | FileCheck %s --check-prefix=TERMINAL
// TERMINAL: error: the output is not text

// RUN: async-gpu-opt %s --async-gpu-regions --remark-format=yaml --remarks-output-file=%t.yaml -o /dev/null 2>&1 | FileCheck %s --allow-empty --check-prefix=QUIET
// QUIET-NOT: remark
// RUN: FileCheck %s --check-prefix=YAML < %t.yaml
// RUN: not async-gpu-opt %s --remark-format=yaml 2>&1 | FileCheck %s --check-prefix=FILE
// FILE: error: '--remark-format=yaml' needs '--remarks-output-file'
// YAML:      --- !Analysis
// YAML-NEXT: Pass:            async-gpu-regions
// YAML-NEXT: Name:            region
// YAML-NEXT: DebugLoc:        { File: '{{.*}}opt_forms.mlir', Line: [[#@LINE+26]], Column: 8 }
// YAML-NEXT: Function:        'main'
// YAML-NEXT: Args:
// YAML-NEXT:   - String:          'region 1: host'
// YAML-NEXT: ...
// YAML:      Line: [[#@LINE+29]],
// YAML-NEXT: Function:        'other'
// YAML-NOT:  region 4
// RUN: %python -c 'import sys; text = open(sys.argv[1]).read(); sys.exit(text.count("--- ") != text.count("..."))' %t.yaml

// RUN: async-gpu-opt %s --async-gpu-regions --async-gpu-remarks --color=always -o /dev/null 2>&1 | FileCheck %s --check-prefix=COLOUR
// COLOUR:      {{^.}}[1m{{.*}}opt_forms.mlir:[[#@LINE+15]]:8: {{.}}[0m{{.}}[1;34mremark: {{.}}[0m{{.}}[1mregion 1: host{{.}}[0m
// COLOUR-NEXT: {{^}}  %t = async.execute {
// COLOUR-NEXT: {{^}}       {{.}}[1;32m^{{.}}[0m
// RUN: async-gpu-opt %s --async-gpu-regions --async-gpu-remarks -o /dev/null 2>&1 | FileCheck %s --check-prefix=PLAIN
// RUN: env TERM=xterm %python %S/Inputs/terminal.py async-gpu-opt %s --async-gpu-regions --async-gpu-remarks --color=never -o /dev/null | FileCheck %s --check-prefix=PLAIN
// RUN: env TERM=xterm NO_COLOR=1 %python %S/Inputs/terminal.py async-gpu-opt %s --async-gpu-regions --async-gpu-remarks -o /dev/null | FileCheck %s --check-prefix=PLAIN
// PLAIN: {{^.*}}opt_forms.mlir:[[#@LINE+9]]:8: remark: region 1: host
// RUN: env TERM=xterm NO_COLOR= %python %S/Inputs/terminal.py async-gpu-opt %s --async-gpu-regions --async-gpu-remarks -o /dev/null | FileCheck %s --check-prefix=SHOWN
// RUN: env TERM=xterm NO_COLOR= %python %S/Inputs/terminal.py async-gpu-runner %s --async-gpu-remarks | FileCheck %s --check-prefix=SHOWN
// SHOWN: [1;34mremark:
// RUN: not async-gpu-opt %s --color=blue 2>&1 | FileCheck %s --check-prefix=BLUE
// RUN: not async-gpu-runner %s --color=blue 2>&1 | FileCheck %s --check-prefix=BLUE
// BLUE: error: option '--color' is auto, always or never, not 'blue'

func.func @main() {
  %t = async.execute {
    async.yield
  }
  async.await %t : !async.token
  return
}

func.func @other() {
  %t = async.execute {
    async.yield
  }
  async.await %t : !async.token
  return
}
