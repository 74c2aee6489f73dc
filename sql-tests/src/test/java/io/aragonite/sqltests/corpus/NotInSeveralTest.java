package io.aragonite.sqltests.corpus;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.aragonite.exec.testing.TestSample;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * IN and NOT IN of several columns with many nulls, correlated and not, as a condition and as a
 * value, against SQL's three values over all pairs of rows; on one device and on several. {@code
 * -Daragonite.seed} takes other rows.
 */
class NotInSeveralTest {
  private static final TestSample SAMPLE = new TestSample(NotInSeveralTest.class);

  private static final int ROUNDS = 2;
  private static final int COLUMNS = 4;
  private static final int TIES = 5;
  private static final String DEVICE = "aragonite.test.device";
  private static final String DEVICES = "aragonite.test.devices";
  private static final String EVERYWHERE = "aragonite.exchange.replicate";

  @AfterEach
  void clear() {
    List.of(DEVICE, DEVICES, EVERYWHERE).forEach(System::clearProperty);
  }

  @Test
  void agreesWithAllPairs() throws SQLException {
    check("threads=2;memory=700MB", 1);
  }

  @Test
  void agreesOnSeveralDevices() throws SQLException {
    SAMPLE.assume(0.5);
    assumeTrue(System.getProperty(DEVICE, "").isEmpty());
    System.setProperty(DEVICE, "discrete");
    System.setProperty(DEVICES, "3");
    System.setProperty(EVERYWHERE, "0");
    check("threads=1;memory=703MB", 2);
  }

  /**
   * Rows of many masks, of which most are few; in the end all build rows differ from all others.
   */
  @Test
  void agreesWithHundredsOfMasks() throws SQLException {
    SAMPLE.assume(0.5);
    Random random = new Random(seed() * 31 + 3);
    int columns = 10;
    try (Connection connection =
            DriverManager.getConnection("jdbc:aragonite:fallback=off;threads=2;memory=705MB");
        Statement statement = connection.createStatement()) {
      for (int distinct : new int[] {2, 40, 100_000}) {
        Integer[][] outer = masked(random, columns, distinct, 1500);
        Integer[][] inner = masked(random, columns, distinct, 900);
        fillNumbers(statement, "o", outer);
        fillNumbers(statement, "i", inner);
        for (String tie : List.of("", " where i.x < o.x", " where i.x <> o.x and i.x > o.x - 7")) {
          String names = names("", columns);
          String sql =
              "select x, null from o where (%s) not in (select %s from i%s)"
                  .formatted(names("o.", columns), names, tie);
          List<String> kept = new ArrayList<>();
          for (Integer[] o : outer) {
            boolean found = false;
            for (Integer[] i : inner) {
              int x = o[columns] - i[columns];
              boolean tied = tie.isEmpty() || (tie.contains("7") ? x != 0 && x < 7 : x > 0);
              found |= tied && mayBeEqual(o, i, columns);
            }
            if (!found) {
              kept.add(o[columns] + " null");
            }
          }
          assertEquals(sorted(kept), rows(statement, sql), sql);
        }
      }
    }
  }

  /** Of a range in order, both ends have an excluded value, and a row between them has none. */
  @Test
  void differsFromSeveralValues() throws SQLException {
    try (Connection connection =
            DriverManager.getConnection("jdbc:aragonite:fallback=off;threads=2;memory=706MB");
        Statement statement = connection.createStatement()) {
      statement.execute("create table a (id integer, k integer, m integer, f integer, g integer)");
      statement.execute("create table b (k integer, m integer, f integer)");
      statement.execute("insert into a select x, 1, 1, 5, 9 from generate_series(1, 2000) t(x)");
      statement.execute("insert into b select x, x, 1 from generate_series(10, 2000) t(x)");
      statement.execute("insert into b values (1, 1, 5), (1, 1, 9)");
      List<String> conditions =
          List.of("b.f <> a.f and b.f <> a.g", "b.f not in (a.g, a.f)", "a.f <> b.f and a.g > b.f");
      for (String where : conditions) {
        String sql =
            "select cast(count(*) as integer), null from a where (k, m) not in"
                + " (select b.k, b.m from b where "
                + where
                + ")";
        assertEquals(List.of("2000 null"), rows(statement, sql), sql);
      }
      statement.execute("insert into b values (1, 1, 7)");
      for (String where : conditions) {
        String sql = "select id, null from a where (k, m) not in (select k, m from b where ";
        assertEquals(List.of(), rows(statement, sql + where + ")"), where);
      }
    }
  }

