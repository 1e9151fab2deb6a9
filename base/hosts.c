/*
 * A line is an address and its names, separated by blanks; "#" begins a
 * comment.  Read anew each time: it is short, and containers rewrite it.
 */
#include "base/hosts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define BLANKS " \t\r\n"

static bool
names(char *line, const char *name, char *ret)
{
	char *rest = NULL;
	const char *address, *word;

	line[strcspn(line, "#")] = '\0';
	address = strtok_r(line, BLANKS, &rest);
	if (!address || strlen(address) >= ADDR_HOST_MAX)
		return false;
	while ((word = strtok_r(NULL, BLANKS, &rest)) != NULL)
		if (strcasecmp(word, name) == 0) {
			snprintf(ret, ADDR_HOST_MAX, "%s", address);
			return true;
		}
	return false;
}

bool
hosts_find(const char *file, const char *name, char ret[ADDR_HOST_MAX])
{
	FILE *f = fopen(file, "re");
	char *line = NULL;
	size_t size = 0;
	bool found = false;

	while (f && !found && getline(&line, &size, f) > 0)
		found = names(line, name, ret);
	free(line);
	if (f)
		fclose(f);
	return found;
}
