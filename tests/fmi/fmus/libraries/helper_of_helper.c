int help_further(void);

int help_further(void) { return 1; }
