package io.aragonite.bench.fuzz;

import static io.aragonite.bench.fuzz.SqlTree.fixed;
import static io.aragonite.bench.fuzz.SqlTree.optional;
import static io.aragonite.bench.fuzz.SqlTree.query;
import static io.aragonite.bench.fuzz.SqlTree.value;

import io.aragonite.bench.fuzz.FuzzScope.ScopeColumn;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Makes queries whose form is fixed: recursive ones, the first row of each group, columns that are made of values. */
final class FuzzShapes {
  private static final int MOST_STEPS = 4;
  private static final List<FuzzType> KEYS = List.of(FuzzType.INTEGER, FuzzType.VARCHAR, FuzzType.DATE, FuzzType.BOOLEAN);

  private final Random random;
  private final FuzzChoice choice;
  private final List<FuzzTable> tables;
  private final FuzzExpressions expressions;

  FuzzShapes(Random random, List<FuzzTable> tables, FuzzExpressions expressions) {
    this.random = random;
    this.choice = new FuzzChoice(random);
    this.tables = tables;
    this.expressions = expressions;
  }

  /** Kinds whose values a recursive query has beside the number of the step. */
  FuzzType recursiveType() {
    return choice.any(List.of(FuzzType.INTEGER, FuzzType.VARCHAR, FuzzType.DATE));
  }

  private static String recursiveSql(FuzzType type) {
    return type == FuzzType.INTEGER ? "bigint" : type.columnTypes().get(0);
  }

  /**
   * What WITH RECURSIVE has in parentheses: a number, which ends it, and a value.
   *
   * @param name of the query
   * @param alias prefix of aliases in it, which nothing else has
   */
  SqlTree recursive(String name, String alias, FuzzType type) {
    FuzzTable first = small(150);
    FuzzTable second = small(30);
    FuzzScope start = scope(first, alias + "a");
    List<ScopeColumn> step = new ArrayList<>(List.of(new ScopeColumn(alias + "b.x1", type), new ScopeColumn(alias + "b.x0", FuzzType.INTEGER)));
    SqlTree join = SqlTree.empty();
    if (choice.chance(40)) {
      FuzzScope right = scope(second, alias + "c");
      join =
          fixed(" join ", second.name(), " " + alias + "c on (" + alias + "b.x1 = ", expressions.of(type, new FuzzScope(right.columns(), null), 0), ")");
      step.addAll(right.columns());
    }
    FuzzScope stepScope = new FuzzScope(step, null);
    String sql = recursiveSql(type);
    return fixed(
        "select cast(0 as integer), cast(", expressions.of(type, start, 1), " as " + sql + ") from " + first.name() + " " + alias + "a",
        choice.chance(50) ? optional(" where ", expressions.predicate(start, 1)) : SqlTree.empty(),
        choice.chance(70) ? " union all " : " union ",
        "select " + alias + "b.x0 + 1, cast(", shortened(type, expressions.of(type, stepScope, 1)), " as " + sql + ") from " + name + " " + alias + "b", join,
        " where " + alias + "b.x0 < " + (1 + random.nextInt(MOST_STEPS)),
        choice.chance(40) ? optional(" and ", expressions.predicate(stepScope, 1)) : SqlTree.empty());
  }

  /** Texts and numbers that do not grow from step to step. */
  private static SqlTree shortened(FuzzType type, SqlTree value) {
    return switch (type) {
      case INTEGER -> value(type, "(", value, " % 1000)");
      case VARCHAR -> value(type, "left(", value, ", 5)");
      default -> value;
    };
  }

  private FuzzTable small(int rows) {
    return choice.any(tables.stream().filter(table -> table.rows().size() <= rows).toList());
  }

  static FuzzScope scope(FuzzTable table, String alias) {
    return new FuzzScope(FuzzQueries.columns(table, alias), null);
  }

  /** The first row of each value of a column; rows have numbers, so that it is certain which is first. */
  SqlTree distinctOn(List<FuzzType> types, String alias) {
    FuzzTable table = choice.any(tables);
    FuzzScope scope = scope(table, alias);
    String key = choice.any(scope.columns()).sql();
    List<Object> items = new ArrayList<>();
    for (FuzzType type : types) {
      items.add(items.isEmpty() ? "" : ", ");
      items.add(expressions.of(type, scope, 1));
    }
    return query(
        types.size(), "select distinct on (" + key + ") ", fixed(items.toArray()), " from " + table.name() + " " + alias,
        choice.chance(50) ? optional(" where ", expressions.predicate(scope, 2)) : SqlTree.empty(),
        " order by " + key + choice.any(List.of("", " desc", " nulls first")) + ", " + alias + ".id" + (choice.chance(50) ? " desc" : ""));
  }

  /** A query whose columns are a key and an aggregate for each of two values. */
  SqlTree pivot(FuzzType key, FuzzType aggregated, String alias, String outer) {
    FuzzTable table = choice.any(tables);
    FuzzScope scope = scope(table, alias);
    FuzzType on = choice.any(List.of(FuzzType.INTEGER, FuzzType.VARCHAR));
    String values = on == FuzzType.INTEGER ? choice.any(List.of("0, 1", "-1, 2")) : choice.any(List.of("'a', 'ab'", "'b', 'text1'"));
    String call = aggregated == FuzzType.INTEGER ? choice.any(List.of("sum", "min", "max", "count")) : choice.any(List.of("min", "max"));
    SqlTree inner =
        fixed(
            "select ", expressions.of(key, scope, 0), " as x0, ", expressions.of(on, scope, 0), " as x1, ", expressions.of(aggregated, scope, 1),
            " as x2 from " + table.name() + " " + alias, choice.chance(40) ? optional(" where ", expressions.predicate(scope, 2)) : SqlTree.empty());
    return query(
        3, "select " + outer + ".x0, " + outer + ".x1, " + outer + ".x2 from (pivot (", inner, ") on x1 in (" + values + ") using " + call + "(x2) group by x0) as "
            + outer + " (x0, x1, x2)");
  }

  /** A query whose rows are a key, the name of one of two columns, and its value. */
  SqlTree unpivot(FuzzType key, FuzzType type, String alias, String outer) {
    FuzzTable table = choice.any(tables);
    FuzzScope scope = scope(table, alias);
    String common = type == FuzzType.INTEGER ? "bigint" : type == FuzzType.DECIMAL ? "decimal(30, 6)" : type.parameterType();
    SqlTree inner =
        fixed(
            "select ", expressions.of(key, scope, 0), " as x0, cast(", expressions.of(type, scope, 1), " as " + common + ") as a1, cast(",
            expressions.of(type, scope, 0), " as " + common + ") as a2 from " + table.name() + " " + alias,
            choice.chance(40) ? optional(" where ", expressions.predicate(scope, 2)) : SqlTree.empty());
    return query(
        3, "select " + outer + ".x0, " + outer + ".x1, " + outer + ".x2 from (unpivot (", inner, ") on a1, a2 into name x1 value x2) as " + outer + " (x0, x1, x2)");
  }

  /** Kinds that {@link #pivot} may group by. */
  FuzzType pivotKey() {
    return choice.any(KEYS);
  }
}
