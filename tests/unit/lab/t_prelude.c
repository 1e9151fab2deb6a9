/*
 * The preludes on the device: every 16-bit pattern through kf_load and back
 * through kf_store, and float32 patterns through the stores, bit for bit as
 * ops/dtype.c has it.  NaNs must stay NaNs; their payload is free.
 */
#include "lab/read/prelude.h"

#include "base/mem.h"
#include "lab/run/device.h"
#include "tests/unit.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define N ((size_t)1 << 16)

static const char kernel_text[] =
    "__kernel void load(const __global KF_T *x, __global float *o)\n"
    "{ o[get_global_id(0)] = kf_load(x, get_global_id(0)); }\n"
    "__kernel void store(const __global float *x, __global KF_T *o)\n"
    "{ kf_store(o, get_global_id(0), x[get_global_id(0)]); }\n";

static cl_int
run_kernel(struct device *d, enum dtype t, const char *name, void *in,
    size_t in_bytes, void *out, size_t out_bytes)
{
	const char *texts[] = { prelude_text(t), kernel_text };
	cl_mem_flags flags = CL_MEM_USE_HOST_PTR;
	size_t global = N;
	cl_int status;
	cl_program p;
	cl_kernel k;
	cl_mem a, b;

	p = clCreateProgramWithSource(d->context, 2, texts, NULL, &status);
	if (clBuildProgram(p, 1, &d->id, "-cl-std=CL1.2", NULL, NULL) !=
	    CL_SUCCESS)
		return CL_BUILD_PROGRAM_FAILURE;
	k = clCreateKernel(p, name, &status);
	a = clCreateBuffer(d->context, flags | CL_MEM_READ_ONLY, in_bytes, in,
	    &status);
	b = clCreateBuffer(d->context, flags | CL_MEM_READ_WRITE, out_bytes,
	    out, &status);
	clSetKernelArg(k, 0, sizeof(cl_mem), &a);
	clSetKernelArg(k, 1, sizeof(cl_mem), &b);
	status = clEnqueueNDRangeKernel(d->queue, k, 1, NULL, &global, NULL, 0,
	    NULL, NULL);
	clFinish(d->queue);
	clReleaseMemObject(a);
	clReleaseMemObject(b);
	clReleaseKernel(k);
	clReleaseProgram(p);
	return status;
}

static bool
same(float a, float b)
{
	return (isnan(a) && isnan(b)) || (a == b && signbit(a) == signbit(b));
}

/* Patterns around every rounding boundary of the 16-bit types. */
static float
store_input(size_t i)
{
	static const uint32_t low[] = { 0, 1, 0x0fff, 0x1000, 0x1001, 0x7fff,
		0x8000, 0x8001, 0xffff };
	uint32_t bits = (uint32_t)(i * 2654435761U) & 0xffff0000U;
	float v;

	bits |= low[i % (COUNT(low))];
	memcpy(&v, &bits, sizeof v);
	return v;
}

static size_t
count_wrong(struct device *d, enum dtype t)
{
	uint16_t *half = xcalloc(N, sizeof *half);
	float *full = xcalloc(N, sizeof *full);
	size_t wrong = 0;

	for (size_t i = 0; i < N; i++)
		half[i] = (uint16_t)i;
	if (run_kernel(d, t, "load", half, N * 2, full, N * 4) != CL_SUCCESS)
		wrong++;
	for (size_t i = 0; i < N; i++)
		wrong += !same(full[i], dtype_load(t, half, i));
	for (size_t i = 0; i < N; i++)
		full[i] = store_input(i);
	if (run_kernel(d, t, "store", full, N * 4, half, N * 2) != CL_SUCCESS)
		wrong++;
	for (size_t i = 0; i < N; i++)
		wrong += !same(dtype_load(t, half, i), dtype_round(t, full[i]));
	free(half);
	free(full);
	return wrong;
}

/* In a process of its own: OpenCL may leave threads, and a lab that is
 * opened later refuses those. */
_Noreturn static void
check_in_child(enum dtype t)
{
	struct device d = { 0 };
	struct why why;
	size_t wrong;

	if (device_open(NULL, &d, &why) != ERR_OK)
		_exit(77);
	wrong = count_wrong(&d, t);
	if (wrong)
		printf("  %s: %zu patterns are wrong\n", dtype_name(t), wrong);
	fflush(stdout);
	_exit(wrong ? 1 : 0);
}

void
t_prelude(void)
{
	static const enum dtype types[] = { DTYPE_F16, DTYPE_BF16 };

	for (size_t i = 0; i < 2; i++) {
		int status = 0;
		pid_t pid;

		fflush(stdout);
		pid = fork();
		if (pid == 0)
			check_in_child(types[i]);
		waitpid(pid, &status, 0);
		if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
			unit_skip("no OpenCL device");
		CHECK_INT(status, 0, dtype_name(types[i]));
	}
}
