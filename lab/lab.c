/* Opening and closing a lab: a scratch folder and a zygote. */
#include "base/mem.h"
#include "lab/trial.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEADLINE_MS       5000
#define BUILD_DEADLINE_MS 20000

static const struct lab_conf lab_defaults = {
	.deadline_ms = DEADLINE_MS,
	.build_deadline_ms = BUILD_DEADLINE_MS,
};

enum err
lab_open(const struct lab_conf *conf, struct lab **ret, struct why *why)
{
	const char *top = getenv("TMPDIR");
	struct lab *l = xcalloc(1, sizeof *l);
	enum err e;

	l->conf = conf ? *conf : lab_defaults;
	if (l->conf.deadline_ms == 0)
		l->conf.deadline_ms = DEADLINE_MS;
	if (l->conf.build_deadline_ms == 0)
		l->conf.build_deadline_ms = BUILD_DEADLINE_MS;
	l->scratch = xasprintf("%s/kf-lab-XXXXXX", top && *top ? top : "/tmp");
	if (!mkdtemp(l->scratch))
		e = why_set(why, ERR_IO, "%s: %s", l->scratch, strerror(errno));
	else
		e = zygote_start(l->conf.device, l->scratch, &l->zygote, why);
	if (e == ERR_OK) {
		*ret = l;
		return ERR_OK;
	}
	rmdir(l->scratch);
	lab_close(l);
	return e;
}

void
lab_close(struct lab *l)
{
	if (!l)
		return;
	zygote_stop(l->zygote);
	free(l->scratch);
	free(l);
}

const char *
lab_device(const struct lab *l)
{
	return zygote_device(l->zygote);
}
