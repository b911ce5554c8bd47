// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Warnings: which are given, and to whom. The first rule of vm->warning_rules that matches decides; if
// none does, action_for has the defaults.

#include "vm/value/warnings.h"

#include <string.h>
#include <strings.h>

#include "vm/value/class.h"
#include "vm/value/dict.h"
#include "vm/value/list.h"
#include "vm/value/ops.h"
#include "vm/value/seq.h"
#include "vm/value/str.h"
#include "vm/value/vm.h"

enum { RULE_ACTION, RULE_CATEGORY, RULE_TEXT, RULE_ANYWHERE, RULE_LEN };

static bool text_fits(const char *text, const char *part, bool anywhere) {
    size_t len = strlen(part);
    do {
        if (strncasecmp(text, part, len) == 0) return true;
    } while (anywhere && *text++);
    return false;
}

static bool is_rule(Value v, const Class *warning) {
    if (v.kind != K_TUPLE || v.tuple->len != RULE_LEN) return false;
    const Value *items = v.tuple->items;
    return items[RULE_ACTION].kind == K_INT && items[RULE_ACTION].i >= WARN_DEFAULT &&
           items[RULE_ACTION].i <= WARN_ERROR && items[RULE_CATEGORY].kind == K_CLASS &&
           class_is_subclass(items[RULE_CATEGORY].cls, warning) && items[RULE_TEXT].kind == K_STR &&
           items[RULE_ANYWHERE].kind == K_BOOL;
}

Status warnings_rules(Vm *vm, Value rules) {
    if (rules.kind != K_TUPLE) return vm_raise(vm, EXC_TypeError, "a tuple of rules is required");
    for (size_t i = 0; i < rules.tuple->len; i++)
        if (!is_rule(rules.tuple->items[i], vm->exceptions[EXC_Warning]))
            return vm_raise(vm, EXC_TypeError, "a rule is (action, category, text, anywhere)");
    Tuple *before = vm->warning_rules;
    vm->warning_rules = retain(rules).tuple;
    release_obj(vm, before);
    // Warnings given before may be given again, since the filters have changed.
    release_obj(vm, vm->warned);
    vm->warned = NULL;
    return ST_OK;
}

bool warnings_are_raised(const Vm *vm) {
    for (size_t i = 0; vm->warning_rules && i < vm->warning_rules->len; i++)
        if (vm->warning_rules->items[i].tuple->items[RULE_ACTION].i == WARN_ERROR) return true;
    return false;
}

static WarnAction action_for(const Vm *vm, const Class *category, const char *text) {
    for (size_t i = 0; vm->warning_rules && i < vm->warning_rules->len; i++) {
        const Value *items = vm->warning_rules->items[i].tuple->items;
        if (class_is_subclass(category, items[RULE_CATEGORY].cls) &&
            text_fits(text, items[RULE_TEXT].str->data, items[RULE_ANYWHERE].i))
            return (WarnAction)items[RULE_ACTION].i;
    }
    static const ExcKind quiet[] = {EXC_PendingDeprecationWarning, EXC_ImportWarning, EXC_ResourceWarning};
    for (size_t i = 0; !vm->warning_rules && i < sizeof quiet / sizeof *quiet; i++)
        if (class_is_subclass(category, vm->exceptions[quiet[i]])) return WARN_IGNORE;
    return WARN_DEFAULT;
}

// Records a warning's message, with as much of its place as the action distinguishes. False: it has been recorded
// before.
static bool first_warning(Vm *vm, WarnAction action, const Class *category, const char *message,
                          const SourceLine *at) {
    Buf text;
    Value key, before = V_UNDEF;
    if (action == WARN_ALWAYS || (!at->file && action != WARN_ONCE)) return true;
    if (!vm->warned && !(vm->warned = dict_new(vm))) {
        vm_clear_error(vm);
        return true;
    }
    buf_init(&text, &vm->mem);
    buf_printf(&text, "%d %u %s\n%s\n%s", (int)action, action == WARN_DEFAULT ? at->line : 0,
               category->name->data, action == WARN_ONCE ? "" : at->file, message);
    Status st = str_buf_out(vm, &text, &key);
    if (st == ST_OK) {
        st = dict_get(vm, vm->warned, key, &before);
        if (st == ST_STOP && dict_set(vm, vm->warned, key, V_NONE) != ST_OK) vm_clear_error(vm);
        release(vm, key);
    } else {
        vm_clear_error(vm);
    }
    return st != ST_OK;
}

// Appends (category, text, file, line) to vm->warnings_heard.
static Status record(Vm *vm, Class *category, const char *message, const SourceLine *at) {
    Value items[4] = {retain(v_obj(category)), V_NONE, V_NONE, v_int(at->line)}, tuple;
    Status st = str_out(vm, str_text(vm, message), &items[1]);
    if (st == ST_OK && at->file) st = str_out(vm, str_text(vm, at->file), &items[2]);
    if (st != ST_OK) {
        for (int i = 0; i < 3; i++) release(vm, items[i]);
        return st;
    }
    if (tuple_steal(vm, items, 4, &tuple) != ST_OK) return vm_no_memory(vm);
    if (!list_room(vm, vm->warnings_heard, vm->warnings_heard->len + 1)) {
        release(vm, tuple);
        return vm_no_memory(vm);
    }
    vm->warnings_heard->items[vm->warnings_heard->len++] = tuple;
    return ST_OK;
}

static Status give(Vm *vm, Class *category, const char *message, int level) {
    SourceLine at = {0};
    WarnAction action = action_for(vm, category, message);
    if (action == WARN_IGNORE) return ST_OK;
    if (vm_settle(vm) != ST_OK) return ST_ERROR;
    if (action == WARN_ERROR) {
        Value text;
        if (str_out(vm, str_text(vm, message), &text) != ST_OK) return ST_ERROR;
        Status st = vm_raise_class(vm, category, text);
        release(vm, text);
        return st;
    }
    if (!vm->host.warn && !vm->warnings_heard) return ST_OK;
    CodePlace place = {0};
    if (vm->blamed) place = *vm->blamed;
    else if (vm->where) vm->where(vm, level, &place);
    if (place.code) vm->locate(vm, place, &at);
    if (!first_warning(vm, action, category, message, &at)) return ST_OK;
    if (vm->warnings_heard) return record(vm, category, message, &at);
    vm->host.warn(vm->host.ctx, category->name->data, message, &at);
    return ST_OK;
}

Status vm_warn_class(Vm *vm, Class *category, const char *message, int level) {
    return give(vm, category, message, level);
}

Status vm_warn(Vm *vm, ExcKind category, const char *format, ...) {
    Buf buf;
    buf_init(&buf, &vm->mem);
    va_list args;
    va_start(args, format);
    buf_vprintf(&buf, format, args);
    va_end(args);
    buf_putc(&buf, '\0');
    Status st = buf.failed ? vm_no_memory(vm) : give(vm, vm->exceptions[category], buf.data, 0);
    buf_free(&buf);
    return st;
}

void warnings_free(Vm *vm) {
    release_obj(vm, vm->warned);
    release_obj(vm, vm->warning_rules);
    release_obj(vm, vm->warnings_heard);
    vm->warned = NULL;
    vm->warning_rules = NULL;
    vm->warnings_heard = NULL;
}
