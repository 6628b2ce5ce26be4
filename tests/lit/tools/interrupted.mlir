// A tool that a signal ends leaves nothing in TMPDIR, and who waits for it sees
// the signal: also while a command that it runs has files open there.

// RUN: rm -rf %t && mkdir -p %t/tmp && split-file %s %t
// The words of CC have no quotes, and paths may have blanks.
// RUN: cd %t && env TMPDIR=%t/tmp CC="sh ./slow.sh" %python %t/interrupt.py %t async-gpu-opt %t/main.mlir --emit=exe -o %t/program
// RUN: ls %t/tmp | count 0

// Where all goes well, and where it does not.
// RUN: env TMPDIR=%t/tmp async-gpu-opt %t/main.mlir --emit=exe -o %t/program
// RUN: ls %t/tmp | count 0
// RUN: not env TMPDIR=%t/tmp CC=false async-gpu-opt %t/main.mlir --emit=exe -o %t/program
// RUN: ls %t/tmp | count 0
// RUN: not env TMPDIR=%t/none async-gpu-opt %t/main.mlir --emit=exe -o %t/program 2>&1 | FileCheck %s
// CHECK: cannot make a folder '{{.*}}/none/async-gpu-{{.*}}': No such file or directory

//--- main.mlir
func.func @main() { return }

//--- slow.sh
# A linker: it has written half of the program, and is to be interrupted.
while [ "$1" != -o ]; do shift; done
echo half > "$2"
touch "${0%/*}/has_begun"
sleep 20
echo whole > "$2"

//--- interrupt.py
import os, signal, subprocess, sys, time
begun = os.path.join(sys.argv[1], "has_begun")
for number in signal.SIGTERM, signal.SIGINT, signal.SIGHUP:
    # Whoever runs the tests may have it ignored, and so would what is run here.
    signal.signal(number, signal.SIG_DFL)
    child = subprocess.Popen(sys.argv[2:])
    while not os.path.exists(begun):
        assert child.poll() is None
        time.sleep(0.01)
    os.remove(begun)
    child.send_signal(number)
    assert child.wait() == -number, child.returncode
