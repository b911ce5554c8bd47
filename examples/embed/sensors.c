/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The Nacre Authors
 *
 * Functions of a program, called by a script: one gives it measurements as an array, one takes what it has
 * found. Errors of either end where the other handles them.
 */

#include <stdio.h>
#include <string.h>

#include <nacre/nacre.h>

enum { SENSORS = 4, SAMPLES = 256 };

static const char script[] =
    "import numpy as np\n"
    "\n"
    "def loudest(window=16):\n"
    "    \"\"\"Reports the strongest moving average of each sensor.\"\"\"\n"
    "    for number in range(count):\n"
    "        signal = read(number)\n"
    "        means = np.convolve(signal, np.ones(window) / window, mode='valid')\n"
    "        report(number, at=int(means.argmax()), strength=means.max())\n"
    "    try:\n"
    "        read(99)\n"
    "    except IndexError as e:\n"
    "        print('caught:', e)\n"
    "\n"
    "loudest()\n";

static int write_text(void *ctx, int stream, const char *bytes, size_t len) {
    (void)ctx;
    return fwrite(bytes, 1, len, stream == 2 ? stderr : stdout) == len ? 0 : -1;
}

/* read(number): a sensor's samples, a triangle somewhere in them. */
static NacreStatus read_sensor(void *ctx, NacreVm *vm, size_t count, NacreValue *const *args,
                               NacreValue **result) {
    static const int64_t shape[] = {SAMPLES};
    float samples[SAMPLES] = {0};
    int64_t number;
    NacreStatus status = nacre_as_int(vm, args[0], &number);
    (void)ctx;
    (void)count;
    if (status != NACRE_OK) return status;
    if (number < 0 || number >= SENSORS) return nacre_raise(vm, "IndexError", "there is no such sensor");
    for (int i = 0; i < 32; i++)
        samples[40 * (number + 1) + i] = (float)(i < 16 ? i : 32 - i) * (float)(number + 1);
    status = nacre_array(vm, "float32", 1, shape, result);
    return status == NACRE_OK ? nacre_copy_from(vm, *result, samples, sizeof samples) : status;
}

/* report(number, at, strength) */
static NacreStatus report(void *ctx, NacreVm *vm, size_t count, NacreValue *const *args,
                          NacreValue **result) {
    int64_t number, at;
    double strength;
    (void)count;
    (void)result;
    if (nacre_as_int(vm, args[0], &number) != NACRE_OK || nacre_as_int(vm, args[1], &at) != NACRE_OK ||
        nacre_as_float(vm, args[2], &strength) != NACRE_OK)
        return NACRE_ERROR;
    printf("sensor %d: %.3f from sample %d on\n", (int)number, strength, (int)at);
    ++*(int *)ctx;
    return NACRE_OK;
}

static NacreStatus define(NacreVm *vm, const char *name, const char *signature, NacreFn fn, void *ctx) {
    const NacreFunction function = {.struct_size = sizeof function, .name = name, .signature = signature,
                                    .fn = fn, .ctx = ctx};
    NacreValue *value;
    NacreStatus status = nacre_function(vm, &function, &value);
    if (status == NACRE_OK) status = nacre_set_global(vm, name, value);
    return status;
}

int main(void) {
    NacreOptions options = {.struct_size = sizeof options};
    int reports = 0;
    options.write = write_text;
    NacreVm *vm = nacre_new(&options);
    NacreValue *count = vm ? nacre_int(vm, SENSORS) : NULL;
    if (!count) return 1;
    NacreStatus status = nacre_set_global(vm, "count", count);
    if (status == NACRE_OK) status = define(vm, "read", "number", read_sensor, NULL);
    if (status == NACRE_OK) status = define(vm, "report", "number, at, strength", report, &reports);
    if (status == NACRE_OK) status = nacre_run(vm, script, strlen(script), "sensors.py", NACRE_FILE);
    if (status != NACRE_OK) fputs(nacre_error_text(vm), stderr);
    nacre_free(vm);
    return status != NACRE_OK || reports != SENSORS;
}
