// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Queries of prompts and notebooks: objects by name, documentation, figures. Nothing here runs code of the user:
// attributes are looked up only where that cannot call anything.

#include <string.h>

#include "vm/api/sizes.h"
#include "vm/jit/jit.h"
#include "vm/sched/collective.h"
#include "vm/sched/dry.h"
#include "vm/sched/engine.h"
#include "vm/value/dict.h"
#include "vm/value/ops.h"
#include "vm/value/str.h"

// Finds a variable of the main module, or a built-in. Borrowed; V_UNDEF: there is none.
static Value find_name(Vm *vm, const char *bytes, size_t len) {
    Str *name = str_intern(vm, bytes, len);
    if (!name) return V_UNDEF;
    Value v = module_get(vm->interp->main, name);
    if (v.kind == K_UNDEF) v = dict_get_str(vm->builtins, name);
    release_obj(vm, name);
    return v;
}

// Gets an attribute; owned. Modules may load attributes at their first use, by a function of the prelude.
static Status attribute(Vm *vm, Value of, Str *name, Value *out) {
    const Value args[2] = {of, v_obj(name)};
    Status st = op_getattr(vm, of, name, out);
    vm_clear_tail(vm);
    if (st == ST_OK || of.kind != K_MODULE) return st;
    vm_clear_error(vm);
    st = api_by_code(vm, "module_attribute", args, 2, out);
    if (st != ST_OK) release(vm, *out);
    return st;
}

Status api_follow(Vm *vm, const char *text, size_t len, Value *out) {
    const char *end = text + len, *dot = memchr(text, '.', len);
    Value at = retain(find_name(vm, text, dot ? (size_t)(dot - text) : len));
    while (at.kind != K_UNDEF && dot) {
        const char *next = memchr(dot + 1, '.', (size_t)(end - dot - 1));
        Str *name = str_intern(vm, dot + 1, (size_t)((next ? next : end) - dot - 1));
        Value inner = V_UNDEF;
        Status st = name ? attribute(vm, at, name, &inner) : vm_no_memory(vm);
        release_obj(vm, name);
        vm_clear_error(vm);
        if (st != ST_OK) inner = V_UNDEF;
        replace(vm, &at, st == ST_OK ? inner : V_UNDEF);
        dot = next;
    }
    if (at.kind == K_UNDEF) return ST_STOP;
    *out = at;
    return ST_OK;
}

// --- Documentation ---------------------------------------------------------------------------------

static void put_parameter(Vm *vm, Buf *out, const Param *param) {
    buf_puts(out, param->name->data);
    if (!param->optional) return;
    buf_putc(out, '=');
    if (param->fallback.kind == K_UNDEF || op_repr(vm, param->fallback, out) != ST_OK)
        buf_puts(out, "...");
}

static void put_signature(Vm *vm, Buf *out, const Signature *sig) {
    const char *between = "";
    buf_putc(out, '(');
    for (int i = 0; i < sig->positional; i++) {
        buf_puts(out, between);
        put_parameter(vm, out, &sig->params[i]);
        between = ", ";
        if (i + 1 == sig->positional_only) buf_puts(out, ", /");
    }
    int star = sig->positional + sig->keyword_only;
    if (sig->has_varargs) buf_printf(out, "%s*%s", between, sig->params[star].name->data);
    else if (sig->keyword_only) buf_printf(out, "%s*", between);
    if (sig->has_varargs || sig->keyword_only) between = ", ";
    for (int i = 0; i < sig->keyword_only; i++) {
        buf_puts(out, between);
        put_parameter(vm, out, &sig->params[sig->positional + i]);
    }
    if (sig->has_varkw)
        buf_printf(out, "%s**%s", between, sig->params[star + sig->has_varargs].name->data);
    buf_putc(out, ')');
}

