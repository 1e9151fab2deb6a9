/* Anything as clang's text of a program: no crash, always a reason. */
// links: base cltext ops lab
#include "lab/read/ir_gate.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct why why = { "" };
	char *text = malloc(size + 1);

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	if (ir_check(text, NULL, &why) != ERR_OK && !why.text[0])
		abort();
	free(text);
	return 0;
}
