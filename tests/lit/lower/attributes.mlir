// Attributes of ours stand where the table has them, with its values; a name that it
// lacks is a warning. Others' are not ours to judge.
// RUN: async-gpu-opt %s --async-gpu-check-input --split-input-file --verify-diagnostics

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
