// Options of async-gpu-runner that are wrong.

// RUN: not async-gpu-runner %s --device=tpu 2>&1 | FileCheck %s --check-prefix=DEVICE
// DEVICE: async-gpu-runner: error: option '--device' is auto, cuda or emu, not 'tpu'
// RUN: not async-gpu-runner %s --check=memory,rases 2>&1 | FileCheck %s --check-prefix=CHECKS
// CHECKS: async-gpu-runner: error: option '--check' is a list of memory, races, arithmetic and lanes, not 'memory,rases'
// RUN: async-gpu-runner --device=emu --check %s | FileCheck %s --check-prefix=OK
// RUN: not async-gpu-runner %s --entry-point-result=i7 2>&1 | FileCheck %s --check-prefix=RESULT
// RESULT: async-gpu-runner: error: option '--entry-point-result' is void, i32, i64, f32 or f64, not 'i7'
// RUN: not async-gpu-runner %s --entri-point=main 2>&1 | FileCheck %s --check-prefix=HINT
// HINT: async-gpu-runner: error: unknown option '--entri-point', did you mean '--entry-point'? (--help lists them)
// RUN: not async-gpu-runner %s --canonicalize 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: async-gpu-runner: error: unknown option '--canonicalize'
// RUN: not async-gpu-runner %s -e 2>&1 | FileCheck %s --check-prefix=VALUE
// VALUE: async-gpu-runner: error: option '--e' needs a value
// RUN: not async-gpu-runner %s %s 2>&1 | FileCheck %s --check-prefix=TWO
// RUN: not async-gpu-runner - %s < %s 2>&1 | FileCheck %s --check-prefix=TWO
// TWO: async-gpu-runner: error: more than one input
// RUN: not async-gpu-runner %s --shard=batch,interior=on 2>&1 | FileCheck %s --check-prefix=SHARD
// SHARD: async-gpu-runner: error: option '--shard' takes batch or rows, interior=auto|always|never, pieces=0 to 64 and ranks=NUMBER, each once, with commas between, not 'interior=on'
// RUN: not async-gpu-runner %s --shard=pieces=65 2>&1 | FileCheck %s --check-prefix=PIECES
// RUN: not async-gpu-runner %s --shard=pieces= 2>&1 | FileCheck %s --check-prefix=PIECES
// RUN: not async-gpu-runner %s --shard=pieces=2x 2>&1 | FileCheck %s --check-prefix=PIECES
// RUN: not async-gpu-runner %s --shard=rows,,pieces=2 2>&1 | FileCheck %s --check-prefix=PIECES
// RUN: not async-gpu-runner %s --shard=pieces=+3 2>&1 | FileCheck %s --check-prefix=PIECES
// RUN: not async-gpu-runner %s --shard=pieces=-0 2>&1 | FileCheck %s --check-prefix=PIECES
// RUN: not async-gpu-runner %s "--shard=pieces= 3" 2>&1 | FileCheck %s --check-prefix=PIECES
// RUN: not async-gpu-runner %s --shard=pieces=3,pieces=4 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not async-gpu-runner %s --shard=batch,rows 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not async-gpu-runner %s --shard=interior=auto,interior=auto 2>&1 | FileCheck %s --check-prefix=TWICE
// PIECES: async-gpu-runner: error: option '--shard' takes {{.*}} not '{{(pieces=(65|2x|\+3|-0| 3)?)?}}'
// TWICE: async-gpu-runner: error: option '--shard' takes {{.*}} each once, {{.*}} not '{{(pieces=4|rows|interior=auto)}}'
// RUN: async-gpu-runner --device=emu -- %s | FileCheck %s --check-prefix=OK
// RUN: async-gpu-runner --device=auto %s | FileCheck %s --check-prefix=OK
// OK: 1
// RUN: not async-gpu-runner %s 2>&1 > /dev/full | FileCheck %s --check-prefix=FULL
// FULL: async-gpu-runner: error: cannot write to <stdout>
func.func @main() -> i32 {
  %0 = arith.constant 1 : i32
  return %0 : i32
}
