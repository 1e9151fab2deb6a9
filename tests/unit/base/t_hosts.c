/* Names of this machine, from a table like /etc/hosts. */
#include "base/hosts.h"

#include "base/files.h"
#include "base/mem.h"
#include "tests/unit.h"
#include <stdlib.h>
#include <string.h>

static const char table[] = "# a comment\n"
                            "127.0.0.1\tlocalhost\n"
                            "\n"
                            "  ::1   six  Loop.Example # other\n"
                            "10.0.0.1 two\n"
                            "10.0.0.2 two # not.me\n"
                            "nothing\n"
                            "10.0.0.3 last";

static const struct {
	const char *name, *want; /* NULL: not there */
} rows[] = {
	{ "localhost", "127.0.0.1" },
	{ "six", "::1" },
	{ "LOOP.example", "::1" },
	{ "two", "10.0.0.1" },
	{ "last", "10.0.0.3" },
	{ "other", NULL },
	{ "not.me", NULL },
	{ "127.0.0.1", NULL },
	{ "nothing", NULL },
	{ "", NULL },
};

void
t_hosts(void)
{
	char *file = xasprintf("%s/hosts", unit_tmpdir());
	char got[ADDR_HOST_MAX];

	if (CHECK_INT(files_write(file, table, strlen(table), NULL), ERR_OK,
	        "a table"))
		for (size_t i = 0; i < COUNT(rows); i++)
			CHECK_STR(hosts_find(file, rows[i].name, got) ? got
			                                              : NULL,
			    rows[i].want, rows[i].name);
	CHECK(!hosts_find("/nowhere", "localhost", got), "no table");
	free(file);
}
