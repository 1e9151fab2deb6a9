/*
 * What a candidate's text can see, and so what could make it behave another
 * way: its storage type, its work group.  Pure.
 *
 * Each answer errs on one side: "true" where it cannot be told, because a
 * macro might put the name together.  What follows from "false" is leaving
 * out a look that could find nothing.
 */
#ifndef LAB_TEXT_DEPENDS_H
#define LAB_TEXT_DEPENDS_H

#include <stdbool.h>

enum text_depends {
	/* More of KF_T than pointers that go to kf_load() and kf_store(), or
	 * both of one tensor's: the program may be another one for another
	 * storage type. */
	TEXT_DEPENDS_STORAGE = 1 << 0,
	/* Its work group: local ids, sizes, memory, barriers. */
	TEXT_DEPENDS_GROUP = 1 << 1,
	/* Barriers. */
	TEXT_DEPENDS_BARRIER = 1 << 2,
	TEXT_DEPENDS_ALL = (1 << 3) - 1,
};

/* Bits of enum text_depends.  source: as written, at most CANDIDATE_SOURCE_MAX.
 */
unsigned text_depends_on(const char *source);

#endif
