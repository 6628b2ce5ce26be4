// The `agpu` dialect: the ops between "async and gpu" and "calls of the runtime"
// (dialect.h). mlir-opt reads it with --irdl-file.
//
// Operand and result types are left open (`any`) where one op serves tokens,
// values and groups alike: the passes make only well-typed ones.

irdl.dialect @agpu {
  irdl.type @stream {}

  // The arguments of a launch, put together by a cast: IRDL wants all
  // operands of a variadic group to have one type.
  irdl.type @arguments {}

  // What it is given, as a value of its own: upstream's fusion does not look
  // through it. async-gpu-bufferize makes it and takes it away.
  irdl.operation @apart {
    %any = irdl.any
    irdl.operands(value: %any)
    irdl.results(same: %any)
  }

  // All lanes of a warp are at it: the emulated device does what attribute
  // `mode` says (async_gpu/compiled/native_matrix.h) with what each of them has
  // at its address, where it then finds the results.
  irdl.operation @collective {
    %ptr = irdl.is !llvm.ptr
    irdl.operands(operands: %ptr)
  }

  // What the ranks of a sharded program do together, between
  // async-gpu-shard-messages and async-gpu-mpi. `numbers` is what the runtime's
  // call takes (async_gpu/compiled/mpi.h): of a grid and axes, of an exchange, of
  // a reduction, or -1 where nothing is scattered. Opens a communicator, unless
  // it is there; this rank's number in one, and how many it has; reads the first
  // memref and writes the second, by the communicator in the third. The size of
  // an exchange is an operand where numbers have -1 in its place.
  irdl.operation @shard_open {
    %i64 = irdl.is i64
    irdl.operands(old: %i64)
    irdl.results(comm: %i64)
  }
  irdl.operation @shard_rank {
    %i64 = irdl.is i64
    %index = irdl.is index
    irdl.operands(comm: %i64)
    irdl.results(rank: %index)
  }
  irdl.operation @shard_size {
    %i64 = irdl.is i64
    %index = irdl.is index
    irdl.operands(comm: %i64)
    irdl.results(size: %index)
  }
  // All ranks have the same number as an argument of the function: `numbers` is
  // which, and the dimension of which it is the size, or -1.
  irdl.operation @shard_agree {
    %i64 = irdl.is i64
    %any = irdl.any
    irdl.operands(comm: %i64, number: %any)
  }
  irdl.operation @exchange {
    %from = irdl.any
    %to = irdl.any
    %site = irdl.any
    %size = irdl.is index
    irdl.operands(from: %from, to: %to, site: %site, size: optional %size)
  }
  irdl.operation @reduce {
    %from = irdl.any
    %to = irdl.any
    %site = irdl.any
    irdl.operands(from: %from, to: %to, site: %site)
  }

  // Lends the region's stream.
  irdl.operation @stream_acquire {
    %stream = irdl.base @agpu::@stream
    irdl.results(stream: %stream)
  }

  // Gives it back; stands before the terminators of a region.
  irdl.operation @stream_release {
    %stream = irdl.base @agpu::@stream
    irdl.operands(stream: %stream)
  }

  // Later work on the stream waits for the token or value. The result is
  // the value's payload. Attribute `how` (attributes.h): by an event, by
  // taking over the other stream, or not at all.
  irdl.operation @stream_wait {
    %stream = irdl.base @agpu::@stream
    %any = irdl.any
    %payload = irdl.any
    irdl.operands(stream: %stream, object: %any)
    irdl.results(payload: optional %payload)
  }

  // The same for an object that is known not to be PENDING: never suspends.
  irdl.operation @stream_depend {
    %stream = irdl.base @agpu::@stream
    %any = irdl.any
    irdl.operands(stream: %stream, object: %any)
  }

  // A token after all work on the stream so far.
  irdl.operation @stream_record {
    %stream = irdl.base @agpu::@stream
    %token = irdl.any
    irdl.operands(stream: %stream)
    irdl.results(token: %token)
  }

  // The device of this number becomes the default one.
  irdl.operation @set_default_device {
    %stream = irdl.base @agpu::@stream
    %i32 = irdl.is i32
    irdl.operands(stream: %stream, device: %i32)
  }

  // The number of the thread's default device, and its change.
  irdl.operation @default_device {
    %i32 = irdl.is i32
    irdl.results(device: %i32)
  }
  irdl.operation @enter_device {
    %i32 = irdl.is i32
    irdl.operands(device: %i32)
  }

  // Around a part that may become a graph, of the function's stream, if it has
  // one. Attributes: `part`, its number; `mode` (compiled/graph.h); `kernel`, one
  // that it launches; `independent`, whether a round may run beside the one before
  // it; `loop`, whether it is one on the device; of another loop, `rounds`, which a
  // graph has at most, and `fixed`, whether all do the same.
  irdl.operation @graph_begin {
    %stream = irdl.base @agpu::@stream
    irdl.operands(stream: optional %stream)
  }
  irdl.operation @graph_end {
    %stream = irdl.base @agpu::@stream
    irdl.operands(stream: optional %stream)
  }
  // A round of such a loop begins, and is to do something or not; a token that
  // comes out of the loop.
  irdl.operation @graph_round {
    %stream = irdl.base @agpu::@stream
    %i1 = irdl.is i1
    irdl.operands(stream: optional %stream)
    irdl.results(runs: %i1)
  }
  // Around the round of a loop on the device: whether there may be one, and
  // whether it has been enqueued.
  irdl.operation @graph_loop_begin {
    %stream = irdl.base @agpu::@stream
    %i1 = irdl.is i1
    irdl.operands(stream: %stream)
    irdl.results(begun: %i1)
  }
  irdl.operation @graph_loop_end {
    %stream = irdl.base @agpu::@stream
    %i1 = irdl.is i1
    irdl.operands(stream: %stream)
    irdl.results(done: %i1)
  }
  // Between these: `what` it says of a condition (compiled/graph.h).
  irdl.operation @graph_branch {
    %stream = irdl.base @agpu::@stream
    irdl.operands(stream: %stream)
  }
  irdl.operation @graph_token {
    %token = irdl.any
    irdl.operands(token: %token)
    irdl.results(whole: %token)
  }

  // Makes the stream the thread's current one, for a call that enqueues, and
  // the one that was current before current again.
  irdl.operation @stream_enter {
    %stream = irdl.base @agpu::@stream
    irdl.operands(stream: %stream)
    irdl.results(outer: %stream)
  }
  irdl.operation @stream_leave {
    %stream = irdl.base @agpu::@stream
    irdl.operands(stream: %stream, outer: %stream)
  }

  // A call that enqueues and that a graph may have: of `callee`, a declaration;
  // `mode` is a CUstreamCaptureMode.
  irdl.operation @call {
    %stream = irdl.base @agpu::@stream
    %arguments = irdl.base @agpu::@arguments
    irdl.operands(stream: %stream, arguments: %arguments)
  }

  // Code of the host between work on the stream: the func.func `callee`.
  irdl.operation @host_call {
    %stream = irdl.base @agpu::@stream
    %arguments = irdl.base @agpu::@arguments
    irdl.operands(stream: %stream, arguments: %arguments)
  }

  // Attribute `kernel`: the gpu.func to launch.
  irdl.operation @launch {
    %stream = irdl.base @agpu::@stream
    %index = irdl.is index
    %i32 = irdl.is i32
    %arguments = irdl.base @agpu::@arguments
    irdl.operands(stream: %stream, grid_x: %index, grid_y: %index,
                  grid_z: %index, block_x: %index, block_y: %index,
                  block_z: %index, shared_bytes: %i32,
                  arguments: %arguments)
  }

  // The same in clusters (sizes 1: none), or on a stream of the program's
  // own (null: none).
  irdl.operation @launch_with {
    %stream = irdl.base @agpu::@stream
    %index = irdl.is index
    %i32 = irdl.is i32
    %ptr = irdl.is !llvm.ptr
    %arguments = irdl.base @agpu::@arguments
    irdl.operands(stream: %stream, grid_x: %index, grid_y: %index,
                  grid_z: %index, block_x: %index, block_y: %index,
                  block_z: %index, cluster_x: %index,
                  cluster_y: %index, cluster_z: %index,
                  shared_bytes: %i32, own_stream: %ptr,
                  arguments: %arguments)
  }

  // Attribute `host_shared` (unit) where host and device share the memory.
  irdl.operation @alloc {
    %stream = irdl.base @agpu::@stream
    %any = irdl.any
    %memref = irdl.any
    irdl.operands(stream: %stream, sizes: variadic %any)
    irdl.results(memref: %memref)
  }
  irdl.operation @dealloc {
    %stream = irdl.base @agpu::@stream
    %memref = irdl.any
    irdl.operands(stream: %stream, memref: %memref)
  }
  irdl.operation @host_register {
    %stream = irdl.base @agpu::@stream
    %memref = irdl.any
    irdl.operands(stream: %stream, memref: %memref)
  }
  irdl.operation @host_unregister {
    %stream = irdl.base @agpu::@stream
    %memref = irdl.any
    irdl.operands(stream: %stream, memref: %memref)
  }
  irdl.operation @memcpy {
    %stream = irdl.base @agpu::@stream
    %target = irdl.any
    %source = irdl.any
    irdl.operands(stream: %stream, target: %target, source: %source)
  }
  irdl.operation @memset {
    %stream = irdl.base @agpu::@stream
    %target = irdl.any
    %value = irdl.any
    irdl.operands(stream: %stream, target: %target, value: %value)
  }

  // The object is ENQUEUED after the stream.
  irdl.operation @set_enqueued {
    %stream = irdl.base @agpu::@stream
    %object = irdl.any
    irdl.operands(object: %object, stream: %stream)
  }

  // The object takes over the error of another, or (`set_error`, attribute
  // `message`; `set_out_of_memory`: of so many bytes) fails by itself.
  irdl.operation @forward_error {
    %to = irdl.any
    %from = irdl.any
    irdl.operands(to: %to, from: %from)
  }
  irdl.operation @set_error {
    %object = irdl.any
    irdl.operands(object: %object)
  }
  irdl.operation @set_out_of_memory {
    %object = irdl.any
    %i64 = irdl.is i64
    irdl.operands(object: %object, bytes: %i64)
  }

  // READY or ERROR (`is_ready`); ENQUEUED, READY or ERROR (`is_enqueued`); ERROR,
  // asked by who passes the error on (`has_failed`); READY (`has_succeeded`).
  irdl.operation @is_ready {
    %object = irdl.any
    %i1 = irdl.is i1
    irdl.operands(object: %object)
    irdl.results(answer: %i1)
  }
  irdl.operation @is_ready_soon {
    %object = irdl.any
    %i1 = irdl.is i1
    irdl.operands(object: %object)
    irdl.results(answer: %i1)
  }
  irdl.operation @is_enqueued {
    %object = irdl.any
    %i1 = irdl.is i1
    irdl.operands(object: %object)
    irdl.results(answer: %i1)
  }
  irdl.operation @has_failed {
    %object = irdl.any
    %i1 = irdl.is i1
    irdl.operands(object: %object)
    irdl.results(answer: %i1)
  }
  irdl.operation @has_succeeded {
    %object = irdl.any
    %i1 = irdl.is i1
    irdl.operands(object: %object)
    irdl.results(answer: %i1)
  }

  // Waits until ENQUEUED: blocking, and as part of a suspension, which is
  // none where the answer is that it is already.
  irdl.operation @await_enqueued {
    %object = irdl.any
    irdl.operands(object: %object)
  }
  irdl.operation @await_enqueued_and_resume {
    %object = irdl.any
    %handle = irdl.any
    %i1 = irdl.is i1
    irdl.operands(object: %object, handle: %handle)
    irdl.results(answer: %i1)
  }

  // Outside coroutines: waits until READY, and ends the program with a
  // message if the object is in ERROR.
  irdl.operation @await {
    %object = irdl.any
    irdl.operands(object: %object)
  }

  // Outside coroutines: waits until READY or in ERROR.
  irdl.operation @await_either {
    %object = irdl.any
    irdl.operands(object: %object)
  }

  // Ends the program with a message if the object is in ERROR.
  irdl.operation @check {
    %object = irdl.any
    irdl.operands(object: %object)
  }

  // The function, region or program ends with the error of a token that is
  // READY or in error. async-gpu-failures and async-gpu-parallel make it,
  // async-gpu-starts and async-gpu-coroutines take it away.
  irdl.operation @propagate {
    %token = irdl.any
    irdl.operands(token: %token)
  }

  // The token that is READY from the start.
  irdl.operation @ready_token {
    %token = irdl.any
    irdl.results(token: %token)
  }

  // As async.runtime.set_available, of an object that its creator alone has
  // seen yet.
  irdl.operation @set_available_unshared {
    %object = irdl.any
    irdl.operands(object: %object)
  }

  // As async.runtime.set_available, at the end of a coroutine.
  irdl.operation @set_available_last {
    %object = irdl.any
    irdl.operands(object: %object)
  }

  // Whether a region that may start in its spawner does so now; if so, the
  // other op follows when it has ended or is suspended.
  irdl.operation @start_here {
    %i1 = irdl.is i1
    irdl.results(answer: %i1)
  }
  irdl.operation @started_here {
    %i1 = irdl.is i1
    irdl.operands(suspended: %i1)
  }

  // Puts a coroutine on the executor once the object is READY or ERROR.
  irdl.operation @resume_after {
    %object = irdl.any
    %handle = irdl.any
    irdl.operands(object: %object, handle: %handle)
  }

  // An object that holds a copy of an unranked memref's descriptor; the
  // memref with the descriptor that it holds, or (attribute `copy`, unit)
  // with one on the stack; and that the object lives until here.
  irdl.operation @box_unranked {
    %memref = irdl.any
    %box = irdl.any
    irdl.operands(memref: %memref)
    irdl.results(box: %box)
  }
  irdl.operation @unbox_unranked {
    %box = irdl.any
    %memref = irdl.any
    irdl.operands(box: %box)
    irdl.results(memref: %memref)
  }
  irdl.operation @keep {
    %object = irdl.any
    irdl.operands(object: %object)
  }

  // A spawner whose coroutine is suspended waits where there are too many.
  irdl.operation @throttle {
  }
}
