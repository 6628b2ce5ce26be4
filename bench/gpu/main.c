//===- main.c - Takes samples in turn -------------------------------------===//
//
// Part of async-gpu, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// bench-gpu [--rounds N] [--small] [--only WORKLOAD] [--json FILE]
//     measures all cases N times in turn, so that a change of the machine's
//     speed meets all; prints a table, and targets met or not
// bench-gpu sample WORKLOAD PEER [--small]
//     takes one sample and prints its metrics
// bench-gpu samples NUMBER... [--small]
//     the same, of the cases with these numbers, in one process: what the first
//     form runs
// bench-gpu count launch|region async-gpu|by-hand N
//     makes N calls, for tools that count instructions
// bench-gpu calibrate [--multiprocessors N] [--l2 KIB] [--json FILE]
//     measures what a model of time is made of (calibrate.c)
//
// What is not measured on hardware is marked as missing: on the emulated device
// everything runs, and no time counts. Exit status 1 if a sample has failed.
//
//===----------------------------------------------------------------------===//

#include "calibrate.h"
#include "report.h"

#include "async_gpu/runtime.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define DEFAULT_ROUNDS 7
/// Where a sample's words begin among the arguments.
#define SAMPLE 2

static bench_document document = {.rounds = DEFAULT_ROUNDS};

static void print_usage(FILE *out, const char *program) {
  fprintf(out,
          "usage: %s [--rounds 1..%d] [--small] [--only WORKLOAD] "
          "[--json FILE]\n"
          "       %s sample WORKLOAD PEER [--small]\n"
          "       %s count launch|region async-gpu|by-hand N\n"
          "       %s calibrate [--multiprocessors N] [--l2 KIB] "
          "[--json FILE]\n",
          program, BENCH_MAX_ROUNDS, program, program, program);
}

_Noreturn static void fail_usage(const char *program) {
  print_usage(stderr, program);
  exit(2);
}

static int64_t read_number(const char *text, int64_t maximum) {
  char *end;
  errno = 0;
  long long number = strtoll(text, &end, 10);
  return errno || !*text || *end || number < 1 || number > maximum
             ? -1
             : (int64_t)number;
}

//===----------------------------------------------------------------------===//
// Samples
//===----------------------------------------------------------------------===//

/// In the new process. Returns only where the program cannot be run.
static void run_samples(const int *cases, int count, bool small, int output) {
  static char numbers[BENCH_MAX_CASES][12];
  char *words[BENCH_MAX_CASES + 4] = {"bench-gpu", "samples"};
  int length = 2;
  for (int i = 0; i < count; ++i) {
    (void)snprintf(numbers[i], sizeof numbers[i], "%d", cases[i]);
    words[length++] = numbers[i];
  }
  if (small)
    words[length++] = "--small";
  words[length] = NULL;
  dup2(output, STDOUT_FILENO);
  const char *strategy = bench_cases[cases[0]].strategy;
  if (strategy)
    setenv("ASYNC_GPU_COMPLETION", strategy, 1);
  else
    unsetenv("ASYNC_GPU_COMPLETION");
  execv("/proc/self/exe", words);
}

static void add_metric(bench_figure *figure, int round, const char *name,
                       double value) {
  int i = 0;
  while (i < figure->metric_count && strcmp(figure->metrics[i], name) != 0)
    ++i;
  if (i == BENCH_MAX_METRICS)
    return;
  if (i == figure->metric_count) {
    ++figure->metric_count;
    (void)snprintf(figure->metrics[i], sizeof figure->metrics[i], "%s", name);
  }
  figure->samples[i][round] = value;
}

/// On a terminal, in a line that is gone at the end.
static void show_progress(int round, int index) {
  const bench_case *of = &bench_cases[index];
  if (!isatty(STDERR_FILENO))
    return;
  if (round == document.rounds)
    fputs("\r\033[K", stderr);
  else
    fprintf(stderr, "\r\033[Kround %d of %d: %s, %s\r", round + 1,
            document.rounds, of->workload, of->peer);
}

/// What the process prints of its samples. Returns the case that it was at when
/// it ended; one that it has gone on from has its sample.
static int read_metrics(int round, FILE *from) {
  char line[256];
  int at = -1;
  while (fgets(line, sizeof line, from)) {
    char name[32];
    double value;
    int next;
    line[strcspn(line, "\n")] = '\0';
    if (sscanf(line, "case %d", &next) == 1) {
      if (at >= 0)
        document.figures[at].rounds = round + 1;
      at = next;
    } else if (at < 0) {
      continue;
    } else if (strncmp(line, "missing ", 8) == 0) {
      (void)snprintf(document.figures[at].missing,
                     sizeof document.figures[at].missing, "%s", line + 8);
    } else if (sscanf(line, "%31s %lf", name, &value) == 2) {
      add_metric(&document.figures[at], round, name, value);
    }
  }
  return at;
}

