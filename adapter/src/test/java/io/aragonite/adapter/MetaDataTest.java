package io.aragonite.adapter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MetaDataTest {
  private static Connection connection;
  private static DatabaseMetaData metaData;

  @BeforeAll
  static void open() throws SQLException {
    connection = TestConnections.tpch();
    metaData = connection.getMetaData();
  }

  @AfterAll
  static void close() throws SQLException {
    connection.close();
  }

  private static List<String> column(ResultSet rows, String... names) throws SQLException {
    List<String> values = new ArrayList<>();
    try (rows) {
      while (rows.next()) {
        List<String> row = new ArrayList<>();
        for (String name : names) {
          row.add(rows.getString(name));
        }
        values.add(String.join("|", row));
      }
    }
    return values;
  }

  @Test
  void product() throws SQLException {
    assertEquals("Aragonite", metaData.getDatabaseProductName());
    assertFalse(metaData.getDatabaseProductVersion().isEmpty());
    assertEquals("Aragonite JDBC driver", metaData.getDriverName());
    assertEquals(TestConnections.TPCH, metaData.getURL());
    assertSame(connection, metaData.getConnection());
  }

  @Test
  void identifiers() throws SQLException {
    assertEquals("\"", metaData.getIdentifierQuoteString());
    assertFalse(metaData.storesUpperCaseIdentifiers());
    assertFalse(metaData.supportsTransactions());
  }

  @Test
  void tables() throws SQLException {
    assertEquals(
        List.of(
            "customer", "lineitem", "nation", "orders", "part", "partsupp", "region", "supplier"),
        column(metaData.getTables(null, "tpch", "%", new String[] {"TABLE"}), "TABLE_NAME"));
    assertTrue(column(metaData.getSchemas(), "TABLE_SCHEM").contains("tpch"));
    assertTrue(column(metaData.getTableTypes(), "TABLE_TYPE").contains("TABLE"));
  }

  @Test
  void columns() throws SQLException {
    assertEquals(
        List.of(
            "l_orderkey|BIGINT|19|NO",
            "l_quantity|DECIMAL|15|NO",
            "l_shipdate|DATE|10|NO",
            "l_comment|VARCHAR|44|NO"),
        column(
                metaData.getColumns(null, "tpch", "lineitem", "%"),
                "COLUMN_NAME",
                "TYPE_NAME",
                "COLUMN_SIZE",
                "IS_NULLABLE")
            .stream()
            .filter(row -> row.matches("l_(orderkey|quantity|shipdate|comment)\\|.*"))
            .toList());
    try (ResultSet rows = metaData.getColumns(null, null, "lineitem", "l_quantity")) {
      assertTrue(rows.next());
      assertEquals(Types.DECIMAL, rows.getInt("DATA_TYPE"));
      assertEquals(2, rows.getInt("DECIMAL_DIGITS"));
      assertEquals(5, rows.getInt("ORDINAL_POSITION"));
    }
  }

  @Test
  void primaryKeys() throws SQLException {
    assertEquals(
        List.of("l_linenumber|2", "l_orderkey|1"),
        column(metaData.getPrimaryKeys(null, "tpch", "lineitem"), "COLUMN_NAME", "KEY_SEQ"));
    assertEquals(
        List.of("n_nationkey|1"),
        column(metaData.getPrimaryKeys(null, null, "NATION"), "COLUMN_NAME", "KEY_SEQ"));
  }

  @Test
  void foreignKeys() throws SQLException {
    assertEquals(
        List.of("region|r_regionkey|nation|n_regionkey|1"),
        column(
            metaData.getImportedKeys(null, "tpch", "nation"),
            "PKTABLE_NAME",
            "PKCOLUMN_NAME",
            "FKTABLE_NAME",
            "FKCOLUMN_NAME",
            "KEY_SEQ"));
    assertEquals(
        List.of("customer", "supplier"),
        column(metaData.getExportedKeys(null, "tpch", "nation"), "FKTABLE_NAME"));
    assertEquals(
        List.of("n_regionkey"),
        column(
            metaData.getCrossReference(null, null, "region", null, null, "nation"),
            "FKCOLUMN_NAME"));
  }

  @Test
  void keysAreInTheOrderThatJdbcPromises() throws SQLException {
    assertEquals(
        List.of("orders|1", "part|1", "partsupp|1", "partsupp|2", "supplier|1"),
        column(metaData.getImportedKeys(null, "tpch", "lineitem"), "PKTABLE_NAME", "KEY_SEQ"));
  }

  @Test
  void patterns() throws SQLException {
    assertEquals(List.of("lineitem"), names("tpch", "LINEITEM"));
    assertEquals(List.of("nation", "region"), names("TP%", "%ion"));
    assertEquals(List.of("part"), names("%", "p_r_"));
    assertEquals(List.of(), names(null, "p\\_r_"));
    assertEquals(List.of(), names("nosuch", "%"));
    assertEquals(
        List.of("nation|n_name", "region|r_name"),
        column(metaData.getColumns(null, "tpch", "%ion", "_\\_NAME"), "TABLE_NAME", "COLUMN_NAME"));
  }

  private static List<String> names(String schema, String table) throws SQLException {
    return column(metaData.getTables(null, schema, table, new String[] {"TABLE"}), "TABLE_NAME");
  }

  @Test
  void sizesOfTimes() throws SQLException {
    try (Connection files = TestConnections.open("directory=" + folderOfTimes());
        ResultSet rows = files.getMetaData().getColumns(null, null, "TIMES", null)) {
      assertEquals(
          List.of("d|91|10|0", "t|92|15|6", "ts|93|26|6"),
          column(rows, "COLUMN_NAME", "DATA_TYPE", "COLUMN_SIZE", "DECIMAL_DIGITS"));
    }
  }

  @TempDir private static Path folder;

  private static Path folderOfTimes() throws SQLException {
    try {
      Files.writeString(
          folder.resolve("times.csv"), "d,t,ts\n2020-01-01,01:02:03,2020-01-01 01:02:03.5\n");
    } catch (IOException e) {
      throw new SQLException(e);
    }
    return folder;
  }

  @Test
  void typeInfo() throws SQLException {
    List<String> types =
        column(metaData.getTypeInfo(), "TYPE_NAME", "DATA_TYPE", "PRECISION", "LITERAL_PREFIX");
    assertTrue(types.contains("DECIMAL|3|38|null"), types.toString());
    assertTrue(types.contains("VARCHAR|12|2147483647|'"), types.toString());
    assertTrue(types.contains("TIME|92|15|TIME '"), types.toString());
    assertTrue(types.contains("TIMESTAMP|93|29|TIMESTAMP '"), types.toString());
    List<Integer> order = types.stream().map(row -> Integer.valueOf(row.split("\\|")[1])).toList();
    assertEquals(order.stream().sorted().toList(), order);
  }

  @Test
  void whatHoldsHere() throws SQLException {
    assertTrue(metaData.nullsAreSortedHigh());
    assertFalse(metaData.nullsAreSortedAtEnd());
    assertEquals(
        List.of("1", "null"),
        TestConnections.query(
            connection, "select x from (values (1), (cast(null as integer))) as t(x) order by x"));
    assertEquals(List.of(), column(metaData.getCatalogs(), "TABLE_CAT"));
    assertFalse(metaData.supportsCatalogsInDataManipulation());
    assertTrue(metaData.supportsSchemasInDataManipulation());
    assertTrue(metaData.supportsBatchUpdates());
    assertFalse(metaData.isReadOnly());
    assertTrue(metaData.supportsResultSetType(ResultSet.TYPE_FORWARD_ONLY));
    assertFalse(metaData.supportsResultSetType(ResultSet.TYPE_SCROLL_INSENSITIVE));
    assertEquals(
        List.of("SYSTEM TABLE", "TABLE", "VIEW"), column(metaData.getTableTypes(), "TABLE_TYPE"));
    List<String> functions = column(metaData.getFunctions(null, null, "%"), "FUNCTION_NAME");
    assertTrue(functions.contains("ABS"), functions.toString());
    assertTrue(functions.stream().noneMatch(name -> name.startsWith("$")), functions.toString());
    assertEquals(List.of(), column(metaData.getIndexInfo(null, "tpch", "nation", true, false)));
  }

  @Test
  void whatDoesNotHold() throws SQLException {
    assertFalse(metaData.supportsANSI92FullSQL());
    assertTrue(metaData.supportsANSI92EntryLevelSQL());
    assertTrue(metaData.supportsOpenCursorsAcrossCommit());
    assertTrue(metaData.supportsResultSetHoldability(ResultSet.HOLD_CURSORS_OVER_COMMIT));
    assertFalse(metaData.supportsResultSetHoldability(ResultSet.CLOSE_CURSORS_AT_COMMIT));
    assertFalse(metaData.ownUpdatesAreVisible(ResultSet.TYPE_FORWARD_ONLY));
    assertFalse(metaData.insertsAreDetected(ResultSet.TYPE_FORWARD_ONLY));
    assertTrue(metaData.supportsConvert(Types.INTEGER, Types.VARCHAR));
    assertFalse(metaData.supportsConvert(Types.DATE, Types.BOOLEAN));
    assertFalse(metaData.supportsConvert(Types.ROWID, Types.VARCHAR));
    assertEquals(List.of(), column(metaData.getProcedures(null, null, "%"), "PROCEDURE_NAME"));
  }

  @Test
  void thereAreNoCatalogs() throws SQLException {
    assertEquals(List.of("metadata", "tpch"), column(metaData.getSchemas("", "%"), "TABLE_SCHEM"));
    assertEquals(List.of("tpch"), column(metaData.getSchemas(null, "TP%"), "TABLE_SCHEM"));
    assertEquals(List.of(), column(metaData.getSchemas("x", null), "TABLE_SCHEM"));
    assertEquals(List.of(), column(metaData.getTables("x", null, "%", null), "TABLE_NAME"));
    assertEquals(List.of(), column(metaData.getColumns("x", null, "%", "%"), "TABLE_NAME"));
    assertEquals(List.of(), column(metaData.getPrimaryKeys("x", "tpch", "nation"), "PK_NAME"));
    assertEquals(List.of(), column(metaData.getImportedKeys("x", "tpch", "nation"), "PK_NAME"));
    assertEquals(List.of(), column(metaData.getFunctions("x", null, "%"), "FUNCTION_NAME"));
    try (ResultSet rows = metaData.getTables("", "tpch", "nation", null)) {
      assertTrue(rows.next());
      assertNull(rows.getString("TABLE_CAT"));
      assertTrue(rows.wasNull());
    }
  }

  /** A word that is told cannot be a name without quotes. */
  @Test
  void keywords() throws SQLException {
    List<String> words = List.of(metaData.getSQLKeywords().split(","));
    assertTrue(words.contains("QUALIFY"), words.toString());
    assertTrue(words.size() > 20 && words.size() < 80, words.toString());
    for (String word : words) {
      assertEquals("101", error("select t.%s from (values (1)) as t(%s)".formatted(word, word)));
    }
    String quoted = "\"" + String.join("\", \"", words) + "\"";
    String values = String.join(", ", java.util.Collections.nCopies(words.size(), "1"));
    assertEquals(
        "", error("select %s from (values (%s)) as t(%s)".formatted(quoted, values, quoted)));
  }

  @Test
  void functions() throws SQLException {
    List<String> names = column(metaData.getFunctions(null, null, "%"), "FUNCTION_NAME");
    assertTrue(names.size() > 200, names.toString());
    List<String> specific = column(metaData.getFunctions(null, null, "%"), "SPECIFIC_NAME");
    assertEquals(specific.stream().distinct().toList(), specific);
    List<String> calls =
        List.of(
            "ABS(1)",
            "POW(2, 3)",
            "STRFTIME(x, '%Y')",
            "STARTSWITH('ab', 'a')",
            "SPLIT_PART('a-b', '-', 2)",
            "TODAY()",
            "INSTR('ab', 'b')",
            "XOR(1, 2)",
            "MEDIAN(1)",
            "ARGMAX(1, 2)",
            "STDDEV_SAMP(1)",
            "REGEXP_REPLACE('a', 'a', 'b')");
    assertEquals(
        "",
        error(
            "select %s from (values (timestamp '2020-01-01 00:00:00')) as t(x) group by x"
                .formatted(String.join(", ", calls))));
    for (String call : calls) {
      assertTrue(names.contains(call.substring(0, call.indexOf('('))), call);
    }
    assertEquals(
        List.of("RANGE|1", "RANGE|2", "READ_PARQUET|2", "STRPOS|1"),
        column(metaData.getFunctions(null, "%", "%"), "FUNCTION_NAME", "FUNCTION_TYPE").stream()
            .filter(row -> row.matches("(range|read_parquet|strpos).*".toUpperCase(Locale.ROOT)))
            .toList());
    assertEquals(
        List.of("STRPOS"), column(metaData.getFunctions(null, "%", "strpo_"), "FUNCTION_NAME"));
    assertEquals(List.of(), column(metaData.getFunctions(null, "tpch", "%"), "FUNCTION_NAME"));
  }

  /** Arguments, and the functions that take them. */
  private static final String CALLS =
      """
      ('%Y-%m-%d', '2020-01-01'): PARSE_DATETIME
      ('2020-01-01', '%Y-%m-%d'): STRPTIME TRY_STRPTIME
      ('YQ=='): FROM_BASE64
      ('00'): FROM_HEX UNHEX
      ('a' in 'b'): POSITION
      ('a' placing 'b' from 1): OVERLAY
      ('a' using utf8): CONVERT
      ('UTC', timestamp '2020-01-01 00:00:00'): TIMEZONE
      ('a'): FORMAT PRINTF JSON_DEPTH JSON_PRETTY JSON_STORAGE_SIZE JSON_TYPE OCTET_LENGTH STRIP_ACCENTS STRLEN
      ('a'): ENCODE
      ('a', 'b'): DAMERAU_LEVENSHTEIN EDITDIST3 HAMMING JACCARD JARO_SIMILARITY JARO_WINKLER_SIMILARITY MISMATCHES
      ('a', 'b'): GLOB JSON_EXISTS JSON_QUERY JSON_VALUE REGEXP_COUNT REGEXP_SPLIT_TO_ARRAY STRFTIME
        STRING_SPLIT_REGEX STR_SPLIT_REGEX
      ('a', 'b', 0): REGEXP_EXTRACT_ALL
      ('a', 'b', 1): SUBSTRING_INDEX
      ('a', 1): QUANTILE QUANTILE_DISC
      ('{}'): JSON_KEYS JSON_LENGTH
      ('{}', '$.a'): JSONB_EXTRACT_PATH JSONB_EXTRACT_PATH_TEXT JSON_EXTRACT JSON_EXTRACT_PATH
        JSON_EXTRACT_PATH_TEXT JSON_EXTRACT_STRING JSON_REMOVE
      ('{}', '$.a', 1): JSON_INSERT JSON_REPLACE JSON_SET
      (): COUNT COUNT_STAR CURRENT_CATALOG CURRENT_DATE CURRENT_PATH CURRENT_ROLE CURRENT_TIME
        CURRENT_TIMESTAMP CURRENT_USER GEN_RANDOM_UUID GETDATE GET_CURRENT_TIME GET_CURRENT_TIMESTAMP GROUP_ID
        JSON_ARRAY JSON_OBJECT LOCALTIME LOCALTIMESTAMP NOW PI RAND RANDOM SESSION_USER
        SYSTEM_USER TODAY USER UUID VARIANTNULL
      () over (order by x): CUME_DIST DENSE_RANK PERCENT_RANK RANK ROW_NUMBER
      (0.5): ATANH
      (0.5) within group (order by 1): FIRST_VALUE LAST_VALUE PERCENTILE_CONT PERCENTILE_DISC
      (1 as integer): CAST TRY_CAST
      (1): ABS ACOS ACOSH ANY_VALUE APPROX_COUNT_DISTINCT ARBITRARY ARRAY_AGG ARRAY_VALUE ASCII ASIN ASINH
        ATAN AVG BASE64 BIN BITCOUNT BITNOT BIT_AND BIT_COUNT BIT_LENGTH BIT_OR BIT_XOR BTRIM
        CBRT CEIL CEILING CHARACTER_LENGTH CHAR_LENGTH CHR COALESCE COLLECT CONCAT COS COSH COT
        CRC32 DEGREES ENTROPY EPOCH EPOCH_MS EVEN EXP FACTORIAL FAVG FIRST FLOOR FSUM GEOMEAN
        GEOMETRIC_MEAN GREATEST GROUP_CONCAT HEX INITCAP ISFINITE ISINF ISNAN JSON_ARRAYAGG
        KAHAN_SUM KURTOSIS KURTOSIS_POP LAST LCASE LEAST LEN LENGTH LIST LISTAGG LIST_PACK
        LIST_VALUE LN LOG LOG10 LOG2 LOWER LTRIM MAD MAKE_TIMESTAMP_MS MAKE_TIMESTAMP_NS MAX MD5 MEAN MEDIAN MIN MODE NULLIFZERO ORD PG_TYPEOF PRODUCT
        RADIANS RAND_INTEGER REVERSE ROUND RTRIM SEM SHA1 SHA256 SHA512 SIGN SIN SINH
        SKEWNESS SOUNDEX SPACE SQRT SQUARE STDDEV STDDEV_POP STDDEV_SAMP STRING_AGG SUM SUMKAHAN
        TAN TANH TO_BASE64 TO_DAYS TO_HOURS TO_MINUTES TO_MONTHS TO_SECONDS TO_TIMESTAMP TO_WEEKS
        TO_YEARS TRIM TRUNC TRUNCATE UCASE UNICODE UPPER URL_DECODE URL_ENCODE VARIANCE VAR_POP
        VAR_SAMP ZEROIFNULL
      (1) over (order by x): LAG LEAD NTILE
      (1, 0.5): APPROX_PERCENTILE APPROX_QUANTILE QUANTILE_CONT
      (1, 2): ADD ARGMAX ARGMIN ARG_MAX ARG_MIN ATAN2 BITAND BITOR BITXOR CHARINDEX CONCAT_WS
        CONTAINS CORR COVAR_POP COVAR_SAMP DATE_ADD DATE_SUB DIV DIVIDE ENDSWITH ENDS_WITH GCD
        GREATEST_COMMON_DIVISOR IFNULL INSTR JSON_OBJECTAGG LCM LEAST_COMMON_MULTIPLE LEFT LEFTSHIFT LEVENSHTEIN LPAD MAX_BY MIN_BY MOD MULTIPLY NULLIF
        NVL POW POWER PREFIX REGEXP_EXTRACT REGEXP_FULL_MATCH REGEXP_LIKE REGEXP_MATCHES
        REGR_AVGX REGR_AVGY REGR_COUNT REGR_INTERCEPT REGR_R2 REGR_SLOPE REGR_SXX REGR_SXY
        REGR_SYY REPEAT REPLICATE RIGHT RIGHTSHIFT RPAD SPLIT STARTSWITH STARTS_WITH STRING_SPLIT
        STRING_TO_ARRAY STRPOS STR_SPLIT SUBSTR SUBSTRING SUBTRACT SUFFIX TIMESTAMP_ADD TO_DATE
        WEIGHTED_AVG XOR
      (1, 2) over (order by x): NTH_VALUE
      (1, 2, 3): DECODE GENERATE_SERIES RANGE MAKE_DATE MAKE_TIME NVL2 REGEXP_REPLACE REPLACE SPLIT_PART TRANSLATE
        TRANSLATE3
      (1, 2, 3, 4, 5, 6): MAKE_TIMESTAMP
      (1, array[1]): ARRAY_PREPEND LIST_PREPEND
      (array['a'], 'b'): ARRAY_TO_STRING
      (array[1]): ARRAY_COMPACT ARRAY_UNIQUE LIST_UNIQUE ARRAY_DISTINCT ARRAY_LENGTH ARRAY_MAX ARRAY_MIN ARRAY_REVERSE ARRAY_SIZE
        ARRAY_SORT CARDINALITY ELEMENT LIST_ANY_VALUE LIST_COUNT LIST_DISTINCT LIST_FIRST LIST_LAST LIST_LENGTH LIST_MAX LIST_MIN LIST_REVERSE
        LIST_SORT ARRAY_REVERSE_SORT LIST_REVERSE_SORT SORT_ARRAY ARRAY_AVG ARRAY_SUM LIST_AVG LIST_STRING_AGG LIST_SUM
        ARRAY_GRADE_UP LIST_GRADE_UP
      (array[1], y -> y > 1): ARRAY_APPLY ARRAY_FILTER ARRAY_TRANSFORM LIST_APPLY LIST_FILTER
        LIST_TRANSFORM
      (array[1], (y, z) -> y + z): ARRAY_REDUCE LIST_REDUCE REDUCE
      (array[1], 1, 2): ARRAY_SLICE LIST_SLICE
      (array[1], 1): ARRAY_INDEXOF ARRAY_PUSH_BACK ARRAY_APPEND ARRAY_CONTAINS ARRAY_EXTRACT ARRAY_HAS ARRAY_POSITION LIST_APPEND
        LIST_CONTAINS LIST_ELEMENT LIST_EXTRACT LIST_HAS LIST_INDEXOF LIST_POSITION STRUCT_EXTRACT
      (array[1.0], array[2.0]): ARRAY_COSINE_DISTANCE ARRAY_COSINE_SIMILARITY ARRAY_DISTANCE
        ARRAY_DOT_PRODUCT ARRAY_INNER_PRODUCT LIST_COSINE_DISTANCE LIST_COSINE_SIMILARITY LIST_DISTANCE
        LIST_DOT_PRODUCT LIST_INNER_PRODUCT ARRAY_INTERSECT LIST_INTERSECT ARRAY_ZIP LIST_ZIP
        ARRAY_SELECT LIST_SELECT LIST_CONTAINED_BY
      (array[1], array[true]): ARRAY_WHERE LIST_WHERE
      (array[1], 1): ARRAY_RESIZE LIST_RESIZE ARRAY_PUSH_FRONT
      (array[1]): ARRAY_POP_BACK ARRAY_POP_FRONT ARRAY_TO_JSON LIST_HISTOGRAM LIST_MEDIAN LIST_PRODUCT LIST_STDDEV
        LIST_STDDEV_POP LIST_STDDEV_SAMP LIST_VAR_POP LIST_VAR_SAMP
      (1, 2): CONSTANT_OR_NULL FDIV JSONB_BUILD_ARRAY JSONB_BUILD_OBJECT JSONB_OBJECT_AGG JSON_BUILD_ARRAY
        JSON_BUILD_OBJECT JSON_GROUP_OBJECT JSON_OBJECT_AGG
      (1): HISTOGRAM JSONB_AGG JSON_AGG JSON_GROUP_ARRAY JSON_QUOTE ROW_TO_JSON TO_HEX TO_JSON TO_JSONB
      ('{}'): JSON JSON_ARRAY_LENGTH JSON_VALID
      ('a'): PARSE_DIRPATH PARSE_FILENAME REGEXP_ESCAPE
      (map['a', 1], 'a'): ELEMENT_AT MAP_EXTRACT_VALUE
      (): CURRENT_DATABASE LASTVAL VERSION
      (array[true]): LIST_BOOL_AND LIST_BOOL_OR
      (array[1], array[2]): ARRAY_CAT ARRAY_CONCAT ARRAY_HAS_ALL ARRAY_HAS_ANY LIST_CAT LIST_CONCAT LIST_HAS_ALL
        LIST_HAS_ANY MAP MAP_FROM_ARRAYS
      (array[array[1]]): FLATTEN
      (array[1], 'sum'): ARRAY_AGGREGATE LIST_AGGR LIST_AGGREGATE
      (map['a', 1], map['b', 2]): MAP_CONCAT
      (map['a', 1], 'a'): MAP_CONTAINS
      (map['a', 1]): MAP_ENTRIES MAP_KEYS MAP_VALUES
      (map_entries(map['a', 1])): MAP_FROM_ENTRIES
      (cast(1 as variant)): TYPEOF
      (date '2020-01-01'): CENTURY DATE DAY DAYNAME DAYOFMONTH DAYOFWEEK DAYOFYEAR DECADE
        EPOCH_NS EPOCH_US ERA HOUR ISODOW ISOYEAR JULIAN LAST_DAY MICROSECOND MILLENNIUM MILLISECOND
        MINUTE MONTH MONTHNAME NANOSECOND QUARTER SECOND WEEK WEEKDAY WEEKOFYEAR YEAR YEARWEEK
      (day from date '2020-01-01'): EXTRACT
      (day, 1, date '2020-01-01'): DATEADD DATEDIFF DATE_DIFF TIMESTAMPADD
      (day, date '2020-01-01'): DATEPART DATETRUNC DATE_PART DATE_TRUNC
      (day, date '2020-01-01', date '2020-01-01'): DATESUB TIMESTAMPDIFF
      (interval '1' day, date '2020-01-01'): TIME_BUCKET
      (timestamp '2020-01-01 00:00:00'): AGE
      (multiset[1]): FUSION INTERSECTION
      (timestamp '2020-01-01 00:00:00', 'UTC'): AT_TIME_ZONE
      (timestamp '2020-01-01 00:00:00', 'YYYY'): TO_CHAR
      (true): BOOL_AND BOOL_OR COUNTIF COUNT_IF EVERY SOME
      (true, 1, 2): IF IFF
      (x): GROUPING GROUPING_ID
      ('s'): NEXTVAL CURRVAL
      ('s', 5): SETVAL
      (1, 0, 2): BAR
      """;

  /** Of multisets the device has no columns. */
  private static final Set<String> CALCITES = Set.of("FUSION", "INTERSECTION");

  /**
   * What is listed can be called, and none of it takes the operator that it stands in to Calcite.
   */
  @Test
  void everyFunctionIsCalled() throws SQLException {
    Set<String> called = new TreeSet<>();
    try (Connection calling = TestConnections.open("device=cpu");
        Statement statement = calling.createStatement()) {
      statement.execute("create sequence s");
      statement.executeQuery("select nextval('s')").close();
      call(calling, called);
    }
    assertEquals(
        List.copyOf(called),
        column(metaData.getFunctions(null, "", "%"), "FUNCTION_NAME", "FUNCTION_TYPE").stream()
            .filter(row -> row.endsWith("|1"))
            .map(row -> row.substring(0, row.length() - 2))
            .toList());
  }

  private static void call(Connection calling, Set<String> called) throws SQLException {
    for (String line : CALLS.strip().split("\\n(?=\\()")) {
      int end = line.lastIndexOf(": ");
      String arguments = line.substring(0, end);
      List<String> names = List.of(line.substring(end + 2).split("\\s+"));
      String groups =
          arguments.equals("(x)")
              ? " group by rollup(x)"
              : arguments.contains("x)") || names.contains("GROUP_ID") ? " group by x" : "";
      String query =
          "select %s from (values (1)) as t(x)%s"
              .formatted(
                  String.join(", ", names.stream().map(name -> name + arguments).toList()), groups);
      TestConnections.query(calling, query);
      String plan = String.join("\n", TestConnections.query(calling, "explain " + query));
      assertEquals(
          CALCITES.containsAll(names), plan.contains("left to Calcite"), query + "\n" + plan);
      called.addAll(names);
    }
  }

  private static final List<String> ESCAPES =
      List.of(
          """
          abs(1); acos(1); asin(1); atan(1); atan2(2, 3); cbrt(1); ceiling(1); cos(1); cot(1);
          degrees(1); exp(1); floor(1); log(1); log10(1); mod(2, 3); pi(); power(2, 3); radians(1);
          rand(); round(1); sign(1); sin(1); sqrt(1); tan(1); truncate(1); ascii('a'); char(65);
          concat('a', 'b'); difference('a', 'b'); insert('abc', 1, 1, 'd'); lcase('A'); left('ab', 1);
          length('a'); locate('a', 'b'); ltrim('a'); repeat('a', 3); replace('a', 'b', 'c');
          right('ab', 1); rtrim('a'); soundex('a'); space(1); substring('ab', 2, 1); ucase('a');
          convert(1, SQL_VARCHAR); database(); ifnull(1, 2); user(); curdate(); curtime();
          dayname(date '2020-01-01'); dayofmonth(date '2020-01-01'); dayofweek(date '2020-01-01');
          dayofyear(date '2020-01-01'); hour(time '01:02:03'); minute(time '01:02:03');
          month(date '2020-01-01'); monthname(date '2020-01-01'); now(); quarter(date '2020-01-01');
          second(time '01:02:03'); timestampadd(SQL_TSI_DAY, 1, date '2020-01-01');
          timestampdiff(SQL_TSI_DAY, date '2020-01-01', date '2020-01-02');
          to_date('2020-01-01', 'YYYY-MM-DD'); to_timestamp('2020-01-01', 'YYYY-MM-DD');
          week(date '2020-01-01'); year(date '2020-01-01')
          """
              .strip()
              .split(";\\s+"));

  /** The functions of JDBC's escapes run, and there are no others. */
  @Test
  void functionsOfEscapes() throws SQLException {
    String told =
        String.join(
            ",",
            metaData.getNumericFunctions(),
            metaData.getStringFunctions(),
            metaData.getSystemFunctions(),
            metaData.getTimeDateFunctions());
    assertEquals(
        List.of(told.toLowerCase(Locale.ROOT).split(",")),
        ESCAPES.stream().map(call -> call.substring(0, call.indexOf('('))).toList());
    TestConnections.query(
        connection,
        "select " + String.join(", ", ESCAPES.stream().map("{fn %s}"::formatted).toList()));
  }

  /** The number of the error that a query ends with; none if it has rows. */
  @Test
  void theLastRow() throws SQLException {
    for (ResultSet rows :
        List.of(
            metaData.getTables(null, "tpch", "%", null),
            metaData.getColumns(null, "tpch", "nation", "n_name"),
            metaData.getPrimaryKeys(null, "tpch", "nation"),
            metaData.getTypeInfo(),
            metaData.getSchemas(),
            metaData.getProcedures(null, null, "%"),
            metaData.getTables(null, "tpch", "x", null))) {
      try (rows) {
        assertFalse(rows.isLast());
        int count = 0;
        boolean last = false;
        for (; rows.next(); count++) {
          assertFalse(last, "a row after the last one");
          last = rows.isLast();
        }
        assertEquals(count > 0, last);
        assertFalse(rows.isLast());
      }
    }
  }

  /** The escapes beside functions that metadata promises. */
  @Test
  void otherEscapes() throws SQLException {
    assertTrue(metaData.supportsFullOuterJoins());
    assertTrue(metaData.supportsLikeEscapeClause());
    assertEquals(
        List.of("AFRICA|5|2020-01-02"),
        TestConnections.query(
            connection,
            "select r_name, {fn length({fn lcase('ABCDE')})}, {d '2020-01-02'} from {OJ region left"
                + " outer join nation on r_regionkey = n_regionkey + {fn abs(100)}} where r_name"
                + " like 'AF!%' {escape '!'} or r_name like 'AFR%' {ESCAPE '!'}"));
    assertEquals(
        List.of("75"),
        TestConnections.query(
            connection,
            "select count(*) from {oj {oj nation n left join region on n_regionkey = r_regionkey}"
                + " full outer join (values (0), (1), (2)) as t(oj) on true}"));
    assertEquals("101", error("select 1 from {oj region"));
    assertEquals("101", error("select 1 from {region}"));
  }

  private static String error(String sql) {
    try {
      TestConnections.query(connection, sql);
      return "";
    } catch (SQLException e) {
      return String.valueOf(e.getErrorCode());
    }
  }
}
