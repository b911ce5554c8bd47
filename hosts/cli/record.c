// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Watches a script and sums up its array work.

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record.h"

// --- Growing -----------------------------------------------------------------------------------

// Makes room for one more element. Returns false after setting record->failed.
static bool grow(Record *record, void *array, size_t count, size_t *cap, size_t size) {
    void **at = array;
    if (count < *cap) return true;
    size_t more = *cap ? 2 * *cap : 16;
    void *new = realloc(*at, more * size);
    if (!new) {
        record->failed = true;
        return false;
    }
    *at = new;
    *cap = more;
    return true;
}

static uint64_t mixed(uint64_t h, uint64_t word) {
    h = (h ^ word) * 0x9E3779B97F4A7C15u;
    return h ^ h >> 29;
}

static uint64_t mixed_text(uint64_t h, const char *text) {
    for (; text && *text; text++) h = mixed(h, (unsigned char)*text);
    return mixed(h, 256);
}

// Returns the index of a file, which is added if it is new; -1: no file, or out of memory.
static int file_number(Record *record, const char *name) {
    if (!name) return -1;
    for (int i = 0; i < record->file_count; i++)
        if (strcmp(record->files[i], name) == 0) return i;
    char **files = realloc(record->files, (size_t)(record->file_count + 1) * sizeof *files);
    if (files) record->files = files;
    char *copy = files ? strdup(name) : NULL;
    if (!copy) {
        record->failed = true;
        return -1;
    }
    files[record->file_count] = copy;
    return record->file_count++;
}

// --- Kernels -----------------------------------------------------------------------------------

// Returns the extent before broadcasting.
static int64_t extent_of(const NacreView *view, int d) {
    return view->strides[d] == 0 && view->shape[d] > 1 ? 1 : view->shape[d];
}

void record_view(const NacreView *view, Text *out) {
    text_printf(out, "%s[", view->dtype);
    for (int d = 0; d < view->ndim; d++)
        text_printf(out, "%s%lld", d ? "," : "", (long long)extent_of(view, d));
    text_puts(out, "]");
}

static bool same_shape(const NacreView *a, const NacreView *b) {
    bool same = strcmp(a->dtype, b->dtype) == 0 && a->ndim == b->ndim;
    for (int d = 0; same && d < a->ndim; d++) same = extent_of(a, d) == extent_of(b, d);
    return same;
}

// Lists views; equal ones are counted: "3 float64[10,10], bool[10]". The caller frees the text; NULL: out of memory.
static char *views_text(const NacreView *views, int count) {
    Text out = {0};
    for (int i = 0; i < count; i++) {
        int times = 1, before = 0;
        while (before < i && !same_shape(&views[before], &views[i])) before++;
        if (before < i) continue;
        for (int j = i + 1; j < count; j++) times += same_shape(&views[i], &views[j]);
        if (i) text_puts(&out, ", ");
        if (times > 1) text_printf(&out, "%d ", times);
        record_view(&views[i], &out);
    }
    if (!out.bytes) text_puts(&out, "");
    return out.bytes;
}

static uint64_t shapes_hash(const NacreKernel *kernel) {
    uint64_t h = 1;
    for (int i = 0; i < kernel->read_count + kernel->write_count; i++) {
        bool reads = i < kernel->read_count;
        const NacreView *view = reads ? &kernel->reads[i] : &kernel->writes[i - kernel->read_count];
        h = mixed(mixed_text(h, view->dtype), (uint64_t)view->ndim << 1 | reads);
        for (int d = 0; d < view->ndim; d++) h = mixed(h, (uint64_t)extent_of(view, d));
    }
    return h;
}

static bool rehash(Record *record) {
    size_t cap = record->table_cap ? 2 * record->table_cap : 64;
    uint32_t *table = calloc(cap, sizeof *table);
    if (!table) return false;
    for (size_t k = 0; k < record->kernel_count; k++) {
        size_t at = record->kernels[k].hash & (cap - 1);
        while (table[at]) at = (at + 1) & (cap - 1);
        table[at] = (uint32_t)k + 1;
    }
    free(record->table);
    record->table = table;
    record->table_cap = cap;
    return true;
}

