#include "tests/unit/lab/kit.h"

#include "base/files.h"
#include "base/mem.h"
#include <stdlib.h>
#include <unistd.h>

char *
kit_children(void)
{
	return kit_children_of(getpid());
}

char *
kit_children_of(pid_t pid)
{
	char *path = xasprintf("/proc/%d/task/%d/children", (int)pid, (int)pid);
	char *text = NULL;

	if (files_read(path, 4096, &text, NULL, NULL) != ERR_OK)
		text = xstrdup("");
	free(path);
	return text;
}
