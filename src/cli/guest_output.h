// What a guest prints while it runs, on its way to the console.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "cli/console.h"
#include "petri/run.h"

namespace petri::cli {

// Bytes of a guest as a terminal may have them: control characters other than newline and tab become \xNN, so that no
// guest can move the cursor, hide or forge a line of petri's own.
std::string for_terminal(std::string_view bytes);

// Guest bytes to a stream: as they are into pipes and files, made harmless on a terminal.
void write_guest_bytes(OutputStream& stream, std::string_view bytes, const std::function<bool()>& give_up = {});

// One line of a guest's log: "log info: ..."
std::string log_line(LogLevel level, std::string_view text);

}  // namespace petri::cli
