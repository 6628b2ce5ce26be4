//===- object_layout.h - What compiled code knows of objects ----*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs that async-gpu compiled do the commonest things to tokens and values
// without a call. The runtime checks when it is built that its objects are laid
// out like this. Offsets are in bytes from the object's address.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_COMPILED_OBJECT_LAYOUT_H
#define ASYNC_GPU_COMPILED_OBJECT_LAYOUT_H

/// The number of references, a 64-bit integer.
#define AGPU_OBJECT_REFERENCES_OFFSET 0

/// The state, 64 bits: the phase under the mask. It is read by an acquire. Who
/// creates an object may write READY, with the number of references, as long as
/// nobody else has seen the object.
#define AGPU_OBJECT_STATE_OFFSET 8
#define AGPU_OBJECT_PHASE_MASK 3
#define AGPU_OBJECT_READY 2
#define AGPU_OBJECT_ERROR 3

/// A pointer to the frame that came with agpu_task_create.
#define AGPU_OBJECT_FRAME_OFFSET 40

/// Where a value's payload lies.
#define AGPU_OBJECT_STORAGE_OFFSET 64

#endif // ASYNC_GPU_COMPILED_OBJECT_LAYOUT_H
