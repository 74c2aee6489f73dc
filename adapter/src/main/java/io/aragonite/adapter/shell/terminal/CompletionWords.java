package io.aragonite.adapter.shell.terminal;

import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;

/** Words of SQL that statements are completed with. */
final class CompletionWords {
  private static Set<String> words(String text) {
    return new TreeSet<>(Arrays.asList(text.split("\\s+")));
  }

  /** Words that begin a statement. */
  static final Set<String> FIRST =
      words(
          "SELECT WITH VALUES FROM EXPLAIN DESCRIBE SHOW SUMMARIZE ANALYZE CREATE INSERT DROP"
              + " COPY");

  /** Words within a statement. */
  static final Set<String> KEYWORDS =
      words(
          "SELECT FROM WHERE GROUP BY HAVING QUALIFY ORDER LIMIT OFFSET FETCH FIRST ROWS ONLY WITH"
              + " RECURSIVE AS ON USING JOIN INNER LEFT RIGHT FULL OUTER CROSS NATURAL SEMI ANTI"
              + " ASOF LATERAL UNION INTERSECT EXCEPT ALL DISTINCT AND OR NOT IN IS NULL TRUE FALSE"
              + " LIKE ILIKE ESCAPE SIMILAR BETWEEN EXISTS ANY SOME CASE WHEN THEN ELSE END CAST"
              + " INTERVAL DATE TIME TIMESTAMP OVER PARTITION RANGE PRECEDING FOLLOWING UNBOUNDED"
              + " CURRENT ROW WINDOW FILTER WITHIN ASC DESC NULLS LAST ROLLUP CUBE GROUPING SETS"
              + " UNNEST VALUES TABLE VIEW TEMP REPLACE IF INTO TO PLAN FOR VERBOSE ANALYZE JSON"
              + " TABLES SCHEMAS EXCLUDE PIVOT UNPIVOT BOOLEAN INTEGER BIGINT SMALLINT TINYINT"
              + " DOUBLE REAL DECIMAL VARCHAR CHAR VARBINARY");

  /** Words that a table follows. */
  static final Set<String> BEFORE_TABLES =
      words("FROM JOIN INTO TABLE DESCRIBE SUMMARIZE COPY ANALYZE VIEW EXISTS");

  /** Words that end the list of tables of a FROM. */
  static final Set<String> BEHIND_TABLES =
      words(
          "WHERE GROUP HAVING QUALIFY ORDER LIMIT OFFSET FETCH UNION INTERSECT EXCEPT WINDOW SELECT"
              + " SET");

  /** Aggregates, which JDBC has no list of. */
  static final Set<String> AGGREGATES =
      words(
          "COUNT SUM AVG MIN MAX STDDEV STDDEV_POP STDDEV_SAMP VARIANCE VAR_POP VAR_SAMP ANY_VALUE"
              + " ARG_MIN ARG_MAX MEDIAN STRING_AGG LISTAGG ARRAY_AGG ROW_NUMBER RANK DENSE_RANK"
              + " NTILE LAG LEAD FIRST_VALUE LAST_VALUE PERCENTILE_CONT COALESCE NULLIF GREATEST"
              + " LEAST");

  private CompletionWords() {}
}
