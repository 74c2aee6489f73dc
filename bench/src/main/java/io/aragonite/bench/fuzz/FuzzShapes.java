package io.aragonite.bench.fuzz;

import static io.aragonite.bench.fuzz.SqlTree.fixed;
import static io.aragonite.bench.fuzz.SqlTree.optional;
import static io.aragonite.bench.fuzz.SqlTree.query;
import static io.aragonite.bench.fuzz.SqlTree.value;

import io.aragonite.bench.fuzz.FuzzScope.ScopeColumn;
import io.aragonite.bench.fuzz.FuzzTable.FuzzColumn;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Makes queries whose form is fixed: recursive ones, the first row of each group, columns that are made of values, changed tables. */
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

  private static FuzzScope scope(FuzzTable table, String alias) {
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

  /** Kinds that {@link #pivot} may group by. */
  FuzzType pivotKey() {
    return choice.any(KEYS);
  }

  /** Statements that make a table and change it, with a line between two of them; {@code last} is asked behind them. */
  SqlTree changes(FuzzTable table, String name, SqlTree last) {
    FuzzScope own = scope(table, name);
    List<Object> parts = new ArrayList<>();
    parts.add("create table " + name + " as select * from " + table.name() + FuzzStatement.NEXT);
    for (int i = 1 + random.nextInt(4); i > 0; i--) {
      parts.add(optional(change(table, name, own, i), FuzzStatement.NEXT));
    }
    parts.add("select * from " + name + FuzzStatement.NEXT);
    parts.add(last);
    return fixed(parts.toArray());
  }

  /** Statements that make a table with a key, a default and a check, and change it; the rows that stay follow from their keys. */
  SqlTree constrained(String name) {
    List<Object> parts = new ArrayList<>();
    parts.add("create table " + name + " (k integer primary key, v varchar default 'none', w integer check (w > -90 or w is null), b boolean default true not null)" + FuzzStatement.NEXT);
    int statements = 2 + random.nextInt(5);
    for (int i = 0; i < statements; i++) {
      parts.add(optional(constrainedChange(name, i), FuzzStatement.NEXT));
    }
    parts.add("select * from " + name);
    return fixed(parts.toArray());
  }

  private SqlTree constrainedChange(String name, int number) {
    FuzzTable from = choice.any(tables);
    String alias = "i" + number;
    FuzzScope scope = scope(from, alias);
    FuzzScope own =
        new FuzzScope(
            List.of(new ScopeColumn(name + ".k", FuzzType.INTEGER), new ScopeColumn(name + ".v", FuzzType.VARCHAR), new ScopeColumn(name + ".w", FuzzType.INTEGER)), null);
    SqlTree key = expressions.of(FuzzType.INTEGER, scope, 1);
    return switch (random.nextInt(7)) {
      case 0, 1 ->
          fixed("insert into " + name + " (k, w) select q.x, q.x * 2 - 9 from (select ", key, " % 50 as x from " + from.name() + " " + alias + ") as q where q.x is not null on conflict do nothing");
      case 2 -> fixed("insert or ignore into " + name + " (k, v, b) select q.x, cast(q.x as varchar), q.x > 3 from (select ", key, " % 80 as x from " + from.name() + " " + alias + ") as q where q.x is not null");
      case 3 -> fixed("insert into " + name + " (k) values (" + random.nextInt(60) + "), (" + (100 + number) + ")");
      case 4 -> fixed("update " + name + " set w = w - " + random.nextInt(30) + " where ", expressions.predicate(own, 1));
      case 5 -> fixed("delete from " + name + " where ", expressions.predicate(own, 1));
      default -> fixed("alter table " + name + " add column n" + number + " integer default " + number);
    };
  }

  private SqlTree change(FuzzTable table, String name, FuzzScope own, int number) {
    SqlTree where = choice.chance(85) ? optional(" where ", expressions.predicate(own, 2)) : SqlTree.empty();
    List<FuzzColumn> columns = table.columns();
    switch (random.nextInt(6)) {
      case 4, 5 -> {
        return beside(columns, name, own, number);
      }
      case 0 -> {
        return fixed("delete from " + name, where);
      }
      case 1 -> {
        FuzzTable from = choice.any(tables);
        String alias = "i" + number;
        FuzzScope scope = scope(from, alias);
        List<Object> items = new ArrayList<>();
        for (FuzzColumn column : columns) {
          items.add(items.isEmpty() ? "" : ", ");
          items.add(assigned(column, scope));
        }
        return fixed("insert into " + name + " select ", fixed(items.toArray()), " from " + from.name() + " " + alias, optional(" where ", expressions.predicate(scope, 1)));
      }
      default -> {
        FuzzColumn column = choice.any(columns);
        FuzzColumn other = choice.any(columns);
        SqlTree more = column.equals(other) ? SqlTree.empty() : optional(", " + other.name() + " = ", assigned(other, own));
        return fixed("update " + name + " set " + column.name() + " = ", assigned(column, own), more, where);
      }
    }
  }

  /** A change by rows of another table, of which one at most goes with a row. */
  private SqlTree beside(List<FuzzColumn> columns, String name, FuzzScope own, int number) {
    FuzzTable other = choice.any(tables);
    String alias = "i" + number;
    FuzzScope both = own.and(scope(other, alias).columns());
    SqlTree where = fixed(" where " + name + ".id = " + alias + ".id", choice.chance(50) ? optional(" and ", expressions.predicate(both, 1)) : SqlTree.empty());
    if (choice.chance(30)) {
      return fixed("delete from " + name + " using " + other.name() + " " + alias, where);
    }
    FuzzColumn column = choice.any(columns);
    FuzzColumn second = choice.any(columns);
    SqlTree set =
        column.equals(second) || choice.chance(60)
            ? fixed(column.name() + " = ", assigned(column, both))
            : fixed("(" + column.name() + ", " + second.name() + ") = (", assigned(column, both), ", ", assigned(second, both), ")");
    return fixed("update " + name + " set ", set, " from " + other.name() + " " + alias, where);
  }

  private SqlTree assigned(FuzzColumn column, FuzzScope scope) {
    FuzzType type = column.type();
    if (type == FuzzType.DECIMAL) {
      // Casts cut what DuckDB's round.
      int scale = Integer.parseInt(column.sqlType().replaceAll(".*, |\\)", ""));
      return fixed("cast(round(", expressions.of(type, scope, 1), ", " + scale + ") as " + column.sqlType() + ")");
    }
    return type == FuzzType.VARCHAR ? expressions.of(type, scope, 1) : fixed("cast(", expressions.of(type, scope, 1), " as " + column.sqlType() + ")");
  }
}
