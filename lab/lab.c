/*
 * Opening and closing a lab: a scratch folder and two zygotes, and a third when
 * something is timed.  Which tools there are is found here, once; a stage that
 * lacks its tool says so and is left out.
 */
#include "lab/lab.h"

#include "base/mem.h"
#include "lab/run/scratch.h"
#include "lab/stages/trial.h"
#include <malloc.h>
#include <stdlib.h>
#include <unistd.h>

#define DEADLINE_MS       5000
#define BUILD_DEADLINE_MS 20000
#define MAPPED_BYTES      (256 << 10)

static const struct lab_conf lab_defaults = {
	.deadline_ms = DEADLINE_MS,
	.build_deadline_ms = BUILD_DEADLINE_MS,
};

/* One that has its own copy of everything costs memory and 0.4 s, and works
 * where there is no twin. */
static enum err
start_device(struct lab *l, struct lab *beside, struct why *why)
{
	if (beside &&
	    zygote_start_twin(beside->zygote, l->scratch, &l->zygote, why) ==
	        ERR_OK)
		return ERR_OK;
	return zygote_start(l->conf.as_usual ? ZYGOTE_TIMING : ZYGOTE_DEVICE,
	    l->conf.device, l->scratch, &l->zygote, why);
}

/* The one for tools first: it is ready while the other still warms up. */
static enum err
start_zygotes(struct lab *l, struct lab *beside, struct why *why)
{
	enum err e =
	    zygote_start(ZYGOTE_TOOLS, NULL, l->scratch, &l->tools, why);

	l->clang = tool_find("clang-14");
	if (!l->clang)
		l->clang = tool_find("clang");
	l->oclgrind = tool_find("oclgrind-kernel");
	return e == ERR_OK ? start_device(l, beside, why) : e;
}

enum err
open_lab_for_timing(struct lab *l, struct why *why)
{
	if (l->timing)
		return ERR_OK;
	return zygote_start(ZYGOTE_TIMING, l->conf.device, l->scratch,
	    &l->timing, why);
}

static enum err
open_lab(const struct lab_conf *conf, struct lab *beside, struct lab **ret,
    struct why *why)
{
	struct lab *l = xcalloc(1, sizeof *l);
	enum err e;

	/* Inputs and references come and go by megabytes.  Left alone, malloc()
	 * would keep them in its heap after the first few, in pieces. */
	mallopt(M_MMAP_THRESHOLD, MAPPED_BYTES);
	l->conf = conf ? *conf : lab_defaults;
	if (l->conf.deadline_ms == 0)
		l->conf.deadline_ms = DEADLINE_MS;
	if (l->conf.build_deadline_ms == 0)
		l->conf.build_deadline_ms = BUILD_DEADLINE_MS;
	l->scratch_fd = -1;
	e = scratch_make(&l->scratch, &l->scratch_fd, why);
	if (e == ERR_OK)
		e = start_zygotes(l, beside, why);
	if (e == ERR_OK) {
		*ret = l;
		return ERR_OK;
	}
	/* No zygote may have started, and each removes the folder only when it
	 * stops. */
	if (l->scratch)
		rmdir(l->scratch);
	lab_close(l);
	return e;
}

enum err
lab_open(const struct lab_conf *conf, struct lab **ret, struct why *why)
{
	return open_lab(conf, NULL, ret, why);
}

enum err
lab_open_beside(struct lab *first, struct lab **ret, struct why *why)
{
	return open_lab(&first->conf, first, ret, why);
}

void
lab_close(struct lab *l)
{
	if (!l)
		return;
	zygote_stop(l->tools);
	zygote_stop(l->timing);
	zygote_stop(l->zygote);
	free(l->clang);
	free(l->oclgrind);
	if (l->scratch_fd >= 0)
		close(l->scratch_fd);
	free(l->scratch);
	free(l);
}

const char *
lab_device(const struct lab *l)
{
	return zygote_device(l->zygote);
}
