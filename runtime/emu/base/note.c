//===- note.c - What a thread found wrong ---------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread's texts are allocated when it first needs them, and freed with it.
// They are not thread-local themselves: a program that loads the runtime while
// it runs has little room for such data.
//
//===----------------------------------------------------------------------===//

#include "emu/base/note.h"

#include "base/os/self.h"
#include "base/report/log.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

/// A thread's texts.
typedef struct agpu__emu_texts {
  char note[1024];
  char both[1200]; ///< an error's text with a note
} texts;

/// At the end of a thread.
static void free_texts(void) {
  free(agpu__self.emu.texts);
  agpu__self.emu.texts = NULL;
}

/// NULL: there is no memory, or `create` is false and there are none yet.
static texts *get_texts(bool create) {
  // Without the end of the thread to free them, there are none.
  if (!agpu__self.emu.texts && create &&
      agpu__self_at_end(AGPU__PART_EMU_NOTE, free_texts))
    agpu__self.emu.texts = calloc(1, sizeof(texts));
  return agpu__self.emu.texts;
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
