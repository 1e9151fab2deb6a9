/*
 * kf-chaos schema: the scenario file as a JSON Schema, as it is kept in
 * scenarios/scenario.schema.json.
 */
#include "chaos/commands.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/err.h"
#include "chaos/rules/scenario_schema.h"

static const struct opt_command command = {
	.name = "kf-chaos schema",
	.usage = "",
	.about = "Prints the JSON Schema of a scenario file, for editors.",
	.examples = "kf-chaos schema >scenario.schema.json\t"
	            "for an editor that completes\n",
};

static int
run_schema(int argc, char **argv)
{
	size_t nargs;
	json_t *v;
	char *text;
	int code;

	if (!command_parse(&cmd_schema, argc, argv, NULL, NULL, &nargs, &code))
		return code;
	v = scenario_schema_new();
	text = json_dumps(v, JSON_INDENT(1) | JSON_SORT_KEYS);
	puts(text);
	free(text);
	json_decref(v);
	return fflush(stdout) == 0 ? EXIT_DONE : EXIT_ENV;
}

const struct command cmd_schema = { "schema", &command, run_schema };
