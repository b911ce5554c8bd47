// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Making and destroying a VM behind the public interface.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "dist/dry/dry.h"
#include "stdlib/ranks/replicate.h"
#include "stdlib/stdlib.h"
#include "vm/api/api.h"
#include "vm/api/deadline.h"
#include "vm/api/sizes.h"
#include "vm/jit/jit.h"
#include "vm/plugin/backend.h"
#include "vm/sched/collective.h"
#include "vm/sched/dry.h"
#include "vm/sched/engine.h"
#include "vm/value/dict.h"
#include "vm/value/object.h"
#include "vm/value/ops.h"
#include "vm/value/str.h"
#include "vm/value/weak.h"

enum { DEFAULT_RECURSION = 1000 };

// --- The host's callbacks, in the VM's terms -----------------------------------------------------

static bool host_write(void *ctx, int stream, const char *bytes, size_t len) {
    const NacreOptions *options = ctx;
    return !options->write || options->write(options->ctx, stream, bytes, len) == 0;
}

static long host_read(void *ctx, const char **bytes) {
    const NacreOptions *options = ctx;
    return options->read_line ? options->read_line(options->ctx, bytes) : 0;
}

static void host_warn(void *ctx, const char *category, const char *message, const SourceLine *at) {
    const NacreOptions *options = ctx;
    if (options->warn) {
        options->warn(options->ctx, category, message, at->file, (int)at->line);
        return;
    }
    char text[1024];
    int len = snprintf(text, sizeof text, "%s:%u: %s: %s\n", at->file ? at->file : "<script>",
                       at->line, category, message);
    if (at->text && len > 0 && (size_t)len < sizeof text)
        len += snprintf(text + len, sizeof text - (size_t)len, "  %.*s\n", (int)at->len, at->text);
    if (len > 0) host_write(ctx, 2, text, (size_t)len < sizeof text ? (size_t)len : sizeof text - 1);
}

static bool host_display(void *ctx, const char *text, size_t len) {
    const NacreOptions *options = ctx;
    if (options->display) {
        options->display(options->ctx, text, len);
        return true;
    }
    return host_write(ctx, 1, text, len) && host_write(ctx, 1, "\n", 1);
}

static bool host_publish(void *ctx, const Publication *publication) {
    const NacreOptions *options = ctx;
    return options->publish(options->ctx, publication) == 0;
}

static long host_ask(void *ctx, const char *prompt, size_t len, bool hidden, const char **bytes) {
    const NacreOptions *options = ctx;
    return options->ask(options->ctx, prompt, len, hidden, bytes);
}

static void host_reclaim(void *ctx, size_t bytes) {
    const NacreOptions *options = ctx;
    options->reclaim(options->ctx, bytes);
}

static bool host_allowed(void *ctx, FileAccess access, const char *path) {
    const NacreOptions *options = ctx;
    if (!options->access) return !options->sandbox;
    return options->access(options->ctx, access == ACCESS_WRITE ? NACRE_WRITE : NACRE_READ, path) != 0;
}

static bool host_module(void *ctx, const char *name, const char **text, size_t *len) {
    const NacreOptions *options = ctx;
    return options->module && options->module(options->ctx, name, text, len) != 0;
}

// --- Start -----------------------------------------------------------------------------------------

static double monotonic_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static Status start_prelude(Vm *vm) {
    Str *name = str_intern(vm, "_prelude", 8);
    Value module;
    if (!name) return vm_no_memory(vm);
    Status st = import_one(vm, name, 0, &module);
    release_obj(vm, name);
    if (st == ST_OK) release(vm, module);
    if (st != ST_TAIL) return st;
    // The module's frame was pushed: run it as the host's call.
    Frame *frame = vm->interp->frame;
    Value held = frame->extra;
    frame->ret = RET_EXIT;
    frame->extra = V_UNDEF;
    st = interp_run(vm);
    if (st == ST_OK) vm->interp->prelude = held.module;
    else release(vm, held);
    clear(vm, &vm->interp->result);
    return st;
}

// Makes the functions that the prelude lists in `exported` built-ins of scripts.
static Status export_prelude(Vm *vm) {
    Str *key = str_intern(vm, "exported", 8);
    if (!key) return vm_no_memory(vm);
    Value names = module_get(vm->interp->prelude, key);
    Status st = ST_OK;
    for (size_t i = 0; names.kind == K_TUPLE && st == ST_OK && i < names.tuple->len; i++) {
        Str *name = names.tuple->items[i].str;
        st = dict_set_str(vm, vm->builtins, name, module_get(vm->interp->prelude, name));
    }
    release_obj(vm, key);
    return st;
}

