/*
 * Opening and warming an OpenCL device.
 *
 * PoCL's compiler is a library: the first build of a process pays for loading
 * its built-ins and for the tables of LLVM (about 400 ms), later ones do not.
 * device_warm() pays that once, in the zygote; every child inherits it.
 *
 * Only CPU devices are taken: what a GPU driver set up before a fork is of no
 * use after it.
 */
#include "lab/run/device.h"

#include "lab/read/opencl_header.h"
#include "lab/run/late_loading.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PLATFORMS_MAX 16
#define DEVICES_MAX   32
#define POCL          "Portable Computing Language"
#define BUILD_OPTIONS "-cl-std=CL1.2"

static const char warm_source[] =
    "__kernel void warm(const __global float *x, __global float *o)\n"
    "{ o[get_global_id(0)] = exp(x[get_global_id(0)]); }\n";

static bool device_matches(cl_platform_id p, cl_device_id d, const char *match,
    char name[DEVICE_NAME_MAX]);

static enum err
find_on(cl_platform_id p, const char *match, struct device *d)
{
	cl_device_id ids[DEVICES_MAX];
	cl_uint n = 0;

	/* Clips at DEVICES_MAX by itself; n is still the number that there
	 * are. */
	if (clGetDeviceIDs(p, CL_DEVICE_TYPE_CPU, DEVICES_MAX, ids, &n) !=
	    CL_SUCCESS)
		return ERR_NOTFOUND;
	for (cl_uint i = 0; i < n && i < DEVICES_MAX; i++)
		if (device_matches(p, ids[i], match, d->name)) {
			d->platform = p;
			d->id = ids[i];
			return ERR_OK;
		}
	return ERR_NOTFOUND;
}

static enum err
find_any(const char *match, struct device *d, struct why *why)
{
	cl_platform_id platforms[PLATFORMS_MAX];
	cl_uint n = 0;

	if (clGetPlatformIDs(PLATFORMS_MAX, platforms, &n) != CL_SUCCESS ||
	    n == 0)
		return why_set(why, ERR_ENV,
		    "no OpenCL platform: install pocl-opencl-icd");
	for (cl_uint i = 0; i < n && i < PLATFORMS_MAX; i++)
		if (find_on(platforms[i], match, d) == ERR_OK)
			return ERR_OK;
	if (match)
		return why_set(why, ERR_ENV,
		    "no OpenCL CPU device whose name contains \"%s\"", match);
	return why_set(why, ERR_ENV, "no OpenCL CPU device on %u platforms", n);
}

bool
device_survives_fork(const char *name)
{
	/* It has no thread but the one that calls it. */
	static const char *const threadless[] = { POCL " / basic",
		POCL " / cpu-minimal" };

	for (size_t i = 0; i < COUNT(threadless); i++)
		if (strncmp(name, threadless[i], strlen(threadless[i])) == 0)
			return true;
	return false;
}

enum err
device_find(const char *match, char name[DEVICE_NAME_MAX], struct why *why)
{
	struct device d = { 0 };
	enum err e = find_any(match, &d, why);

	if (e == ERR_OK)
		snprintf(name, DEVICE_NAME_MAX, "%s", d.name);
	return e;
}

enum err
device_open(const char *match, struct device *ret, struct why *why)
{
	struct device d = { .header = ret->header, .is_fresh = ret->is_fresh };
	enum err e = find_any(match, &d, why);
	cl_int status;

	if (e != ERR_OK)
		return e;
	d.context = clCreateContext(NULL, 1, &d.id, NULL, NULL, &status);
	if (status != CL_SUCCESS)
		return why_set(why, ERR_ENV, "%s: no OpenCL context: %s",
		    d.name, device_status_name(status));
	d.queue = clCreateCommandQueue(d.context, d.id, 0, &status);
	if (status != CL_SUCCESS) {
		clReleaseContext(d.context);
		return why_set(why, ERR_ENV, "%s: no command queue: %s", d.name,
		    device_status_name(status));
	}
	/* Another runtime may load its kernels in its own way: it keeps the
	 * sandbox's other walls and lacks this one (SANDBOX_OBJECTS). */
	d.loads_late = strstr(d.name, POCL) && late_loading_install();
	*ret = d;
	return ERR_OK;
}

static bool
device_matches(cl_platform_id p, cl_device_id d, const char *match,
    char name[DEVICE_NAME_MAX])
{
	char platform[DEVICE_NAME_MAX / 2] = "?";
	char device[DEVICE_NAME_MAX / 2 - 4] = "?";

	clGetPlatformInfo(p, CL_PLATFORM_NAME, sizeof platform, platform, NULL);
	clGetDeviceInfo(d, CL_DEVICE_NAME, sizeof device, device, NULL);
	platform[sizeof platform - 1] = device[sizeof device - 1] = '\0';
	snprintf(name, DEVICE_NAME_MAX, "%s / %s", platform, device);
	return !match || strstr(name, match);
}

