package io.aragonite.adapter.statement;

import io.aragonite.adapter.catalog.SessionSchema.OwnTable;
import io.aragonite.adapter.ddl.TableStatement.Assignment;
import io.aragonite.adapter.ddl.TableStatement.MergeAction;
import io.aragonite.adapter.ddl.TableStatement.MergeClause;
import io.aragonite.adapter.ddl.TableStatement.MergeInto;
import io.aragonite.adapter.execution.Execution;
import io.aragonite.adapter.execution.ExecutionSignature;
import io.aragonite.adapter.execution.PreparedPlan;
import io.aragonite.adapter.format.nested.NestedType;
import io.aragonite.adapter.sql.NondeterministicCallFinder;
import io.aragonite.adapter.sql.SqlTokens;
import io.aragonite.adapter.table.CachedTable;
import io.aragonite.adapter.table.TableRules;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.TypeKind;
import java.io.IOException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.regex.Pattern;
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

  /** What an error advises, which is of queries that have the table. */
  private static final Pattern ADVICE = Pattern.compile("(?s);.*");

  /** What a subquery begins with. */
  private static final Set<String> QUERIES = Set.of("SELECT", "VALUES", "TABLE", "FROM", "WITH");

  private final WriteScope scope;
  private final MergeInto merge;

  /** Of two that are alike the second never counts. */
  private final List<MergeClause> clauses;

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
    this.clauses = merge.clauses().stream().distinct().toList();
    this.table = scope.schema().stored(merge.target());
    this.data = table.data();
    this.columns = TableColumn.of(data);
    this.name = scope.quoted(data.name());
    this.alias = merge.alias() == null ? name : merge.alias();
  }

  /** The query of the pairs, over rows that are numbered when it is asked. */
  ExecutionSignature<?> query() {
    requireReachable();
    String numbered = "(" + TableRewrite.of(scope, data).numbered() + ")";
    ExecutionSignature<?> pairs = asked(numbered);
    WriteScope.requireInsertable(pairs, valueColumns());
    requireNotRandom(numbered);
    clauses.stream().filter(clause -> !clause.matched()).forEach(this::requireSource);
    return pairs;
  }

  private void requireReachable() {
    for (boolean matched : new boolean[] {true, false}) {
      List<MergeClause> alike =
          merge.clauses().stream().filter(clause -> clause.matched() == matched).toList();
      for (int i = 0; i + 1 < alike.size(); i++) {
        if (alike.get(i).condition() == null) {
          throw new AragoniteException(
              ErrorCode.INVALID_STATEMENT,
              "A WHEN %s behind another one without AND would never count; give that a condition, or leave one out."
                  .formatted(matched ? "MATCHED" : "NOT MATCHED"));
        }
      }
    }
  }

  /** A condition is asked for each column that its clause has a value of, so it has one answer. */
  private void requireNotRandom(String numbered) {
    List<String> conditions =
        clauses.stream()
            .map(MergeClause::condition)
            .filter(condition -> condition != null && condition.contains("("))
            .map(condition -> "(" + condition + "\n)")
            .toList();
    if (conditions.isEmpty()) {
      return;
    }
    PreparedPlan plan =
        scope
            .rewritten(
                "SELECT %s FROM %s\n LEFT JOIN %s AS %s ON TRUE"
                    .formatted(String.join(", ", conditions), merge.source(), numbered, alias))
            .plan();
    if (plan != null && NondeterministicCallFinder.isRandom(plan.root().rel)) {
      throw notFixed(String.join(" AND ", conditions));
    }
  }

  /** Where no row of the table goes with one of the source, only the source has values. */
  private void requireSource(MergeClause clause) {
    try {
      prepareOfSource(clause);
    } catch (AragoniteException e) {
      if (e.code() != ErrorCode.UNKNOWN_TABLE && e.code() != ErrorCode.UNKNOWN_COLUMN) {
        throw e;
      }
      throw e.replacing(ADVICE, ".")
          .adding(
              " WHEN NOT MATCHED has no row of \"%s\": it knows the columns of the source alone."
                  .formatted(data.name()));
    }
  }

  private void prepareOfSource(MergeClause clause) {
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
      ExecutionSignature<?> asked = asked(rewrite.table());
      scope.requireOf(asked, data);
      String made = pairs.hold(asked, context, execution);
      if (pairs.count() == 0) {
        return 0;
      }
      rows.copy(scope.rewritten(rewrite.without(made, columns)), context, execution);
      long stay = rows.count();
      for (MergeClause clause : clauses) {
        if (clause.action() instanceof MergeAction.MergeInsert) {
          rows.copy(written(made, clause), context, execution);
        }
      }
      long added = rows.count() - stay;
      if (stay + pairs.count() - added != data.rows()) {
        throw severalRows();
      }
      for (MergeClause clause : clauses) {
        if (clause.action() instanceof MergeAction.MergeUpdate) {
          rows.copy(written(made, clause), context, execution);
        }
      }
      scope.schema().replaceRows(table, rows.writer(), rows.keys());
      rows.give();
      return pairs.count();
    }
  }

  /**
   * The columns of the pairs that have values: those of the table, which rows that go have no
   * values of, and those that clauses have of lists, structs and maps. No CASE chooses between the
   * latter: Calcite cannot choose between structs.
   */
  private List<TableColumn> valueColumns() {
    List<TableColumn> values = new ArrayList<>();
    columns.forEach(column -> values.add(column.as(column.name(), true)));
    clauses.forEach(clause ->
        nested(clause)
            .forEach((place, _) -> values.add(columns.get(place).as(own(clause, place), true))));
    return values;
  }

  /** {@link #valueColumns} and what the rows are. */
  private List<TableColumn> kept() {
    List<TableColumn> kept = valueColumns();
    NestedType number = new NestedType.Scalar(DataType.of(TypeKind.INT64, true));
    kept.add(TableColumn.of(HeldRows.NUMBER, number, true));
    kept.add(TableColumn.of(ACTION, number, true));
    return kept;
  }

  private boolean isNested(int place) {
    return !(columns.get(place).stored() instanceof NestedType.Scalar);
  }

  /** The name of the column that has what a clause makes of a list, struct or map. */
  private String own(MergeClause clause, int place) {
    return " %d %s".formatted(number(clause), columns.get(place).name());
  }

  /** The number of a clause, by which the pairs tell what becomes of them. */
  private int number(MergeClause clause) {
    return clauses.indexOf(clause) + 1;
  }

  /** The lists, structs and maps that a clause makes, by their places. */
  private Map<Integer, String> nested(MergeClause clause) {
    Map<Integer, String> nested = new TreeMap<>();
    for (int i = 0; i < columns.size(); i++) {
      @Nullable String value = isNested(i) ? written(i, clause) : null;
      if (value != null) {
        nested.put(i, value);
      }
    }
    return nested;
  }

  /** The value that a clause gives a column; null: what it had, or nothing. */
  private @Nullable String written(int place, MergeClause clause) {
    return switch (clause.action()) {
      case MergeAction.MergeUpdate update -> updated(place, update.assignments());
      case MergeAction.MergeInsert insert -> inserted(place, insert);
      case MergeAction.MergeDelete _, MergeAction.MergeNothing _ -> null;
    };
  }

  private ExecutionSignature<?> written(String pairs, MergeClause clause) {
    Map<Integer, String> nested = nested(clause);
    List<String> list = new ArrayList<>();
    for (int i = 0; i < columns.size(); i++) {
      String column = scope.quoted(columns.get(i).name());
      list.add(nested.containsKey(i) ? scope.quoted(own(clause, i)) + " AS " + column : column);
    }
    String rows =
        "SELECT %s FROM %s WHERE %s = %d"
            .formatted(String.join(", ", list), pairs, scope.quoted(ACTION), number(clause));
    return scope.rewritten(scope.checked(rows, table));
  }

  /** The query of the pairs, with casts of the lists, structs and maps that need some. */
  private ExecutionSignature<?> asked(String numbered) {
    ExecutionSignature<?> query = scope.rewritten(pairs(numbered, new BitSet()));
    // with parameters it may not be known before they have values
    BitSet cast = query.rowType == null ? new BitSet() : WriteScope.castable(query, valueColumns());
    return cast.isEmpty() ? query : scope.rewritten(pairs(numbered, cast));
  }

  /**
   * @param cast which of {@link #valueColumns} are cast
   */
  private String pairs(String numbered, BitSet cast) {
    String number = alias + "." + scope.quoted(HeldRows.NUMBER);
    List<String> list = new ArrayList<>();
    for (int i = 0; i < columns.size(); i++) {
      String column = scope.quoted(columns.get(i).name());
      list.add(
          isNested(i)
              ? alias + "." + column
              : "CASE WHEN %s IS NULL THEN %s ELSE %s END AS %s"
                  .formatted(number, value(i, false), value(i, true), column));
    }
    String action =
        "CASE WHEN %s IS NULL THEN %s ELSE %s END".formatted(number, action(false), action(true));
    for (MergeClause clause : clauses) {
      nested(clause)
          .forEach((place, value) -> {
            TableColumn column = columns.get(place);
            String made =
                cast.get(list.size())
                    ? CastQuery.nested(column, scope::quoted).formatted(value + "\n")
                    : value;
            list.add(
                "CASE WHEN %s = %d THEN %s\n ELSE NULL END AS %s"
                    .formatted(action, number(clause), made, scope.quoted(own(clause, place))));
          });
    }
    list.add(number + " AS " + scope.quoted(HeldRows.NUMBER));
    list.add("CAST(%s AS BIGINT) AS %s".formatted(action, scope.quoted(ACTION)));
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
        clause ->
            clause.action() instanceof MergeAction.MergeNothing
                ? "NULL"
                : String.valueOf(number(clause)));
  }

  private String value(int place, boolean matched) {
    TableColumn column = columns.get(place);
    // NULL, of the column's type, where no row of the table goes with one of the source
    String none = alias + "." + scope.quoted(column.name());
    return chosen(
        matched,
        none,
        clause -> {
          @Nullable String written = written(place, clause);
          return written == null ? none : CastQuery.format(column).formatted(written + "\n");
        });
  }

  /** What the first clause has whose condition holds. */
  private String chosen(boolean matched, String none, Function<MergeClause, String> of) {
    String cases =
        clauses.stream()
            .filter(clause -> clause.matched() == matched)
            .map(clause -> " WHEN %s THEN %s".formatted(condition(clause), of.apply(clause)))
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

  /** The value that an UPDATE gives a column; null: what it had. */
  private @Nullable String updated(int place, List<Assignment> assignments) {
    String written = null;
    for (Assignment assignment : assignments) {
      if (place(assignment.column()) == place) {
        if (written != null) {
          throw new AragoniteException(
              ErrorCode.INVALID_STATEMENT,
              "Column \"%s\" of \"%s\" is set twice."
                  .formatted(columns.get(place).name(), merge.target()));
        }
        written = orDefault(place, assignment.value());
      }
    }
    return written;
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

  /** A subquery of a condition would be asked for each column, too. */
  private static void requireFixed(String condition) {
    requireNoParameters(condition);
    for (String token : SqlTokens.list(condition)) {
      if (QUERIES.contains(token.toUpperCase(Locale.ROOT))) {
        throw notFixed(condition);
      }
    }
  }

  private static AragoniteException notFixed(String condition) {
    return new AragoniteException(
        ErrorCode.INVALID_STATEMENT,
        "The condition of a MERGE's clause cannot be random or have a subquery; make it a column of its source: %s."
            .formatted(condition));
  }

  private AragoniteException severalRows() {
    return new AragoniteException(
        ErrorCode.SCALAR_SUBQUERY_ROWS,
        "More than one row of the source would change one row of \"%s\"; group the rows of the source, or take one of each by DISTINCT ON."
            .formatted(data.name()));
  }
}
