/*
 * kernelforge doctor: what this machine offers, and what each thing that is
 * missing costs.  Nothing is changed; the control kernel is built and run.
 */
#include "agent/commands.h"
#include "agent/text/term.h"
#include "base/columns.h"
#include "base/files.h"
#include "base/jlenient.h"
#include "base/mem.h"
#include "lab/doctor.h"
#include "lab/run/tool_process.h"
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct doctor_line {
	bool json;
	const char *device;
};

/* A GPU's driver may take some seconds on a busy machine. */
#define DRIVERS_S 20

#define AT(m) offsetof(struct doctor_line, m)

/* clang-format off */
static const struct opt rows[] = {
	{ "json",   OPT_FLAG,   AT(json),   0, 0, NULL,   "print one JSON object" },
	{ "device", OPT_STRING, AT(device), 0, 0, "TEXT", "an OpenCL device by a part of its name (default: the first)" },
};
/* clang-format on */

static const struct opt_command opts = {
	.name = "kernelforge doctor",
	.usage = "",
	.about = "what this machine offers the lab, and what is missing",
	.rows = rows,
	.nrows = COUNT(rows),
	.examples = "kernelforge doctor\t"
	            "what is here, and what each missing thing costs\n"
	            "kernelforge doctor --json\t"
	            "the same for a program\n",
};

struct need {
	const char *name, *use, *cost; /* cost: of its absence */
	/* PoCL starts it and not the lab: any program of that name will do.
	 * Debian's ld is a link to a name that is not its own. */
	bool is_pocls;
};

/* clang-format off */
static const struct need tools[] = {
	{ "clang",	     "expands and lowers a candidate for the IR gate",
	  "assembly and calls that hide behind macros are only seen as text (Debian: clang)", false },
	{ "ld",		     "links every kernel that PoCL compiles",
	  "nothing can be built (Debian: binutils)", true },
	{ "oclgrind-kernel", "simulates a candidate on tiny shapes",
	  "races and uninitialised reads are only found by their effects (Debian: oclgrind)", false },
};

static const struct need features[] = {
	{ "rlimits",  "caps a child's time, memory and files",
	  "the lab refuses to run", false },
	{ "netns",    "a child has no network",
	  "only seccomp keeps a child from the network (allow user namespaces)", false },
	{ "landlock", "a child writes nowhere but into its folder",
	  "file permissions alone protect files while a kernel is compiled (Linux 5.19 or newer)", false },
	{ "seccomp",  "a child cannot execute, fork, trace or connect",
	  "a kernel is native code with this user's rights: do not judge what you do not trust", false },
	{ "powerless", "a child has no capability, and root's is not root",
	  "a child is as mighty as this user (in a container without user ids)", false },
	{ "objects",  "what a compiler made is read before it is loaded",
	  "only the gates before the compiler keep a kernel from running early (PoCL is built otherwise)", false },
};
/* clang-format on */

#define NTOOLS    COUNT(tools)
#define NFEATURES COUNT(features)

static bool
is_named_in_path(const char *name)
{
	const char *path = getenv("PATH");
	char *dirs = xstrdup(path ? path : "/usr/bin:/bin");
	char *rest = dirs, *dir;
	bool found = false;

	while (!found && (dir = strsep(&rest, ":")) != NULL) {
		char *file = files_join(*dir ? dir : ".", name);

		found = access(file, X_OK) == 0;
		free(file);
	}
	free(dirs);
	return found;
}

static bool
is_there(const struct need *n)
{
	char *path;
	bool found;

	if (n->is_pocls)
		return is_named_in_path(n->name);
	path = tool_find(n->name);
	found = path != NULL;
	free(path);
	return found;
}

static bool
has_feature(json_t *lab, const char *name)
{
	size_t i;
	json_t *v;

	json_array_foreach(json_object_get(lab, "sandbox"), i, v)
		if (strcmp(json_string_value(v), name) == 0)
			return true;
	return false;
}

static void
add_need(json_t *all, const struct need *n, bool found)
{
	json_array_append_new(all,
	    json_pack("{s:s, s:b, s:s, s:s}", "name", n->name, "found", found,
	        "use", n->use, "cost", found ? "" : n->cost));
}

/* What the control kernel comes to on a device: control_ms (null: it fails),
 * sandbox_missing. */
static void
try_device(json_t *d)
{
	char *name = xasprintf("%s / %s", jlenient_text(d, "platform"),
	    jlenient_text(d, "name"));
	struct lab_conf conf = { .device = name };
	struct lab *lab = NULL;
	json_t *found = NULL;

	if (json_is_true(json_object_get(d, "cpu")) &&
	    lab_open(&conf, &lab, NULL) == ERR_OK)
		found = lab_doctor_json(lab);
	json_object_set_new(d, "control_ms", json_null());
	json_object_update_existing(d, found);
	if (found)
		json_object_set(d, "sandbox_missing",
		    json_object_get(found, "sandbox_missing"));
	json_decref(found);
	lab_close(lab);
	free(name);
}