static void describe(Vm *vm, Value v, Buf *out) {
    Value callee = v.kind == K_BOUND ? v.bound->func : v, doc = V_UNDEF;
    if (callee.kind == K_FUNC) {
        buf_puts(out, callee.func->qualname->data);
        const Signature *sig = func_sig(vm, callee.func);
        if (sig) put_signature(vm, out, sig);
        if (func_doc(vm, callee.func, &doc) != ST_OK) vm_clear_error(vm);
    } else if (callee.kind == K_NATIVE) {
        buf_puts(out, callee.native->def->name);
        const Signature *sig = native_signature(vm, callee.native);
        if (sig) put_signature(vm, out, sig);
    } else {
        if (op_repr(vm, v, out) != ST_OK) buf_printf(out, "%s object", type_name(vm, v));
        if (v.kind == K_CLASS) doc = retain(dict_get_str(v.cls->dict, vm_name(vm, NAME_doc)));
    }
    buf_putc(out, '\n');
    if (doc.kind == K_STR) {
        buf_put(out, doc.str->data, doc.str->len);
        buf_putc(out, '\n');
    }
    release(vm, doc);
}

NacreStatus nacre_inspect(NacreVm *handle, const char *name, size_t len, NacreWriteFn write,
                          void *ctx) {
    if (!api_is_open(handle) || !name || !write) return NACRE_MISUSE;
    Vm *vm = &handle->vm;
    Value v;
    handle->running++;
    Status st = api_follow(vm, name, len, &v);
    handle->running--;
    if (st != ST_OK) return NACRE_ERROR;
    Buf text;
    buf_init(&text, &vm->mem);
    describe(vm, v, &text);
    vm_clear_error(vm);
    release(vm, v);
    bool good = !text.failed && write(ctx, 1, text.data, text.len) == 0;
    buf_free(&text);
    return good ? NACRE_OK : NACRE_ERROR;
}

uint64_t nacre_operation_count(const NacreVm *handle, int index, const char **name) {
    const char *found = NULL;
    uint64_t runs = api_is_alive(handle) ? engine_runs(&handle->vm, index, &found) : 0;
    if (name) *name = found;
    return runs;
}

NacreStatus nacre_loop(const NacreVm *handle, int index, NacreLoop *loop) {
    SpecLoop found;
    if (!api_is_alive(handle) || !api_can_give(loop, FIRST_LOOP)) return NACRE_MISUSE;
    if (!jit_loop(&handle->vm, index, &found)) return NACRE_MISUSE;
    const NacreLoop all = {.file = found.file, .line = found.line,
                        .variants = found.variants, .compiled = found.compiled, .entered = found.entered,
                        .left = found.left, .rounds = found.rounds, .why_line = found.why_line, .why = found.why,
                        .parallel_rounds = found.parallel, .parallel_line = found.parallel_line,
                        .threads = found.threads, .serial_line = found.serial_line, .serial = found.serial,
                        .device_rounds = found.items, .device_line = found.items_line,
                        .rank_rounds = found.parts, .rank_line = found.parts_line};
    API_GIVE(loop, &all);
    return NACRE_OK;
}

NacreStatus nacre_detour(const NacreVm *handle, int index, NacreDetour *detour) {
    EngineDetour found;
    if (!api_is_alive(handle) || !api_can_give(detour, FIRST_DETOUR)) return NACRE_MISUSE;
    if (!engine_detour_told(&handle->vm, index, &found)) return NACRE_MISUSE;
    const NacreDetour all = {.kind = found.kind, .file = found.file, .line = found.line, .text = found.text,
                             .count = found.count};
    API_GIVE(detour, &all);
    return NACRE_OK;
}

static NacreStatus write_source(Buf *text, bool found, NacreWriteFn write, void *ctx) {
    NacreStatus status = NACRE_OK;
    if (text->failed || (found && write(ctx, 1, text->data, text->len) != 0)) status = NACRE_ERROR;
    else if (!found) status = NACRE_MISUSE;
    buf_free(text);
    return status;
}

