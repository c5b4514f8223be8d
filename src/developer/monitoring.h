// Files for Prometheus and Grafana that watch a runtime, made from the list of metrics.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace petri::developer {

// Rules for Prometheus, as YAML.
std::string alert_rules();
// A dashboard for Grafana, as JSON; it asks for the data source when it is imported.
std::string grafana_dashboard();

// The names that look like metrics of petri's and are none; a label that a metric lacks counts too. A test holds the
// files to it.
std::vector<std::string> unknown_metrics(std::string_view text);

}  // namespace petri::developer
