/* An ordinary program: everything it does it does through libc, as it would anywhere. Its exit code is 7. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static void show_file(const char* path) {
  char line[100];
  FILE* file = fopen(path, "r");
  if (file == NULL) {
    printf("%s: %s\n", path, strerror(errno));
    return;
  }
  while (fgets(line, sizeof line, file) != NULL) printf("%s: %s", path, line);
  fclose(file);
}

static void show_folder(const char* path) {
  DIR* folder = opendir(path);
  struct dirent* entry;
  if (folder == NULL) {
    printf("%s: %s\n", path, strerror(errno));
    return;
  }
  while ((entry = readdir(folder)) != NULL) printf("%s holds %s\n", path, entry->d_name);
  closedir(folder);
}

static void write_file(const char* path) {
  FILE* file = fopen(path, "w");
  if (file == NULL) {
    printf("%s: %s\n", path, strerror(errno));
    return;
  }
  fprintf(file, "number %d\n", 42);
  fclose(file);
}

int main(int count, char** arguments) {
  char line[100];
  struct stat status;
  struct timespec pause = {0, 1000000};

  printf("%s has %d arguments, the last is %s\n", arguments[0], count - 1, arguments[count - 1]);
  printf("NAME is %s\n", getenv("NAME") != NULL ? getenv("NAME") : "not set");
  fprintf(stderr, "a line for the log\n");
  while (fgets(line, sizeof line, stdin) != NULL) printf("read %s", line);

  show_file("given");
  show_file("../../etc/passwd");
  show_file("/etc/passwd");
  mkdir("made", 0755);
  write_file("made/note");
  show_file("/made/note");
  show_folder("/");
  if (rename("made/note", "moved") == 0 && stat("moved", &status) == 0) printf("moved: %d bytes\n", (int)status.st_size);
  if (rmdir("made") == 0 && unlink("moved") == 0) printf("nothing is left\n");
  nanosleep(&pause, NULL);
  printf("%s\n", time(NULL) > 0 ? "time passes" : "time stands still");
  return 7;
}
