int help(void);

int help(void) { return 1; }
