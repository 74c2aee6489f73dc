package io.aragonite.adapter.statement;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.calcite.avatica.ColumnMetaData;
import org.apache.calcite.avatica.util.Quoting;

/**
 * What {@code SUMMARIZE} becomes: a row for each column of a query, with its extremes, about how
 * many values it has, its mean, deviation and quartiles, and how much of it is null.
 */
final class SummaryQuery {
  private static final String QUOTE = Quoting.DOUBLE_QUOTE.string;

  private SummaryQuery() {}

  /**
   * @param query whose columns are summarized
   * @param columns those that it has
   * @param types their types, as they are to be shown
   */
  static String of(String query, List<ColumnMetaData> columns, List<String> types) {
    String names =
        IntStream.range(0, columns.size())
            .mapToObj(SummaryQuery::column)
            .collect(Collectors.joining(", "));
    List<String> rows = new ArrayList<>();
    for (int i = 0; i < columns.size(); i++) {
      rows.add(
          "SELECT %d AS \"n\", %s, %s, %s FROM \"$summarized\""
              .formatted(
                  i,
                  text(columns.get(i).label),
                  text(types.get(i)),
                  values(column(i), types.get(i))));
    }
    return """
    WITH "$summarized"(%s) AS (%s
    )
    SELECT "column_name", "column_type", "min", "max", "approx_unique", "avg", "std", "q25", "q50", "q75", "count", "null_percentage"
    FROM (%s) AS "$rows"("n", "column_name", "column_type", "min", "max", "approx_unique", "avg", "std", "q25", "q50", "q75", "count", "null_percentage")
    ORDER BY "n"
    """
        .formatted(names, query, String.join("\nUNION ALL\n", rows));
  }

  private static String column(int i) {
    return QUOTE + "$c" + i + QUOTE;
  }

  private static String text(String text) {
    return "CAST('%s' AS VARCHAR)".formatted(text.replace("'", "''"));
  }

  private static String values(String column, String type) {
    boolean number = type.matches("(TINYINT|SMALLINT|INTEGER|BIGINT|REAL|FLOAT|DOUBLE|DECIMAL).*");
    boolean moment = type.matches("DATE|TIME|TIMESTAMP");
    boolean ordered = number || type.matches("(DATE|TIME|CHAR|VARCHAR|BOOLEAN).*");
    boolean whole = ordered && !type.matches(".*( ARRAY| MULTISET|\\[])");
    String none = "CAST(NULL AS VARCHAR)";
    String ofDouble = "CAST(CAST(%s(CAST(%s AS DOUBLE)) AS DOUBLE) AS VARCHAR)";
    List<String> values = new ArrayList<>();
    for (String extreme : List.of("MIN", "MAX")) {
      values.add(whole ? "CAST(%s(%s) AS VARCHAR)".formatted(extreme, column) : none);
    }
    values.add(whole ? "APPROX_COUNT_DISTINCT(%s)".formatted(column) : "CAST(NULL AS BIGINT)");
    for (String moments : List.of("AVG", "STDDEV_SAMP")) {
      values.add(number && whole ? ofDouble.formatted(moments, column) : none);
    }
    for (String share : List.of("0.25", "0.5", "0.75")) {
      values.add(
          whole && (number || moment)
              ? "CAST(QUANTILE_DISC(%s, %s) AS VARCHAR)".formatted(column, share)
              : none);
    }
    values.add("COUNT(*)");
    values.add(
        "CAST(100.00 * (COUNT(*) - COUNT(%s)) / NULLIF(COUNT(*), 0) AS DECIMAL(9, 2))"
            .formatted(column));
    return String.join(", ", values);
  }
}