static RecordKernel *kernel_of(Record *record, uint64_t hash, bool *is_new) {
    *is_new = false;
    if (2 * record->kernel_count >= record->table_cap && !rehash(record)) record->failed = true;
    if (!record->table_cap) return NULL;
    size_t at = hash & (record->table_cap - 1);
    for (; record->table[at]; at = (at + 1) & (record->table_cap - 1))
        if (record->kernels[record->table[at] - 1].hash == hash)
            return &record->kernels[record->table[at] - 1];
    if (2 * record->kernel_count >= record->table_cap ||
        !grow(record, &record->kernels, record->kernel_count, &record->kernel_cap,
              sizeof(RecordKernel)))
        return NULL;
    *is_new = true;
    record->table[at] = (uint32_t)++record->kernel_count;
    RecordKernel *kernel = &record->kernels[record->kernel_count - 1];
    *kernel = (RecordKernel){.hash = hash};
    return kernel;
}

static void describe(Record *record, RecordKernel *to, const NacreKernel *from,
                     const RecordSite *sites, int count) {
    to->library = from->library;
    to->is_copy = from->is_copy;
    to->on_host = from->on_host;
    to->shapes = shapes_hash(from);
    to->reads = views_text(from->reads, from->read_count);
    to->writes = views_text(from->writes, from->write_count);
    to->sites = malloc((size_t)count * sizeof *sites);
    record->failed |= !to->reads || !to->writes || !to->sites;
    if (!to->sites) return;
    memcpy(to->sites, sites, (size_t)count * sizeof *sites);
    to->site_count = count;
}

static void keep_span(Record *record, const RecordKernel *of, const NacreKernel *kernel) {
    if (!grow(record, &record->spans, record->span_count, &record->span_cap, sizeof *record->spans))
        return;
    record->spans[record->span_count++] =
        (RecordSpan){(uint32_t)(of - record->kernels), kernel->begin, kernel->seconds};
}

enum { SITES_MAX = 64 };

static void on_kernel(void *ctx, const NacreKernel *kernel) {
    Record *record = ctx;
    RecordSite sites[SITES_MAX];
    uint64_t h =
        mixed_text((uint64_t)kernel->is_copy << 1 | (uint64_t)kernel->on_host, kernel->library);
    bool is_new;
    int count = kernel->node_count < SITES_MAX ? kernel->node_count : SITES_MAX;
    for (int i = 0; i < count; i++) {
        NacreNode node = {.struct_size = sizeof node};
        sites[i] = (RecordSite){.file = -1, .operation = "?"};
        if (nacre_plan_node(record->vm, kernel->nodes[i], &node) == NACRE_OK)
            sites[i] = (RecordSite){file_number(record, node.file), node.line, record_name(&node)};
        h = mixed_text(mixed(h, (uint64_t)sites[i].file << 32 | (uint32_t)sites[i].line),
                       sites[i].operation);
    }
    RecordKernel *to = kernel_of(record, h, &is_new);
    record->launched++;
    if (!to) return;
    if (is_new) describe(record, to, kernel, sites, count);
    else to->varies |= to->shapes != shapes_hash(kernel);
    to->runs++;
    to->made += kernel->use == NACRE_PLAN_MADE;
    to->bytes_read += (double)kernel->bytes_read;
    to->bytes_written += (double)kernel->bytes_written;
    to->operations += kernel->operations;
    to->band_rows = kernel->band_rows;
    to->seconds += kernel->seconds;
    if (record->keep_spans) keep_span(record, to, kernel);
}

// --- Direct operations ---------------------------------------------------------------------------

static uint64_t direct_hash(int file, int line, const char *operation) {
    return mixed(mixed((uint64_t)(uintptr_t)operation, (uint64_t)file << 32 | (uint32_t)line), 1);
}

