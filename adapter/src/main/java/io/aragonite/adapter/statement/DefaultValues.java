package io.aragonite.adapter.statement;

import io.aragonite.adapter.ddl.TableStatement.Assignment;
import io.aragonite.adapter.ddl.TableStatement.Update;
import io.aragonite.adapter.table.TableRules;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Puts the defaults of columns in the place of the word DEFAULT. */
final class DefaultValues {
  private DefaultValues() {}

  /** A row of nothing but defaults. */
  static String row(int columns) {
    return "VALUES (%s)".formatted(String.join(", ", Collections.nCopies(columns, "DEFAULT")));
  }

  /**
   * The query of an INSERT; columns without a default keep the word, which stands for null.
   *
   * @param places of the query's columns in the table
   */
  static String inserted(String query, List<Integer> places, TableRules rules) {
    List<ValueToken> tokens = ValueToken.of(query);
    if (tokens.isEmpty()) {
      return query;
    }
    StringBuilder text = new StringBuilder();
    for (ValueToken token : tokens) {
      boolean given =
          token.text().equalsIgnoreCase("DEFAULT")
              && token.column() >= 0
              && token.column() < places.size();
      String value = given ? rules.defaultOf(places.get(token.column())) : null;
      text.append(value == null ? token.text() : "(" + value + ")");
    }
    return text.toString();
  }

  /** An UPDATE whose new values are expressions. */
  static Update assigned(Update update, List<String> columns, TableRules rules) {
    List<Assignment> assignments = new ArrayList<>();
    for (Assignment assignment : update.assignments()) {
      int place = TableColumn.find(columns, assignment.column());
      String value = place < 0 ? null : rules.defaultOf(place);
      assignments.add(
          assignment.value().equalsIgnoreCase("DEFAULT")
              ? new Assignment(assignment.column(), value == null ? "NULL" : value)
              : assignment);
    }
    return new Update(
        update.target(), update.alias(), assignments, update.from(), update.condition());
  }
}
