/* Bytes from anywhere as a compiled kernel: no crash, always a reason. */
// links: base cltext ops lab
#include "lab/read/object_gate.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct why why = { "" };

	if (object_check(data, size, &why) != ERR_OK && !why.text[0])
		abort();
	return 0;
}
