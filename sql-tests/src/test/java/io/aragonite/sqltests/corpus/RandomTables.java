package io.aragonite.sqltests.corpus;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Small random tables with the same columns, nulls and duplicates everywhere. */
final class RandomTables {
  /** Names and DuckDB types of the columns. */
  static final List<String> COLUMNS = List.of("id", "i", "j", "d", "f", "s", "b", "dt");

  private static final String TYPES =
      "id integer, i integer, j bigint, d decimal(9, 2), f double, s varchar, b boolean, dt date";
  private static final int[] SIZES = {0, 1, 40, 300, 5000};
  private static final String[] TEXTS = {"", "a", "b", "ab", "abc", "ä", "日本", "x y", "it''s", "%"};

  private RandomTables() {}

  /** Makes the tables r0, r1, ... in DuckDB; returns their sizes. */
  static List<Integer> create(DuckDbOracle duckDb, Random random) throws SQLException {
    List<Integer> sizes = new ArrayList<>();
    for (int t = 0; t < SIZES.length; t++) {
      int rows = SIZES[t];
      sizes.add(rows);
      duckDb.execute("create table r" + t + " (" + TYPES + ")");
      int domain = 1 + random.nextInt(rows / 4 + 3);
      double nulls = random.nextInt(3) * 0.15;
      for (int from = 0; from < rows; from += 500) {
        StringBuilder values = new StringBuilder();
        for (int id = from; id < Math.min(rows, from + 500); id++) {
          values.append(values.isEmpty() ? "" : ", ").append(row(random, id, domain, nulls));
        }
        duckDb.execute("insert into r" + t + " values " + values);
      }
    }
    return sizes;
  }

  private static String row(Random random, int id, int domain, double nulls) {
    List<String> values = new ArrayList<>();
    values.add(String.valueOf(id));
    values.add(String.valueOf(random.nextInt(domain)));
    values.add(String.valueOf((random.nextInt(domain) - domain / 2) * 1_000_000_007L));
    values.add(random.nextInt(2 * domain) - domain + "." + (10 + random.nextInt(90)));
    values.add(String.valueOf((random.nextInt(8 * domain) - 4 * domain) / 4.0));
    values.add("'" + TEXTS[random.nextInt(TEXTS.length)] + "'");
    values.add(String.valueOf(random.nextBoolean()));
    values.add("date '2020-01-01' + " + random.nextInt(3 * domain));
    for (int c = 1; c < values.size(); c++) {
      if (random.nextDouble() < nulls) {
        values.set(c, "null");
      }
    }
    return "(" + String.join(", ", values) + ")";
  }
}
