/*
 * A kernel's file for verify and bench, with the reason when it is none: both
 * must refuse the same files in the same words.
 */
#include "agent/kernel_file.h"

#include "base/files.h"
#include <stdlib.h>

enum err
kernel_file_read(const char *path, struct candidate *ret, struct why *why)
{
	char *text = NULL;
	size_t len;
	enum err e = files_read(path, 2 * (size_t)CANDIDATE_SOURCE_MAX, &text,
	    &len, why);

	if (e == ERR_OK)
		e = candidate_parse_file(path, text, len, ret, why);
	free(text);
	return e;
}
