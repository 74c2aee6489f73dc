package io.aragonite.spark;

import static org.junit.jupiter.api.Assertions.fail;

import io.aragonite.spark.plan.FragmentExec;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Random;
import java.util.function.Supplier;
import org.apache.spark.SparkThrowable;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.jspecify.annotations.Nullable;

/** Random statements with fragments and without them; the answers, or the errors, have to be the same. */
final class RandomComparison {
  /** Sums of floats follow the order of rows. */
  private static final double TOLERANCE = 1e-12;

  private static final int EXPRESSIONS = 8;

  private final SparkSide spark;
  private final Random random;
  private final SqlStatements statements;
  private int compared;
  private int failing;

  RandomComparison(SparkSide spark, Path folder, Random random) {
    this.spark = spark;
    this.random = random;
    this.statements = new SqlStatements(random);
    spark.session().conf().set("spark.sql.datetime.java8API.enabled", "true");
    ExtremeTables.open(spark.session(), folder, random);
  }

  /** Statements of which fragments took a part, and those of them that ended with an error. */
  record ComparedCounts(int compared, int failing) {}

  ComparedCounts counts() {
    return new ComparedCounts(compared, failing);
  }

  /** What changes plans or meanings. */
  private List<String> settings(boolean ansi) {
    List<String> settings = new ArrayList<>();
    settings.add("spark.sql.ansi.enabled=" + ansi);
    settings.add("spark.sql.session.timeZone=" + one("UTC", "America/Los_Angeles", "Asia/Kolkata"));
    settings.add("spark.sql.adaptive.enabled=" + random.nextBoolean());
    settings.add("spark.sql.autoBroadcastJoinThreshold=" + one("10m", "-1"));
    settings.add("spark.sql.join.preferSortMergeJoin=" + random.nextBoolean());
    settings.add("spark.sql.codegen.wholeStage=" + (random.nextInt(4) == 0));
    return settings;
  }

  private String one(String... of) {
    return of[random.nextInt(of.length)];
  }

  /** One statement of each form. */
  void round() {
    projections(random.nextBoolean());
    boolean ansi = random.nextInt(4) > 0;
    List<String> settings = settings(ansi);
    compare("select id from %s where %s".formatted(statements.table(), statements.condition()), settings);
    String table = random.nextInt(3) > 0 ? "calm" : statements.table();
    compare(statements.grouped(table), settings);
    compare(statements.joined(), settings);
    compare(statements.subquery(), settings);
    compare(statements.windowed(table), settings);
    compare(statements.ordered(), settings);
    compare(statements.setOperation(), settings);
  }

  /** Values, all those at once that fragments take, and one by one if an error is among them. */
  private void projections(boolean ansi) {
    List<String> settings = settings(ansi);
    String table = ansi && random.nextInt(3) > 0 ? "calm" : statements.table();
    String where = random.nextInt(3) == 0 ? " where " + statements.condition() : "";
    List<String> values = new ArrayList<>();
    for (int i = 0; i < 4 * EXPRESSIONS && values.size() < EXPRESSIONS; i++) {
      String value = statements.value();
      if (inFragment("select %s c from %s%s".formatted(value, table, where), settings)) {
        values.add(value);
      }
    }
    if (values.isEmpty()) {
      return;
    }
    String all = "select id, %s from %s%s".formatted(String.join(", ", numbered(values)), table, where);
    if (difference(all, settings) == null && spark.with(settings, () -> outcome(all, true)).error().isEmpty()) {
      compared += values.size();
      return;
    }
    for (String value : values) {
      compare("select id, %s c from %s%s".formatted(value, table, where), settings);
    }
    compare(all, settings);
  }

  private static List<String> numbered(List<String> values) {
    List<String> named = new ArrayList<>();
    for (String value : values) {
      named.add(value + " c" + named.size());
    }
    return named;
  }

  /**
   * Whether all of a statement's operators are planned into fragments.
   *
   * @throws AssertionError if planning fails that does not without fragments
   */
  private boolean inFragment(String sql, List<String> settings) {
    List<String> still = new ArrayList<>(settings);
    still.add("spark.sql.adaptive.enabled=false");
    return spark.with(
        still,
        () -> {
          try {
            Dataset<Row> query = spark.session().sql(sql);
            return !SparkSide.fragments(query).isEmpty() && SparkSide.leftWithReasons(query).isEmpty();
          } catch (Exception e) { // constants that fail, and what Spark's SQL has not
            if (isPlannedBySpark(sql)) {
              throw new AssertionError("no plan of %s%n with %s".formatted(sql, still), e);
            }
            return false;
          }
        });
  }

  private boolean isPlannedBySpark(String sql) {
    return spark.with(
        List.of("spark.aragonite.enabled=false"),
        () -> {
          try {
            return spark.session().sql(sql).queryExecution().executedPlan() != null;
          } catch (Exception e) { // the same ones
            return false;
          }
        });
  }

  /** What a statement ends with: its rows, or its error's condition. */
  private record Ended(List<Row> rows, String error, boolean inFragments) {}

