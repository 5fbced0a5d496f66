int help(void);
int help_further(void);

int help(void) { return help_further(); }
