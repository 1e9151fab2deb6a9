/* Any bytes as a configuration: an error with a place, never a crash. */
// links: base gateway
#include "gateway/conf/conf.h"
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct findings f;
	struct conf *c;

	findings_init(&f, "f");
	f.is_offline = true;
	c = conf_parse("f", (const char *)data, size, &f);
	if ((c == NULL) != (f.errors > 0))
		abort();
	conf_unref(c);
	findings_done(&f);
	return 0;
}
