package io.aragonite.sqltests.corpus;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Truth tables of predicates over subqueries: all comparisons with ANY, ALL, IN, EXISTS and scalar
 * subqueries, over sets with and without nulls and over none, correlated to no, one or two levels,
 * in each place where an expression may stand. What is right is computed here, by SQL's three
 * values. A build takes every eleventh statement; {@code -Daragonite.subqueries.all=true} takes
 * all, {@code -Daragonite.seed} others.
 */
class SubqueryTruthTest {
  private static final int STEP = 17;
  private static final List<String> COMPARISONS = List.of("=", "<>", "<", "<=", ">", ">=");

  /** Outer rows: id, c (to compare), d (correlated). */
  private static final Integer[][] OUTER = {
    {1, 1, 1}, {2, 2, 1}, {3, 3, 1}, {4, null, 1}, {5, 1, 2}, {6, null, 2}, {7, 2, 3}, {8, 2, null}
  };

  /** Inner rows: set, e (compared), dd (correlated). Set 3 has no rows. */
  private static final Integer[][] INNER = {
    {0, 1, 1},
    {0, 2, 1},
    {0, 2, 2},
    {0, 3, 4},
    {1, 1, 1},
    {1, null, 1},
    {1, 2, 2},
    {1, 3, null},
    {2, null, 1},
    {2, null, 2},
    {4, 2, 1},
    {4, 2, 1},
    {4, 2, 2},
    {4, 2, 3}
  };

  /** Values of the table between, of subqueries of two levels. */
  private static final List<Integer> MIDDLE = List.of(1, 3);

  @TempDir private Path directory = Path.of("");

  /** A predicate and its value for each outer row. */
  private record Predicate(String sql, List<@Nullable Boolean> values) {}

  /** A statement around a predicate, and the rows that it has. */
  private record Place(String sql, Function<List<@Nullable Boolean>, List<String>> rows) {}

  @Test
  void allPlacesHaveTheTruthOfThePredicate() throws Exception {
    create();
    boolean all = Boolean.getBoolean("aragonite.subqueries.all");
    long seed =
        Long.parseLong(
            System.getProperty("aragonite.seed", "").isEmpty()
                ? "1"
                : System.getProperty("aragonite.seed"));
    System.out.println("SubqueryTruthTest: repeat with -Daragonite.seed=" + seed);
    Random random = new Random(seed);
    List<String> errors = new ArrayList<>();
    int done = 0;
    try (Connection connection =
            DriverManager.getConnection(
                "jdbc:aragonite:directory=" + directory + ";memory=500MB;threads=1");
        Statement statement = connection.createStatement()) {
      for (Predicate predicate : predicates()) {
        for (Place place : places()) {
          if (!all && random.nextInt(STEP) > 0) {
            continue;
          }
          String sql = place.sql.replace("P", "(" + predicate.sql + ")");
          String error = error(statement, sql, place.rows.apply(predicate.values));
          done++;
          if (error != null) {
            errors.add(sql + "\n" + error);
          }
        }
      }
    }
    System.out.println("SubqueryTruthTest: " + done + " statements");
    assertTrue(done > 0);
    if (!errors.isEmpty()) {
      fail(
          "%d of %d%n%s"
              .formatted(
                  errors.size(),
                  done,
                  errors.stream().limit(10).collect(Collectors.joining("\n"))));
    }
  }

  private static @Nullable String error(Statement statement, String sql, List<String> expected) {
    try {
      CorpusRows rows = CorpusRows.read(statement.executeQuery(sql));
      return rows.difference(CorpusRows.parse(expected), sql.contains("order by case"));
    } catch (SQLException e) {
      return e.getMessage();
    }
  }

  private void create() throws SQLException {
    try (DuckDbOracle duckDb = new DuckDbOracle()) {
      duckDb.execute("create table outside (id integer, c integer, d integer)");
      duckDb.execute("create table inside (ck integer, e integer, dd integer)");
      duckDb.execute("create table middle (cs integer)");
      duckDb.execute("create table ones (i integer)");
      duckDb.execute("insert into ones values (1)");
      for (Integer[] row : OUTER) {
        duckDb.execute("insert into outside values (%d, %d, %d)".formatted((Object[]) row));
      }
      for (Integer[] row : INNER) {
        duckDb.execute("insert into inside values (%d, %d, %d)".formatted((Object[]) row));
      }
      for (Integer value : MIDDLE) {
        duckDb.execute("insert into middle values (%d)".formatted(value));
      }
      duckDb.export(directory);
    }
  }

  private static List<Predicate> predicates() {
    List<Predicate> predicates = new ArrayList<>();
    for (int set = 0; set < 5; set++) {
      for (int level = 0; level < 3; level++) {
        predicates.addAll(predicates(set, level));
      }
    }
    return predicates;
  }

