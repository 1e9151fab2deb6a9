/* Devices are looked for in a process that has a limit: a driver that stands
 * still costs its devices, and not the program. */
#include "base/clock.h"
#include "base/files.h"
#include "base/mem.h"
#include "lab/doctor.h"
#include "tests/unit.h"
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define LIMIT_S 1

/* A vendor whose library is a pipe that nobody writes: the loader opens it and
 * waits for ever. */
static void
add_silent_vendor(const char *dir)
{
	char *library = xasprintf("%s/silent.so", dir);
	char *vendor = xasprintf("%s/silent.icd", dir);

	CHECK_INT(mkfifo(library, 0600), 0, "a pipe stands for the library");
	CHECK_INT(files_write(vendor, library, strlen(library), NULL), ERR_OK,
	    "a file names it");
	free(vendor);
	free(library);
}

void
t_devices(void)
{
	const char *given = getenv("OCL_ICD_VENDORS");
	char *before = given ? xstrdup(given) : NULL;
	uint64_t start_ms;
	json_t *found;

	add_silent_vendor(unit_tmpdir());
	setenv("OCL_ICD_VENDORS", unit_tmpdir(), 1);
	signal(SIGALRM, SIG_IGN);
	start_ms = clock_mono_ms();
	found = lab_devices_json(LIMIT_S);
	CHECK(clock_mono_ms() - start_ms >= LIMIT_S * 1000 / 2,
	    "the driver was waited for");
	CHECK_INT(json_array_size(found), 0, "a silent driver has no devices");
	json_decref(found);
	signal(SIGALRM, SIG_DFL);
	if (before)
		setenv("OCL_ICD_VENDORS", before, 1);
	else
		unsetenv("OCL_ICD_VENDORS");
	free(before);
}
