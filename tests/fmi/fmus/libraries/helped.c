int help(void);
int helped(void);

int helped(void) { return help(); }
