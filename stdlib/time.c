// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Module _time: clocks, sleep, and calendar times by the C library. Reading a clock first runs all pending
// array nodes, so that measured times include them. time.ncr has the rest of module time.

#include <errno.h>
#include <math.h>
#include <string.h>
#include <time.h>

#include "stdlib/stdlib.h"
#include "vm/sched/engine.h"
#include "vm/value/ops.h"
#include "vm/value/seq.h"
#include "vm/value/str_impl.h"

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

// --- Calendar times ----------------------------------------------------------------------------

// Returns (year, month, day, hour, minute, second, weekday, day of the year, daylight saving, name of the time
// zone, seconds east of Greenwich), with Python's conventions: months and days of the year from 1, weekdays from
// Monday = 0.
static Status tm_value(Vm *vm, const struct tm *tm, Value *out) {
    const char *zone = tm->tm_zone ? tm->tm_zone : "";
    Str *name = str_new(vm, zone, strlen(zone));
    if (!name) return vm_no_memory(vm);
    Value items[11] = {v_int((int64_t)tm->tm_year + 1900), v_int(tm->tm_mon + 1), v_int(tm->tm_mday),
                       v_int(tm->tm_hour), v_int(tm->tm_min), v_int(tm->tm_sec),
                       v_int((tm->tm_wday + 6) % 7), v_int(tm->tm_yday + 1), v_int(tm->tm_isdst),
                       v_obj(name), v_int(tm->tm_gmtoff)};
    return tuple_steal(vm, items, 11, out);
}

static Status broken_down(Vm *vm, const Value *args, bool local, Value *out) {
    int64_t seconds;
    struct tm tm;
    Status st = op_index(vm, args[0], &seconds);
    if (st == ST_ERROR && vm_error_is(vm, EXC_IndexError))
        return vm_raise(vm, EXC_OverflowError, "timestamp out of range for platform time_t");
    if (st != ST_OK) return op_refused(vm);
    time_t when = (time_t)seconds;
    errno = 0;
    if (local) tzset();
    if (!(local ? localtime_r(&when, &tm) : gmtime_r(&when, &tm)))
        return vm_raise_os(vm, errno ? errno : EOVERFLOW, NULL);
    if (!local) tm.tm_zone = "UTC";
    return tm_value(vm, &tm, out);
}

static Status fn_localtime(Vm *vm, const Value *args, Value *out) {
    return broken_down(vm, args, true, out);
}
static Status fn_gmtime(Vm *vm, const Value *args, Value *out) {
    return broken_down(vm, args, false, out);
}

// Reads the nine numbers of a time tuple, which follow Python's conventions.
static Status take_tm(Vm *vm, Value v, struct tm *tm) {
    int64_t n[9];
    if (v.kind != K_TUPLE || v.tuple->len != 9)
        return vm_raise(vm, EXC_TypeError, "Tuple or struct_time argument required");
    for (int i = 0; i < 9; i++) {
        if (op_index(vm, v.tuple->items[i], &n[i]) != ST_OK) return op_refused(vm);
        if (n[i] != (int)n[i]) return vm_raise(vm, EXC_OverflowError, "Python int too large to convert to C int");
    }
    if (n[0] < INT32_MIN + 1900LL) return vm_raise(vm, EXC_OverflowError, "year out of range");
    *tm = (struct tm){.tm_year = (int)(n[0] - 1900), .tm_mon = (int)(n[1] - 1), .tm_mday = (int)n[2],
                      .tm_hour = (int)n[3], .tm_min = (int)n[4], .tm_sec = (int)n[5],
                      .tm_wday = (int)((n[6] + 1) % 7), .tm_yday = (int)(n[7] - 1), .tm_isdst = (int)n[8]};
    return ST_OK;
}

static Status fn_mktime(Vm *vm, const Value *args, Value *out) {
    struct tm tm;
    if (take_tm(vm, args[0], &tm) != ST_OK) return ST_ERROR;
    tm.tm_wday = -1;
    tzset();
    time_t when = mktime(&tm);
    if (when == -1 && tm.tm_wday == -1)
        return vm_raise(vm, EXC_OverflowError, "mktime argument out of range");
    *out = v_float((double)when);
    return ST_OK;
}

