/* The former name of tieline/plugin.h. */
#include "tieline/plugin.h"
