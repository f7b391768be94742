#include "args.h"

#include <math.h>
#include <stdlib.h>

double number_flag(const char *name, const char *text, double fallback, double min, double max, bool whole)
{
    if (!text) return fallback;
    char *end;
    double x = strtod(text, &end);
    if (end == text || *end || !(x >= min && x <= max) || (whole && x != floor(x)))
        die("%s is \"%s\", but must be a %snumber from %g to %g", name, text, whole ? "whole " : "", min, max);
    return x;
}
