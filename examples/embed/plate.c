/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Nacre Authors
 *
 * A program with arrays of its own runs a user's script on them: the script's function writes into the
 * program's memory.
 *
 *     plate plate.ncr
 */

#include <stdio.h>

#include <nacre/nacre.h>

enum { SIZE = 64, ROUNDS = 500 };
static double plate[SIZE][SIZE];

static int write_text(void *ctx, int stream, const char *bytes, size_t len) {
    (void)ctx;
    return fwrite(bytes, 1, len, stream == 2 ? stderr : stdout) == len ? 0 : -1;
}

/* The script's step(plate, alpha), ROUNDS times. *mean is what the last one returned. */
static NacreStatus run(NacreVm *vm, const char *script, double *mean) {
    static const int64_t shape[] = {SIZE, SIZE};
    const NacreMemory memory = {.struct_size = sizeof memory, .data = plate, .dtype = "float64",
                                .ndim = 2, .shape = shape};
    NacreValue *step, *args[2], *result;
    NacreStatus status = nacre_run_file(vm, script);
    if (status == NACRE_OK) status = nacre_global(vm, "step", &step);
    if (status == NACRE_OK) status = nacre_wrap(vm, &memory, &args[0]);
    if (status != NACRE_OK) return status;
    if (!(args[1] = nacre_float(vm, 0.2))) return NACRE_ERROR;
    for (int i = 0; i < ROUNDS && status == NACRE_OK; i++) {
        status = nacre_call(vm, step, 2, args, &result);
        if (status != NACRE_OK) break;
        status = nacre_as_float(vm, result, mean);
        nacre_release(vm, result);
    }
    return status; /* nacre_free lets go of the rest */
}

int main(int argc, char **argv) {
    NacreOptions options = {.struct_size = sizeof options};
    double mean = 0;
    options.write = write_text;
    options.tier = "auto";
    NacreVm *vm = argc == 2 ? nacre_new(&options) : NULL;
    if (!vm) {
        fprintf(stderr, "usage: plate SCRIPT\n");
        return 2;
    }
    for (int i = 0; i < SIZE; i++) plate[0][i] = 100;
    NacreStatus status = run(vm, argv[1], &mean);
    if (status != NACRE_OK) fputs(nacre_error_text(vm), stderr);
    nacre_free(vm);
    if (status != NACRE_OK) return 1;
    printf("mean inside %.4f, in the middle %.4f\n", mean, plate[SIZE / 2][SIZE / 2]);
    return 0;
}
