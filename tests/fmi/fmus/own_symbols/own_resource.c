__attribute__((visibility("default"))) int own_resource(int x);
int own_resource(int x) { return x + 2048; }
