package io.aragonite.adapter.statement;

import io.aragonite.adapter.catalog.SessionSchema.OwnTable;
import io.aragonite.adapter.ddl.TableStatement.Assignment;
import io.aragonite.adapter.ddl.TableStatement.MergeAction;
import io.aragonite.adapter.ddl.TableStatement.MergeClause;
import io.aragonite.adapter.ddl.TableStatement.MergeInto;
import io.aragonite.adapter.execution.Execution;
import io.aragonite.adapter.execution.ExecutionSignature;
import io.aragonite.adapter.format.nested.NestedType;
import io.aragonite.adapter.sql.SqlTokens;
import io.aragonite.adapter.sql.function.RandomCalls;
import io.aragonite.adapter.table.CachedTable;
import io.aragonite.adapter.table.TableRules;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.TypeKind;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.calcite.DataContext;
import org.jspecify.annotations.Nullable;

/**
 * MERGE: one query joins the source with the table, and has what becomes of each pair, and of each
 * row of the source alone. Its answer is kept while the statement runs, which writes the table anew
 * from it.
 */
final class RowMerge {
  /** A column of what becomes of a row; a blank, so that nobody writes it by chance. */
  private static final String ACTION = " action";

  /** What a subquery begins with. */
  private static final Set<String> QUERIES = Set.of("SELECT", "VALUES", "TABLE", "FROM", "WITH");

  private static final int UPDATE = 1;
  private static final int DELETE = 2;
  private static final int INSERT = 3;

  private final WriteScope scope;
  private final MergeInto merge;
  private final OwnTable table;
  private final CachedTable data;
  private final List<TableColumn> columns;
  private final String name;
  private final String alias;

  /**
   * @throws AragoniteException UNKNOWN_TABLE, READ_ONLY
   */
  RowMerge(WriteScope scope, MergeInto merge) {
    this.scope = scope;
    this.merge = merge;
    this.table = scope.schema().stored(merge.target());
    this.data = table.data();
    this.columns = TableColumn.of(data);
    this.name = scope.quoted(data.name());
    this.alias = merge.alias() == null ? name : merge.alias();
  }

  /** The query of the pairs, over rows that are numbered when it is asked. */
  ExecutionSignature<?> query() {
    ExecutionSignature<?> pairs =
        scope.rewritten(pairs("(" + TableRewrite.of(scope, data).numbered() + ")"));
    WriteScope.requireInsertable(pairs, columns);
    merge.clauses().stream().filter(clause -> !clause.matched()).forEach(this::requireSource);
    return pairs;
  }

  /** Where no row of the table goes with one of the source, only the source has values. */
  private void requireSource(MergeClause clause) {
    List<String> read = new ArrayList<>(List.of(condition(clause)));
    if (clause.action() instanceof MergeAction.MergeInsert insert) {
      insert.values().stream()
          .filter(value -> !isDefault(value))
          .forEach(value -> read.add("(" + value + "\n)"));
    }
    var _ = scope.rewritten("SELECT %s FROM %s".formatted(String.join(", ", read), merge.source()));
  }

  private static boolean isDefault(String value) {
    return value.equalsIgnoreCase("DEFAULT");
  }

  /** Returns how many rows have been added, changed or taken away. */
  long run(DataContext context, Execution execution) throws IOException {
    try (StoredRows rows = scope.rows(data.name(), columns, table.rules(), null, false);
        HeldRows all = HeldRows.numbered(scope, data.name(), columns, TableRules.NONE);
        HeldRows pairs = HeldRows.of(scope, data.name(), kept(), TableRules.NONE)) {
      TableRewrite rewrite = all.number(data, context, execution);
      ExecutionSignature<?> asked = scope.rewritten(pairs(rewrite.table()));
      scope.requireOf(asked, data);
      String made = pairs.hold(asked, context, execution);
      if (pairs.count() == 0) {
        return 0;
      }
      rows.copy(scope.rewritten(rewrite.without(made, columns)), context, execution);
      long stay = rows.count();
      rows.copy(written(rewrite, made, INSERT), context, execution);
      long added = rows.count() - stay;
      if (stay + pairs.count() - added != data.rows()) {
        throw severalRows();
      }
      rows.copy(written(rewrite, made, UPDATE), context, execution);
      scope.schema().replaceRows(table, rows.writer(), rows.keys());
      rows.give();
      return pairs.count();
    }
  }

  /** The columns of the pairs: those of the table, which rows that go have no values of. */
  private List<TableColumn> kept() {
    List<TableColumn> kept = new ArrayList<>();
    columns.forEach(column -> kept.add(TableColumn.of(column.name(), column.stored(), true)));
    NestedType number = new NestedType.Scalar(DataType.of(TypeKind.INT64, true));
    kept.add(TableColumn.of(HeldRows.NUMBER, number, true));
    kept.add(TableColumn.of(ACTION, number, true));
    return kept;
  }

  private ExecutionSignature<?> written(TableRewrite rewrite, String pairs, int action) {
    String rows =
        "%s WHERE %s = %d".formatted(rewrite.of(pairs, columns), scope.quoted(ACTION), action);
    return scope.rewritten(scope.checked(rows, table));
  }