static Status start_main(Vm *vm) {
    Value module;
    Str *name = vm_name(vm, NAME_main);
    if (module_new(vm, name->data, &module) != ST_OK) return ST_ERROR;
    vm->interp->main = module.module;
    return dict_set_str(vm, vm->modules, name, module);
}

static bool tier_of(const char *name, int *tier) {
    static const char *const names[] = {[TIER_INTERP] = "interp", [TIER_AUTO] = "auto", [TIER_KERNEL] = "kernel",
                                        [TIER_FUNCTION] = "function"};
    for (*tier = 0; *tier < (int)(sizeof names / sizeof *names); ++*tier)
        if (strcmp(name ? name : names[0], names[*tier]) == 0) return true;
    return false;
}

static bool strict_of(const char *name, Strict *strict) {
    static const char *const names[] = {[STRICT_OFF] = "off", [STRICT_WARN] = "warn", [STRICT_ERROR] = "error"};
    int i = 0, count = sizeof names / sizeof *names;
    while (i < count && strcmp(name ? name : names[0], names[i]) != 0) i++;
    *strict = (Strict)i;
    return i < count;
}

// Discards output of ranks other than 0: rank 0 writes the same warnings and messages to standard error.
static bool write_nothing(void *ctx, int stream, const char *bytes, size_t len) {
    (void)ctx, (void)stream, (void)bytes, (void)len;
    return true;
}

static void warn_nobody(void *ctx, const char *category, const char *message, const SourceLine *at) {
    (void)ctx, (void)category, (void)message, (void)at;
}

static void be_silent(Vm *vm) {
    vm->host.write = write_nothing;
    vm->host.warn = warn_nobody;
}

static bool refuse_transport(const NacreOptions *options) {
    char text[128];
    snprintf(text, sizeof text, "there is no transport '%.32s': it is no part of this build of nacre", options->ranks);
    if (options->refused) options->refused(options->ctx, text);
    return false;
}

static bool plan_dry_run(NacreVm *handle, DryOptions *dry, EngineOptions *engine) {
    const NacreDryRun *run = &handle->dry_run;
    if (handle->options.ranks || !api_take_dry(handle, handle->options.dry_run)) return false;
    *dry = (DryOptions){.socket_ranks = run->socket_ranks, .node_ranks = run->node_ranks, .step = api_dry_step,
                        .ctx = &handle->dry_run};
    engine->dry = dry;
    engine->ranks = &ranks_dry;
    engine->joining.size = run->ranks;
    return true;
}

static bool start(NacreVm *handle) {
    Vm *vm = &handle->vm;
    const NacreOptions *options = &handle->options;
    int depth = options->recursion_limit > 0 ? options->recursion_limit : DEFAULT_RECURSION;
    vm->info = &handle->info;
    handle->info.start_time = monotonic_seconds();
    const bool on_ranks = options->ranks != NULL;
    const bool many = on_ranks || options->dry_run;
    vm->numbered = options->reproducible || many; // addresses differ from run to run, and from rank to rank
    if (!vm_value_init(vm) || !interp_init(vm, depth)) return false;
    EngineOptions engine = {.backend = options->backend, .threads = options->threads,
                            .depth = options->depth, .stress = options->stress,
                            .reproducible = options->reproducible,
                            .deterministic = options->reproducible || many, // ranks must make the same decisions
                            .stream = options->stream,
                            .joining = {.communicator = options->communicator, .group = options->group,
                                        .rank = options->rank},
                            .refused = options->refused, .refused_ctx = options->ctx,
                            .device_least = (int64_t)options->device_least, .unfused = options->unfused,
                            .sandboxed = options->sandbox, .check_ranks = options->check_ranks, .split_least = (int64_t)options->split_least};
    DryOptions dry;
    if (options->dry_run && !plan_dry_run(handle, &dry, &engine)) return false;
    if (!on_ranks && (options->communicator || options->group)) return false; // options without effect are errors
    if (on_ranks && !(engine.ranks = ranks_find(options->ranks))) return refuse_transport(options);
    if (!tier_of(options->sandbox ? NULL : options->tier, &engine.tier)) return false;
    if (!strict_of(options->strict, &engine.strict)) return false;
    if (options->sandbox && !backend_built_in(options->backend)) return false;
    if (!engine_start(vm, &engine)) return false;
    if (builtins_init(vm) != ST_OK || start_prelude(vm) != ST_OK ||
        export_prelude(vm) != ST_OK || start_main(vm) != ST_OK)
        return false;
    if (nacre_set_argv(handle, 1, (const char *const[]){""}) != NACRE_OK) return false;
    bool specialises = engine.tier == TIER_AUTO || engine.tier == TIER_FUNCTION;
    if (specialises && !jit_start(vm, engine.tier == TIER_FUNCTION, engine.deterministic)) return false;
    if (!replicate_start(vm)) return false; // the prelude is the same on all ranks, so loading it needs no
                                            // communication
    if (link_of(vm)->rank > 0) be_silent(vm);
    vm->interp->stress = options->stress;
    if (!options->count_instructions) return true;
    vm->interp->op_counts = mem_zalloc(&vm->mem, OP_COUNT * sizeof(uint64_t));
    return vm->interp->op_counts;
}

