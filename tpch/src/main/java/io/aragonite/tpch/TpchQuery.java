package io.aragonite.tpch;

import io.aragonite.dataset.Answer;
import io.aragonite.dataset.AnswerCheck;
import io.aragonite.dataset.BenchmarkQuery;
import io.aragonite.dataset.ExpectedAnswer;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.zip.GZIPInputStream;

/**
 * One of the 22 queries with its validation parameters (clause 2.4), in standard SQL.
 *
 * @param number 1 to 22
 * @param orderBy what its ORDER BY sorts on, as columns of the result from 0; empty if it has none
 */
public record TpchQuery(int number, List<Integer> orderBy) {
  /** How many queries there are. */
  public static final int COUNT = 22;

  /** How many query streams have an order (appendix A). */
  public static final int STREAMS = 40;

  /** For each query its ORDER BY: positions from 1. */
  private static final int[][] ORDER_BY = {
    {1, 2},
    {1, 3, 2, 4},
    {2, 3},
    {1},
    {2},
    {},
    {1, 2, 3},
    {1},
    {1, 2},
    {3},
    {2},
    {1},
    {2, 1},
    {},
    {1},
    {4, 1, 2, 3},
    {},
    {5, 4},
    {},
    {1},
    {2, 1},
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
    List<Integer> keys = Arrays.stream(ORDER_BY[number - 1]).mapToObj(key -> key - 1).toList();
    return new TpchQuery(number, keys);
  }

  /**
   * All 22 in the order that a stream has them in (appendix A).
   *
   * @param stream 0 for the power test; 1 to {@link #STREAMS} for the throughput test
   * @throws IllegalArgumentException if the stream has no order
   */
  public static List<TpchQuery> ofStream(int stream) {
    if (stream < 0 || stream > STREAMS) {
      throw new IllegalArgumentException(
          "TPC-H has orders for streams 1 to %d, not for %d".formatted(STREAMS, stream));
    }
    String order = text("stream-orders.txt").lines().skip(stream).findFirst().orElseThrow();
    return Arrays.stream(order.split(" ")).map(Integer::valueOf).map(TpchQuery::of).toList();
  }

  /** {@code Q7}. */
  @Override
  public String toString() {
    return "Q" + number;
  }

  /** The text for scale 1: one statement, no semicolon. */
  public String sql() {
    return text("queries/q" + number + ".sql");
  }

  private static String text(String name) {
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

  /**
   * The answer that comes with this module; made by DuckDB from the same data.
   *
   * @return empty if there is none for this scale (there are for 0.01, 0.1 and 1)
   */
  public Optional<Answer> answer(double scale) {
    String name = "answers/sf" + new TpchScale(scale) + "/q" + number + ".txt.gz";
    try (InputStream in = TpchQuery.class.getResourceAsStream(name)) {
      if (in == null) {
        return Optional.empty();
      }
      try (GZIPInputStream text = new GZIPInputStream(in)) {
        return Optional.of(Answer.ofText(text));
      }
    } catch (IOException e) {
      throw new UncheckedIOException("answer " + name + " is unreadable", e);
    }
  }

  /** Looks for the first difference of an answer from the expected one; see {@link AnswerCheck}. */
  public Optional<String> compare(Answer expected, Answer actual) {
    return AnswerCheck.compare(ExpectedAnswer.of(expected, orderBy), actual);
  }

  BenchmarkQuery at(double scale) {
    return new BenchmarkQuery(
        toString(),
        sql(scale),
        () -> answer(scale).map(answer -> ExpectedAnswer.of(answer, orderBy)));
  }

  private static String plain(BigDecimal value) {
    return value.stripTrailingZeros().toPlainString();
  }
}