// Returns the slot of a direct operation in the table, or the empty slot where it belongs.
static uint32_t *direct_slot(const Record *r, int file, int line, const char *operation) {
    size_t at = direct_hash(file, line, operation) & (r->direct_table_cap - 1);
    for (; r->direct_table[at]; at = (at + 1) & (r->direct_table_cap - 1)) {
        const RecordDirect *there = &r->directs[r->direct_table[at] - 1];
        if (there->file == file && there->line == line && there->operation == operation) break;
    }
    return &r->direct_table[at];
}

static bool grow_direct_table(Record *r) {
    size_t cap = r->direct_table_cap ? 2 * r->direct_table_cap : 64;
    uint32_t *table = calloc(cap, sizeof *table);
    if (!table) return false;
    free(r->direct_table);
    r->direct_table = table;
    r->direct_table_cap = cap;
    for (size_t i = 0; i < r->direct_count; i++) {
        const RecordDirect *one = &r->directs[i];
        *direct_slot(r, one->file, one->line, one->operation) = (uint32_t)i + 1;
    }
    return true;
}

static void on_direct(void *ctx, const NacreDirect *direct) {
    Record *record = ctx;
    int file = file_number(record, direct->file);
    record->direct++;
    if (2 * record->direct_count >= record->direct_table_cap && !grow_direct_table(record)) {
        record->failed = true;
        return;
    }
    uint32_t *slot = direct_slot(record, file, direct->line, direct->operation);
    if (!*slot) {
        if (!grow(record, &record->directs, record->direct_count, &record->direct_cap, sizeof *record->directs))
            return;
        record->directs[record->direct_count++] =
            (RecordDirect){.file = file, .line = direct->line, .operation = direct->operation};
        *slot = (uint32_t)record->direct_count;
    }
    record->directs[*slot - 1].count++;
}

uint64_t record_direct_count(const Record *record, int file, int line) {
    uint64_t count = 0;
    for (size_t i = 0; i < record->direct_count; i++)
        if (record->directs[i].file == file && record->directs[i].line == line) count += record->directs[i].count;
    return count;
}

// --- Ranks -------------------------------------------------------------------------------------

void record_take_ranks(Record *record) {
    NacreRankLine line = {.struct_size = sizeof line};
    for (int i = 0; nacre_rank_line(record->vm, i, &line) == NACRE_OK; i++) {
        const uint64_t steps = line.exchanges + line.gathers + line.broadcasts;
        if (steps + line.results_cut + line.results_combined + line.arrays_gathered == 0) continue;
        if (!grow(record, &record->ranks, record->rank_count, &record->rank_cap, sizeof *record->ranks)) return;
        record->ranks[record->rank_count++] = (RecordRanks){file_number(record, line.file), line};
    }
}

const NacreRankLine *record_ranks(const Record *record, int file, int line) {
    for (size_t i = 0; i < record->rank_count; i++)
        if (record->ranks[i].file == file && (int)record->ranks[i].line.line == line) return &record->ranks[i].line;
    return NULL;
}

// Appends the axes along which results are cut: "cut along axes 0, 1". Returns the separator for what follows.
static const char *put_cut(const NacreRankLine *line, const char *between, Text *out) {
    const char *inner = line->axes_cut & (line->axes_cut - 1) ? "axes " : "axis ";
    if (!line->results_cut) return between;
    text_printf(out, "%scut along ", between);
    for (int axis = 0; axis < 64; axis++) {
        if (!(line->axes_cut >> axis & 1)) continue;
        text_printf(out, "%s%d", inner, axis);
        inner = ", ";
    }
    if (!line->axes_cut) text_puts(out, "no axis: it is on one rank");
    return "; ";
}

static const char *put_counted(uint64_t count, const char *one, const char *many, uint64_t bytes, const char *between,
                               Text *out) {
    if (!count) return between;
    text_printf(out, "%s%" PRIu64 " %s", between, count, count == 1 ? one : many);
    if (bytes) text_puts(out, " (");
    if (bytes) record_bytes((double)bytes, out);
    if (bytes) text_puts(out, ")");
    return "; ";
}

