int what_is_nowhere(void);
int unresolved(void);

int unresolved(void) { return what_is_nowhere(); }
