/*
 * The OpenCL device: chosen, opened and warmed up once, used by children
 * that are forked from the process that opened it.  One that does not survive
 * a fork, because its threads do not, is opened by each child for itself.
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
	struct header
	    *header;     /* cut down for each build, or NULL: opencl_header.h */
	bool loads_late; /* what it compiles, see late_loading.h */
	bool is_fresh;   /* not opened yet: each child opens its own */
	char name[DEVICE_NAME_MAX]; /* "PLATFORM / DEVICE" */
};

/* All of PoCL's devices on a processor: a value of POCL_DEVICES.  Names that a
 * version does not know are passed over. */
#define DEVICE_POCL_ALL "basic pthread cpu-minimal cpu"

/*
 * How PoCL compiles what is to be judged, by its settings; what is timed is
 * compiled as everybody else has it.
 *
 *	variables	that nobody has set hold a pattern, a NaN where they are
 *		floats.  Left to itself the optimiser takes them for whatever
 *		makes the kernel simplest, mostly for what would have been right.
 *		PoCL takes no -f option, but splits what it takes at tabs too,
 *		behind a macro that nobody reads.
 *	work groups	not by loops for its vectoriser, the usual way, which
 *		gets a return in front of a barrier wrong.  A PoCL that has
 *		continuations (cbs) takes these.  3.1 does not know the word,
 *		says so to nobody, and chooses by itself, without vectoriser:
 *		that gets it right, too.
 */
#define DEVICE_FLAGS_OF_POCL "POCL_EXTRA_BUILD_FLAGS"
#define DEVICE_UNSET_IS_NAN                                                    \
	"POCL_EXTRA_BUILD_FLAGS=-DUNSET\t-ftrivial-auto-var-init=pattern"
#define DEVICE_WORK_GROUPS "POCL_WORK_GROUP_METHOD=cbs"

/* "PLATFORM / DEVICE": does it work in a process forked from the one that
 * opened it? */
bool device_survives_fork(const char *name);

/*
 * The name of the device that device_open() would open.  The driver is loaded
 * for that, with all its threads: for a process that ends after it.
 */
enum err device_find(const char *match, char name[DEVICE_NAME_MAX],
    struct why *why);

/*
 * Opens the first CPU device whose platform or device name contains match
 * (NULL: the first one).  The PoCL settings in the environment must be in
 * place.  What *ret says of header and is_fresh stays. ERR_ENV: no OpenCL
 * platform, or no device that matches.
 */
enum err device_open(const char *match, struct device *ret, struct why *why);

/* Reads what each build needs of the compiler's own declarations. */
void device_read_header(struct device *d);

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
