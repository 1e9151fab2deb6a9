/*
 * The compiler proper is called (-cc1): the driver would only start it, and
 * its defaults change from version to version.
 *
 * The extensions are the ones of PoCL's CPU devices, so that a kernel that
 * asks for one by #ifdef is answered as there.  Lowering knows them all: what
 * a device lacks, its own compiler refuses.
 */
#include "lab/stages/clang_front_end.h"

#include "base/mem.h"
#include "lab/read/prelude.h"
#include "lab/run/deadline.h"
#include "lab/stages/trial.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CPU_S      2
#define IR_MAX     ((size_t)4 << 20)
#define FILES_MAX  (4 * IR_MAX)
#define SAYS_MAX   ((size_t)64 << 10)
#define INPUT      "in.cl"
#define OUTPUT     "out"
#define FIRST_LINE "# 1 \"" PRELUDE_START "\""

#define EXTENSIONS                                                             \
	"-cl-ext=-all,+cl_khr_byte_addressable_store,"                         \
	"+cl_khr_global_int32_base_atomics,"                                   \
	"+cl_khr_global_int32_extended_atomics,"                               \
	"+cl_khr_local_int32_base_atomics,"                                    \
	"+cl_khr_local_int32_extended_atomics,+cl_khr_int64_base_atomics,"     \
	"+cl_khr_int64_extended_atomics,+cl_khr_fp64"

static const char *const expand_args[] = {
	"-cc1",
	"-triple",
	"spir64",
	"-x",
	"cl",
	"-cl-std=CL1.2",
	EXTENSIONS,
	"-imacros",
	"opencl-c-base.h",
	"-U__SPIR__",
	"-U__SPIR64__",
	"-w",
	"-E",
	"-o",
	OUTPUT,
	INPUT,
};

static const char *const lower_args[] = {
	"-cc1",
	"-triple",
	"spir64",
	"-x",
	"cl",
	"-cl-std=CL1.2",
	"-fdeclare-opencl-builtins",
	"-finclude-default-header",
	"-w",
	"-O0",
	"-cl-kernel-arg-info",
	"-debug-info-kind=line-tables-only",
	"-dwarf-version=4",
	"-emit-llvm",
	"-o",
	OUTPUT,
	INPUT,
};

static enum err
start(struct lab *l, const char *const *args, size_t nargs, const char *text,
    struct tool **ret, struct why *why)
{
	const char *all[COUNT(expand_args) + COUNT(lower_args)] = { l->clang };
	const struct tool_job job = {
		.args = all,
		.files = { { INPUT, text } },
		.cpu_s = CPU_S,
		.deadline_ms = l->conf.build_deadline_ms * DEADLINE_SLACK,
		.file_max = IR_MAX,
		.files_max = FILES_MAX,
		.says_max = SAYS_MAX,
	};

	memcpy(all + 1, args, nargs * sizeof *args);
	return tool_start(l->tools, l->scratch, &job, ret, why);
}

const char *
clang_extensions(void)
{
	return EXTENSIONS;
}

enum err
clang_expand(struct lab *l, const char *text, struct tool **ret,
    struct why *why)
{
	return start(l, expand_args, COUNT(expand_args), text, ret, why);
}

enum err
clang_lower(struct lab *l, const char *text, struct tool **ret, struct why *why)
{
	return start(l, lower_args, COUNT(lower_args), text, ret, why);
}

/* The line of the first error. */
static void
first_error(const char *says, struct why *why)
{
	const char *line = strstr(says, "error:");

	while (line && line > says && line[-1] != '\n')
		line--;
	if (!line)
		line = says;
	why_set(why, ERR_SYNTAX, "%.*s", (int)strcspn(line, "\n"), line);
}

static enum clang_end
judge_end(enum tool_end end, int status, const char *says, struct why *why)
{
	if (end == TOOL_ENDED && status == 0)
		return CLANG_DONE;
	if (end == TOOL_ENDED && strstr(says, "error:")) {
		first_error(says, why);
		return CLANG_REFUSED;
	}
	/* What a child of the zygote ends with when it could not execute the
	 * program at all. */
	if (end == TOOL_ENDED && status == 127)
		return CLANG_BROKEN;
	why_set(why, ERR_TOOBIG,
	    "the compiler met a limit of %d s, memory or files", CPU_S);
	return CLANG_LIMIT;
}

enum clang_end
clang_await(struct tool *t, char **ret_text, struct why *why)
{
	const char *says;
	int status;
	enum tool_end end = tool_await(t, &status, &says);
	enum clang_end e = judge_end(end, status, says, why);
	char *text, *from;

	if (e != CLANG_DONE)
		return e;
	text = tool_read(t, OUTPUT, IR_MAX);
	if (!text) {
		why_set(why, ERR_TOOBIG, "more than %zu bytes when compiled",
		    IR_MAX);
		return CLANG_LIMIT;
	}
	/* In front of it stands what -imacros brought in, which is none of the
	 * candidate's lines. */
	from = strstr(text, FIRST_LINE);
	*ret_text = from ? xstrdup(from) : text;
	if (from)
		free(text);
	return CLANG_DONE;
}
