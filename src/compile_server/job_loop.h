// The loop of a compile server: forks a child for each job.
#pragma once

namespace petri {

using Main = int (*)(int argc, char** argv, char** environment);

// compiler: the program is in this process already. any: each job starts one, in a process namespace of its own.
enum class Programs { compiler, any };

// Serves jobs until the host hangs up; each calls `program` in a forked child, with the arguments of the job. Returns
// the exit status of the server. The process has one thread and has loaded all that the program needs.
int serve_jobs(Main program, char** environment, Programs programs);

}  // namespace petri
