/* How many threads a command runs. */
#ifndef STEP0_THREADS_H
#define STEP0_THREADS_H

/* Cores that this process may use: its affinity and its cgroup's quota, at least 1. */
int threads_available(void);

/* What --threads says (NULL: not given), else OMP_NUM_THREADS, else threads_available(). Dies on a bad --threads. */
int threads_chosen(const char *flag);

#endif