void record_put_ranks(const NacreRankLine *line, Text *out) {
    const char *between = put_cut(line, "", out);
    if (line->results_combined) text_printf(out, "%scombined of all parts", between), between = "; ";
    if (line->results_whole && line->results_cut + line->results_combined) text_printf(out, "%ssome whole", between), between = "; ";
    between = put_counted(line->array_exchanges, "exchange of missing parts", "exchanges of missing parts",
                          line->array_bytes_received, between, out);
    between = put_counted(line->arrays_gathered, "array brought whole", "arrays brought whole", line->array_bytes_gathered, between, out);
    if (line->why) text_printf(out, ": %s", line->why);
    put_counted(line->gathers, "gather", "gathers", 0, between, out);
    put_counted(line->broadcasts, "broadcast", "broadcasts", 0, *between || line->gathers ? "; " : "", out);
}

// --- Plans -------------------------------------------------------------------------------------

static void add_reason(Record *record, const NacreNode *node, const NacreNode *with) {
    Text text = {0};
    text_puts(&text, node->why);
    if (with && with->line == node->line) text_printf(&text, " its %s", record_name(with));
    else if (with) text_printf(&text, " line %d's %s", with->line, record_name(with));
    int file = file_number(record, node->file);
    bool known = !text.bytes || file < 0;
    for (size_t i = 0; !known && i < record->reason_count; i++)
        known = record->reasons[i].file == file && record->reasons[i].line == node->line &&
                strcmp(record->reasons[i].text, text.bytes) == 0;
    if (!known && grow(record, &record->reasons, record->reason_count, &record->reason_cap,
                       sizeof *record->reasons))
        record->reasons[record->reason_count++] = (RecordReason){file, node->line, text.bytes};
    else text_free(&text);
}

// After the last pass, records reasons and counts dropped operations.
static void on_pass(void *ctx, const NacrePlan *plan) {
    Record *record = ctx;
    uint64_t dropped = 0;
    if (!plan->is_last) return;
    for (int i = 0; i < plan->node_count; i++) {
        NacreNode node = {.struct_size = sizeof node}, with = node;
        if (nacre_plan_node(record->vm, i, &node) != NACRE_OK) continue;
        dropped += node.fate == NACRE_DROPPED;
        bool other = nacre_plan_node(record->vm, node.why_node, &with) == NACRE_OK;
        if (*node.why && !node.why_plain) add_reason(record, &node, other ? &with : NULL);
    }
    while (record->drop_cap <= plan->number) {
        size_t old = record->drop_cap;
        if (!grow(record, &record->drops, old, &record->drop_cap, sizeof *record->drops)) return;
        memset(record->drops + old, 0, (record->drop_cap - old) * sizeof *record->drops);
    }
    record->drops[plan->number] = dropped;
    record->dropped += dropped;
}

static void on_run(void *ctx, const NacrePlan *plan) {
    Record *record = ctx;
    record->plans++;
    record->plans_made += plan->use == NACRE_PLAN_MADE;
    record->plans_reused += plan->use == NACRE_PLAN_REUSED;
    record->plans_single += plan->use == NACRE_PLAN_SINGLE;
    if (plan->number < record->drop_cap) record->dropped += record->drops[plan->number];
}

bool record_start(Record *record, NacreVm *vm, bool passes) {
    NacreWatch watch = {.struct_size = sizeof watch,
                        .ctx = record,
                        .run = on_run,
                        .kernel = on_kernel,
                        .direct = on_direct,
                        .pass = passes ? on_pass : NULL};
    NacreStats stats = {.struct_size = sizeof stats};
    if (nacre_stats(vm, &stats) == NACRE_OK) record->waited_before = stats.seconds_with_ranks;
    record->vm = vm;
    return nacre_watch(vm, &watch) == NACRE_OK;
}