  private static List<Predicate> predicates(int set, int level) {
    String where =
        " from inside n where n.ck = "
            + set
            + switch (level) {
              case 0 -> "";
              case 1 -> " and n.dd = o.d";
              default -> " and exists (select 1 from middle m where m.cs = n.dd and m.cs = o.d)";
            };
    List<Predicate> found = new ArrayList<>();
    for (String comparison : COMPARISONS) {
      found.add(
          predicate(
              "o.c %s any (select n.e%s)".formatted(comparison, where),
              set,
              level,
              (c, values) -> any(comparison, c, values)));
      found.add(
          predicate(
              "o.c %s all (select n.e%s)".formatted(comparison, where),
              set,
              level,
              (c, values) -> all(comparison, c, values)));
      found.add(
          predicate(
              "o.c %s (select max(n.e)%s)".formatted(comparison, where),
              set,
              level,
              (c, values) -> compare(comparison, c, max(values))));
      found.add(
          predicate(
              "o.id %s (select count(*)%s)".formatted(comparison, where),
              set,
              level,
              null,
              (id, values) -> compare(comparison, id, values.size())));
    }
    found.add(
        predicate("o.c in (select n.e%s)".formatted(where), set, level, (c, v) -> any("=", c, v)));
    found.add(
        predicate(
            "o.c not in (select n.e%s)".formatted(where), set, level, (c, v) -> all("<>", c, v)));
    found.add(
        predicate("exists (select n.e%s)".formatted(where), set, level, (c, v) -> !v.isEmpty()));
    found.add(
        predicate("not exists (select n.e%s)".formatted(where), set, level, (c, v) -> v.isEmpty()));
    return found;
  }

  /** The truth of a predicate, from a value of the outer row and the values of the subquery. */
  @FunctionalInterface
  private interface Truth {
    @Nullable Boolean of(@Nullable Integer value, List<@Nullable Integer> values);
  }

  private static Predicate predicate(String sql, int set, int level, Truth ofColumn) {
    return predicate(sql, set, level, ofColumn, null);
  }

  private static Predicate predicate(
      String sql, int set, int level, @Nullable Truth ofColumn, @Nullable Truth ofId) {
    List<@Nullable Boolean> values = new ArrayList<>();
    for (Integer[] row : OUTER) {
      List<@Nullable Integer> found = new ArrayList<>();
      for (Integer[] inner : INNER) {
        boolean same = row[2] != null && row[2].equals(inner[2]);
        if (inner[0] == set && (level == 0 || same && (level == 1 || MIDDLE.contains(row[2])))) {
          found.add(inner[1]);
        }
      }
      values.add(ofColumn != null ? ofColumn.of(row[1], found) : ofId.of(row[0], found));
    }
    return new Predicate(sql, values);
  }

  private static @Nullable Boolean compare(
      String comparison, @Nullable Integer left, @Nullable Integer right) {
    if (left == null || right == null) {
      return null;
    }
    int order = left.compareTo(right);
    return switch (comparison) {
      case "=" -> order == 0;
      case "<>" -> order != 0;
      case "<" -> order < 0;
      case "<=" -> order <= 0;
      case ">" -> order > 0;
      default -> order >= 0;
    };
  }

  private static @Nullable Boolean any(
      String comparison, @Nullable Integer value, List<@Nullable Integer> values) {
    boolean unknown = false;
    for (Integer other : values) {
      Boolean one = compare(comparison, value, other);
      if (one != null && one) {
        return true;
      }
      unknown |= one == null;
    }
    return unknown ? null : false;
  }

  private static @Nullable Boolean all(
      String comparison, @Nullable Integer value, List<@Nullable Integer> values) {
    boolean unknown = false;
    for (Integer other : values) {
      Boolean one = compare(comparison, value, other);
      if (one != null && !one) {
        return false;
      }
      unknown |= one == null;
    }
    return unknown ? null : true;
  }

  private static @Nullable Integer max(List<@Nullable Integer> values) {
    Integer max = null;
    for (Integer value : values) {
      max = value == null ? max : max == null ? value : Integer.valueOf(Math.max(max, value));
    }
    return max;
  }

  private static boolean isTrue(@Nullable Boolean value) {
    return value != null && value;
  }

  private static String text(@Nullable Object value) {
    return value == null ? "NULL" : value.toString();
  }

