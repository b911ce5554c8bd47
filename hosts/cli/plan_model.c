// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Implementation of the cost model; the header has the formulas.

#include "plan_model.h"

#include <math.h>

static const double micro = 1e-6, mega = 1e6, giga = 1e9;

// --- Kernels -----------------------------------------------------------------------------------------

// Returns the memory bandwidth of one rank in bytes per second, while all ranks are busy.
static double bandwidth_of(const Machine *m, int ranks) {
    const double sharing = fmin(ranks, m->node_ranks);
    return giga * fmin(m->rank_memory_bandwidth, m->node_memory_bandwidth / sharing);
}

// Returns whether the elements come from memory, not from a cache.
static bool is_fetched(const Machine *m, const NacreDryStream *stream) {
    return stream->distance <= 0 || stream->distance > mega * m->rank_cache_megabytes;
}

static double roofline(const Machine *m, int ranks, double bytes, double operations) {
    return micro * m->kernel_overhead_us + fmax(bytes / bandwidth_of(m, ranks), operations / (giga * m->rank_gigaflops));
}

double model_kernel(const Machine *m, int ranks, const NacreDryStep *step) {
    double bytes = 0;
    for (int i = 0; i < step->stream_count; i++)
        if (is_fetched(m, &step->streams[i])) bytes += step->streams[i].bytes;
    return roofline(m, ranks, bytes, step->operations);
}

double model_kernel_alone(const Machine *m, int ranks, const NacreDryStep *step) {
    const double parts = step->share > 0 ? 1 / step->share : 1;
    double bytes = 0;
    for (int i = 0; i < step->stream_count; i++) {
        const NacreDryStream *stream = &step->streams[i];
        if (is_fetched(m, stream)) bytes += stream->whole ? stream->bytes : stream->bytes * parts;
    }
    return roofline(m, ranks, bytes, step->operations * parts);
}

// --- Messages ----------------------------------------------------------------------------------------

double model_exchange(const Machine *m, const NacreDryStep *step) {
    double latency = 0, messages = 0, moving = 0;
    for (int d = 0; d < NEARNESSES; d++) {
        if (step->rank_messages[d] == 0) continue;
        latency = fmax(latency, m->latency_us[d]);
        messages += (double)step->rank_messages[d];
        moving += (double)step->rank_bytes[d] / (giga * m->bandwidth[d]);
    }
    moving = fmax(moving, (double)step->node_bytes / (giga * m->node_injection_bandwidth));
    return micro * (latency + m->message_overhead_us * messages) + moving;
}

double model_exchange_idle(const Machine *m, const NacreDryStep *step) {
    double messages = 0;
    for (int d = 0; d < NEARNESSES; d++) messages += (double)step->rank_messages[d];
    return model_exchange(m, step) - micro * m->message_overhead_us * messages;
}

// Returns the time of log2 P rounds of messages, in each of which the distance between the partners doubles.
static double rounds(const Machine *m, int ranks) {
    const double on_socket = fmin(ranks, m->socket_ranks), on_node = fmin(ranks, m->node_ranks);
    const double counts[NEARNESSES] = {ceil(log2(on_socket)), ceil(log2(on_node)), ceil(log2(ranks))};
    double time = 0;
    for (int d = 0; d < NEARNESSES; d++)
        time += (counts[d] - (d ? counts[d - 1] : 0)) * (m->latency_us[d] + 2 * m->message_overhead_us);
    return micro * time;
}

// Returns the time in which each rank receives `bytes` from each of the others.
static double from_all(const Machine *m, int ranks, double bytes) {
    const double on_node = fmin(ranks, m->node_ranks), near = bytes * (on_node - 1), far = bytes * (ranks - on_node);
    const double fabric = fmax(far / (giga * m->bandwidth[NEAR_FABRIC]),
                               far * on_node / (giga * m->node_injection_bandwidth));
    return near / (giga * m->bandwidth[NEAR_NODE]) + fabric;
}

double model_gather(const Machine *m, int ranks, double bytes) {
    return ranks > 1 ? rounds(m, ranks) + from_all(m, ranks, bytes) : 0;
}

double model_broadcast(const Machine *m, int ranks, double bytes) {
    if (ranks <= 1) return 0;
    const int far = ranks > m->node_ranks ? NEAR_FABRIC : NEAR_NODE;
    const double once = bytes / (giga * m->bandwidth[far]);
    const double tree = rounds(m, ranks) + ceil(log2(ranks)) * once;
    const double scattered = 2 * rounds(m, ranks) + once + from_all(m, ranks, bytes / ranks);
    return fmin(tree, scattered);
}