  private void compare(String sql, List<String> settings) {
    String difference = difference(sql, settings);
    if (difference != null) {
      fail(difference);
    }
  }

  /** Null: there is none. */
  private @Nullable String difference(String sql, List<String> settings) {
    Ended ours = spark.with(settings, () -> outcome(sql, true));
    if (!ours.inFragments()) {
      return null;
    }
    Ended theirs = spark.with(settings, () -> outcome(sql, false));
    compared++;
    failing += theirs.error().isEmpty() ? 0 : 1;
    boolean ordered = sql.contains(" order by ") && !sql.contains(" over (");
    return same(theirs, ours, ordered)
        ? null
        : "%s%n with %s%n Spark:     %s%n Aragonite: %s"
            .formatted(sql, settings, text(theirs, ours), text(ours, theirs));
  }

  private Ended outcome(String sql, boolean fragments) {
    Supplier<Ended> run =
        () -> {
          try {
            Dataset<Row> query = spark.session().sql(sql);
            List<Row> rows = query.collectAsList();
            List<FragmentExec> made = fragments ? SparkSide.fragments(query) : List.of();
            return new Ended(rows, "", !made.isEmpty());
          } catch (Exception e) { // Spark's methods throw what they do not declare
            return new Ended(List.of(), condition(e), true);
          }
        };
    // Asked for 0.0, Spark's reader leaves out row groups that have -0.0 alone.
    List<String> plain = List.of("spark.aragonite.enabled=false", "spark.sql.parquet.filterPushdown=false");
    return fragments ? run.get() : spark.with(plain, run);
  }

  private static String condition(Exception error) {
    String condition = "";
    for (Throwable e = error; e != null; e = e.getCause()) {
      if (e instanceof SparkThrowable known && known.getCondition() != null) {
        condition = known.getCondition();
      }
    }
    if (condition.isEmpty()) {
      return error.toString();
    }
    boolean overflow = condition.contains("OVERFLOW") || condition.contains("OUT_OF_RANGE");
    return overflow ? "overflow" : condition;
  }

  private static boolean same(Ended theirs, Ended ours, boolean ordered) {
    if (!theirs.error().isEmpty() || !ours.error().isEmpty()) {
      // Of several that rows have, either may come first.
      return theirs.error().isEmpty() == ours.error().isEmpty() && !ours.error().contains("Exception");
    }
    return theirs.rows().size() == ours.rows().size()
        && different(theirs.rows(), ours.rows(), ordered).isEmpty();
  }

  private static List<Row> sorted(List<Row> rows, boolean ordered) {
    List<Row> sorted = new ArrayList<>(rows);
    if (!ordered) {
      sorted.sort((a, b) -> key(a).compareTo(key(b)));
    }
    return sorted;
  }

  /** Rows whose texts are not in both. */
  private static List<String> different(List<Row> theirs, List<Row> ours, boolean ordered) {
    List<Row> left = sorted(theirs, ordered);
    List<Row> right = sorted(ours, ordered);
    List<String> different = new ArrayList<>();
    for (int i = 0; i < Math.min(left.size(), right.size()); i++) {
      for (int column = 0; column < left.get(i).length(); column++) {
        if (!same(left.get(i).get(column), right.get(i).get(column))) {
          different.add("column %d: %s, %s".formatted(column, left.get(i), right.get(i)));
          break;
        }
      }
    }
    return different;
  }

  private static String text(Ended ended, Ended other) {
    if (!ended.error().isEmpty()) {
      return ended.error();
    }
    List<String> rows = new ArrayList<>();
    List<String> others = new ArrayList<>();
    ended.rows().forEach(row -> rows.add(exact(row)));
    other.rows().forEach(row -> others.add(exact(row)));
    others.forEach(rows::remove);
    Collections.sort(rows);
    return ended.rows().size() + " rows, of which the other has not " + rows.subList(0, Math.min(6, rows.size()));
  }

  private static String exact(Row row) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < row.length(); i++) {
      text.append(row.get(i) instanceof byte[] bytes ? Arrays.toString(bytes) : row.get(i)).append(" | ");
    }
    return text.toString();
  }

  /** By all, floats by their first digits only. */
  private static String key(Row row) {
    StringBuilder key = new StringBuilder();
    for (int i = 0; i < row.length(); i++) {
      Object value = row.get(i);
      key.append(
              switch (value) {
                case byte[] bytes -> Arrays.toString(bytes);
                case Double number -> String.format(Locale.ROOT, "%.9e", number + 0.0);
                case null, default -> String.valueOf(value);
              })
          .append('|');
    }
    return key.toString();
  }

  private static boolean same(@Nullable Object theirs, @Nullable Object ours) {
    return switch (theirs) {
      case byte[] bytes -> ours instanceof byte[] others && Arrays.equals(bytes, others);
      case Double a when ours instanceof Double b && Double.isFinite(a) ->
          a.equals(b) || a != 0 && Math.abs(a - b) <= TOLERANCE * Math.abs(a);
      case BigDecimal a when ours instanceof BigDecimal b -> a.equals(b);
      case null, default -> Objects.equals(theirs, ours);
    };
  }
}
