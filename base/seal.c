/* The bytes that are hashed are not the file's: sorted, and with the digits
 * that numbers are written with, so that reading back changes nothing. */
#include "base/seal.h"

#include "base/digest.h"
#include <stdlib.h>
#include <string.h>

/* Of everything but itself. */
static void
seal_of(json_t *o, char out[DIGEST_HEX])
{
	json_t *rest = json_copy(o);
	char *text;

	json_object_del(rest, "seal");
	/* With the digits that the file is written with, or a number read back
	 * would break the seal. */
	text = json_dumps(rest,
	    JSON_COMPACT | JSON_SORT_KEYS | JSON_REAL_PRECISION(9));
	digest_sha256_hex(text ? text : "", text ? strlen(text) : 0, out);
	free(text);
	json_decref(rest);
}

void
seal_put(json_t *o)
{
	char seal[DIGEST_HEX];

	seal_of(o, seal);
	json_object_set_new(o, "seal", json_string(seal));
}

bool
seal_holds(json_t *o)
{
	const char *seal = json_string_value(json_object_get(o, "seal"));
	char want[DIGEST_HEX];

	seal_of(o, want);
	return seal && strcmp(seal, want) == 0;
}
