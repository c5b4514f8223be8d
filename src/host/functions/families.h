// petri's own host functions, a file for each family.
#pragma once

#include <vector>

#include "host/host_function.h"

namespace petri {

// Each function below is called once, for the table of host_table.h.
using HostFamily = std::vector<HostFunction>;

HostFamily input_functions();
HostFamily output_functions();
HostFamily log_functions();
HostFamily clock_functions();
HostFamily random_functions();
HostFamily exit_functions();
HostFamily message_functions();
HostFamily math_functions_offered();
HostFamily abort_functions();

// The parts of wasi_snapshot_preview1 that ordinary programs need.
HostFamily wasi_process_functions();
HostFamily wasi_clock_functions();
HostFamily wasi_random_functions();
HostFamily wasi_stream_functions();
HostFamily wasi_descriptor_functions();
HostFamily wasi_path_functions();
HostFamily wasi_directory_functions();
HostFamily wasi_link_functions();
HostFamily wasi_time_functions();
HostFamily wasi_socket_functions();

}  // namespace petri
