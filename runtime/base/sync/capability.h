//===- capability.h - Which lock guards what ----------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What comments would say about locks, in a form that clang checks
// (-Wthread-safety; the test compilers/clang makes it an error): which lock
// guards a variable, which a caller has to hold, and which a function takes or
// gives back. Each names the lock itself, not its address. For GCC they are
// nothing.
//
// Of a lock in a structure that guards the members beside it, clang checks that
// it is held of some such structure; which one is left to the reader.
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_BASE_SYNC_CAPABILITY_H
#define ASYNC_GPU_RUNTIME_BASE_SYNC_CAPABILITY_H

#ifdef __clang__
#define AGPU__CAPABILITY_ATTRIBUTE(attribute) __attribute__((attribute))
#else
#define AGPU__CAPABILITY_ATTRIBUTE(attribute)
#endif

/// Of a type: its objects are locks. `kind` is what messages call them.
#define AGPU__CAPABILITY(kind) AGPU__CAPABILITY_ATTRIBUTE(capability(kind))

/// Of a variable or member: read and written under `lock` alone. A member's
/// lock stands before it in the same structure.
#define AGPU__GUARDED_BY(lock) AGPU__CAPABILITY_ATTRIBUTE(guarded_by(&lock))

/// The same of what a pointer points to, not of the pointer.
#define AGPU__POINTEE_GUARDED_BY(lock)                                         \
  AGPU__CAPABILITY_ATTRIBUTE(pt_guarded_by(&lock))

/// Of a function: its caller holds `lock`, or does not.
#define AGPU__REQUIRES(lock)                                                   \
  AGPU__CAPABILITY_ATTRIBUTE(requires_capability(&lock))
#define AGPU__EXCLUDES(lock) AGPU__CAPABILITY_ATTRIBUTE(locks_excluded(&lock))

/// Of a lock that readers share: the caller holds it, exclusively or not.
#define AGPU__REQUIRES_SHARED(lock)                                            \
  AGPU__CAPABILITY_ATTRIBUTE(requires_shared_capability(&lock))

/// Of a function: it takes `lock`, or gives it back.
#define AGPU__ACQUIRE(lock)                                                    \
  AGPU__CAPABILITY_ATTRIBUTE(acquire_capability(&lock))
#define AGPU__RELEASE(lock)                                                    \
  AGPU__CAPABILITY_ATTRIBUTE(release_capability(&lock))

/// The same of a lock that readers share, as one of them.
#define AGPU__ACQUIRE_SHARED(lock)                                             \
  AGPU__CAPABILITY_ATTRIBUTE(acquire_shared_capability(&lock))
#define AGPU__RELEASE_SHARED(lock)                                             \
  AGPU__CAPABILITY_ATTRIBUTE(release_shared_capability(&lock))

/// Of a function: as far as the rest of its caller goes, `lock` counts as held,
/// and need not be given back. For what has just been made.
#define AGPU__ASSUMES(lock) AGPU__CAPABILITY_ATTRIBUTE(assert_capability(&lock))

/// Of a function that no other thread is there for, or that takes a lock in one
/// call and gives it back in another: not checked. Its comment says why.
#define AGPU__UNCHECKED_LOCKS                                                  \
  AGPU__CAPABILITY_ATTRIBUTE(no_thread_safety_analysis)

#endif // ASYNC_GPU_RUNTIME_BASE_SYNC_CAPABILITY_H