  /** A correlation that becomes an equality when it is simplified does not hold for nulls. */
  @Test
  void simplifiedConditionsDoNotHoldForNulls() throws SQLException {
    try (Connection connection =
            DriverManager.getConnection("jdbc:aragonite:fallback=off;threads=2;memory=707MB");
        Statement statement = connection.createStatement()) {
      String columns = " (id integer, k integer, m integer, f integer, t varchar, p boolean)";
      statement.execute("create table a" + columns);
      statement.execute("create table b" + columns);
      statement.execute(
          "insert into a values (1, 1, 1, null, null, null), (2, 1, 1, 3, 'y', false),"
              + " (3, null, 1, 2, 'x', true), (4, 4, 1, 2, 'x', true), (5, null, 1, 7, 'x', true)");
      statement.execute("insert into b values (1, 1, 1, 2, 'x', true)");
      for (String where :
          List.of(
              "not (b.f <> a.f)",
              "(b.f = a.f) = true",
              "(b.f = a.f) is true",
              "b.f in (a.f, a.f)",
              "b.f between a.f and a.f",
              "b.f = a.f or (b.f = a.f and b.k = 1)",
              "(b.f = a.f and b.k = 1) or (b.f = a.f and b.k = 2)",
              "not (b.f + 1 <> a.f + 1)",
              "not (a.t <> b.t) and a.f <> 7",
              "not (a.p <> b.p) and a.f <> 7",
              "case when b.f = a.f then true else false end")) {
        String sql =
            "select id, null from a where (k, m) not in (select k, m from b where " + where;
        List<String> kept = List.of("1 null", "2 null", "4 null", "5 null");
        assertEquals(kept, rows(statement, sql + ")"), sql);
      }
      // A key that may be null does not make a condition true that it is a part of.
      String sql = "select id, null from a where (k, m) not in (select k, m from b where ";
      assertEquals(
          List.of("2 null", "4 null", "5 null"),
          rows(statement, sql + "b.k = a.k and a.f is null or b.f = a.f)"),
          sql);
      assertEquals(List.of("3 null", "4 null", "5 null"), rows(statement, sql + "b.k = a.k)"), sql);
      assertEquals(
          List.of("3 null", "4 null", "5 null"),
          rows(statement, sql + "(b.k = a.k or a.f < 0))"),
          sql);
    }
  }

  private static boolean mayBeEqual(Integer[] o, Integer[] i, int columns) {
    for (int c = 0; c < columns; c++) {
      if (o[c] != null && i[c] != null && !o[c].equals(i[c])) {
        return false;
      }
    }
    return true;
  }

  private static Integer[][] masked(Random random, int columns, int distinct, int count) {
    Integer[][] rows = new Integer[count][columns + 1];
    for (int r = 0; r < count; r++) {
      boolean common = r % 3 == 0;
      for (int c = 0; c < columns; c++) {
        boolean isNull = common ? c == 2 : c > 0 && random.nextInt(2) == 0;
        rows[r][c] = isNull ? null : (Integer) random.nextInt(distinct);
      }
      rows[r][columns] = r;
    }
    return rows;
  }

  private static String names(String table, int columns) {
    return IntStream.range(0, columns)
        .mapToObj(c -> table + "c" + c)
        .collect(Collectors.joining(", "));
  }

  private static void fillNumbers(Statement statement, String table, Integer[][] rows)
      throws SQLException {
    int columns = rows[0].length - 1;
    statement.execute("drop table if exists " + table);
    statement.execute(
        "create table %s (%s integer, x integer)"
            .formatted(table, names("", columns).replace(",", " integer,")));
    String values =
        Arrays.stream(rows)
            .map(row -> Arrays.toString(row).replace('[', '(').replace(']', ')'))
            .collect(Collectors.joining(", "));
    statement.execute("insert into " + table + " values " + values);
  }

  private static long seed() {
    String given = System.getProperty("aragonite.seed", "");
    return given.isEmpty() ? 20 : Long.parseLong(given);
  }

