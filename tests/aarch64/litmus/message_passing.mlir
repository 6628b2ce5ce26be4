// A task writes memory and its token becomes ready; who finds the token ready reads
// that memory. Were the state of the token loaded without acquire, 64-bit ARM could
// read the memory before it.

// ORDER: main: ldar | ldr \S+, \[x\d+\]$ | R_AARCH64_CALL26 agpu_object_await

// In a region that is resumed: twice the state (may it go on, has it failed), then
// the memory, then what the value holds, and the value's state.
// ORDER: main_region_4_later: ldar | tbnz | ldar | ldr \S+, \[x\d+\]$ | str \S+, \[x0, #0x40\] | R_AARCH64_CALL26 agpu_object_emplace

func.func private @write(memref<1xi64>)

func.func private @start(%memory: memref<1xi64>) -> !async.token {
  %written = async.execute {
    func.call @write(%memory) : (memref<1xi64>) -> ()
    async.yield
  }
  return %written : !async.token
}

func.func @main() {
  %c0 = arith.constant 0 : index
  %memory = memref.alloc() : memref<1xi64>
  %written = call @start(%memory) : (memref<1xi64>) -> !async.token
  %done, %value = async.execute [%written] -> !async.value<i64> {
    %read = memref.load %memory[%c0] : memref<1xi64>
    async.yield %read : i64
  }
  %read = async.await %value : !async.value<i64>
  vector.print %read : i64
  return
}
