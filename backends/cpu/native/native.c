// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Policy for kernels: which get machine code, and when.

#include "backends/cpu/native/native.h"

#include <pthread.h>
#include <string.h>

enum { FORMS = 256 };
// Instructions times elements that kernels with one signature must have executed before a compiler run (about
// 0.1 s) pays.
static const double least_work = 1 << 27;

typedef struct FormCode {
    Form form;
    uint64_t hash;
    bool wanted, asked;
    double work;
    BodyFn body; // NULL: there is no code yet, or never will be
    const Code *code;
} FormCode;

struct KernelCode {
    CodeStore *store;
    Tier tier;
    pthread_mutex_t lock;      // protects what follows: native_body is called by all threads
    int count, ready, waiting; // numbers of signatures; of those with code; of those waiting for code
    FormCode forms[FORMS];
};

KernelCode *native_open(Vm *vm, CodeStore *store, Tier tier) {
    KernelCode *n = mem_zalloc(&vm->mem, sizeof *n);
    if (!n) return NULL;
    pthread_mutex_init(&n->lock, NULL);
    n->store = store;
    n->tier = tier;
    return n;
}

static FormCode *find(KernelCode *n, const Form *form) {
    uint64_t hash = form_hash(form);
    for (int i = 0; i < n->count; i++)
        if (n->forms[i].hash == hash && memcmp(&n->forms[i].form, form, sizeof *form) == 0)
            return &n->forms[i];
    if (n->count == FORMS) return NULL;
    FormCode *found = &n->forms[n->count++];
    found->form = *form;
    found->hash = hash;
    return found;
}

static void want(KernelCode *n, FormCode *found) {
    n->waiting += !found->wanted;
    found->wanted = true;
}

static void ask(KernelCode *n, Vm *vm, FormCode *found) {
    Buf text;
    buf_init(&text, &vm->mem);
    found->asked = true;
    if (emit_kernel(&dialect_c, &found->form, &text))
        found->code = code_store_ask(n->store, vm, &text);
    else
        buf_free(&text);
    n->waiting -= !found->code;
}

static void take(KernelCode *n, FormCode *found) {
    found->body = (BodyFn)code_entry(found->code);
    n->ready += found->body != NULL;
    n->waiting -= found->body || code_failed(found->code);
    if (code_failed(found->code)) found->code = NULL;
}

void native_attend(KernelCode *n, Vm *vm, const Kernel *kernel) {
    Form form;
    pthread_mutex_lock(&n->lock);
    bool waits = n->tier == TIER_KERNEL || kernel->hints & HINT_COMPILE;
    FormCode *own = waits && form_of(kernel, &form) ? find(n, &form) : NULL;
    if (own) want(n, own);
    for (int i = 0; n->waiting > 0 && i < n->count; i++)
        if (n->forms[i].wanted && !n->forms[i].asked) ask(n, vm, &n->forms[i]);
    code_store_attend(n->store, vm, waits);
    for (int i = 0; n->waiting > 0 && i < n->count; i++)
        if (n->forms[i].code && !n->forms[i].body) take(n, &n->forms[i]);
    pthread_mutex_unlock(&n->lock);
}

BodyFn native_body(KernelCode *n, const Form *form, const Kernel *kernel) {
    double work = kernel->code_count;
    for (int d = 0; d < kernel->ndim; d++) work *= (double)kernel->shape[d];
    pthread_mutex_lock(&n->lock);
    FormCode *found = find(n, form);
    if (found) {
        found->work += work;
        if (found->work >= least_work || kernel->hints & HINT_COMPILE) want(n, found);
    }
    BodyFn body = found ? found->body : NULL;
    pthread_mutex_unlock(&n->lock);
    return body;
}

int native_ready(KernelCode *n) {
    pthread_mutex_lock(&n->lock);
    int ready = n->ready;
    pthread_mutex_unlock(&n->lock);
    return ready;
}

bool native_source(KernelCode *n, int index, Buf *out) {
    bool found = false;
    pthread_mutex_lock(&n->lock);
    for (int i = 0; i < n->count && !found; i++)
        if (n->forms[i].body && index-- == 0) found = emit_kernel_text(&dialect_c, &n->forms[i].form, out);
    pthread_mutex_unlock(&n->lock);
    return found;
}

void native_close(Vm *vm, KernelCode *n) {
    if (!n) return;
    pthread_mutex_destroy(&n->lock);
    mem_free(&vm->mem, n, sizeof *n);
}
