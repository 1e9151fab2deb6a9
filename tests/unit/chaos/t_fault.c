/*
 * The registry: sorted, complete rows, and a line each in docs/chaos.md.
 */
#include "chaos/rules/fault.h"

#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/mem.h"
#include "tests/unit.h"

#define PAGE "docs/chaos.md"

static void
check_row(const struct fault_type *t, const char *page)
{
	char *row = xasprintf("\n| `%s` |", t->name);
	const char *line = strstr(page, row);
	size_t n = line ? strcspn(line + 1, "\n") + 1 : 0;

	CHECK(line != NULL, t->name);
	for (size_t i = 0; line && i < t->nfields; i++) {
		char *key = xasprintf("`%s`", t->fields[i].key);

		CHECK(memmem(line, n, key, strlen(key)) != NULL,
		    t->fields[i].key);
		free(key);
	}
	free(row);
}

void
t_fault(void)
{
	char *page = NULL;
	struct why why = { "" };

	if (!CHECK(files_read(PAGE, 1u << 20, &page, NULL, &why) == ERR_OK,
	        why.text))
		return;
	for (size_t i = 0; i < fault_type_count(); i++) {
		const struct fault_type *t = fault_type_at(i);

		CHECK(i == 0 || strcmp(fault_type_at(i - 1)->name, t->name) < 0,
		    t->name);
		CHECK(fault_type_find(t->name) == t, t->name);
		CHECK(t->about && t->about[0] && t->conf_bytes > 0, t->name);
		CHECK(t->on_request || t->on_answer || t->toxic, t->name);
		check_row(t, page);
	}
	CHECK(fault_type_find("nonsense") == NULL, "no such fault");
	free(page);
}
