/* The commands of kf-chaos; each returns an exit code. */
#ifndef CHAOS_COMMANDS_H
#define CHAOS_COMMANDS_H

/* A row of a command's options, kept in its struct options. */
#define COMMAND_ROW(name, type, field, lo, hi, value, help)                    \
	{                                                                      \
		name, type, offsetof(struct options, field), lo, hi, value,    \
		    help                                                       \
	}

int cmd_audit(int argc, char **argv);   /* audit -- COMMAND */
int cmd_run(int argc, char **argv);     /* the proxy itself */
int cmd_check(int argc, char **argv);   /* check FILE */
int cmd_cover(int argc, char **argv);   /* cover SCENARIO LOG... */
int cmd_explain(int argc, char **argv); /* explain SCENARIO RULE */
int cmd_plan(int argc, char **argv);    /* plan SCENARIO REQUESTS */
int cmd_explore(int argc, char **argv); /* explore -- COMMAND */
int cmd_schema(int argc, char **argv);  /* schema */
int cmd_shrink(int argc, char **argv);  /* shrink LOG -- COMMAND */
int cmd_ctl(int argc, char **argv);     /* ctl VERB ... */
int cmd_verify(int argc, char **argv);  /* verify LOG */

#endif
