// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Runs patterns by PCRE2, which is loaded when `re` is first imported.
//
// Backtracking can take exponential time, and PCRE2 cannot be interrupted from outside. So a run has a limit of steps.
// If it reaches the limit, it is repeated by a second program, compiled with a callout before each item of the pattern,
// which polls the VM for interrupts and time limits. Patterns that never reach the limit do not pay for callouts. As
// PCRE2 applies the limit to each start position anew, long texts are searched in slices of start positions.

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lang/support/libraries.h"
#include "stdlib/re.h"
#include "vm/value/seq.h"
#include "vm/value/str.h"

#if __has_include("nacre_config.h")
#include "nacre_config.h"
#endif
#ifndef NACRE_PCRE2_LIBRARY
#define NACRE_PCRE2_LIBRARY ""
#endif

// Constants of PCRE2's interface for code units of 8 bits, from pcre2api(3).
enum {
    OPT_AUTO_CALLOUT = 0x4, OPT_NOTEMPTY_ATSTART = 0x8, OPT_NO_JIT = 0x2000, OPT_OFFSET_LIMIT = 0x800000,
    OPT_NO_UTF_CHECK = 0x40000000, EXTRA_SURROGATES = 1, NEWLINE_LF = 2, JIT_COMPLETE = 1,
    ERR_NOMATCH = -1, ERR_CALLOUT = -37, ERR_JIT_STACK = -46, ERR_STEPS = -47, ERR_MEMORY = -48,
    ERR_HEAP = -63, COMPILE_NO_MEMORY = 121,
};
static const uint32_t anchored = 0x80000000u, end_anchored = 0x20000000u;

typedef int (*MatchFn)(const void *code, const char *text, size_t len, size_t start, uint32_t options, void *data,
                       void *context);

// PCRE2's functions, filled once in a process.
static struct Pcre2 {
    pthread_once_t once;
    bool complete;
    void *(*general_new)(void *(*alloc)(size_t, void *), void (*free)(void *, void *), void *ctx);
    void (*general_free)(void *);
    void *(*compile_context_new)(void *general);
    void (*compile_context_free)(void *);
    int (*set_newline)(void *context, uint32_t kind);
    int (*set_extra)(void *context, uint32_t options);
    int (*set_nesting)(void *context, uint32_t most);
    void *(*compile)(const char *pattern, size_t len, uint32_t options, int *error, size_t *at, void *context);
    void (*code_free)(void *);
    int (*jit_compile)(void *code, uint32_t options);
    void *(*match_context_new)(void *general);
    void (*match_context_free)(void *);
    int (*set_callout)(void *context, int (*fn)(void *, void *), void *ctx);
    int (*set_steps)(void *context, uint32_t most);
    int (*set_depth)(void *context, uint32_t most);
    int (*set_offset_limit)(void *context, size_t most);
    void *(*data_new)(uint32_t pairs, void *general);
    void (*data_free)(void *);
    size_t *(*spans_of)(void *data);
    const char *(*mark_of)(void *data);
    MatchFn match;
    void *(*stack_new)(size_t start, size_t most, void *general);
    void (*stack_free)(void *);
    void (*stack_assign)(void *context, void *callback, void *stack);
    int (*message_of)(int error, char *text, size_t size);
} pcre2 = {.once = PTHREAD_ONCE_INIT};

static const struct {
    const char *name;
    size_t slot;
} symbols[] = {
#define SYMBOL(slot, name) {"pcre2_" name "_8", offsetof(struct Pcre2, slot)}
    SYMBOL(general_new, "general_context_create"),
    SYMBOL(general_free, "general_context_free"),
    SYMBOL(compile_context_new, "compile_context_create"),
    SYMBOL(compile_context_free, "compile_context_free"),
    SYMBOL(set_newline, "set_newline"),
    SYMBOL(set_extra, "set_compile_extra_options"),
    SYMBOL(set_nesting, "set_parens_nest_limit"),
    SYMBOL(compile, "compile"),
    SYMBOL(code_free, "code_free"),
    SYMBOL(jit_compile, "jit_compile"),
    SYMBOL(match_context_new, "match_context_create"),
    SYMBOL(match_context_free, "match_context_free"),
    SYMBOL(set_callout, "set_callout"),
    SYMBOL(set_steps, "set_match_limit"),
    SYMBOL(set_depth, "set_depth_limit"),
    SYMBOL(set_offset_limit, "set_offset_limit"),
    SYMBOL(data_new, "match_data_create"),
    SYMBOL(data_free, "match_data_free"),
    SYMBOL(spans_of, "get_ovector_pointer"),
    SYMBOL(mark_of, "get_mark"),
    SYMBOL(match, "match"),
    SYMBOL(stack_new, "jit_stack_create"),
    SYMBOL(stack_free, "jit_stack_free"),
    SYMBOL(stack_assign, "jit_stack_assign"),
    SYMBOL(message_of, "get_error_message"),
};

