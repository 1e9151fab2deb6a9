/* Sources from anywhere through the text gate: no crash, always a reason. */
// links: base cltext ops lab
#include "lab/read/text_gate.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char entry[] = "rope";
	struct candidate c = { .entry = entry };
	struct why why = { "" };

	c.source = malloc(size + 1);
	if (!c.source)
		return 0;
	memcpy(c.source, data, size);
	c.source[size] = '\0';
	if (text_gate_check(&c, &why) != ERR_OK && !why.text[0])
		abort();
	free(c.source);
	return 0;
}
