/* Seeds by name, and one live line. */
#include "tests/proving/proving.h"

#include "base/digest.h"
#include "base/mem.h"
#include <stdio.h>
#include <stdlib.h>
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

void
proving_progress(size_t done, size_t total, const char *what)
{
	if (isatty(STDERR_FILENO))
		fprintf(stderr, "\r\033[K%zu of %zu  %s%s", done, total, what,
		    done == total ? "\n" : "");
	else if (done * PIPE_LINES / total != (done - 1) * PIPE_LINES / total)
		fprintf(stderr, "%zu of %zu\n", done, total);
}
