/*
 * The log of a long-running program: one line an event on standard error,
 * "PROGRAM LEVEL subject: phrase".  Coloured only on a terminal and never
 * with NO_COLOR.  base/ and ops/ do not log; the program that decides logs
 * once.  Keys, bodies and Authorization values never come here.
 */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include <stdbool.h>

enum log_level {
	LOG_LEVEL_ERROR,
	LOG_LEVEL_WARN,
	LOG_LEVEL_INFO,
	LOG_LEVEL_DEBUG,
};

/* program is borrowed and must outlive the process's logging. */
void log_init(const char *program, enum log_level level);
void log_error(const char *subject, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void log_warn(const char *subject, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void log_info(const char *subject, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* Is anybody listening?  Saves making what would not be said. */
bool log_has_debug(void);
void log_debug(const char *subject, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* A promise between our own parts is broken: says where and aborts. */
_Noreturn void fatalx(const char *fmt, ...)
    __attribute__((format(printf, 1, 2)));

#endif