static cl_int
build(const struct device *d, const char *const sources[2], const char *options,
    cl_program *ret)
{
	const char *texts[2] = { sources[0], sources[1] };
	cl_int status;

	/* Two strings and not one joined text: the candidate's line numbers in
	 * the compiler's errors stay its own. */
	*ret = clCreateProgramWithSource(d->context, 2, texts, NULL, &status);
	if (status != CL_SUCCESS)
		return status;
	status = clBuildProgram(*ret, 1, &d->id, options, NULL, NULL);
	if ((status == CL_INVALID_BUILD_OPTIONS ||
	        status == CL_INVALID_COMPILER_OPTIONS) &&
	    getenv(DEVICE_FLAGS_OF_POCL)) {
		/* A PoCL that does not take them: without is better than not. */
		unsetenv(DEVICE_FLAGS_OF_POCL);
		status = clBuildProgram(*ret, 1, &d->id, options, NULL, NULL);
	}
	return status;
}

/* What does not compile behind the header's cut is tried behind the whole:
 * nothing may be refused for the cut's sake. */
cl_int
device_build(const struct device *d, const char *source, cl_program *ret)
{
	const char *sources[] = { "", source };
	cl_int status = CL_BUILD_PROGRAM_FAILURE;
	char *header;

	*ret = NULL;
	if (d->header) {
		header = header_for(d->header, source);
		sources[0] = header;
		status = build(d, sources, BUILD_OPTIONS " " HEADER_SKIP_OPTION,
		    ret);
		free(header);
	}
	if (status == CL_SUCCESS)
		return status;
	if (*ret)
		clReleaseProgram(*ret);
	sources[0] = "";
	return build(d, sources, BUILD_OPTIONS, ret);
}

void
device_read_header(struct device *d)
{
	/* Not found is no error: the header's cut saves time, and without it
	 * each build reads the whole. */
	if (strstr(d->name, POCL) && !d->header)
		(void)header_of_pocl(&d->header, NULL);
}

enum err
device_warm(struct device *d, struct why *why)
{
	cl_program p = NULL;
	cl_int status;

	device_read_header(d);
	status = device_build(d, warm_source, &p);
	if (p)
		clReleaseProgram(p);
	if (status == CL_SUCCESS)
		return ERR_OK;
	return why_set(why, ERR_ENV, "%s: the warm-up kernel failed: %s",
	    d->name, device_status_name(status));
}

const char *
device_status_name(cl_int status)
{
	static const struct {
		cl_int status;
		const char *name;
	} names[] = {
		{ CL_SUCCESS, "CL_SUCCESS" },
		{ CL_DEVICE_NOT_AVAILABLE, "CL_DEVICE_NOT_AVAILABLE" },
		{ CL_MEM_OBJECT_ALLOCATION_FAILURE,
		    "CL_MEM_OBJECT_ALLOCATION_FAILURE" },
		{ CL_OUT_OF_RESOURCES, "CL_OUT_OF_RESOURCES" },
		{ CL_OUT_OF_HOST_MEMORY, "CL_OUT_OF_HOST_MEMORY" },
		{ CL_BUILD_PROGRAM_FAILURE, "CL_BUILD_PROGRAM_FAILURE" },
		{ CL_INVALID_BUFFER_SIZE, "CL_INVALID_BUFFER_SIZE" },
		{ CL_INVALID_KERNEL_NAME, "CL_INVALID_KERNEL_NAME" },
		{ CL_INVALID_KERNEL_ARGS, "CL_INVALID_KERNEL_ARGS" },
		{ CL_INVALID_ARG_INDEX, "CL_INVALID_ARG_INDEX" },
		{ CL_INVALID_ARG_SIZE, "CL_INVALID_ARG_SIZE" },
		{ CL_INVALID_ARG_VALUE, "CL_INVALID_ARG_VALUE" },
		{ CL_INVALID_WORK_GROUP_SIZE, "CL_INVALID_WORK_GROUP_SIZE" },
		{ CL_INVALID_WORK_ITEM_SIZE, "CL_INVALID_WORK_ITEM_SIZE" },
		{ CL_INVALID_GLOBAL_WORK_SIZE, "CL_INVALID_GLOBAL_WORK_SIZE" },
	};

	for (size_t i = 0; i < COUNT(names); i++)
		if (names[i].status == status)
			return names[i].name;
	return "an OpenCL error";
}
