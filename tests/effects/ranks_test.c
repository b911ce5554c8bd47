// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// A program run twice: once as it is, with what natives with an effect answer written down, and once with nothing but
// that. The second run touches neither disk, clock, environment nor host, and comes to the same values, texts, hashes,
// orders and exceptions.

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/effects/host.h"
#include "tests/effects/outside.h"
#include "tests/effects/replay.h"

static const char program[] =
    "import os, sys, time, datetime, random, uuid, secrets, tempfile, glob, json, io, pathlib, platform, subprocess\n"
    "import shutil, weakref, numpy as np\n"
    OUTSIDE_ANSWERS
    "sys.path.append(folder); import beside, apart.inner, given; note((beside.file, apart.inner.value, given.when))\n"
    OUTSIDE_TEXT
    "shutil.rmtree(folder); note(os.path.exists(folder))\n"
    "seen = repr(seen)\n";

static NacreVm *start(Host *host, Replay *replay, const char *rank) {
    *host = (Host){.line = rank};
    setenv("EFFECTS_RANK", rank, 1);
    NacreVm *vm = host_start(host, NULL);
    if (!vm) return NULL;
    vm->vm.numbered = true;
    effects_hook(&vm->vm, &replay->hook);
    return vm;
}

static void show_difference(const char *a, const char *b) {
    size_t at = 0;
    while (a[at] && a[at] == b[at]) at++;
    size_t from = at > 60 ? at - 60 : 0;
    printf("  %.150s\n  %.150s\n", a + from, b + from);
}

static void test_ranks(void) {
    Host host[2];
    Replay replay;
    char folder[] = "/tmp/nacre-effects-XXXXXX";
    CHECK(mkdtemp(folder));
    setenv("EFFECTS_FOLDER", folder, 1);
    replay_begin(&replay);
    NacreVm *first = start(&host[0], &replay, "first\n");
    CHECK(first && host_run(first, program));
    const char *expected = host_text(first, "seen");
    int calls = replay.calls;
    CHECK(access(folder, F_OK) != 0); // the program has removed it
    setenv("EFFECTS_FOLDER", "/nowhere", 1);
    replay_again(&replay);
    NacreVm *second = start(&host[1], &replay, "second\n");
    CHECK(second && host_run(second, program));
    const char *got = host_text(second, "seen");
    if (strcmp(got, expected) != 0) show_difference(expected, got);
    CHECK(strcmp(got, expected) == 0);
    CHECK(strlen(expected) > 5000 && strstr(expected, "first") && !strstr(got, "second"));
    CHECK(calls > 100 && replay.calls == calls && replay_is_at_end(&replay));
    CHECK(host[0].writes > 5 && strstr(host[0].out, "S at ") && strstr(host[0].out, "0-1-2\n"));
    CHECK(host[1].writes == 0 && host[1].reads == 0 && host[1].modules == 0);
    if (*replay.problem) printf("%s\n", replay.problem);
    CHECK(!*replay.problem);
    nacre_free(first);
    nacre_free(second);
    replay_free(&replay);
}

int main(void) {
    test_ranks();
    return failures != 0;
}