  private static void check(String properties, int salt) throws SQLException {
    long seed = seed();
    System.out.println("NotInSeveralTest: repeat with -Daragonite.seed=" + seed);
    Random random = new Random(seed * 31 + salt);
    int nullAware = 0;
    try (Connection connection =
            DriverManager.getConnection("jdbc:aragonite:fallback=off;" + properties);
        Statement statement = connection.createStatement()) {
      for (int round = 0; round < ROUNDS; round++) {
        Integer[][] outer = rows(random);
        Integer[][] inner = rows(random);
        fill(statement, "o", outer);
        fill(statement, "i", inner);
        for (int columns = 1; columns <= COLUMNS; columns++) {
          List<Correlation> ties = new ArrayList<>(List.of(Correlation.values()));
          Collections.shuffle(ties, random);
          for (Correlation correlation : ties.subList(0, TIES)) {
            nullAware += check(statement, outer, inner, columns, correlation);
          }
        }
      }
    }
    assertTrue(nullAware > ROUNDS, "too few joins were null-aware");
  }

  /** What ties inner rows to outer ones. */
  private enum Correlation {
    NONE(""),
    EQUAL(" where i.d = o.d"),
    LESS(" where i.d < o.d"),
    BOTH(" where i.d = o.d and i.x <> o.x"),
    DIFFERENT(" where i.d <> o.d"),
    EARLIER(" where i.x < o.x"),
    BAND(" where i.x > o.x - 4 and o.x + 9 >= i.x"),
    BOUNDED(" where i.d <= o.d and i.x <> o.x and i.x > o.x - 30"),
    NEVER(" where i.x < o.x - 1000"),
    NEITHER(" where i.d not in (o.d, o.d + 2)"),
    NONE_OF(" where i.d <> o.d and i.d <> o.d - 1 and i.d <> o.x"),
    NOT_DIFFERENT(" where not (i.d <> o.d)"),
    TRULY_EQUAL(" where (i.d = o.d) = true"),
    IN_SAME(" where i.d in (o.d, o.d)"),
    FACTOR(" where ((i.d = o.d and i.x < 5) or (i.d = o.d and i.x < o.x))"),
    KEY_OR(" where (i.c0 = o.c0 or i.x < o.x)"),
    KEY_KNOWN(" where i.c0 = o.c0 and i.x <> o.x"),
    ALIKE(" where (i.d = o.d or i.d is null and o.d is null)"),
    EITHER(" where (i.d < o.d or i.x = o.x)");

    final String where;

    Correlation(String where) {
      this.where = where;
    }

    boolean holds(Integer[] o, Integer[] i) {
      Integer a = i[COLUMNS];
      Integer b = o[COLUMNS];
      boolean known = a != null && b != null;
      int x = o[COLUMNS + 1] - i[COLUMNS + 1];
      return switch (this) {
        case NONE -> true;
        case EQUAL -> known && a.equals(b);
        case LESS -> known && a < b;
        case BOTH -> known && a.equals(b) && x != 0;
        case DIFFERENT -> known && !a.equals(b);
        case EARLIER -> x > 0;
        case BAND -> x < 4 && x >= -9;
        case BOUNDED -> known && a <= b && x != 0 && x < 30;
        case NEVER -> false;
        case NEITHER -> known && !a.equals(b) && a != b + 2;
        case NONE_OF -> known && !a.equals(b) && a != b - 1 && !a.equals(o[COLUMNS + 1]);
        case NOT_DIFFERENT, TRULY_EQUAL, IN_SAME -> known && a.equals(b);
        case FACTOR -> known && a.equals(b) && (i[COLUMNS + 1] < 5 || x > 0);
        case KEY_OR -> isKeyEqual(o, i) || x > 0;
        case KEY_KNOWN -> isKeyEqual(o, i) && x != 0;
        case ALIKE -> known ? a.equals(b) : a == null && b == null;
        case EITHER -> known && a < b || x == 0;
      };
    }
  }

  private static boolean isKeyEqual(Integer[] o, Integer[] i) {
    return o[0] != null && o[0].equals(i[0]);
  }

