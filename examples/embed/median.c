/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Nacre Authors
 *
 * An operation of a program's own among those of array work: the median of each element and its neighbours,
 * which takes spikes out of a signal. Calls of it are put off and planned like any others. A device would have a
 * function of its own beside the one for "cpu".
 */

#include <stdio.h>
#include <string.h>

#include <nacre/nacre.h>

static const char script[] =
    "import numpy as np\n"
    "t = np.linspace(0, 1, 2000)\n"
    "clean = np.sin(12 * t)\n"
    "signal = clean.copy()\n"
    "signal[::100] += 5\n"
    "found = median5(signal)\n"
    "print(f'{np.abs(signal - clean).max():.3f} {np.abs(found - clean).max():.3f}')\n"
    "print(median5([1, 9, 2, 8, 3]))\n";

static int write_text(void *ctx, int stream, const char *bytes, size_t len) {
    (void)ctx;
    return fwrite(bytes, 1, len, stream == 2 ? stderr : stdout) == len ? 0 : -1;
}

static double median_of(const double *from, int count) {
    double sorted[5];
    for (int i = 0; i < count; i++) {
        int at = i;
        for (; at > 0 && sorted[at - 1] > from[i]; at--) sorted[at] = sorted[at - 1];
        sorted[at] = from[i];
    }
    return sorted[count / 2];
}

/* Each element's median with up to two neighbours on either side; operands lie in C order (is_contiguous). */
static int median5(void *ctx, const NacreOperationCall *call) {
    const double *x = (const double *)call->operands[0].data;
    double *y = (double *)call->result.data;
    int64_t n = call->result.shape[0];
    (void)ctx;
    for (int64_t i = 0; i < n; i++) {
        int64_t from = i < 2 ? 0 : i - 2, to = i + 3 < n ? i + 3 : n;
        y[i] = median_of(x + from, (int)(to - from));
    }
    return 0;
}

/* The result is of the operand's dtype and shape; only rows are taken. */
static NacreStatus infer(void *ctx, NacreVm *vm, const NacreArray *operands, NacreResult *result) {
    (void)ctx;
    (void)result;
    return operands[0].ndim == 1 ? NACRE_OK : nacre_raise(vm, "ValueError", "median5 takes a row");
}

int main(void) {
    static const NacreImplementation functions[] = {{"cpu", median5}};
    NacreOptions options = {sizeof options};
    NacreHostOperation operation = {sizeof operation};
    NacreValue *function;
    options.write = write_text;
    operation.name = "median5";
    operation.doc = "Median of each element and its neighbours, two on either side.";
    operation.operand_count = 1;
    operation.dtype = "float64";
    operation.is_contiguous = 1;
    operation.infer = infer;
    operation.implementation_count = 1;
    operation.implementations = functions;
    NacreVm *vm = nacre_new(&options);
    if (!vm) return 1;
    NacreStatus status = nacre_add_operation(vm, &operation, &function);
    if (status == NACRE_OK) status = nacre_set_global(vm, "median5", function);
    if (status == NACRE_OK) status = nacre_run(vm, script, strlen(script), "<median>", NACRE_FILE);
    if (status != NACRE_OK) fputs(nacre_error_text(vm), stderr);
    nacre_free(vm);
    return status != NACRE_OK;
}
