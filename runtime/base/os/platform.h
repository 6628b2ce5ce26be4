//===- platform.h - Facts about the machine ---------------------*- C -*-===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASYNC_GPU_RUNTIME_BASE_OS_PLATFORM_H
#define ASYNC_GPU_RUNTIME_BASE_OS_PLATFORM_H

/// What memory is handed out in: the cache line of x86-64 and of most 64-bit
/// ARM.
#define AGPU__CACHE_LINE 64

#define AGPU__CACHE_ALIGNED _Alignas(AGPU__CACHE_LINE)

/// Bytes between what threads write all the time, each its own: lines of some
/// 64-bit ARM have 128.
#if defined(__aarch64__)
#define AGPU__CACHE_APART _Alignas(128)
#else
#define AGPU__CACHE_APART AGPU__CACHE_ALIGNED
#endif

/// What the runtime has for a library of its own that stands on it
/// (libasync_gpu_mpi.so), and is no part of its interface. Such functions are
/// called within the runtime as all others are.
#ifdef AGPU__ON_THE_RUNTIME
#define AGPU__SHARED __attribute__((visibility("default")))
#else
#define AGPU__SHARED __attribute__((visibility("protected")))
#endif

/// Tells the CPU that the thread waits for another: some ten nanoseconds, in
/// which it does nothing. On 64-bit ARM `yield` takes none on most CPUs.
static inline void agpu__pause(void) {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("isb");
#endif
}

/// Thread-local data on hot paths: the offset from the thread pointer is fixed
/// when the library is loaded, so that an access is one instruction. Only for
/// a few words: a library that is loaded late shares a small reserve.
#define AGPU__HOT_THREAD_LOCAL                                                 \
  _Thread_local __attribute__((tls_model("initial-exec")))

/// Whether the thread sanitizer watches.
#if defined(__SANITIZE_THREAD__)
#define AGPU__THREAD_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define AGPU__THREAD_SANITIZER 1
#endif
#endif
#ifndef AGPU__THREAD_SANITIZER
#define AGPU__THREAD_SANITIZER 0
#endif

#endif // ASYNC_GPU_RUNTIME_BASE_OS_PLATFORM_H
