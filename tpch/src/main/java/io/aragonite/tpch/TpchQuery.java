package io.aragonite.tpch;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * One of the 22 queries with its validation parameters (clause 2.4), in standard SQL.
 *
 * @param number 1 to 22
 * @param orderBy what its ORDER BY sorts on, as columns of the result; empty if it has none
 */
public record TpchQuery(int number, List<ResultOrder> orderBy) {
  /** How many queries there are. */
  public static final int COUNT = 22;

  /**
   * A column that a result is sorted on.
   *
   * @param column position in the result, from 0
   */
  public record ResultOrder(int column, boolean descending) {}

  /** For each query its ORDER BY: positions from 1, negative if descending. */
  private static final int[][] ORDER_BY = {
    {1, 2},
    {-1, 3, 2, 4},
    {-2, 3},
    {1},
    {-2},
    {},
    {1, 2, 3},
    {1},
    {1, -2},
    {-3},
    {-2},
    {1},
    {-2, -1},
    {},
    {1},
    {-4, 1, 2, 3},
    {},
    {-5, 4},
    {},
    {1},
    {-2, 1},
    {1}
  };

  /** Query 11 wants its fraction divided by the scale factor (clause 2.4.11.3). */
  private static final BigDecimal Q11_FRACTION = new BigDecimal("0.0001");

  private static final int Q11_DIGITS = 10;

  /** All 22, in order. */
  public static List<TpchQuery> all() {
    return IntStream.rangeClosed(1, COUNT).mapToObj(TpchQuery::of).toList();
  }

  /**
   * One query.
   *
   * @throws IllegalArgumentException if the number is not 1 to 22
   */
  public static TpchQuery of(int number) {
    if (number < 1 || number > COUNT) {
      throw new IllegalArgumentException("TPC-H has queries 1 to 22, not " + number);
    }
    List<ResultOrder> keys =
        Arrays.stream(ORDER_BY[number - 1])
            .mapToObj(key -> new ResultOrder(Math.abs(key) - 1, key < 0))
            .toList();
    return new TpchQuery(number, keys);
  }

  /** {@code Q7}. */
  @Override
  public String toString() {
    return "Q" + number;
  }

  /** The text for scale 1: one statement, no semicolon. */
  public String sql() {
    String name = "queries/q" + number + ".sql";
    try (InputStream in = TpchQuery.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new IllegalStateException("resource " + name + " is missing from the jar");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8).strip();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The text for a scale factor; only that of query 11 depends on it. */
  public String sql(double scale) {
    if (number != 11) {
      return sql();
    }
    BigDecimal fraction =
        Q11_FRACTION.divide(BigDecimal.valueOf(scale), Q11_DIGITS, RoundingMode.HALF_UP);
    return sql().replace(Q11_FRACTION.toPlainString(), plain(fraction));
  }

  private static String plain(BigDecimal value) {
    return value.stripTrailingZeros().toPlainString();
  }
}
