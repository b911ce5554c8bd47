// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The shared parts of harness.h.

#include "harness.h"

#include <string.h>

int failures;

static void keep(char *text, const char *bytes, size_t len) {
    size_t used = strlen(text), room = KEPT_BYTES - 1 - used;
    if (len > room) len = room;
    memcpy(text + used, bytes, len);
    text[used + len] = '\0';
}

static int on_write(void *ctx, int stream, const char *bytes, size_t len) {
    Host *host = ctx;
    host->writes++;
    keep(stream == 1 ? host->out : host->err, bytes, len);
    return host->fail_write ? -1 : 0;
}

static long on_read(void *ctx, const char **bytes) {
    Host *host = ctx;
    if (host->fail_read) return -1;
    if (!host->lines || !*host->lines) return 0;
    *bytes = *host->lines++;
    return (long)strlen(*bytes);
}

static void on_display(void *ctx, const char *text, size_t len) {
    keep(((Host *)ctx)->shown, text, len);
}

static void on_warn(void *ctx, const char *category, const char *message, const char *file,
                    int line) {
    Host *host = ctx;
    (void)file;
    (void)line;
    keep(host->warned, category, strlen(category));
    keep(host->warned, ": ", 2);
    keep(host->warned, message, strlen(message));
}

NacreOptions host_options(Host *host) {
    NacreOptions options = {.struct_size = sizeof options};
    options.write = on_write;
    options.read_line = on_read;
    options.display = on_display;
    options.warn = on_warn;
    options.ctx = host;
    options.threads = 1;
    return options;
}

NacreVm *host_start(Host *host) {
    memset(host, 0, sizeof *host);
    NacreOptions options = host_options(host);
    host->vm = nacre_new(&options);
    CHECK(host->vm);
    return host->vm;
}

void host_clear(Host *host) {
    host->out[0] = host->err[0] = host->shown[0] = host->warned[0] = '\0';
    host->writes = 0;
}

NacreStatus run(NacreVm *vm, const char *text) {
    return nacre_run(vm, text, strlen(text), "<test>", NACRE_FILE);
}

bool evaluates(NacreVm *vm, const char *expression, const char *expect) {
    NacreStatus status =
        nacre_run(vm, expression, strlen(expression), "<test>", NACRE_EXPRESSION);
    if (status == NACRE_OK && strcmp(nacre_result_text(vm), expect) == 0) return true;
    printf("%s is '%s', not '%s'\n%s", expression, nacre_result_text(vm), expect,
           nacre_error_text(vm));
    return false;
}

bool raises(NacreVm *vm, const char *text, const char *class_name, int line) {
    NacreStatus status = run(vm, text);
    bool good = status == NACRE_ERROR && strcmp(nacre_error_class(vm), class_name) == 0 &&
                (line == 0 || nacre_error_line(vm) == line);
    if (!good)
        printf("status %d, class %s, line %d instead of %s at line %d:\n%s", (int)status,
               nacre_error_class(vm), nacre_error_line(vm), class_name, line,
               nacre_error_text(vm));
    return good;
}

bool failed(NacreVm *vm, NacreStatus status, const char *class_name) {
    bool good = status == NACRE_ERROR && strcmp(nacre_error_class(vm), class_name) == 0;
    if (!good) printf("status %d, %s instead of %s\n", (int)status, nacre_error_class(vm), class_name);
    return good;
}

NacreValue *value_of(NacreVm *vm, const char *text) {
    NacreValue *value = NULL;
    CHECK(nacre_evaluate(vm, text, strlen(text), "<test>", &value) == NACRE_OK);
    return value;
}

int run_tests(const Test *tests, size_t count) {
    setvbuf(stdout, NULL, _IOLBF, 0); // so that a crash leaves what was found
    for (size_t i = 0; i < count; i++) {
        int before = failures;
        tests[i].fn();
        if (failures > before) printf("failed: %s\n", tests[i].name);
    }
    printf("%zu tests, %d failures\n", count, failures);
    return failures > 0;
}

NacreStatus interrupt_here(void *ctx, NacreVm *vm, size_t count, NacreValue *const *args, NacreValue **result) {
    (void)ctx;
    (void)count;
    (void)args;
    (void)result;
    nacre_interrupt(vm);
    return NACRE_OK;
}
