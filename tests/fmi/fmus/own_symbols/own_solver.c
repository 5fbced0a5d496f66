/* Has the name of a library of the system, and nothing of it. */
__attribute__((visibility("default"))) int own_solver(int x);
int own_solver(int x) { return x + 1024; }