// strftime(format, tuple): formats by the C library, in English. The caller has checked the format.
static Status fn_strftime(Vm *vm, const Value *args, Value *out) {
    struct tm tm;
    if (args[0].kind != K_STR) return vm_raise(vm, EXC_TypeError, "a format is needed");
    if (take_tm(vm, args[1], &tm) != ST_OK) return ST_ERROR;
    if (args[0].str->len == 0) return str_bytes_out(vm, "", 0, out);
    struct tm now = tm; // for mktime, which finds the offset of local time
    tzset();
    now.tm_isdst = tm.tm_isdst;
    mktime(&now);
    tm.tm_gmtoff = now.tm_gmtoff;
    tm.tm_zone = tm.tm_isdst < 0 ? NULL : tzname[tm.tm_isdst > 0];
    // strftime returns 0 both for an empty result and for too small a buffer. So the buffer grows up to a limit.
    for (size_t room = 256; room <= 256 * (args[0].str->len + 16); room *= 2) {
        char *text = mem_alloc(&vm->mem, room);
        if (!text) return vm_no_memory(vm);
        size_t len = strftime(text, room, args[0].str->data, &tm);
        Status st = len ? str_bytes_out(vm, text, len, out) : ST_STOP;
        mem_free(&vm->mem, text, room);
        if (st != ST_STOP) return st;
    }
    return str_bytes_out(vm, "", 0, out);
}

// zone(): returns (timezone, altzone, daylight, tzname[0], tzname[1]).
static Status fn_zone(Vm *vm, const Value *args, Value *out) {
    (void)args;
    time_t year = 1704067200, half = year + 15768000; // January and July
    struct tm winter, summer;
    tzset();
    localtime_r(&year, &winter);
    localtime_r(&half, &summer);
    if (winter.tm_gmtoff > summer.tm_gmtoff) {
        struct tm kept = winter;
        winter = summer;
        summer = kept;
    }
    Str *names[2] = {str_new(vm, winter.tm_zone, strlen(winter.tm_zone)),
                     str_new(vm, summer.tm_zone, strlen(summer.tm_zone))};
    if (!names[0] || !names[1]) {
        release_obj(vm, names[0]);
        release_obj(vm, names[1]);
        return vm_no_memory(vm);
    }
    Value items[5] = {v_int(-winter.tm_gmtoff), v_int(-summer.tm_gmtoff),
                      v_int(winter.tm_gmtoff != summer.tm_gmtoff), v_obj(names[0]), v_obj(names[1])};
    return tuple_steal(vm, items, 5, out);
}

static Status fn_tzset(Vm *vm, const Value *args, Value *out) {
    (void)vm;
    (void)args;
    tzset();
    *out = V_NONE;
    return ST_OK;
}

static Status fn_thread_time_ns(Vm *vm, const Value *args, Value *out) {
    (void)args;
    return read_clock_ns(vm, CLOCK_THREAD_CPUTIME_ID, out);
}
static Status fn_clock_ns(Vm *vm, const Value *args, Value *out) {
    int64_t clock;
    struct timespec now;
    if (op_index(vm, args[0], &clock) != ST_OK) return op_refused(vm);
    if (clock_gettime((clockid_t)clock, &now) != 0) return vm_raise_os(vm, errno, NULL);
    return read_clock_ns(vm, (clockid_t)clock, out);
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
    {"thread_time_ns", "", fn_thread_time_ns, NULL, CLOCK},
    {"clock_gettime_ns", "clk_id, /", fn_clock_ns, NULL, CLOCK},
    {"localtime", "seconds, /", fn_localtime, NULL, ENV},
    {"gmtime", "seconds, /", fn_gmtime, NULL, PURE},
    {"mktime", "tuple, /", fn_mktime, NULL, ENV},
    {"strftime", "format, tuple, /", fn_strftime, NULL, ENV},
    {"zone", "", fn_zone, NULL, ENV},
    {"tzset", "", fn_tzset, NULL, ENV},
    {0},
};