static json_t *
try_devices(json_t *devices)
{
	size_t i;
	json_t *d;

	json_array_foreach(devices, i, d)
		try_device(d);
	return devices;
}

/* Everything: devices first, while this process has opened none. */
static json_t *
examine(const struct doctor_line *line)
{
	struct lab_conf conf = { .device = line->device };
	json_t *all = json_object(), *needs = json_array();
	json_t *sandbox = json_array(), *found;
	struct lab *lab;
	struct why why;

	json_object_set_new(all, "devices",
	    try_devices(lab_devices_json(DRIVERS_S)));
	for (size_t i = 0; i < NTOOLS; i++)
		add_need(needs, &tools[i], is_there(&tools[i]));
	json_object_set_new(all, "tools", needs);
	if (lab_open(&conf, &lab, &why) != ERR_OK) {
		json_object_set_new(all, "ready", json_false());
		json_object_set_new(all, "reason", json_string(why.text));
		json_object_set_new(all, "sandbox", sandbox);
		return all;
	}
	found = lab_doctor_json(lab);
	lab_close(lab);
	for (size_t i = 0; i < NFEATURES; i++)
		add_need(sandbox, &features[i],
		    has_feature(found, features[i].name));
	json_object_set(all, "device", json_object_get(found, "device"));
	json_object_set(all, "control_ms",
	    json_object_get(found, "control_ms"));
	json_object_set_new(all, "sandbox", sandbox);
	json_object_set_new(all, "ready",
	    json_boolean(json_is_number(json_object_get(found, "control_ms"))));
	json_object_set_new(all, "reason",
	    json_string(json_is_true(json_object_get(all, "ready"))
	            ? ""
	            : "the control kernel fails"));
	json_decref(found);
	return all;
}

static void
add_rows(struct term_table *t, const char *kind, json_t *needs)
{
	size_t i;
	json_t *n;

	json_array_foreach(needs, i, n) {
		bool found = json_is_true(json_object_get(n, "found"));

		term_table_add(t, TERM_PLAIN, kind);
		term_table_add(t, TERM_PLAIN, jlenient_text(n, "name"));
		term_table_add(t, found ? TERM_GOOD : TERM_WARN,
		    found ? "yes" : "MISSING");
		term_table_add(t, TERM_PLAIN,
		    jlenient_text(n, found ? "use" : "cost"));
	}
}

static void
add_device(struct term_table *t, json_t *d)
{
	bool is_cpu = json_is_true(json_object_get(d, "cpu"));
	json_t *ms = json_object_get(d, "control_ms");
	const char *how = json_is_true(json_object_get(d, "survives_fork"))
	    ? "opened once and forked"
	    : "opened anew by each child (--device); PoCL's with two threads, "
	      "in the replay with one";

	term_table_add(t, TERM_PLAIN, "device");
	term_table_add(t, TERM_PLAIN, jlenient_text(d, "name"));
	term_table_add(t,
	    json_is_number(ms) ? TERM_GOOD
	        : is_cpu       ? TERM_WARN
	                       : TERM_DIM,
	    json_is_number(ms) ? "yes"
	        : is_cpu       ? "FAILS"
	                       : "not used");
	term_table_addf(t, TERM_PLAIN, "%s, driver %s%s%s",
	    jlenient_text(d, "platform"), jlenient_text(d, "driver"),
	    is_cpu ? "; " : "", is_cpu ? how : "");
}

static void
print(json_t *all)
{
	static const char *const head[] = { "", "Name", "Here", "Meaning" };
	struct term_table t;
	size_t i;
	json_t *d;

	term_table_init(&t, COUNT(head));
	for (i = 0; i < COUNT(head); i++)
		term_table_add(&t, TERM_BOLD, head[i]);
	json_array_foreach(json_object_get(all, "devices"), i, d)
		add_device(&t, d);
	add_rows(&t, "tool", json_object_get(all, "tools"));
	add_rows(&t, "sandbox", json_object_get(all, "sandbox"));
	term_table_print(&t, stdout);
	term_table_done(&t);
	if (json_is_true(json_object_get(all, "ready")))
		columns_say(stdout,
		    "ready: %s; the control kernel takes %.0f ms",
		    jlenient_text(all, "device"),
		    json_number_value(json_object_get(all, "control_ms")));
	else
		columns_say(stdout, "not ready: %s",
		    jlenient_text(all, "reason"));
}

static int
run(int argc, char **argv)
{
	struct doctor_line line = { 0 };
	size_t nargs;
	json_t *all;
	int code;

	if (!command_parse(&cmd_doctor, argc, argv, &line, NULL, &nargs, &code))
		return code;
	all = examine(&line);
	if (line.json) {
		json_dumpf(all, stdout, JSON_INDENT(2) | JSON_SORT_KEYS);
		putchar('\n');
	} else
		print(all);
	code =
	    json_is_true(json_object_get(all, "ready")) ? EXIT_DONE : EXIT_ENV;
	json_decref(all);
	return code;
}

const struct command cmd_doctor = { "doctor", &opts, run };