static void open_library(void) {
    void *handle = library_open(NACRE_PCRE2_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    bool all = handle != NULL;
    for (size_t i = 0; all && i < sizeof symbols / sizeof *symbols; i++) {
        void *found = dlsym(handle, symbols[i].name);
        memcpy((char *)&pcre2 + symbols[i].slot, &found, sizeof found);
        all = found != NULL;
    }
    pcre2.complete = all;
}

Status re_open(Vm *vm) {
    pthread_once(&pcre2.once, open_library);
    if (pcre2.complete) return ST_OK;
    return vm_raise(vm, EXC_ImportError, "re needs the library PCRE2 (libpcre2-8.so.0), which is not there: install "
                    "the package libpcre2-8-0 and build again");
}

// --- Memory ------------------------------------------------------------------------------------

enum { HEAD = 16 }; // bytes before each block, which hold its size, as PCRE2 frees blocks without it

static void *take(size_t size, void *vm) {
    if (size > SIZE_MAX - HEAD) return NULL;
    char *block = mem_alloc(&((Vm *)vm)->mem, size + HEAD);
    if (!block) return NULL;
    *(size_t *)block = size + HEAD;
    return block + HEAD;
}

static void give(void *ptr, void *vm) {
    if (!ptr) return;
    char *block = (char *)ptr - HEAD;
    mem_free(&((Vm *)vm)->mem, block, *(size_t *)block);
}

void re_programs_free(Pattern *pattern) {
    for (int form = 0; form < RE_FORMS; form++)
        for (int mode = 0; mode < RE_MODES; mode++) {
            ReProgram *program = &pattern->programs[form][mode];
            if (program->code) pcre2.code_free(program->code);
            if (program->guarded) pcre2.code_free(program->guarded);
            *program = (ReProgram){0};
        }
    if (pattern->data) pcre2.data_free(pattern->data);
    if (pattern->context) pcre2.match_context_free(pattern->context);
    if (pattern->stack) pcre2.stack_free(pattern->stack);
    pattern->data = pattern->context = pattern->stack = NULL;
}

static int poll_vm(void *block, void *pattern) {
    enum { EVERY = 1 << 14 };
    (void)block;
    Pattern *p = pattern;
    if (++p->callouts % EVERY) return 0;
    return vm_poll(p->vm) == ST_OK ? 0 : ERR_CALLOUT;
}

// Makes the match data and the match context, which each run of the pattern needs.
static Status prepare(Vm *vm, Pattern *pattern) {
    void *general = pcre2.general_new(take, give, vm);
    if (!general) return vm_no_memory(vm);
    if (!pattern->data) pattern->data = pcre2.data_new(pattern->groups + 1, general);
    if (!pattern->context) pattern->context = pcre2.match_context_new(general);
    pcre2.general_free(general);
    if (!pattern->data || !pattern->context) return vm_no_memory(vm);
    pattern->spans = pcre2.spans_of(pattern->data);
    pcre2.set_callout(pattern->context, poll_vm, pattern);
    pcre2.set_depth(pattern->context, UINT32_MAX); // memory limits the depth
    return ST_OK;
}

// --- Compiling ---------------------------------------------------------------------------------

static Status compile_error(Vm *vm, int error) {
    char text[160];
    if (error == COMPILE_NO_MEMORY) return vm_no_memory(vm);
    if (pcre2.message_of(error, text, sizeof text) < 0) text[0] = '\0';
    return vm_raise(vm, EXC_NotImplementedError, "this pattern is beyond PCRE2: %s", text);
}

static Status compile(Vm *vm, const Pattern *pattern, ReForm form, uint32_t options, void **out) {
    enum { NESTING = 1000 };
    const Str *text = pattern->texts[form].str;
    void *general = pcre2.general_new(take, give, vm);
    void *context = general ? pcre2.compile_context_new(general) : NULL;
    int error = COMPILE_NO_MEMORY;
    size_t at;
    if (context) {
        pcre2.set_newline(context, NEWLINE_LF);
        pcre2.set_nesting(context, NESTING);
        if (form == RE_UTF) pcre2.set_extra(context, EXTRA_SURROGATES);
        *out = pcre2.compile(text->data, text->len, pattern->options[form] | options, &error, &at, context);
        pcre2.compile_context_free(context);
    }
    if (general) pcre2.general_free(general);
    return context && *out ? ST_OK : compile_error(vm, error);
}

static Status compile_mode(Vm *vm, const Pattern *pattern, ReForm form, ReMode mode, uint32_t options, void **out) {
    options |= mode == RE_SEARCH ? OPT_OFFSET_LIMIT : mode == RE_MATCH ? anchored : anchored | end_anchored;
    return compile(vm, pattern, form, options, out);
}

Status re_check(Vm *vm, Pattern *pattern) {
    return compile_mode(vm, pattern, RE_BYTES, RE_SEARCH, 0, &pattern->programs[RE_BYTES][RE_SEARCH].code);
}

// Compiles a program to machine code before its third run, or before one on a text that is not short.
static void make_fast(ReProgram *program, size_t left) {
    enum { FIRST_RUNS = 2, SHORT = 200 };
    if (program->uses > FIRST_RUNS) return;
    program->uses = left > SHORT ? FIRST_RUNS + 1 : program->uses + 1;
    if (program->uses > FIRST_RUNS) pcre2.jit_compile(program->code, JIT_COMPLETE); // if it fails, PCRE2 interprets
}

// --- Running -----------------------------------------------------------------------------------

// Runs a program once, with start positions from `at` to `last`. If the JIT stack overflows, tries a larger one, and at
// last interprets. Returns PCRE2's result.
static int try(Vm *vm, Pattern *pattern, const ReText *text, void *code, size_t at, size_t last, uint32_t steps,
               uint32_t options) {
    enum { STACK_START = 32 << 10, STACK_MOST = 64 << 20 };
    pcre2.set_steps(pattern->context, steps);
    pcre2.set_offset_limit(pattern->context, last);
    int rc = pcre2.match(code, text->data, text->end, at, options, pattern->data, pattern->context);
    if (rc != ERR_JIT_STACK) return rc;
    if (!pattern->stack) {
        void *general = pcre2.general_new(take, give, vm);
        pattern->stack = general ? pcre2.stack_new(STACK_START, STACK_MOST, general) : NULL;
        if (general) pcre2.general_free(general);
        if (pattern->stack) {
            pcre2.stack_assign(pattern->context, NULL, pattern->stack);
            rc = pcre2.match(code, text->data, text->end, at, options, pattern->data, pattern->context);
        }
    }
    if (rc != ERR_JIT_STACK) return rc;
    return pcre2.match(code, text->data, text->end, at, options | OPT_NO_JIT, pattern->data, pattern->context);
}

static Status answer(Vm *vm, int rc) {
    if (rc > 0) return ST_OK;
    if (rc == ERR_NOMATCH) return ST_STOP;
    if (rc == ERR_CALLOUT) return ST_ERROR;
    if (rc == ERR_MEMORY || rc == ERR_HEAP || rc == ERR_JIT_STACK) return vm_no_memory(vm);
    if (rc == ERR_STEPS) return vm_raise(vm, EXC_RuntimeError, "the pattern needs more than 2**32 steps for this text");
    return vm_raise(vm, EXC_SystemError, "PCRE2 has failed: error %d", rc);
}

// Runs the program with callouts, with a limit of 2**32 - 1 steps.
static Status run_guarded(Vm *vm, Pattern *pattern, const ReText *text, size_t at, size_t last, ReMode mode,
                          uint32_t options) {
    ReProgram *program = &pattern->programs[text->form][mode];
    if (!program->guarded) {
        Status st = compile_mode(vm, pattern, text->form, mode, OPT_AUTO_CALLOUT, &program->guarded);
        if (st != ST_OK) return st;
        pcre2.jit_compile(program->guarded, JIT_COMPLETE);
    }
    if (vm_poll(vm) != ST_OK) return ST_ERROR;
    pattern->vm = vm;
    return answer(vm, try(vm, pattern, text, program->guarded, at, last, UINT32_MAX, options));
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

// Returns the number of start positions in the first slice: so few that, if each try looks at the whole text, the slice
// takes a fraction of a second.
static size_t first_slice(size_t left) {
    enum { MOST = 4096, WORK = 1 << 26 };
    size_t places = WORK / left;
    return places > MOST ? MOST : places ? places : 1;
}

// Searches a long text in slices of start positions. Slices grow fourfold while they are fast. The next search in the
// same text starts with the same length.
static Status run_slices(Vm *vm, Pattern *pattern, const ReText *text, size_t at, uint32_t options) {
    enum { WORK = 1 << 27, MOST_STEPS = 50000, LEAST_STEPS = 1000 };
    void *code = pattern->programs[text->form][RE_SEARCH].code;
    size_t least = first_slice(text->end - at);
    if (pattern->sliced != text->data || pattern->places < least) pattern->places = least;
    pattern->sliced = text->data;
    double before = 0;
    while (true) {
        size_t last = text->end - at > pattern->places ? at + pattern->places : text->end;
        size_t share = WORK / pattern->places;
        uint32_t steps = share > MOST_STEPS ? MOST_STEPS : share > LEAST_STEPS ? (uint32_t)share : LEAST_STEPS;
        int rc = try(vm, pattern, text, code, at, last, steps, options);
        if (rc == ERR_STEPS && pattern->places > least) {
            pattern->places = least;
            continue;
        }
        Status st = rc == ERR_STEPS ? run_guarded(vm, pattern, text, at, last, RE_SEARCH, options) : answer(vm, rc);
        if (st != ST_STOP || last == text->end) return st;
        if (vm_poll(vm) != ST_OK) return ST_ERROR;
        double now = seconds();
        if (now - before > 2e-3 && before > 0)
            pattern->places = least;
        else
            pattern->places *= 4;
        before = now;
        at = last + 1;
        if (text->form == RE_UTF)
            while (at < text->end && ((unsigned char)text->data[at] & 0xC0) == 0x80) at++;
        options &= ~(uint32_t)OPT_NOTEMPTY_ATSTART;
    }
}

Status re_run(Vm *vm, Pattern *pattern, const ReText *text, size_t at, ReMode mode, bool at_start_not_empty) {
    enum { SHORT = 4096, STEPS = 50000 };
    ReProgram *program = &pattern->programs[text->form][mode];
    if (at > text->end) return ST_STOP;
    if ((!pattern->context || !pattern->data) && prepare(vm, pattern) != ST_OK) return ST_ERROR;
    if (!program->code && compile_mode(vm, pattern, text->form, mode, 0, &program->code) != ST_OK) return ST_ERROR;
    make_fast(program, text->end - at);
    uint32_t options = OPT_NO_UTF_CHECK | (at_start_not_empty ? OPT_NOTEMPTY_ATSTART : 0);
    if (mode == RE_SEARCH && text->end - at > SHORT && !pattern->linear)
        return run_slices(vm, pattern, text, at, options);
    uint32_t steps = pattern->linear ? UINT32_MAX : STEPS;
    int rc = try(vm, pattern, text, program->code, at, RE_UNSET, steps, options);
    if (rc == ERR_STEPS) return run_guarded(vm, pattern, text, at, RE_UNSET, mode, options);
    return answer(vm, rc);
}

uint32_t re_last_group(const Pattern *pattern) {
    if (pattern->groups == 0) return 0;
    if (pattern->order.kind == K_TUPLE) {
        const Tuple *order = pattern->order.tuple;
        for (size_t i = order->len; i-- > 0;)
            if (pattern->spans[2 * order->items[i].i] != RE_UNSET) return (uint32_t)order->items[i].i;
        return 0;
    }
    const char *mark = pcre2.mark_of(pattern->data);
    return mark ? (uint32_t)strtoul(mark, NULL, 10) : 0;
}
