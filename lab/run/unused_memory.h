/*
 * Memory that a process of the lab has taken and does not need any more.
 */
#ifndef LAB_UNUSED_MEMORY_H
#define LAB_UNUSED_MEMORY_H

/* Gives back what is free in the heap, and the mapped pages of all libraries
 * that nobody writes, which come again when they are touched. */
void unused_memory_give_back(void);

#endif
