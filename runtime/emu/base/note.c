//===- note.c - What a thread found wrong ---------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread's texts are allocated when it first needs them, and freed with it.
//
//===----------------------------------------------------------------------===//

#include "emu/base/note.h"

#include "base/report/log.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

/// A thread's texts. Not thread-local themselves: a program that loads the
/// runtime while it runs has little room for thread-local data.
typedef struct texts {
  char note[1024];
  char both[1200]; ///< an error's text with a note
} texts;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key; // a thread's `texts`, freed with it
static bool has_key;

static void create_key(void) { has_key = !pthread_key_create(&key, free); }

/// NULL: there is no memory, or `create` is false and there are none yet.
static texts *get_texts(bool create) {
  (void)pthread_once(&once, create_key);
  if (!has_key)
    return NULL;
  texts *own = pthread_getspecific(key);
  if (!own && create) {
    own = calloc(1, sizeof *own);
    if (own && pthread_setspecific(key, own)) {
      free(own);
      own = NULL;
    }
  }
  return own;
}

void agpu__emu_note(const char *format, ...) {
  texts *own = get_texts(true);
  if (!own)
    return;
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(own->note, sizeof own->note, format, arguments);
  va_end(arguments);
  agpu__log(AGPU__LOG_DEVICE, "emu: %s", own->note);
}

const char *agpu__emu_get_note(void) {
  const texts *own = get_texts(false);
  return own ? own->note : "";
}

void agpu__emu_clear_note(void) {
  texts *own = get_texts(false);
  if (own)
    own->note[0] = '\0';
}

const char *agpu__emu_join_note(const char *text, const char *what) {
  texts *own = get_texts(true);
  if (!own)
    return text;
  (void)snprintf(own->both, sizeof own->both, "%s: %.1023s", text, what);
  return own->both;
}
