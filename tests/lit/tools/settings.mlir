// Settings are checked when something starts, whether it would read them or
// not, and all that is wrong is said: what is malformed is an error, a name that
// is not known a warning.

// RUN: not env ASYNC_GPU_NUM_THREADS=0 ASYNC_GPU_WATCHDOG=maybe ASYNC_GPU_LOG=drivr ASYNC_GPU_EMU_CHEK=memory ASYNC_GPU_THREADS=2 ASYNC_GPU_X= async-gpu-runner %s > %t.out 2> %t.err
// RUN: count 0 < %t.out
// RUN: FileCheck %s --check-prefix=WRONG --implicit-check-not={{.}} < %t.err
// WRONG-DAG: warning: ASYNC_GPU_THREADS is not a setting
// WRONG-DAG: warning: ASYNC_GPU_EMU_CHEK is not a setting; did you mean ASYNC_GPU_EMU_CHECK?
// WRONG: async-gpu-runner: error: ASYNC_GPU_LOG is "drivr"; expected a comma-separated list of driver, device, exec or async; did you mean "driver"?
// WRONG-NEXT: ASYNC_GPU_NUM_THREADS is "0"; expected an integer from 1 to 1024
// WRONG-NEXT: ASYNC_GPU_WATCHDOG is "maybe"; expected on or off

// Where nothing is near, where to look; once, and the program runs. CMake users
// set ASYNC_GPU_ROOT for other projects.
// RUN: env ASYNC_GPU_SOMETHING_ELSE=1 ASYNC_GPU_ROOT=/opt async-gpu-runner %s 2>&1 | FileCheck %s --check-prefix=UNKNOWN --implicit-check-not={{.}}
// UNKNOWN-DAG: warning: ASYNC_GPU_SOMETHING_ELSE is not a setting (async-gpu-info --settings lists them)
// UNKNOWN-DAG: 7

// Programs that were compiled ahead of time end with it where the runtime
// starts, with either runtime.
// RUN: async-gpu-opt %s --emit=exe -o %t.exe
// RUN: not env ASYNC_GPU_EMU_DEVICES=first %t.exe > %t.out 2> %t.err
// RUN: count 0 < %t.out
// RUN: FileCheck %s --check-prefix=DEVICES < %t.err
// DEVICES: error: ASYNC_GPU_EMU_DEVICES is "first"; expected an integer from 1 to 16
// RUN: async-gpu-opt %s --emit=exe --runtime=static -o %t.static
// RUN: not env ASYNC_GPU_NUM_THREADS=1025 %t.static > %t.out 2> %t.err
// RUN: count 0 < %t.out
// RUN: FileCheck %s --check-prefix=THREADS < %t.err
// THREADS: error: ASYNC_GPU_NUM_THREADS is "1025"; expected an integer from 1 to 1024

// RUN: env ASYNC_GPU_X= ASYNC_GPU= %t.exe | FileCheck %s
// CHECK: 7
func.func private @printI64(i64)
func.func @main() {
  %t = async.execute {
    %c7 = arith.constant 7 : i64
    func.call @printI64(%c7) : (i64) -> ()
    async.yield
  }
  async.await %t : !async.token
  return
}