NacreVm *nacre_new(const NacreOptions *given) {
    NacreOptions options = {.struct_size = sizeof options};
    if (given && !API_TAKE(&options, FIRST_OPTIONS, given)) return NULL;
    NacreVm *handle = options.alloc ? options.alloc(options.alloc_ctx, NULL, 0, sizeof *handle)
                                    : malloc(sizeof *handle);
    if (!handle) {
        api_group_miss(&options);
        return NULL;
    }
    memset(handle, 0, sizeof *handle);
    handle->options = options;
    api_born(handle);
    atomic_init(&handle->users, 1);
    mem_init(&handle->vm.mem, options.alloc, options.alloc_ctx, !options.unpooled,
             options.memory_limit);
    handle->vm.host = (HostCalls){.ctx = &handle->options, .write = host_write,
                                  .read_line = host_read, .warn = host_warn,
                                  .display = host_display, .visit = api_visit,
                                  .reclaim = options.reclaim ? host_reclaim : NULL,
                                  .publish = options.publish ? host_publish : NULL,
                                  .ask = options.ask ? host_ask : NULL,
                                  .allowed = host_allowed, .module = host_module,
                                  .sandbox = options.sandbox != 0};
    buf_init(&handle->error_text, &handle->vm.mem);
    buf_init(&handle->error_message, &handle->vm.mem);
    buf_init(&handle->result_text, &handle->vm.mem);
    if (start(handle)) return handle;
    api_group_miss(&options);
    nacre_free(handle);
    return NULL;
}

// --- End -------------------------------------------------------------------------------------------

void nacre_free(NacreVm *handle) {
    if (!api_is_alive(handle)) return;
    api_died(handle);
    Vm *vm = &handle->vm;
    deadline_free(vm, handle->deadline);
    vm_clear_error(vm);
    clear(vm, &handle->exception);
    replicate_stop(vm);
    api_free_holds(handle);
    api_take_back(handle);
    if (vm->engine) api_keep_exports(handle);
    engine_forget(vm);
    api_watch_stop(handle);
    api_free_passes(handle);
    api_drop_operations(handle);
    clear(vm, &handle->info.argv);
    host_free_files(vm);
    mem_free(&vm->mem, handle->info.script_dir, handle->info.script_dir_size);
    if (vm->modules) dict_clear(vm, vm->modules);
    if (vm->weak) weak_waker(vm, V_UNDEF);
    if (vm->interp && vm->interp->op_counts)
        mem_free(&vm->mem, vm->interp->op_counts, OP_COUNT * sizeof(uint64_t));
    interp_free(vm);
    vm_value_free(vm);
    engine_stop(vm);
    api_free_operations(handle);
    buf_free(&handle->error_text);
    buf_free(&handle->error_message);
    buf_free(&handle->result_text);
    if (atomic_fetch_sub(&handle->users, 1) == 1) api_free_rest(handle);
}

void api_free_rest(NacreVm *handle) {
    NacreOptions options = handle->options;
    api_take_back(handle);
    sharing_close(&handle->vm, handle->left);
    mem_destroy(&handle->vm.mem);
    if (options.alloc) options.alloc(options.alloc_ctx, handle, sizeof *handle, 0);
    else api_bury(handle);
}

int nacre_backend_known(const char *name) {
    return name && backend_find(name) != NULL;
}
