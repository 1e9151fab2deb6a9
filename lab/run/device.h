/*
 * The OpenCL device: chosen, opened and warmed up once, used by children
 * that are forked from the process that opened it.
 */
#ifndef LAB_DEVICE_H
#define LAB_DEVICE_H

#include "base/err.h"
#include <CL/cl.h>
#include <stdbool.h>

#define DEVICE_NAME_MAX 256

struct header;

struct device {
	cl_platform_id platform;
	cl_device_id id;
	cl_context context;
	cl_command_queue queue;
	struct header *header; /* cut down for each build, or NULL: header.h */
	bool loads_late;       /* what it compiles, see late_loading.h */
	char name[DEVICE_NAME_MAX]; /* "PLATFORM / DEVICE" */
};

/*
 * Opens the first CPU device whose platform or device name contains match
 * (NULL: the first one).  The PoCL settings in the environment must be in
 * place. ERR_ENV: no OpenCL platform, or no device that matches.
 */
enum err device_open(const char *match, struct device *ret, struct why *why);

/*
 * Builds a small kernel that calls a built-in, so that a process forked from
 * here finds the compiler and its library of built-ins loaded.  It is not
 * launched: what that would warm costs more than it saves.
 */
enum err device_warm(struct device *d, struct why *why);

/*
 * Builds source with the options that everything of ours is built with.  *ret
 * is set whenever a program was created, for its build log.
 */
cl_int device_build(const struct device *d, const char *source,
    cl_program *ret);

const char *device_status_name(cl_int status); /* "CL_INVALID_..." */

#endif
