// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Module time: clocks and sleeping. Reading a clock observes all pending array work, so that what
// is timed has happened.

#include <math.h>
#include <time.h>

#include "stdlib/stdlib.h"
#include "vm/sched/engine.h"
#include "vm/value/ops.h"

static Status read_clock(Vm *vm, clockid_t clock, Value *out) {
    struct timespec now;
    Status st = engine_observe_all(vm);
    if (st != ST_OK) return st;
    clock_gettime(clock, &now);
    *out = v_float((double)now.tv_sec + 1e-9 * (double)now.tv_nsec);
    return ST_OK;
}

static Status read_clock_ns(Vm *vm, clockid_t clock, Value *out) {
    struct timespec now;
    Status st = engine_observe_all(vm);
    if (st != ST_OK) return st;
    clock_gettime(clock, &now);
    *out = v_int((int64_t)now.tv_sec * 1000000000 + now.tv_nsec);
    return ST_OK;
}

static Status fn_time(Vm *vm, const Value *args, Value *out) {
    (void)args;
    return read_clock(vm, CLOCK_REALTIME, out);
}
static Status fn_time_ns(Vm *vm, const Value *args, Value *out) {
    (void)args;
    return read_clock_ns(vm, CLOCK_REALTIME, out);
}
static Status fn_monotonic(Vm *vm, const Value *args, Value *out) {
    (void)args;
    return read_clock(vm, CLOCK_MONOTONIC, out);
}
static Status fn_monotonic_ns(Vm *vm, const Value *args, Value *out) {
    (void)args;
    return read_clock_ns(vm, CLOCK_MONOTONIC, out);
}
static Status fn_process_time(Vm *vm, const Value *args, Value *out) {
    (void)args;
    return read_clock(vm, CLOCK_PROCESS_CPUTIME_ID, out);
}
static Status fn_process_time_ns(Vm *vm, const Value *args, Value *out) {
    (void)args;
    return read_clock_ns(vm, CLOCK_PROCESS_CPUTIME_ID, out);
}

// Sleeps in slices, so that an interrupt is noticed within a twentieth of a second.
static Status fn_sleep(Vm *vm, const Value *args, Value *out) {
    double seconds;
    if (args[0].kind == K_STR)
        return vm_raise(vm, EXC_TypeError, "'str' object cannot be interpreted as an integer");
    if (op_as_double(vm, args[0], &seconds) != ST_OK) return op_refused(vm);
    if (isnan(seconds)) return vm_raise(vm, EXC_ValueError, "Invalid value NaN (not a number)");
    if (!(seconds >= 0)) return vm_raise(vm, EXC_ValueError, "sleep length must be non-negative");
    Status st = engine_observe_all(vm);
    while (st == ST_OK && seconds > 0) {
        double slice = seconds < 0.05 ? seconds : 0.05;
        struct timespec wait = {(time_t)slice, (long)((slice - (double)(time_t)slice) * 1e9)};
        nanosleep(&wait, NULL);
        seconds -= slice;
        st = vm_poll(vm);
    }
    if (st == ST_OK) *out = V_NONE;
    return st;
}

const NativeDef time_functions[] = {
    {"time", "", fn_time, NULL, CLOCK},
    {"time_ns", "", fn_time_ns, NULL, CLOCK},
    {"perf_counter", "", fn_monotonic, NULL, CLOCK},
    {"perf_counter_ns", "", fn_monotonic_ns, NULL, CLOCK},
    {"monotonic", "", fn_monotonic, NULL, CLOCK},
    {"monotonic_ns", "", fn_monotonic_ns, NULL, CLOCK},
    {"process_time", "", fn_process_time, NULL, CLOCK},
    {"process_time_ns", "", fn_process_time_ns, NULL, CLOCK},
    {"sleep", "secs, /", fn_sleep, NULL, CLOCK},
    {0},
};
