/*
 * Every OpenCL device of this machine, for `kernelforge doctor`.
 *
 * Drivers are looked at in a process of their own: they start threads, and a
 * broken one may not come back.
 */
#include "lab/doctor.h"

#include "lab/run/device.h"
#include <CL/cl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define PLATFORMS_MAX 16
#define DEVICES_MAX   32
#define TEXT_BYTES    256

static json_t *
device_json(cl_platform_id p, cl_device_id d)
{
	char platform[TEXT_BYTES] = "?", name[TEXT_BYTES] = "?";
	char version[TEXT_BYTES] = "?";
	char whole[2 * TEXT_BYTES + 4];
	cl_device_type type = 0;

	clGetPlatformInfo(p, CL_PLATFORM_NAME, sizeof platform - 1, platform,
	    NULL);
	clGetDeviceInfo(d, CL_DEVICE_NAME, sizeof name - 1, name, NULL);
	clGetDeviceInfo(d, CL_DRIVER_VERSION, sizeof version - 1, version,
	    NULL);
	clGetDeviceInfo(d, CL_DEVICE_TYPE, sizeof type, &type, NULL);
	snprintf(whole, sizeof whole, "%s / %s", platform, name);
	return json_pack("{s:s, s:s, s:s, s:b, s:b}", "platform", platform,
	    "name", name, "driver", version, "cpu",
	    (type & CL_DEVICE_TYPE_CPU) != 0, "survives_fork",
	    device_survives_fork(whole));
}

static json_t *
all_devices(void)
{
	cl_platform_id platforms[PLATFORMS_MAX];
	cl_device_id ids[DEVICES_MAX];
	json_t *all = json_array();
	cl_uint np = 0, nd;

	if (clGetPlatformIDs(PLATFORMS_MAX, platforms, &np) != CL_SUCCESS)
		return all;
	for (cl_uint i = 0; i < np && i < PLATFORMS_MAX; i++) {
		nd = 0;
		if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL,
		        DEVICES_MAX, ids, &nd) != CL_SUCCESS)
			continue;
		for (cl_uint k = 0; k < nd && k < DEVICES_MAX; k++)
			json_array_append_new(all,
			    device_json(platforms[i], ids[k]));
	}
	return all;
}

json_t *
lab_devices_json(unsigned deadline_s)
{
	json_t *all = NULL;
	int fds[2];
	pid_t pid;

	if (pipe(fds) != 0)
		return json_array();
	pid = fork();
	if (pid == 0) {
		/* The one limit that holds wherever a driver stands still: the
		 * system ends the process, whatever its threads do. */
		signal(SIGALRM, SIG_DFL);
		alarm(deadline_s);
		close(fds[0]);
		/* PoCL shows one of its devices, unless told of the others. */
		setenv("POCL_DEVICES", DEVICE_POCL_ALL, 1);
		json_dumpfd(all_devices(), fds[1], JSON_COMPACT);
		/* Not exit(): handlers that a driver has left would run, and
		 * wait for threads that this process has no use for. */
		_exit(0);
	}
	close(fds[1]);
	if (pid > 0) {
		all = json_loadfd(fds[0], 0, NULL);
		waitpid(pid, NULL, 0);
	}
	close(fds[0]);
	return all ? all : json_array();
}
