// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Finds OpenCL devices.

#include "backends/opencl/opencl.h"

enum { PLATFORMS = 16, DEVICES = 32, TEXT = 256 };

static bool has_float64(cl_device_id device) {
    cl_device_fp_config config = 0;
    return clGetDeviceInfo(device, CL_DEVICE_DOUBLE_FP_CONFIG, sizeof config, &config, NULL) ==
               CL_SUCCESS &&
           config != 0;
}

// Stores the devices of all platforms in `devices`, and returns their number.
static cl_uint all_devices(cl_device_id devices[DEVICES]) {
    cl_platform_id platforms[PLATFORMS];
    cl_uint count = 0, found = 0;
    if (clGetPlatformIDs(PLATFORMS, platforms, &count) != CL_SUCCESS) return 0;
    for (cl_uint p = 0; p < count && p < PLATFORMS; p++) {
        cl_uint some = 0, room = DEVICES - found;
        if (room == 0 || clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, room, devices + found,
                                        &some) != CL_SUCCESS)
            continue;
        found += some < room ? some : room;
    }
    return found;
}

bool opencl_find(cl_device_id *device) {
    cl_device_id devices[DEVICES];
    cl_uint count = all_devices(devices);
    for (cl_uint i = 0; i < count; i++) {
        if (!has_float64(devices[i])) continue;
        *device = devices[i];
        return true;
    }
    return false;
}

void opencl_describe(Buf *out) {
    cl_device_id devices[DEVICES];
    cl_uint count = all_devices(devices);
    if (count == 0) buf_puts(out, "OpenCL: no device: install a driver for one (an ICD, such as pocl-opencl-icd for the processor)\n");
    for (cl_uint i = 0; i < count; i++) {
        char name[TEXT] = "", version[TEXT] = "";
        clGetDeviceInfo(devices[i], CL_DEVICE_NAME, sizeof name - 1, name, NULL);
        clGetDeviceInfo(devices[i], CL_DEVICE_VERSION, sizeof version - 1, version, NULL);
        buf_printf(out, "OpenCL: %s, %s%s\n", name, version,
                   has_float64(devices[i]) ? "" : ", without float64: not used");
    }
}