NacreStatus nacre_loop_source(NacreVm *handle, int index, int variant, NacreWriteFn write, void *ctx) {
    if (!api_is_alive(handle) || !write || index < 0 || variant < 0 || handle->running) return NACRE_MISUSE;
    Buf text;
    buf_init(&text, &handle->vm.mem);
    return write_source(&text, jit_source(&handle->vm, index, variant, &text), write, ctx);
}

NacreStatus nacre_kernel_source(NacreVm *handle, int index, NacreWriteFn write, void *ctx) {
    if (!api_is_alive(handle) || !write || index < 0 || handle->running) return NACRE_MISUSE;
    Buf text;
    buf_init(&text, &handle->vm.mem);
    return write_source(&text, engine_kernel_source(&handle->vm, index, &text), write, ctx);
}

NacreStatus nacre_stats(const NacreVm *handle, NacreStats *stats) {
    if (!api_is_alive(handle)) return NACRE_MISUSE;
    return nacre_rank_stats(handle, link_of(&handle->vm)->rank, stats);
}

NacreStatus nacre_rank_stats(const NacreVm *handle, int rank, NacreStats *stats) {
    if (!api_is_alive(handle) || !api_can_give(stats, FIRST_STATS)) return NACRE_MISUSE;
    const Link *link = link_of(&handle->vm);
    if (rank < 0 || rank >= link->size || (rank != link->rank && !is_dry(&handle->vm))) return NACRE_MISUSE;
    const Mem *mem = &handle->vm.mem;
    NacreStats all = {.memory_in_use = mem->in_use,
                      .memory_peak = mem->peak, .allocations = mem->requests,
                      .system_allocations = mem->calls,
                      .objects = handle->vm.gc_count};
    EngineStats engine = engine_stats_of(&handle->vm, rank);
    all.nodes_recorded = engine.recorded;
    all.nodes_executed = engine.executed;
    all.nodes_eliminated = engine.eliminated;
    all.nodes_pending = engine.pending;
    all.kernels = engine.kernels;
    all.library_calls = engine.library_calls;
    all.fallbacks = engine.fallbacks;
    all.plans_made = engine.plans_made;
    all.plans_reused = engine.plans_reused;
    all.plans_hash = engine.plans_hash;
    all.kernels_in_bands = engine.kernels_in_bands;
    all.kernels_compiled = engine.compiled;
    all.direct_operations = engine.direct;
    SpecStats spec = jit_stats(&handle->vm);
    all.loops_compiled = spec.compiled;
    all.loops_entered = spec.entered;
    all.loops_left = spec.left;
    all.loop_rounds = spec.rounds;
    all.parallel_rounds = spec.parallel;
    all.device_rounds = spec.items;
    all.rank_rounds = spec.parts;
    all.threads = engine.threads;
    all.threads_used = engine.threads_used;
    all.bytes_host_to_device = engine.bytes_in;
    all.bytes_device_to_host = engine.bytes_out;
    all.copies_host_to_device = engine.copies_in;
    all.copies_device_to_host = engine.copies_out;
    all.waits = engine.waits;
    all.ranks = (uint64_t)engine.ranks;
    all.rank = (uint64_t)engine.rank;
    all.messages_sent = engine.link.messages_sent;
    all.messages_received = engine.link.messages_received;
    all.message_bytes_sent = engine.link.bytes_sent;
    all.message_bytes_received = engine.link.bytes_received;
    all.exchanges = engine.link.exchanges;
    all.gathers = engine.link.gathers;
    all.broadcasts = engine.link.broadcasts;
    all.seconds_with_ranks = engine.link.waited;
    all.kernels_shared = engine.kernels_shared;
    all.kernels_gathered = engine.kernels_gathered;
    all.arrays_gathered = engine.arrays_gathered;
    all.array_exchanges = engine.array_exchanges;
    all.array_bytes_received = engine.array_bytes_received;
    all.array_memory_peak = engine.array_memory_peak;
    all.exchanges_overlapped = engine.exchanges_overlapped;
    all.nodes_batched = engine.batched;
    API_GIVE(stats, &all);
    return NACRE_OK;
}
