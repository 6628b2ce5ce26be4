// Attributes of ours stand where the table has them, with its values; a name that it
// lacks is a warning. Others' are not ours to judge.
// The first pass of ours looks at them.
// RUN: async-gpu-opt %s --async-gpu-check-input --split-input-file --verify-diagnostics
// RUN: not async-gpu-opt %s --canonicalize --async-gpu-outline --split-input-file 2>&1 | FileCheck %s
// CHECK: attributes.mlir:9:1: error: async_gpu.non_blocking is without a value

// expected-error@+1 {{async_gpu.non_blocking is without a value}}
func.func private @unit() attributes {async_gpu.non_blocking = true}

// -----

// expected-error@+1 {{async_gpu.observes is true or false}}
func.func private @truth() attributes {async_gpu.observes = "no"}

// -----

// expected-error@+1 {{async_gpu.graphs is "off", "on" or "auto"}}
func.func private @word() attributes {async_gpu.graphs = "yes"}

// -----

// expected-error@+1 {{async_gpu.region is a number that is not negative}}
func.func private @number() attributes {async_gpu.region = -1 : i64}

// -----

// expected-error@+1 {{async_gpu.kind belongs on async.execute or async.func}}
func.func private @place() attributes {async_gpu.kind = "host"}

// -----

// expected-warning@+1 {{nothing reads the attribute 'async_gpu.observe'}}
func.func private @name() attributes {async_gpu.observe = false, other.observes = 3, how = 1}

// -----

// What passes leave each other on kernels, too: each kind of value, and places.
// expected-error@+1 {{agpu.convention is "bare-pointers" or "descriptors"}}
module attributes {agpu.convention = "pointers"} {}

// -----

// expected-error@+1 {{agpu.target belongs on gpu.module}}
func.func private @target() attributes {agpu.target = "ptx"}

// -----

// expected-error@+1 {{agpu.target is "ptx" or "native"}}
gpu.module @target attributes {agpu.target = "cubin"} {}

// -----

// expected-error@+1 {{agpu.chips is an array of strings}}
gpu.module @chips attributes {agpu.chips = ["sm_75", 90]} {}

// -----

// expected-error@+1 {{agpu.sites is a number that is not negative}}
gpu.module @sites attributes {agpu.sites = 10 : i128} {}

// -----

gpu.module @kernels {
  // expected-error@+1 {{agpu.fresh is array<i32: ...>, with no negative number}}
  llvm.func @fresh() attributes {agpu.fresh = array<i32: 0, -1>}
  // expected-error@+1 {{agpu.bytes is array<i64: ...>}}
  llvm.func @bytes() attributes {agpu.bytes = array<i32: 4>}
  // expected-error@+1 {{agpu.constants is an array of symbols}}
  llvm.func @constants() attributes {agpu.constants = [@a, "b"]}
  // expected-error@+1 {{agpu.name is a string}}
  llvm.func @name() attributes {agpu.name = 1}
  // expected-error@+1 {{agpu.threads is "loops", "calls" or "coroutines"}}
  llvm.func @threads() attributes {agpu.threads = "warps"}
  // expected-error@+1 {{agpu.unsupported is an array of two strings}}
  llvm.func @unsupported() attributes {agpu.unsupported = ["what"]}
  // expected-error@+1 {{agpu.shared_dynamic is without a value}}
  llvm.mlir.global internal @dynamic() {addr_space = 3 : i32, agpu.shared_dynamic = 1 : i32} : !llvm.array<0 x i8>
  // expected-error@+1 {{agpu.native_image is a string}}
  llvm.mlir.global internal constant @image(0 : i32) {agpu.native_image} : i32
}

// -----

// expected-error@+1 {{async_gpu.exports is an array of [name, symbol, array<i64: ...>, number]}}
module attributes {async_gpu.exports = [["f", "f", array<i64: 1>]]} {}

// -----

// expected-error@+1 {{async_gpu.numbers is array<i64: ...>}}
func.func private @numbers() attributes {async_gpu.numbers = [1, 2]}

// -----

func.func private @callee()
func.func @hidden() {
  // expected-error@+1 {{agpu.hidden_attributes is a dictionary}}
  func.call @callee() {agpu.hidden_attributes} : () -> ()
  return
}

// -----

// expected-warning@+1 {{nothing reads the attribute 'agpu.targets'}}
func.func private @device_name() attributes {agpu.targets = "ptx"}

// -----

// What is lowered keeps it.
llvm.func @lowered() attributes {async_gpu.capture = "never", async_gpu.non_blocking}