  private static List<Place> places() {
    List<Place> places = new ArrayList<>();
    places.add(rows("select o.id from outside o where P", SubqueryTruthTest::isTrue));
    places.add(rows("select o.id from outside o where not P", value -> value != null && !value));
    places.add(rows("select o.id from outside o where P is null", value -> value == null));
    places.add(rows("select o.id from outside o where P is not true", value -> !isTrue(value)));
    places.add(column("select o.id, P from outside o", SubqueryTruthTest::text));
    places.add(
        column(
            "select o.id, case when P then 'yes' when not P then 'no' else 'unknown' end from"
                + " outside o",
            value -> value == null ? "unknown" : value ? "yes" : "no"));
    places.add(
        column("select o.id, x.i from outside o left join ones x on P", SubqueryTruthTest::one));
    places.add(
        column("select o.id, x.i from ones x right join outside o on P", SubqueryTruthTest::one));
    places.add(
        rows("select o.id from outside o join ones x on P and x.i = 1", SubqueryTruthTest::isTrue));
    places.add(column("select o.id, (select P from ones) from outside o", SubqueryTruthTest::text));
    places.add(
        rows(
            "select o.id from outside o group by o.id, o.c, o.d having P",
            SubqueryTruthTest::isTrue));
    places.addAll(conditionsAndGroups());
    places.addAll(rowByRow());
    return places;
  }

  private static String one(@Nullable Boolean value) {
    return isTrue(value) ? "1" : "NULL";
  }

  /** Beside other conditions, in groups and arguments of aggregates. */
  private static List<Place> conditionsAndGroups() {
    Place disjunction =
        new Place(
            "select o.id from outside o where P or o.id = 1",
            values -> ids(values, (id, value) -> isTrue(value) || id == 1));
    Place conjunction =
        new Place(
            "select o.id from outside o where P and o.id > 1 and P",
            values -> ids(values, (id, value) -> isTrue(value) && id > 1));
    Place grouped =
        new Place(
            "select P, count(*) from outside o group by P",
            values -> {
              Map<String, Integer> counts = new TreeMap<>();
              values.forEach(value -> counts.merge(text(value), 1, Integer::sum));
              return counts.entrySet().stream()
                  .map(entry -> entry.getKey() + "|" + entry.getValue())
                  .toList();
            });
    Place argument =
        new Place(
            "select count(case when P then 1 end), count(P) from outside o",
            values ->
                List.of(
                    values.stream().filter(SubqueryTruthTest::isTrue).count()
                        + "|"
                        + values.stream().filter(value -> value != null).count()));
    return List.of(disjunction, conjunction, grouped, argument);
  }

  /** In windows, full joins and orders. */
  private static List<Place> rowByRow() {
    Place window =
        new Place(
            "select o.id, sum(case when P then 1 else 0 end) over (order by o.id) from outside o",
            values -> {
              List<String> rows = new ArrayList<>();
              int sum = 0;
              for (int i = 0; i < values.size(); i++) {
                sum += isTrue(values.get(i)) ? 1 : 0;
                rows.add((i + 1) + "|" + sum);
              }
              return rows;
            });
    Place full =
        new Place(
            "select o.id, x.i from outside o full join ones x on P",
            values -> {
              List<String> rows = new ArrayList<>();
              for (int i = 0; i < values.size(); i++) {
                rows.add((i + 1) + "|" + one(values.get(i)));
              }
              if (values.stream().noneMatch(SubqueryTruthTest::isTrue)) {
                rows.add("NULL|1");
              }
              return rows;
            });
    Place order =
        new Place(
            "select o.id from outside o order by case when P then 0 else 1 end, o.id",
            values -> {
              List<String> rows = new ArrayList<>(ids(values, (id, value) -> isTrue(value)));
              rows.addAll(ids(values, (id, value) -> !isTrue(value)));
              return rows;
            });
    return List.of(window, full, order);
  }

  /** Which outer rows a place keeps. */
  @FunctionalInterface
  private interface Kept {
    boolean test(int id, @Nullable Boolean value);
  }

  private static List<String> ids(List<@Nullable Boolean> values, Kept kept) {
    List<String> rows = new ArrayList<>();
    for (int i = 0; i < values.size(); i++) {
      if (kept.test(i + 1, values.get(i))) {
        rows.add(String.valueOf(i + 1));
      }
    }
    return rows;
  }

  private static Place rows(String sql, Function<@Nullable Boolean, Boolean> kept) {
    return new Place(sql, values -> ids(values, (id, value) -> kept.apply(value)));
  }

  private static Place column(String sql, Function<@Nullable Boolean, String> shown) {
    return new Place(
        sql,
        values -> {
          List<String> rows = new ArrayList<>();
          for (int i = 0; i < values.size(); i++) {
            rows.add((i + 1) + "|" + shown.apply(values.get(i)));
          }
          return rows;
        });
  }
}
