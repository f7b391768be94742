/* What the program uses of OpenMP, where it is compiled without. */
static inline int omp_get_thread_num(void) { return 0; }
static inline void omp_set_num_threads(int n) { (void)n; }