void record_free(Record *record) {
    for (int i = 0; i < record->file_count; i++) free(record->files[i]);
    for (size_t i = 0; i < record->kernel_count; i++) {
        free(record->kernels[i].sites);
        free(record->kernels[i].reads);
        free(record->kernels[i].writes);
    }
    for (size_t i = 0; i < record->reason_count; i++) free(record->reasons[i].text);
    free(record->files);
    free(record->kernels);
    free(record->table);
    free(record->reasons);
    free(record->spans);
    free(record->directs);
    free(record->ranks);
    free(record->direct_table);
    free(record->drops);
    *record = (Record){0};
}

// --- Texts -------------------------------------------------------------------------------------

const char *record_name(const NacreNode *node) {
    if (strcmp(node->operation, "cast") != 0) return node->operation;
    if (node->operands[0].is_scalar) return "fill";
    return strcmp(node->operands[0].view.dtype, node->result.dtype) == 0 ? "copy" : "cast";
}

void record_work(const RecordKernel *kernel, Text *out) {
    if (kernel->library) text_puts(out, "library ");
    if (kernel->library && kernel->site_count > 1) text_printf(out, "%s: ", kernel->library);
    record_operations(kernel, out);
}

void record_operations(const RecordKernel *kernel, Text *out) {
    for (int i = 0; i < kernel->site_count; i++) {
        const char *name = kernel->sites[i].operation;
        int times = 1, before = 0;
        while (before < i && strcmp(kernel->sites[before].operation, name) != 0) before++;
        if (before < i) continue;
        for (int j = i + 1; j < kernel->site_count; j++)
            times += strcmp(kernel->sites[j].operation, name) == 0;
        text_printf(out, "%s%s", i ? ", " : "", kernel->is_copy ? "copy for " : "");
        text_puts(out, name);
        if (times > 1) text_printf(out, " ×%d", times);
    }
}

static int by_number(const void *a, const void *b) {
    return *(const int *)a - *(const int *)b;
}

int *record_all_lines(const Record *record, int file, int *count) {
    size_t all = 1 + record->direct_count + record->rank_count;
    int kept = 0;
    *count = 0;
    for (size_t k = 0; k < record->kernel_count; k++) all += (size_t)record->kernels[k].site_count;
    int *lines = malloc(all * sizeof *lines);
    if (!lines) return NULL;
    for (size_t k = 0; k < record->kernel_count; k++) {
        const RecordKernel *kernel = &record->kernels[k];
        for (int i = 0; i < kernel->site_count; i++)
            if (kernel->sites[i].file == file) lines[(*count)++] = kernel->sites[i].line;
    }
    for (size_t i = 0; i < record->direct_count; i++)
        if (record->directs[i].file == file) lines[(*count)++] = record->directs[i].line;
    for (size_t i = 0; i < record->rank_count; i++)
        if (record->ranks[i].file == file) lines[(*count)++] = (int)record->ranks[i].line.line;
    qsort(lines, (size_t)*count, sizeof *lines, by_number);
    for (int i = 0; i < *count; i++)
        if (i == 0 || lines[i] != lines[i - 1]) lines[kept++] = lines[i];
    *count = kept;
    return lines;
}

void record_lines(const RecordKernel *kernel, int file, Text *out) {
    int lines[SITES_MAX], count = 0;
    for (int i = 0; i < kernel->site_count; i++)
        if (kernel->sites[i].file == file) lines[count++] = kernel->sites[i].line;
    qsort(lines, (size_t)count, sizeof *lines, by_number);
    for (int i = 0, last; i < count; i = last + 1) {
        for (last = i; last + 1 < count && lines[last + 1] <= lines[last] + 1;) last++;
        text_printf(out, "%s%d", i ? " " : "", lines[i]);
        if (lines[last] != lines[i]) text_printf(out, "–%d", lines[last]);
    }
}

void record_bytes(double bytes, Text *out) {
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB", "PB"};
    int unit = 0;
    for (; bytes >= 999.5 && unit < 5; unit++) bytes /= 1000;
    if (unit && bytes < 9.95) text_printf(out, "%.1f %s", bytes, units[unit]);
    else text_printf(out, "%.0f %s", bytes, units[unit]);
}
