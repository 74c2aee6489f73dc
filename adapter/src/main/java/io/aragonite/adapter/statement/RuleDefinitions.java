package io.aragonite.adapter.statement;

import io.aragonite.adapter.ddl.TableStatement.ColumnDefinition;
import io.aragonite.adapter.ddl.TableStatement.ConstraintDefinition;
import io.aragonite.adapter.ddl.TableStatement.ConstraintKind;
import io.aragonite.adapter.ddl.TableStatement.CreateTable;
import io.aragonite.adapter.execution.ExecutionSignature;
import io.aragonite.adapter.format.nested.NestedType;
import io.aragonite.adapter.sql.SqlTokens;
import io.aragonite.adapter.table.TableRules;
import io.aragonite.adapter.table.TableRules.CheckRule;
import io.aragonite.adapter.table.TableRules.KeyRule;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/** The rules of a table that CREATE TABLE declares, looked at whether they can hold. */
final class RuleDefinitions {
  private static final Set<String> NOT_PLAIN = Set.of("?", "SELECT", "OVER");

  /** What else a query in parentheses begins with. */
  private static final Set<String> QUERIES = Set.of("VALUES", "TABLE", "FROM", "WITH");

  private final CreateTable table;
  private final List<String> names;
  private final Function<String, ExecutionSignature<?>> query;
  private final UnaryOperator<String> quoted;

  /**
   * @param query prepares a query
   * @param quoted puts a name into quotes
   */
  RuleDefinitions(
      CreateTable table,
      Function<String, ExecutionSignature<?>> query,
      UnaryOperator<String> quoted) {
    this.table = table;
    this.names = table.columns().stream().map(ColumnDefinition::name).toList();
    this.query = query;
    this.quoted = quoted;
  }

  /** Whether a column is in the primary key, so that it cannot be null. */
  static boolean isPrimary(CreateTable table, String column) {
    return table.constraints().stream()
        .anyMatch(constraint ->
            constraint.kind() == ConstraintKind.PRIMARY_KEY
                && TableColumn.find(constraint.columns(), column) >= 0);
  }

  /**
   * The rules.
   *
   * @throws AragoniteException INVALID_STATEMENT, UNKNOWN_COLUMN, and what is wrong with
   *     expressions
   */
  TableRules rules(List<TableColumn> columns) {
    List<KeyRule> keys = new ArrayList<>();
    List<CheckRule> checks = new ArrayList<>();
    Set<String> used = new HashSet<>();
    for (ConstraintDefinition constraint : table.constraints()) {
      String name = name(constraint, checks.size() + 1);
      if (!used.add(name.toLowerCase(Locale.ROOT))) {
        throw refused("would have two constraints \"%s\"; give one another name".formatted(name));
      }
      switch (constraint.kind()) {
        case PRIMARY_KEY -> {
          if (!keys.isEmpty() && keys.getFirst().primary()) {
            throw refused("would have two primary keys; make one of them UNIQUE");
          }
          keys.addFirst(new KeyRule(name, true, places(constraint, columns)));
        }
        case UNIQUE -> keys.add(new KeyRule(name, false, places(constraint, columns)));
        case CHECK -> checks.add(check(name, constraint.condition()));
      }
    }
    List<String> defaults = new ArrayList<>();
    for (ColumnDefinition column : table.columns()) {
      if (!column.defaultValue().isEmpty()) {
        requireDefault(column);
      }
      defaults.add(column.defaultValue());
    }
    return new TableRules(List.copyOf(keys), List.copyOf(checks), List.copyOf(defaults));
  }

  private AragoniteException refused(String why) {
    return new AragoniteException(
        ErrorCode.INVALID_STATEMENT, "Table \"%s\" %s.".formatted(table.target(), why));
  }

  private String name(ConstraintDefinition constraint, int number) {
    if (constraint.name() != null) {
      return constraint.name();
    }
    return switch (constraint.kind()) {
      case PRIMARY_KEY -> table.target() + "_pk";
      case UNIQUE -> table.target() + "_" + String.join("_", constraint.columns()) + "_key";
      case CHECK -> table.target() + "_check" + number;
    };
  }

  private List<Integer> places(ConstraintDefinition key, List<TableColumn> columns) {
    List<Integer> places = new ArrayList<>();
    for (String column : key.columns()) {
      int place = TableColumn.find(names, column);
      if (place < 0) {
        throw TableColumn.unknown(table.target(), column, names);
      }
      if (places.contains(place)) {
        throw refused("would have column \"%s\" twice in one key".formatted(column));
      }
      if (!(columns.get(place).stored() instanceof NestedType.Scalar)) {
        throw refused(
            "cannot have column \"%s\" of the type %s in a key; take columns of plain values"
                .formatted(column, columns.get(place).stored().sqlName()));
      }
      places.add(place);
    }
    return places;
  }

  /** The condition is that of a WHERE, so that it has no aggregates. */
  private CheckRule check(String name, String written) {
    requirePlain("CHECK \"%s\"".formatted(name), written);
    String condition = quoted(written);
    List<String> columns =
        table.columns().stream()
            .map(column ->
                "CAST(NULL AS %s) AS %s".formatted(column.type(), quoted.apply(column.name())))
            .toList();
    var _ =
        query.apply(
            "SELECT 1 AS one FROM (SELECT %s) AS %s WHERE (%s\n)"
                .formatted(String.join(", ", columns), quoted.apply(table.target()), condition));
    return new CheckRule(name, condition);
  }

  /** With names in backticks, as other statements about tables may have them, as queries do. */
  private String quoted(String expression) {
    StringBuilder text = new StringBuilder();
    for (String token : SqlTokens.list(expression)) {
      text.append(token.startsWith("`") ? quoted.apply(SqlTokens.unquoted(token)) : token);
    }
    return text.toString();
  }

  private void requireDefault(ColumnDefinition column) {
    requirePlain("The default of column \"%s\"".formatted(column.name()), column.defaultValue());
    String value = "CAST((%s\n) AS %s)".formatted(column.defaultValue(), column.type());
    var _ =
        query.apply(
            "SELECT %s AS v FROM (VALUES (0)) AS aragonite_ (aragonite_0) WHERE %s IS NULL"
                .formatted(value, value));
  }

  /**
   * Looks whether an expression needs nothing but the row that it is of.
   *
   * @param what the expression is, for the error
   * @throws AragoniteException INVALID_STATEMENT
   */
  static void requirePlain(String what, String expression) {
    String before = "(";
    for (String written : SqlTokens.list(expression)) {
      if (SqlTokens.isBlank(written)) {
        continue;
      }
      String token = written.toUpperCase(Locale.ROOT);
      if (NOT_PLAIN.contains(token) || before.equals("(") && QUERIES.contains(token)) {
        throw new AragoniteException(
            ErrorCode.INVALID_STATEMENT,
            "%s may have no queries, windows and parameters: %s.".formatted(what, expression));
      }
      before = token;
    }
  }
}
