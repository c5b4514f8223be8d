/* A guest without libc: petri.h is all it needs. */
#include "petri.h"

PETRI_EXPORT("area") double area(double radius) {
  petri_log_text(PETRI_LOG_INFO, "computing");
  petri_output_text("done");
  return petri_pow(radius, 2) * petri_acos(-1);
}

PETRI_EXPORT("echo") petri_i32 echo(void) {
  static char buffer[1000];
  petri_i32 length = petri_input_read(buffer, 0, sizeof buffer);
  if (petri_input_read(buffer, 0, 0xffffffffU) != PETRI_ERROR_OUT_OF_BOUNDS) petri_exit(1);
  return petri_output_write(buffer, (petri_size)length);
}