  /** Returns how many of the statements run as null-aware joins. */
  private static int check(
      Statement statement, Integer[][] outer, Integer[][] inner, int columns, Correlation tie)
      throws SQLException {
    String names = names("", columns);
    String left = names("o.", columns);
    String row = columns == 1 ? left : "(" + left + ")";
    String body = "(select " + names + " from i" + tie.where + ")";
    String in = row + " in " + body;
    String pairs =
        IntStream.range(0, columns)
            .mapToObj(c -> "i.c" + c + " = o.c" + c)
            .collect(Collectors.joining(" and "));
    List<String> values = new ArrayList<>();
    List<String> kept = new ArrayList<>();
    for (Integer[] o : outer) {
      Boolean value = in(o, inner, columns, tie);
      values.add(o[COLUMNS + 1] + " " + value);
      if (value != null && !value) {
        kept.add(o[COLUMNS + 1] + " null");
      }
    }
    String filter = "select x, null from o where ";
    String not = filter + row + " not in " + body;
    String more = tie.where.isEmpty() ? " where " : tie.where + " and ";
    assertEquals(sorted(kept), rows(statement, not), not);
    String exists = filter + "not exists (select 1 from i" + more + "(" + pairs + ") is not false)";
    assertEquals(sorted(kept), rows(statement, exists), exists);
    String value = "select x, " + in + " from o";
    assertEquals(sorted(values), rows(statement, value), value);
    return isNullAware(statement, not) + isNullAware(statement, value);
  }

  private static int isNullAware(Statement statement, String sql) throws SQLException {
    try (ResultSet lines = statement.executeQuery("explain " + sql)) {
      while (lines.next()) {
        if (lines.getString(1).contains("nullAware=[true]")) {
          return 1;
        }
      }
      return 0;
    }
  }

  private static @Nullable Boolean in(
      Integer[] o, Integer[][] inner, int columns, Correlation tie) {
    Boolean result = false;
    for (Integer[] i : inner) {
      if (tie.holds(o, i)) {
        Boolean equal = true;
        for (int c = 0; c < columns; c++) {
          if (o[c] == null || i[c] == null) {
            equal = equal == null || equal ? null : equal;
          } else if (!o[c].equals(i[c])) {
            equal = false;
          }
        }
        if (equal == null) {
          result = null;
        } else if (equal) {
          return true;
        }
      }
    }
    return result;
  }

  /** The columns compared, one that ties rows, and the number of the row. */
  private static Integer[][] rows(Random random) {
    int count = new int[] {0, 1, 2, 9, 40, 150, 400}[random.nextInt(7)];
    int distinct = 1 + random.nextInt(4);
    double[] nulls = new double[COLUMNS + 1];
    for (int c = 0; c < nulls.length; c++) {
      nulls[c] = new double[] {0, 0.1, 0.5, 1}[random.nextInt(4)];
    }
    Integer[][] rows = new Integer[count][COLUMNS + 2];
    for (int r = 0; r < count; r++) {
      for (int c = 0; c < nulls.length; c++) {
        rows[r][c] = random.nextDouble() < nulls[c] ? null : (Integer) random.nextInt(distinct);
      }
      rows[r][COLUMNS + 1] = r;
    }
    return rows;
  }

  private static void fill(Statement statement, String table, Integer[][] rows)
      throws SQLException {
    statement.execute("drop table if exists " + table);
    // Texts and wide integers too: keys that do not fit into one word.
    statement.execute(
        "create table "
            + table
            + " (c0 integer, c1 varchar, c2 bigint, c3 double, d integer, x integer)");
    if (rows.length > 0) {
      List<String> values = new ArrayList<>();
      for (Integer[] row : rows) {
        values.add(
            "(%d, %s, %d, %d, %d, %d)"
                .formatted(
                    row[0],
                    row[1] == null ? "null" : "'text " + row[1] + "'",
                    row[2],
                    row[3],
                    row[4],
                    row[5]));
      }
      statement.execute("insert into " + table + " values " + String.join(", ", values));
    }
  }

  private static List<String> sorted(List<String> rows) {
    return rows.stream().sorted().toList();
  }

  private static List<String> rows(Statement statement, String sql) throws SQLException {
    List<String> found = new ArrayList<>();
    try (ResultSet rows = statement.executeQuery(sql)) {
      while (rows.next()) {
        found.add(rows.getInt(1) + " " + rows.getObject(2));
      }
    }
    return sorted(found);
  }
}
