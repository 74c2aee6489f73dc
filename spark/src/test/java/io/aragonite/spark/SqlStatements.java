package io.aragonite.spark;

import io.aragonite.spark.SqlExpressions.SqlKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Random statements of Spark's SQL over {@link ExtremeTables}. */
final class SqlStatements {
  private static final List<SqlKind> KEYS =
      List.of(
          SqlKind.INT, SqlKind.LONG, SqlKind.DOUBLE, SqlKind.FLOAT, SqlKind.DECIMAL, SqlKind.TEXT, SqlKind.DATE, SqlKind.MOMENT, SqlKind.TRUTH,
          SqlKind.BYTES, SqlKind.SMALL, SqlKind.TINY, SqlKind.LOCAL);

  private final Random random;
  private final SqlExpressions expressions;

  SqlStatements(Random random) {
    this.random = random;
    this.expressions = new SqlExpressions(random);
  }

  private <T> T one(List<T> of) {
    return of.get(random.nextInt(of.size()));
  }

  private String one(String... of) {
    return of[random.nextInt(of.length)];
  }

  String table() {
    return one(ExtremeTables.NAMES);
  }

  /** A value of a row, mostly of several columns. */
  String value() {
    return expressions.of(expressions.kind(), 1 + random.nextInt(3));
  }

  String condition() {
    return expressions.of(SqlKind.TRUTH, 1 + random.nextInt(3));
  }

  /**
   * Groups and aggregates.
   *
   * @param table sums of calm's floats and largest integers follow no order
   */
  String grouped(String table) {
    int keys = random.nextInt(4);
    List<String> by = new ArrayList<>();
    for (int i = 0; i < keys; i++) {
      by.add(expressions.of(one(KEYS), random.nextInt(2)));
    }
    List<String> wanted = new ArrayList<>();
    for (int i = 0; i < keys; i++) {
      wanted.add(by.get(i) + " k" + i);
    }
    for (int i = 0; i < 4; i++) {
      wanted.add(aggregate(table.equals("calm")) + " a" + i);
    }
    String where = random.nextInt(3) == 0 ? " where " + condition() : "";
    String from = "select %s from %s%s".formatted(String.join(", ", wanted), table, where);
    if (keys == 0) {
      return from;
    }
    String all = IntStream.rangeClosed(1, keys).mapToObj(String::valueOf).collect(Collectors.joining(", "));
    String sets = String.join(", ", by);
    return from
        + switch (random.nextInt(6)) {
          case 0 -> " group by rollup(%s)".formatted(sets);
          case 1 -> " group by cube(%s)".formatted(sets);
          case 2 -> " group by grouping sets ((%s), (), (%s))".formatted(sets, by.getFirst());
          case 3 -> " group by %s having count(*) > 1".formatted(all);
          default -> " group by " + all;
        };
  }

  private String aggregate(boolean calm) {
    SqlKind kind = expressions.kind();
    String value = calm || random.nextBoolean() ? expressions.column(kind) : expressions.of(kind, 1);
    String distinct = one("", "", "distinct ");
    if (isFloat(kind)) {
      value = "%s + 0.0F".formatted(value); // of 0.0 and -0.0 either may be the least
    }
    List<String> functions = new ArrayList<>(List.of("count(%s)", "max(%s)", "min(%s)"));
    switch (kind) {
      case LONG -> functions.addAll(calm ? List.of("sum(%s)", "avg(%s)", "bit_xor(%s)") : List.of("bit_and(%s)"));
      case INT, SMALL, TINY -> functions.addAll(List.of("sum(%s)", "avg(%s)", "bit_or(%s)", "stddev_samp(%s)"));
      case FLOAT, DOUBLE -> functions.addAll(calm ? List.of("sum(%s)", "avg(%s)", "var_pop(%s)") : List.of());
      case DECIMAL -> {
        value = calm || random.nextBoolean() ? one("p", "m") : "p * 2";
        functions.addAll(List.of("sum(%s)", "avg(%s)", "sum(%s)"));
      }
      default -> functions.add(one("count(%s, i)", "count_if(%s is null)"));
    }
    String call = one(functions);
    String filter = random.nextInt(4) == 0 ? " filter (where %s)".formatted(expressions.of(SqlKind.TRUTH, 1)) : "";
    boolean single = !call.contains(", i)") && !call.startsWith("count_if");
    return call.formatted(single ? distinct + value : value) + filter;
  }

  private static boolean isFloat(SqlKind kind) {
    return kind == SqlKind.FLOAT || kind == SqlKind.DOUBLE;
  }

