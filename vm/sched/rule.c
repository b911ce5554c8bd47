// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Reads partition rules of library operations.

#include "vm/sched/rule.h"

#include <ctype.h>
#include <string.h>

// The state of reading a rule for a call.
typedef struct Reader {
    const Kernel *call;
    CallSpace *space;
    int stack;             // number of dimensions that * or @ stands for
    AxisSet whole_axes;    // the axes of attrs.axes that must not be cut
    int8_t letters[128];   // for each letter, the dimension of the space plus 1; 0: not yet seen
    bool fits;
} Reader;

// --- Dimensions ------------------------------------------------------------------------------------

static int add_dim(Reader *r, int64_t extent, bool whole) {
    Kernel *loop = &r->space->loop;
    if (loop->ndim == NDIM_MAX) {
        r->fits = false;
        return 0;
    }
    if (whole) r->space->limits.whole |= axis_bit(loop->ndim);
    loop->shape[loop->ndim] = extent;
    return loop->ndim++;
}

// Makes dimension `axis` of a view move along dimension `dim` of the space.
static void follow(Reader *r, KernAccess *access, int8_t *dims, const View *view, int axis, int dim) {
    r->fits &= r->space->loop.shape[dim] == view->shape[axis];
    access->strides[dim] = view->strides[axis];
    dims[dim] = (int8_t)axis;
}

// Reads subscripts of letters, after an optional *. Dimensions that * stands for are 0, 1 … of the space (begin_space);
// each letter is a dimension, a capital one always a new one that must not be cut.
static void follow_subscripts(Reader *r, KernAccess *access, int8_t *dims, const View *view, const char *subscripts,
                              size_t length) {
    int axis = 0;
    for (const char *at = subscripts; r->fits && at < subscripts + length; at++) {
        if (*at == '*') {
            for (int d = 0; d < r->stack; d++) follow(r, access, dims, view, axis++, d);
            continue;
        }
        int8_t *known = &r->letters[(unsigned char)*at & 127];
        const bool whole = isupper((unsigned char)*at);
        if (whole || !*known) *known = (int8_t)(add_dim(r, view->shape[axis], whole) + 1);
        follow(r, access, dims, view, axis++, *known - 1);
    }
}

// Reads `@`: each dimension of the view is that of the space, except axes that must not be cut, for which each view
// gets a dimension of its own.
static void follow_all_but_axes(Reader *r, KernAccess *access, int8_t *dims, const View *view) {
    for (int d = 0; r->fits && d < view->ndim; d++) {
        const bool whole = r->whole_axes & axis_bit(d);
        follow(r, access, dims, view, d, whole ? add_dim(r, view->shape[d], true) : d);
    }
}

// Reads `/`: the view has the dimensions that @ stands for, without attrs.axes.
static void follow_kept(Reader *r, KernAccess *access, int8_t *dims, const View *view) {
    int axis = 0;
    for (int d = 0; r->fits && d < r->stack; d++)
        if (!(r->call->attrs.axes & axis_bit(d))) follow(r, access, dims, view, axis++, d);
}

static void follow_whole(Reader *r, KernAccess *access, int8_t *dims, const View *view) {
    for (int d = 0; r->fits && d < view->ndim; d++)
        follow(r, access, dims, view, d, add_dim(r, view->shape[d], true));
}

static void follow_view(Reader *r, KernAccess *access, int8_t *dims, const View *view, const char *subscripts,
                        size_t length) {
    memset(access->strides, 0, sizeof access->strides);
    memset(dims, -1, NDIM_MAX);
    access->storage = view->storage;
    access->dtype = view->dtype;
    access->offset = view->offset;
    if (*subscripts == '.') follow_whole(r, access, dims, view);
    else if (*subscripts == '@') follow_all_but_axes(r, access, dims, view);
    else if (*subscripts == '/') follow_kept(r, access, dims, view);
    else follow_subscripts(r, access, dims, view, subscripts, length);
}

// --- Rules -----------------------------------------------------------------------------------------

// Counts the letters in one operand's subscripts.
static int letters_in(const char *subscripts, size_t length) {
    int count = 0;
    for (size_t i = 0; i < length; i++) count += isalpha((unsigned char)subscripts[i]) != 0;
    return count;
}

static bool has_rank(const View *view, int stack, const char *subscripts, size_t length) {
    if (*subscripts == '.') return true;
    if (*subscripts == '@') return view->ndim == stack;
    if (*subscripts == '/') return view->ndim < stack;
    return view->ndim == letters_in(subscripts, length) + (*subscripts == '*' ? stack : 0);
}

static const char *next_word(const char *at, size_t *length) {
    while (*at == ' ') at++;
    *length = strcspn(at, " ;");
    return at;
}

