/* Seeds by name or by chance, folders, and one live line. */
#include "tests/proving/proving.h"

#include "base/digest.h"
#include "base/mem.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define PIPE_LINES 10

void
proving_seed(const char *word, uint64_t number, uint8_t out[32])
{
	char *label = xasprintf("%s|%llu", word, (unsigned long long)number);
	struct digest *d = digest_new();

	digest_adds(d, label);
	digest_finish(d, out);
	free(label);
}

char *
proving_fresh_seed(void)
{
	uint32_t v = 0;

	if (getrandom(&v, sizeof v, 0) != sizeof v)
		v = (uint32_t)getpid();
	return xasprintf("%08x", v);
}

enum err
proving_folders(const char *out, char *work, size_t size, struct why *why)
{
	if (mkdir(out, 0755) != 0 && errno != EEXIST)
		return why_set(why, ERR_IO, "%s: %s", out, strerror(errno));
	snprintf(work, size, "/tmp/kf-proving-XXXXXX");
	return mkdtemp(work)
	    ? ERR_OK
	    : why_set(why, ERR_IO, "%s: %s", work, strerror(errno));
}

bool
proving_is_whole(enum err e, size_t done, size_t total)
{
	if (e == ERR_AGAIN)
		fprintf(stderr,
		    "stopped: %zu of %zu judged; with a journal the same "
		    "command goes on\n",
		    done, total);
	return e == ERR_OK;
}

void
proving_progress(size_t done, size_t total, const char *what)
{
	if (isatty(STDERR_FILENO))
		fprintf(stderr, "\r\033[K%zu of %zu  %s%s", done, total, what,
		    done == total ? "\n" : "");
	else if (done * PIPE_LINES / total != (done - 1) * PIPE_LINES / total)
		fprintf(stderr, "%zu of %zu\n", done, total);
}