static bool is_due(int index, int round) {
  const bench_figure *figure = &document.figures[index];
  return figure->was_wanted && !*figure->missing && !*figure->failed &&
         figure->rounds <= round;
}

/// Samples cases of one strategy in one process: on a card, a process takes
/// seconds to begin. What is due behind a case that fails is left for another
/// one.
static void take_samples(const int *cases, int count, int round, bool small) {
  int ends[2];
  bench_check(pipe(ends) == 0, "no pipe to a sample");
  fflush(NULL);
  pid_t child = fork();
  bench_check(child >= 0, "no process for a sample");
  if (child == 0) {
    close(ends[0]);
    run_samples(cases, count, small, ends[1]);
    _exit(127);
  }
  close(ends[1]);
  FILE *from = fdopen(ends[0], "r");
  bench_check(from, "no memory for a sample's output");
  int at = read_metrics(round, from);
  fclose(from);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR)
    ;
  if (at < 0)
    at = cases[0];
  bench_figure *figure = &document.figures[at];
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
    figure->rounds = round + 1;
  } else if (!WIFEXITED(status) || WEXITSTATUS(status) != BENCH_MISSING) {
    (void)snprintf(figure->failed, sizeof figure->failed, "%s %d",
                   WIFEXITED(status) ? "exit status" : "signal",
                   WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
    fprintf(stderr, "error: %s, %s: %s\n", bench_cases[at].workload,
            bench_cases[at].peer, figure->failed);
  }
}

/// One sample of each case.
static void take_round(int round, bool small) {
  for (int first = 0; bench_cases[first].workload; ++first)
    while (is_due(first, round)) {
      int cases[BENCH_MAX_CASES], count = 0;
      const char *strategy = bench_cases[first].strategy;
      for (int i = first; bench_cases[i].workload; ++i)
        if (is_due(i, round) && bench_cases[i].strategy == strategy)
          cases[count++] = i;
      show_progress(round, first);
      take_samples(cases, count, round, small);
    }
}

//===----------------------------------------------------------------------===//
// The whole
//===----------------------------------------------------------------------===//

/// Names the driver and its first device. In a process of its own: drivers do
/// not survive a fork.
static void describe_device(void) {
  int ends[2];
  bench_check(pipe(ends) == 0, "no pipe to the driver");
  pid_t child = fork();
  bench_check(child >= 0, "no process for the driver");
  if (child == 0) {
    agpu_device_kind kind;
    agpu_status status = agpu_runtime_get_device(&kind);
    if (status) {
      fprintf(stderr, "error: %s\n", agpu_status_get_message(status));
      _exit(1);
    }
    cuda_api_load(kind == AGPU_DEVICE_EMU);
    CUdevice device;
    char name[sizeof document.device] = "";
    int version = 0;
    CU(cuInit(0));
    CU(cuDriverGetVersion(&version));
    CU(cuDeviceGet(&device, 0));
    CU(cuDeviceGetName(name, sizeof name, device));
    FILE *to = fdopen(ends[1], "w");
    fprintf(to, "%s %d %s\n", kind == AGPU_DEVICE_EMU ? "emu" : "cuda", version,
            name);
    fclose(to);
    _exit(0);
  }
  close(ends[1]);
  FILE *from = fdopen(ends[0], "r");
  bool is_read = from && fscanf(from, "%15s %d %127[^\n]", document.driver,
                                &document.driver_version, document.device) == 3;
  int status = 0;
  if (from)
    fclose(from);
  while (waitpid(child, &status, 0) < 0 && errno == EINTR)
    ;
  if (!is_read || status)
    exit(1);
  // The emulated device, also behind a libcuda of the tests; and one that does
  // nothing.
  if (strstr(document.device, "emulated") || strstr(document.device, "null"))
    document.no_hardware = "it ran, but this is no hardware";
}

static bool is_wanted(int index, const char *only) {
  return !only || strcmp(bench_cases[index].workload, only) == 0;
}

