package io.aragonite.adapter.statement;

import io.aragonite.adapter.ddl.TableStatement;
import io.aragonite.adapter.ddl.TableStatement.Delete;
import io.aragonite.adapter.ddl.TableStatement.Insert;
import io.aragonite.adapter.ddl.TableStatement.Update;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.util.Locale;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The list of a RETURNING.
 *
 * @param statement whose rows are returned
 * @param list expressions, in SQL
 */
record ReturnedList(TableStatement statement, String list) {
  /** What makes other rows of them. */
  private static final Set<String> QUANTIFIERS = Set.of("DISTINCT", "ALL", "STREAM");

  /** Columns, and nothing that could fail of a row. */
  private static final Pattern COLUMNS = Pattern.compile("\\*|[\\w\\s.,\"`]*");

  /**
   * @throws AragoniteException INVALID_STATEMENT if it needs more than a row
   */
  void requirePlain() {
    RuleDefinitions.requirePlain("RETURNING", list);
    String first = list.strip().split("\\s", 2)[0].toUpperCase(Locale.ROOT);
    if (QUANTIFIERS.contains(first)) {
      throw new AragoniteException(
          ErrorCode.INVALID_STATEMENT,
          "RETURNING has a row for each row that was written; leave out %s.".formatted(first));
    }
  }

  /** Whether rows can be returned whatever their values are. */
  boolean cannotFail() {
    return COLUMNS.matcher(list).matches();
  }

  /**
   * The query of the list.
   *
   * @param schema of the table
   * @param table that has the rows
   * @param quoted puts a name into quotes
   */
  String query(String schema, String table, UnaryOperator<String> quoted) {
    @Nullable String alias =
        switch (statement) {
          case Delete delete -> delete.alias();
          case Update update -> update.alias();
          case Insert insert -> insert.alias();
          default -> null;
        };
    return "SELECT %s\n FROM %s.%s AS %s"
        .formatted(
            list,
            quoted.apply(schema),
            quoted.apply(table),
            alias == null ? quoted.apply(statement.target()) : alias);
  }
}
