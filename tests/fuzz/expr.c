/* Launch expressions from anywhere: no crash, no negative value. */
// links: base cltext ops lab
#include "lab/read/size_expression.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct expr_var vars[] = { { "rows", 7 }, { "cols", 0 },
		{ "n", INT64_MAX } };
	char *text = malloc(size + 1);
	struct why why;
	int64_t v = 0;

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	if (expr_eval(text, vars, 3, &v, &why) == ERR_OK && v < 0)
		abort();
	free(text);
	return 0;
}