  /** Joins by keys of any type, some of which are equal where both are null, with further conditions. */
  String joined() {
    SqlExpressions both = new SqlExpressions(random, "x.", "y.");
    List<String> on = new ArrayList<>();
    int keys = 1 + random.nextInt(2);
    for (int i = 0; i < keys; i++) {
      SqlKind kind = one(KEYS);
      String left = new SqlExpressions(random, "x.").of(kind, random.nextInt(2));
      String right = new SqlExpressions(random, "y.").of(kind, random.nextInt(2));
      on.add("%s %s %s".formatted(left, one("=", "=", "<=>"), right));
    }
    if (random.nextBoolean()) {
      on.add(both.of(SqlKind.TRUTH, 1 + random.nextInt(2)));
    }
    String type = one("", "left", "right", "full", "left semi", "left anti");
    String columns = type.startsWith("left ") ? "x.id" : "x.id, y.id, x.w, y.t";
    return "select %s from %s x %s join %s y on %s"
        .formatted(columns, table(), type, table(), String.join(" and ", on));
  }

  /** Subqueries that become joins. */
  String subquery() {
    SqlKind kind = one(KEYS);
    String inner = "%s y where %s".formatted(table(), new SqlExpressions(random, "y.").of(SqlKind.TRUTH, 1));
    String column = one(kind.columns);
    String other = one(kind.columns);
    return "select id from %s x where "
        .formatted(table())
        .concat(
            switch (random.nextInt(4)) {
              case 0 -> "x.%s in (select y.%s from %s)".formatted(column, other, inner);
              case 1 -> "x.%s not in (select y.%s from %s)".formatted(column, other, inner);
              case 2 -> "exists (select 1 from %s and y.%s = x.%s) or x.b".formatted(inner, other, column);
              default -> "x.%s %s (select max(y.%s) from %s)".formatted(column, one("=", "<", ">="), other, inner);
            });
  }

  /** Functions over windows, whose frames are known whatever the order of equal rows is. */
  String windowed(String table) {
    SqlKind order = one(KEYS);
    String partition = random.nextInt(4) == 0 ? "" : "partition by " + expressions.of(one(KEYS), random.nextInt(2));
    String direction = one("", " desc", " nulls last", " desc nulls first");
    String peers = "%s order by %s%s".formatted(partition, expressions.of(order, random.nextInt(2)), direction);
    String total = peers + ", id";
    List<String> calls = new ArrayList<>(List.of("id"));
    for (int i = 0; i < 4; i++) {
      calls.add(window(peers, total, table.equals("calm")) + " w" + i);
    }
    return "select %s from %s".formatted(String.join(", ", calls), table);
  }

  private String window(String peers, String total, boolean calm) {
    SqlKind kind = expressions.kind();
    String value = expressions.column(kind);
    String least = isFloat(kind) ? value + " + 0.0F" : value;
    String number = one(calm ? List.of("i", "p", "m", "l", "h") : List.of("i", "p", "m", "h"));
    String rows = "rows between %s and %s".formatted(
        one("unbounded preceding", "2 preceding", "current row"), one("current row", "1 following", "unbounded following"));
    return switch (random.nextInt(9)) {
      case 0 -> "row_number() over (%s)".formatted(total);
      case 1 -> "%s() over (%s)".formatted(one("rank", "dense_rank", "percent_rank", "cume_dist"), peers);
      case 2 -> "%s(%s, %d) over (%s)".formatted(one("lag", "lead"), value, random.nextInt(4) - 1, total);
      case 3 -> "%s(%s, 1, %s) over (%s)".formatted(one("lag", "lead"), value, expressions.of(kind, 0), total);
      case 4 -> "%s(%s) over (%s)".formatted(one("count", "min", "max"), least, peers);
      case 5 -> "%s(%s) over (%s %s)".formatted(one("count", "min", "max"), least, total, rows);
      case 6 -> "%s(%s) over (%s %s)".formatted(one("sum", "avg"), number, total, rows);
      case 7 -> "%s(%s) over (%s)".formatted(one("sum", "avg", "count"), number, peers);
      default -> "sum(%s) over (order by %s range between %d preceding and current row)".formatted(number, one("i", "day", "h"), random.nextInt(3));
    };
  }

  /** Rows in an order that has no ties. */
  String ordered() {
    List<String> by = new ArrayList<>();
    for (int i = 0; i <= random.nextInt(3); i++) {
      by.add(expressions.of(one(KEYS), random.nextInt(2)) + one("", " desc", " nulls last", " desc nulls first"));
    }
    by.add("id");
    String limit = one("", " limit 7", " limit 5 offset 3");
    return "select id, %s c from %s where %s order by %s%s"
        .formatted(expressions.of(expressions.kind(), 1), table(), expressions.of(SqlKind.TRUTH, 1), String.join(", ", by), limit);
  }

  String setOperation() {
    SqlKind first = one(KEYS);
    SqlKind second = one(KEYS);
    String side = "select %s x, %s y from %s";
    return "%s %s %s".formatted(
        side.formatted(expressions.of(first, 1), expressions.of(second, 1), table()),
        one("union all", "union", "intersect", "except", "intersect all", "except all"),
        side.formatted(expressions.of(first, 1), expressions.of(second, 1), table()));
  }
}
