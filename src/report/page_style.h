// How the page looks, in light and in dark surroundings, on wide and on narrow windows.
#pragma once

#include <string_view>

namespace petri {

std::string_view page_style();

}  // namespace petri
