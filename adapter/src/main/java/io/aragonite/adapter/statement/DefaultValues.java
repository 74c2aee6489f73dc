package io.aragonite.adapter.statement;

import io.aragonite.adapter.ddl.TableStatement.Assignment;
import io.aragonite.adapter.ddl.TableStatement.Update;
import io.aragonite.adapter.sql.SqlTokens;
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
    List<String> tokens = new ArrayList<>();
    for (int at = 0; at < query.length(); ) {
      int end = SqlTokens.end(query, at);
      tokens.add(query.substring(at, end));
      at = end;
    }
    int first = next(tokens, 0, 1);
    if (first >= tokens.size() || !tokens.get(first).equalsIgnoreCase("VALUES")) {
      return query;
    }
    int depth = 0;
    int column = 0;
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < tokens.size(); i++) {
      String token = tokens.get(i);
      switch (token) {
        case "(", "[", "{" -> column = depth++ == 0 ? 0 : column;
        case ")", "]", "}" -> depth--;
        case "," -> column += depth == 1 ? 1 : 0;
        default -> {
          boolean whole =
              depth == 1
                  && token.equalsIgnoreCase("DEFAULT")
                  && isEdge(tokens, next(tokens, i - 1, -1))
                  && isEdge(tokens, next(tokens, i + 1, 1));
          String value =
              whole && column < places.size() ? rules.defaultOf(places.get(column)) : null;
          token = value == null ? token : "(" + value + ")";
        }
      }
      text.append(token);
    }
    return text.toString();
  }

  /** The nearest token that is no blank. */
  private static int next(List<String> tokens, int from, int step) {
    int at = from;
    while (at >= 0 && at < tokens.size() && SqlTokens.isBlank(tokens.get(at))) {
      at += step;
    }
    return at;
  }

  private static boolean isEdge(List<String> tokens, int at) {
    return at >= 0 && at < tokens.size() && "(),".contains(tokens.get(at));
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
    return new Update(update.target(), update.alias(), assignments, update.condition());
  }
}
