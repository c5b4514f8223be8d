/* A guest that describes its state, in two versions: what a later one adds, widens and renames. C and C++. */
#include "petri.h"

#ifndef VERSION
#define VERSION 1
#endif

struct place {
  petri_i32 x;
  float height;
};

#if VERSION == 1
static petri_i32 hits;
#else
static petri_i64 hits;
static petri_i32 limit = 10;
#endif
static double scores[2 + VERSION] = {0.5, 1.5, 2.5};
static unsigned char level = 200;
static PETRI_BOOL_ open = 1;
static char title[16] = "first";
static unsigned char blob[3] = {1, 2, 3};
static struct place places[2] = {{7, 0.25F}, {8, 0.75F}};

#if VERSION == 1
PETRI_STATE(PETRI_FIELD(hits), PETRI_LIST(scores), PETRI_FIELD(level), PETRI_FIELD(open), PETRI_TEXT(title),
            PETRI_BYTES(blob), PETRI_COLUMN(places, x), PETRI_COLUMN(places, height));
#else
PETRI_STATE(PETRI_FIELD(hits), PETRI_FIELD(limit), PETRI_LIST(scores), PETRI_FIELD(level), PETRI_FIELD(open),
            PETRI_TEXT(title), PETRI_BYTES(blob), PETRI_COLUMN(places, x), PETRI_COLUMN(places, height));
#endif

#ifdef __cplusplus
extern "C" {
#endif
PETRI_EXPORT("next") petri_i32 next(void) { return (petri_i32)++hits; }
PETRI_EXPORT("heights") float heights(void) { return places[0].height + places[1].height; }
#if VERSION == 1
PETRI_EXPORT("version") petri_i32 version(void) { return VERSION; }
#else
PETRI_EXPORT("version") petri_i32 version(void) { return limit / 5; }
#endif
#ifdef __cplusplus
}
#endif
