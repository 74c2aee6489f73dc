package io.aragonite.tpcds;

import io.aragonite.dataset.BenchmarkQuery;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * A statement of TPC-DS's queries with the specification's qualification parameters. Queries 14,
 * 23, 24 and 39 have two.
 *
 * <p>The texts are the TPC's, whose licence forbids to hand them on: they come from the templates
 * in the library {@code net.hydromatic:tpcds}, which is on the class path of the benchmarks and in
 * no jar of ours. The templates are those of version 1 of the specification; the one column that
 * they call otherwise than version 2, of which the data are, gets its name.
 *
 * @param number 1 to 99
 * @param name the number, with a letter where it has two statements
 * @param unlimited the statement without its LIMIT
 * @param limit how many rows it wants at most
 */
public record TpcdsQuery(int number, String name, String unlimited, long limit) {
  /** How many queries there are. */
  public static final int COUNT = 99;

  private static final Pattern COMMENT = Pattern.compile("(?m)^\\s*--.*\\R");
  private static final Pattern DEFINITION = Pattern.compile("(?im)^\\s*define[^;]*;.*\\R");
  private static final Pattern LIMIT = Pattern.compile("(?i)define\\s+_LIMIT\\s*=\\s*(\\d+)");
  private static final Pattern PLACE = Pattern.compile("\\[([^\\]]*)\\]");

  /** Where a dialect may have its row limit; ours is the last. */
  private static final String LIMIT_PLACE = "_LIMITC";

  /** All statements, in order. */
  public static List<TpcdsQuery> all() {
    return IntStream.rangeClosed(1, COUNT).boxed().flatMap(n -> of(n).stream()).toList();
  }

  /**
   * The statements of one query.
   *
   * @throws IllegalArgumentException if the number is not 1 to 99
   * @throws IllegalStateException if the library with the templates is missing
   */
  public static List<TpcdsQuery> of(int number) {
    if (number < 1 || number > COUNT) {
      throw new IllegalArgumentException("TPC-DS has queries 1 to 99, not " + number);
    }
    String template = COMMENT.matcher(template(number)).replaceAll("");
    Matcher limit = LIMIT.matcher(template);
    long rows = limit.find() ? Long.parseLong(limit.group(1)) : Long.MAX_VALUE;
    String body = DEFINITION.matcher(template).replaceAll("");
    List<TpcdsQuery> queries = new ArrayList<>();
    String[] statements = body.split(";");
    long count = List.of(statements).stream().filter(text -> !text.isBlank()).count();
    for (String statement : statements) {
      if (!statement.isBlank()) {
        String letter = count == 1 ? "" : String.valueOf((char) ('a' + queries.size()));
        boolean limited = statement.contains("[" + LIMIT_PLACE + "]");
        queries.add(
            new TpcdsQuery(
                number,
                "Q" + number + letter,
                filled(number, statement).strip(),
                limited ? rows : Long.MAX_VALUE));
      }
    }
    return queries;
  }

  /** One statement, no semicolon. */
  public String sql() {
    return limit == Long.MAX_VALUE ? unlimited : unlimited + "\nlimit " + limit;
  }

  /** A query whose answer nobody knows. */
  public BenchmarkQuery unchecked() {
    return new BenchmarkQuery(name, sql(), Optional::empty);
  }

  /**
   * The columns of the result that its rows are sorted on, from 0. Rows that are equal there may
   * come in any order; so may those that the ORDER BY compares by what is no column of the result.
   *
   * @param labels names of the result's columns, in lower case
   */
  public List<Integer> sortedOn(List<String> labels) {
    return ResultOrder.columns(unlimited, labels);
  }

  private static String template(int number) {
    String name = "/query_templates/query" + number + ".tpl";
    try (InputStream in = TpcdsQuery.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new IllegalStateException(
            "The queries of TPC-DS are not on the class path: they are in net.hydromatic:tpcds,"
                + " which the build puts into bench/target/peers.");
      }
      return new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String filled(int number, String statement) {
    QueryParameters parameters = QueryParameters.of(number);
    String text =
        PLACE
            .matcher(statement)
            .replaceAll(place ->
                place.group(1).startsWith("_LIMIT")
                    ? ""
                    : Matcher.quoteReplacement(parameters.value(place.group(1).strip())));
    return number == 30 ? text.replaceAll("c_last_review_date\\b", "c_last_review_date_sk") : text;
  }
}
