#include "population_file/sqlite_table.h"

#include <fmt/format.h>

#include <limits>

#include "population/fitness_order.h"

namespace petri {
namespace {

constexpr std::string_view kColumns =
    "i.number, i.id, i.generation, i.mutation, i.depth, i.kept, i.created_at, i.score, i.evaluated_at";

PopulationTime time_of(std::int64_t nanoseconds) { return PopulationTime(std::chrono::nanoseconds(nanoseconds)); }
std::int64_t nanoseconds_of(PopulationTime time) { return time.time_since_epoch().count(); }

double number_or_nan(const Query& query, int column) {
  return query.is_null(column) ? std::numeric_limits<double>::quiet_NaN() : query.number(column);
}

Individual individual_of(const Query& query) {
  Individual individual;
  individual.number = static_cast<std::uint64_t>(query.integer(0));
  individual.id = query.text(1);
  if (!query.is_null(2)) individual.generation = static_cast<std::uint64_t>(query.integer(2));
  individual.mutation = query.text(3);
  individual.depth = static_cast<std::uint64_t>(query.integer(4));
  individual.kept = query.integer(5) != 0;
  individual.created = time_of(query.integer(6));
  if (!query.is_null(8)) {
    individual.fitness =
        Fitness{.score = number_or_nan(query, 7), .components = {}, .evaluated_at = time_of(query.integer(8))};
  }
  return individual;
}

// The part of a statement from FROM to WHERE. A label is looked up in its own index first.
std::string conditions_of(const PopulationQuery& query) {
  std::string sql = query.label.empty() ? "FROM individuals i WHERE i.population = ?"
                                        : "FROM labels l JOIN individuals i ON i.number = l.individual "
                                          "WHERE i.population = ? AND l.label = ?";
  if (query.generation) sql += " AND i.generation = ?";
  if (query.kept) sql += " AND i.kept = ?";
  return sql;
}

std::string page_sql(const PopulationQuery& query) {
  const std::string_view order =
      query.order == PopulationOrder::rank ? "i.score DESC, (i.evaluated_at IS NULL), i.number" : "i.number";
  return fmt::format("SELECT {} {} ORDER BY {} LIMIT ? OFFSET ?", kColumns, conditions_of(query), order);
}

void bind_conditions(Query& statement, std::int64_t population, const PopulationQuery& query) {
  statement.bind(population);
  if (!query.label.empty()) statement.bind(query.label);
  if (query.generation) statement.bind(*query.generation);
  if (query.kept) statement.bind(std::int64_t{*query.kept ? 1 : 0});
}

}  // namespace

Result<std::vector<Individual>> SqliteTable::individuals(Query& query) {
  std::vector<Individual> all;
  for (;;) {
    PETRI_TRY(const bool has_row, query.step());
    if (!has_row) break;
    all.push_back(individual_of(query));
  }
  for (Individual& individual : all) PETRI_TRY(add_lists(individual));
  return all;
}

Result<void> SqliteTable::add_lists(Individual& individual) {
  PETRI_TRY(individual.parents,
            texts("SELECT parent FROM parents WHERE individual = ? ORDER BY place", individual.number));
  PETRI_TRY(individual.labels,
            texts("SELECT label FROM labels WHERE individual = ? ORDER BY place", individual.number));
  if (!individual.fitness) return {};
  PETRI_TRY(const auto query, connection_.query("SELECT name, value FROM components WHERE individual = ?"));
  query->bind(individual.number);
  for (;;) {
    PETRI_TRY(const bool has_row, query->step());
    if (!has_row) return {};
    individual.fitness->components.emplace(query->text(0), number_or_nan(*query, 1));
  }
}

Result<std::vector<std::string>> SqliteTable::texts(std::string_view sql, std::uint64_t number) {
  std::vector<std::string> all;
  PETRI_TRY(const auto query, connection_.query(sql));
  query->bind(number);
  for (;;) {
    PETRI_TRY(const bool has_row, query->step());
    if (!has_row) return all;
    all.push_back(query->text(0));
  }
}

Result<std::optional<Individual>> SqliteTable::find(std::string_view id) {
  static const std::string sql = fmt::format("SELECT {} FROM individuals i WHERE population = ? AND id = ?", kColumns);
  PETRI_TRY(const auto query, connection_.query(sql));
  query->bind(population_).bind(id);
  PETRI_TRY(auto found, individuals(*query));
  if (found.empty()) return std::nullopt;
  return std::move(found.front());
}

Result<std::size_t> SqliteTable::count(const PopulationQuery& query) {
  if (query.label.empty() && !query.generation && !query.kept) return counts_.individuals;
  PETRI_TRY(const auto statement, connection_.query("SELECT count(*) " + conditions_of(query)));
  bind_conditions(*statement, population_, query);
  PETRI_TRY([[maybe_unused]] const bool has_row, statement->step());
  return static_cast<std::size_t>(statement->integer(0));
}

Result<PopulationPage> SqliteTable::list(const PopulationQuery& query) {
  constexpr std::size_t kMost = INT64_MAX;
  PopulationPage page;
  PETRI_TRY(page.total, count(query));
  PETRI_TRY(const auto statement, connection_.query(page_sql(query)));
  bind_conditions(*statement, population_, query);
  statement->bind(std::uint64_t{std::min(query.limit, kMost)}).bind(std::uint64_t{std::min(query.offset, kMost)});
  PETRI_TRY(page.individuals, individuals(*statement));
  return page;
}

Result<std::uint64_t> SqliteTable::ranked_before(const Individual& individual) {
  const auto counted = [&](std::string_view sql, const auto& bind) -> Result<std::uint64_t> {
    PETRI_TRY(const auto query, connection_.query(sql));
    query->bind(population_);
    bind(*query);
    PETRI_TRY([[maybe_unused]] const bool has_row, query->step());
    return static_cast<std::uint64_t>(query->integer(0));
  };
  const auto by_number = [&](Query& query) { query.bind(individual.number); };
  if (!individual.fitness) {
    return counted("SELECT count(*) FROM individuals WHERE population = ? AND (evaluated_at IS NOT NULL OR number < ?)",
                   by_number);
  }
  const double score = individual.fitness->score;
  if (score != score) {
    return counted(
        "SELECT count(*) FROM individuals WHERE population = ? AND (score IS NOT NULL OR (evaluated_at IS NOT NULL AND "
        "number < ?))",
        by_number);
  }
  PETRI_TRY(const std::uint64_t above, counted("SELECT count(*) FROM individuals WHERE population = ? AND score > ?",
                                               [&](Query& query) { query.bind(score); }));
  PETRI_TRY(const std::uint64_t beside,
            counted("SELECT count(*) FROM individuals WHERE population = ? AND score = ? AND number < ?",
                    [&](Query& query) { query.bind(score).bind(individual.number); }));
  return above + beside;
}

Result<std::vector<std::string>> SqliteTable::children(std::string_view id) {
  PETRI_TRY(const auto query,
            connection_.query("SELECT i.id FROM parents p JOIN individuals i ON i.number = p.individual "
                              "WHERE p.parent = ? AND i.population = ? ORDER BY p.individual"));
  query->bind(id).bind(population_);
  std::vector<std::string> all;
  for (;;) {
    PETRI_TRY(const bool has_row, query->step());
    if (!has_row) return all;
    all.push_back(query->text(0));
  }
}

Result<std::vector<Individual>> SqliteTable::after(std::uint64_t number, std::size_t limit) {
  static const std::string sql = fmt::format(
      "SELECT {} FROM individuals i WHERE i.number > ? AND +i.population = ? ORDER BY i.number LIMIT ?", kColumns);
  PETRI_TRY(const auto query, connection_.query(sql));
  query->bind(number).bind(population_).bind(std::uint64_t{limit});
  return individuals(*query);
}

Result<std::optional<std::uint64_t>> SqliteTable::depth(std::string_view id) {
  PETRI_TRY(const auto query, connection_.query("SELECT depth FROM individuals WHERE population = ? AND id = ?"));
  query->bind(population_).bind(id);
  PETRI_TRY(const bool has_row, query->step());
  if (!has_row) return std::nullopt;
  return static_cast<std::uint64_t>(query->integer(0));
}

Result<std::optional<std::uint64_t>> SqliteTable::number_of(std::string_view id) {
  PETRI_TRY(const auto query, connection_.query("SELECT number FROM individuals WHERE population = ? AND id = ?"));
  query->bind(population_).bind(id);
  PETRI_TRY(const bool has_row, query->step());
  if (!has_row) return std::nullopt;
  return static_cast<std::uint64_t>(query->integer(0));
}

Result<bool> SqliteTable::insert(const Individual& individual) {
  const std::uint64_t number = counts_.last_number + 1;
  {
    PETRI_TRY(const auto query, connection_.query("INSERT INTO individuals VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
                                                  "ON CONFLICT (population, id) DO NOTHING"));
    query->bind(number).bind(population_).bind(individual.id).bind(individual.generation).bind(individual.mutation);
    query->bind(individual.depth).bind(std::int64_t{individual.kept ? 1 : 0}).bind(nanoseconds_of(individual.created));
    if (individual.fitness) {
      query->bind(individual.fitness->score).bind(nanoseconds_of(individual.fitness->evaluated_at));
    } else {
      query->bind_null().bind_null();
    }
    PETRI_TRY(query->run());
    if (connection_.changes() == 0) return false;
  }
  counts_.last_number = number;
  ++counts_.individuals;
  PETRI_TRY(insert_texts("INSERT INTO parents VALUES (?, ?, ?)", individual.parents));
  PETRI_TRY(insert_texts("INSERT INTO labels VALUES (?, ?, ?)", individual.labels));
  if (individual.fitness) PETRI_TRY(insert_components(number, *individual.fitness));
  return true;
}

Result<void> SqliteTable::insert_texts(std::string_view sql, const std::vector<std::string>& texts) {
  for (std::size_t place = 0; place < texts.size(); ++place) {
    PETRI_TRY(const auto query, connection_.query(sql));
    PETRI_TRY(query->bind(counts_.last_number).bind(std::uint64_t{place}).bind(texts[place]).run());
  }
  return {};
}

Result<void> SqliteTable::insert_components(std::uint64_t number, const Fitness& fitness) {
  for (const auto& [name, value] : fitness.components) {
    PETRI_TRY(const auto query, connection_.query("INSERT INTO components VALUES (?, ?, ?)"));
    PETRI_TRY(query->bind(number).bind(name).bind(value).run());
  }
  return {};
}

Result<bool> SqliteTable::set_fitness(std::string_view id, const Fitness& fitness) {
  PETRI_TRY(const auto number, number_of(id));
  if (!number) return false;
  {
    PETRI_TRY(const auto update,
              connection_.query("UPDATE individuals SET score = ?, evaluated_at = ? WHERE number = ?"));
    PETRI_TRY(update->bind(fitness.score).bind(nanoseconds_of(fitness.evaluated_at)).bind(*number).run());
  }
  {
    PETRI_TRY(const auto remove, connection_.query("DELETE FROM components WHERE individual = ?"));
    PETRI_TRY(remove->bind(*number).run());
  }
  PETRI_TRY(insert_components(*number, fitness));
  return true;
}

Result<bool> SqliteTable::set_kept(std::string_view id, bool kept) {
  PETRI_TRY(const auto update, connection_.query("UPDATE individuals SET kept = ? WHERE population = ? AND id = ?"));
  PETRI_TRY(update->bind(std::int64_t{kept ? 1 : 0}).bind(population_).bind(id).run());
  return connection_.changes() > 0;
}

Result<bool> SqliteTable::add_label(std::string_view id, std::string_view label) {
  PETRI_TRY(const auto number, number_of(id));
  if (!number) return false;
  PETRI_TRY(const auto insert,
            connection_.query("INSERT INTO labels SELECT ?1, ifnull((SELECT max(place) FROM labels WHERE individual = "
                              "?1), -1) + 1, ?2 WHERE NOT EXISTS (SELECT 1 FROM labels WHERE individual = ?1 AND label "
                              "= ?2)"));
  PETRI_TRY(insert->bind(*number).bind(label).run());
  return true;
}

Result<bool> SqliteTable::remove_label(std::string_view id, std::string_view label) {
  PETRI_TRY(const auto number, number_of(id));
  if (!number) return false;
  PETRI_TRY(const auto remove, connection_.query("DELETE FROM labels WHERE individual = ? AND label = ?"));
  PETRI_TRY(remove->bind(*number).bind(label).run());
  return true;
}

Result<void> SqliteTable::erase_number(std::uint64_t number) {
  for (const std::string_view sql :
       {"DELETE FROM parents WHERE individual = ?", "DELETE FROM labels WHERE individual = ?",
        "DELETE FROM components WHERE individual = ?", "DELETE FROM individuals WHERE number = ?"}) {
    PETRI_TRY(const auto remove, connection_.query(sql));
    PETRI_TRY(remove->bind(number).run());
  }
  --counts_.individuals;
  return {};
}

Result<bool> SqliteTable::erase(std::string_view id) {
  PETRI_TRY(const auto number, number_of(id));
  if (!number) return false;
  PETRI_TRY(erase_number(*number));
  return true;
}

Result<std::uint64_t> SqliteTable::erase_generations(std::uint64_t retained) {
  std::vector<std::uint64_t> old;
  {
    // Without a newest old generation the comparison is NULL, and nothing is found.
    PETRI_TRY(const auto query,
              connection_.query("SELECT number FROM individuals WHERE population = ?1 AND kept = 0 AND generation <= "
                                "(SELECT DISTINCT generation FROM individuals WHERE population = ?1 AND generation IS "
                                "NOT NULL ORDER BY generation DESC LIMIT 1 OFFSET ?2)"));
    query->bind(population_).bind(std::min<std::uint64_t>(retained, INT64_MAX));
    for (;;) {
      PETRI_TRY(const bool has_row, query->step());
      if (!has_row) break;
      old.push_back(static_cast<std::uint64_t>(query->integer(0)));
    }
  }
  for (const std::uint64_t number : old) PETRI_TRY(erase_number(number));
  return old.size();
}

}  // namespace petri