  private String pairs(String numbered) {
    String number = alias + "." + scope.quoted(HeldRows.NUMBER);
    List<String> list = new ArrayList<>();
    for (int i = 0; i < columns.size(); i++) {
      list.add(
          "CASE WHEN %s IS NULL THEN %s ELSE %s END AS %s"
              .formatted(
                  number, value(i, false), value(i, true), scope.quoted(columns.get(i).name())));
    }
    list.add(number + " AS " + scope.quoted(HeldRows.NUMBER));
    list.add(
        "CAST(CASE WHEN %s IS NULL THEN %s ELSE %s END AS BIGINT) AS %s"
            .formatted(number, action(false), action(true), scope.quoted(ACTION)));
    return "SELECT * FROM (SELECT %s FROM %s\n LEFT JOIN %s AS %s ON (%s\n)) AS pairs WHERE %s IS NOT NULL"
        .formatted(
            String.join(", ", list),
            merge.source(),
            numbered,
            alias,
            merge.condition(),
            scope.quoted(ACTION));
  }

  private String action(boolean matched) {
    return chosen(
        matched,
        "CAST(NULL AS BIGINT)",
        action ->
            switch (action) {
              case MergeAction.MergeUpdate _ -> String.valueOf(UPDATE);
              case MergeAction.MergeDelete _ -> String.valueOf(DELETE);
              case MergeAction.MergeInsert _ -> String.valueOf(INSERT);
              case MergeAction.MergeNothing _ -> "NULL";
            });
  }

  private String value(int place, boolean matched) {
    TableColumn column = columns.get(place);
    // NULL, of the column's type, where no row of the table goes with one of the source
    String none = alias + "." + scope.quoted(column.name());
    return chosen(
        matched,
        none,
        action ->
            switch (action) {
              case MergeAction.MergeUpdate update -> updated(place, update.assignments());
              case MergeAction.MergeInsert insert ->
                  CastQuery.format(column).formatted(inserted(place, insert) + "\n");
              case MergeAction.MergeDelete _, MergeAction.MergeNothing _ -> none;
            });
  }

  /** What the first clause has whose condition holds. */
  private String chosen(boolean matched, String none, Function<MergeAction, String> of) {
    String cases =
        merge.clauses().stream()
            .filter(clause -> clause.matched() == matched)
            .map(clause ->
                " WHEN %s THEN %s".formatted(condition(clause), of.apply(clause.action())))
            .collect(Collectors.joining());
    return cases.isEmpty() ? none : "CASE" + cases + " ELSE " + none + " END";
  }

  private static String condition(MergeClause clause) {
    String condition = clause.condition();
    if (condition == null) {
      return "TRUE";
    }
    requireFixed(condition);
    return "(" + condition + "\n)";
  }

  private String updated(int place, List<Assignment> assignments) {
    String written = null;
    for (Assignment assignment : assignments) {
      if (place(assignment.column()) == place) {
        if (written != null) {
          throw new AragoniteException(
              ErrorCode.INVALID_STATEMENT,
              "Column \"%s\" of \"%s\" is set twice."
                  .formatted(columns.get(place).name(), merge.target()));
        }
        written = assignment.value();
      }
    }
    return written == null
        ? alias + "." + scope.quoted(columns.get(place).name())
        : CastQuery.format(columns.get(place)).formatted(orDefault(place, written) + "\n");
  }

  private String inserted(int place, MergeAction.MergeInsert insert) {
    int at = place;
    if (!insert.columns().isEmpty()) {
      NamedColumns.requireDistinct(merge.target(), insert.columns());
      insert.columns().forEach(this::place);
      at = TableColumn.find(insert.columns(), columns.get(place).name());
    }
    int wanted = insert.columns().isEmpty() ? columns.size() : insert.columns().size();
    if (insert.values().size() != wanted) {
      throw NamedColumns.counts(merge.target(), wanted, insert.values().size());
    }
    return orDefault(place, at < 0 ? "DEFAULT" : insert.values().get(at));
  }

  private int place(String column) {
    List<String> names = data.columnNames();
    int place = TableColumn.find(names, column);
    if (place < 0) {
      throw TableColumn.unknown(merge.target(), column, names);
    }
    return place;
  }

  private String orDefault(int place, String written) {
    if (isDefault(written)) {
      @Nullable String value = table.rules().defaultOf(place);
      return value == null ? "NULL" : "(" + value + "\n)";
    }
    requireNoParameters(written);
    return written;
  }

  private static void requireNoParameters(String expression) {
    if (SqlTokens.list(expression).contains("?")) {
      throw new AragoniteException(
          ErrorCode.INVALID_STATEMENT,
          "The clauses of a MERGE have no parameters; give them in a row of its source: %s."
              .formatted(expression));
    }
  }

  /** A condition is asked for each column that its clause has a value of, so it has one answer. */
  private static void requireFixed(String condition) {
    requireNoParameters(condition);
    List<String> tokens = SqlTokens.list(condition);
    for (int i = 0; i < tokens.size(); i++) {
      String token = tokens.get(i).toUpperCase(Locale.ROOT);
      boolean called = i + 1 < tokens.size() && tokens.get(i + 1).equals("(");
      if (QUERIES.contains(token) || called && RandomCalls.NAMES.contains(token)) {
        throw new AragoniteException(
            ErrorCode.INVALID_STATEMENT,
            "The condition of a MERGE's clause cannot be random or have a subquery; make it a column of its source: %s."
                .formatted(condition));
      }
    }
  }

  private AragoniteException severalRows() {
    return new AragoniteException(
        ErrorCode.SCALAR_SUBQUERY_ROWS,
        "More than one row of the source would change one row of \"%s\"; group the rows of the source, or take one of each by DISTINCT ON."
            .formatted(data.name()));
  }
}