static int measure(bool small, const char *only, const char *json) {
  describe_device();
  printf("%s, driver %s %d, %d rounds\n", document.device, document.driver,
         document.driver_version, document.rounds);
  bool any = false;
  for (int i = 0; bench_cases[i].workload; ++i)
    any |= document.figures[i].was_wanted = is_wanted(i, only);
  if (!any) {
    fprintf(stderr, "error: there is no workload '%s'\n", only);
    return 2;
  }
  for (int round = 0; round < document.rounds; ++round)
    take_round(round, small);
  show_progress(document.rounds, 0);
  bench_print_table(&document);
  if (json) {
    FILE *out = fopen(json, "w");
    if (!out) {
      fprintf(stderr, "error: %s cannot be written: %s\n", json,
              strerror(errno));
      return 1;
    }
    bench_print_json(&document, out);
    bench_check(fclose(out) == 0, "the results could not be written");
  }
  return bench_count_failed(&document) ? 1 : 0;
}

static int sample(int count, char **words) {
  bool small = count == SAMPLE + 3 && strcmp(words[SAMPLE + 2], "--small") == 0;
  if (count != SAMPLE + 2 && !small)
    fail_usage(words[0]);
  const bench_case *of = bench_cases;
  while (of->workload && (strcmp(of->workload, words[SAMPLE]) != 0 ||
                          strcmp(of->peer, words[SAMPLE + 1]) != 0))
    ++of;
  if (!of->workload) {
    fprintf(stderr, "error: there is no case '%s' of '%s'\n", words[SAMPLE],
            words[SAMPLE + 1]);
    return 2;
  }
  return bench_sample(of, small ? &bench_small : &bench_full);
}

static int samples(int count, char **words) {
  bool small = strcmp(words[count - 1], "--small") == 0;
  for (int i = SAMPLE; i < count - small; ++i) {
    int64_t index = read_number(words[i], BENCH_MAX_CASES);
    if (strcmp(words[i], "0") == 0)
      index = 0;
    if (index < 0 || !bench_cases[index].workload)
      fail_usage(words[0]);
    printf("case %s\n", words[i]);
    fflush(stdout);
    int status =
        bench_sample(&bench_cases[index], small ? &bench_small : &bench_full);
    if (status)
      return status;
  }
  return 0;
}

int main(int count, char **words) {
  if (count > 1 && strcmp(words[1], "calibrate") == 0)
    return calibrate_main(count - SAMPLE, words + SAMPLE);
  if (count > 1 && strcmp(words[1], "sample") == 0)
    return sample(count, words);
  if (count > 2 && strcmp(words[1], "samples") == 0)
    return samples(count, words);
  if (count == 5 && strcmp(words[1], "count") == 0) {
    int64_t calls = read_number(words[4], INT64_C(1) << 40);
    if (calls < 0)
      fail_usage(words[0]);
    return bench_count(words[2], words[3], calls);
  }
  if (count == 2 &&
      (strcmp(words[1], "--help") == 0 || strcmp(words[1], "-h") == 0)) {
    print_usage(stdout, words[0]);
    printf("\nMeasures what the host's side of GPU work costs, beside the same "
           "work by hand,\nas a CUDA graph and as upstream's lowering does it, "
           "on the device that\nASYNC_GPU_DEVICE chooses. --small tries all of "
           "it and measures nothing; 'sample'\nruns one case, 'count' one loop "
           "of N calls for a counter of instructions.\n");
    return 0;
  }
  bool small = false;
  const char *only = NULL, *json = NULL;
  for (int i = 1; i < count; ++i) {
    bool has_value = i + 1 < count;
    if (strcmp(words[i], "--small") == 0)
      small = true;
    else if (strcmp(words[i], "--only") == 0 && has_value)
      only = words[++i];
    else if (strcmp(words[i], "--json") == 0 && has_value)
      json = words[++i];
    else if (strcmp(words[i], "--rounds") == 0 && has_value &&
             read_number(words[i + 1], BENCH_MAX_ROUNDS) > 0)
      document.rounds = (int)read_number(words[++i], BENCH_MAX_ROUNDS);
    else
      fail_usage(words[0]);
  }
  char *command = NULL;
  size_t size;
  FILE *out = open_memstream(&command, &size);
  bench_check(out, "no memory for the command");
  fprintf(out, "bench-gpu");
  for (int i = 1; i < count; ++i)
    fprintf(out, " %s", words[i]);
  fclose(out);
  document.command = command;
  int status = measure(small, only, json);
  free(command);
  return status;
}
