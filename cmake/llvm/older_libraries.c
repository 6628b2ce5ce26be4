//===- older_libraries.c - What older C and C++ libraries lack ------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's archives, the C++ library that they are linked with and the C library
// that all of it is to run on may be of different ages. What the younger ones
// call and the older ones lack stands here. Nothing of it is exported.
//
//===----------------------------------------------------------------------===//

#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

// std::ios_base::Init::Init(), of every libstdc++. The object is never used.
void agpu__init_streams(void *object) __asm__("_ZNSt8ios_base4InitC1Ev");

// std::ios_base_library_init(), called by what GCC 13 or later has compiled.
// With that version's libstdc++ the streams exist before; the constructor
// counts.
void agpu__need_streams(void) __asm__("_ZSt21ios_base_library_initv");
void agpu__need_streams(void) {}

__attribute__((constructor(101))) static void init_streams(void) {
  static long object;
  agpu__init_streams(&object);
}

// Of glibc 2.32. As long as it is not set, libstdc++ counts references
// atomically.
#if !__GLIBC_PREREQ(2, 32)
extern char __libc_single_threaded;
char __libc_single_threaded = 0;
#endif

// Of glibc 2.36.
#if !__GLIBC_PREREQ(2, 36)
uint32_t arc4random(void);
uint32_t arc4random(void) {
  uint32_t value;
  if (getentropy(&value, sizeof(value)) != 0)
    abort();
  return value;
}
#endif