// Adds the dimensions that * or @ stands for: those of the result, or of the first operand if the result lacks some
// (`/`).
static bool begin_space(Reader *r, const char *result, size_t length) {
    const bool lacks = *result == '/', all = *result == '@' || lacks;
    const View *to = lacks ? &r->call->args[0].view : &r->call->result.view;
    r->stack = all ? to->ndim : to->ndim - letters_in(result, length);
    if (r->stack < 0 || (!all && *result != '*' && r->stack > 0)) return false;
    for (int d = 0; d < r->stack; d++) add_dim(r, to->shape[d], all && r->whole_axes & axis_bit(d));
    return r->fits;
}

bool op_has_parts(OpId op, DType type) {
    const OpInfo *info = &op_info[op];
    if (info->zeros == ZEROS_EITHER && dtype_is_inexact(type)) return false;
    return info->commutative && info->dtype_rule != RULE_COMPARE;
}

AlongAxes call_along_axes(const Kernel *call) {
    const char *rule = op_info[call->library].partition;
    if (strstr(rule, "@: sort")) return ALONG_SORT;
    if (!strstr(rule, "@: scan")) return ALONG_NOT;
    OpId op = op_info[call->library].combine;
    return op_has_parts(op < AOP_COUNT ? op : call->attrs.combine, call->result.view.dtype) ? ALONG_SCAN : ALONG_NOT;
}

// Reads the part of a rule that names reduced dimensions, as `k: +`.
static void read_sums(Reader *r, const char *at) {
    Kernel *loop = &r->space->loop;
    if (strchr(at, '@')) return;
    for (; *at; at++) {
        if (!isalpha((unsigned char)*at) || !r->letters[(unsigned char)*at & 127]) continue;
        loop->reduced |= axis_bit(r->letters[(unsigned char)*at & 127] - 1);
    }
    loop->reduction_count = loop->reduced != 0;
    loop->reductions[0] = (KernReduction){.op = AOP_ADD};
}

static void begin_loop(Kernel *loop, const Kernel *call) {
    kernel_clear(loop);
    loop->site_count = call->site_count;
    loop->flags = call->flags;
    loop->may_raise = call->may_raise;
    loop->store_count = 1;
}

bool call_space(const Kernel *call, CallSpace *space) {
    const char *rule = op_info[call->library].partition, *result = strstr(rule, "->"), *at = rule;
    Reader r = {.call = call, .space = space, .fits = true};
    Kernel *loop = &space->loop;
    size_t length;
    if (!result) return false;
    result = next_word(result + 2, &length);
    const size_t result_length = length;
    begin_loop(loop, call);
    space->limits = (Limits){.scanned = call_along_axes(call) == ALONG_SCAN ? call->attrs.axes : 0};
    r.whole_axes = call->attrs.axes & ~space->limits.scanned;
    if (!begin_space(&r, result, result_length)) return false;
    for (int i = 0; r.fits && i < op_info[call->library].arity; i++, at += length) {
        at = next_word(at, &length);
        if (call->args[i].is_scalar) continue;
        const View *view = &call->args[i].view;
        r.fits = has_rank(view, r.stack, at, length);
        space->args[loop->load_count] = (int8_t)i;
        if (r.fits) follow_view(&r, &loop->loads[loop->load_count], space->dims[loop->load_count], view, at, length);
        loop->load_count++;
    }
    if (r.fits) follow_view(&r, &loop->stores[0].to, space->dims[loop->load_count], &call->result.view, result,
                            result_length);
    read_sums(&r, result + result_length);
    return r.fits;
}

static void use_access(View *view, const int8_t *dims, const Kernel *loop, const KernAccess *access) {
    view->storage = access->storage;
    view->offset = access->offset;
    for (int d = 0; d < loop->ndim; d++)
        if (dims[d] >= 0) view->strides[dims[d]] = access->strides[d];
}

void call_use_boxes(Kernel *call, const CallSpace *space) {
    const Kernel *loop = &space->loop;
    for (int i = 0; i < loop->load_count; i++)
        use_access(&call->args[space->args[i]].view, space->dims[i], loop, &loop->loads[i]);
    use_access(&call->result.view, space->dims[loop->load_count], loop, &loop->stores[0].to);
}

static void slice(View *view, const int8_t *dims, int dim, int64_t from, int64_t to) {
    int axis = dims[dim];
    if (axis < 0) return;
    view->offset += from * view->strides[axis];
    view->shape[axis] = to - from;
}

void call_slice(Kernel *call, const CallSpace *space, int dim, int64_t from, int64_t to) {
    const int loads = space->loop.load_count;
    for (int i = 0; i < loads; i++) slice(&call->args[space->args[i]].view, space->dims[i], dim, from, to);
    slice(&call->result.view, space->dims[loads], dim, from, to);
}
