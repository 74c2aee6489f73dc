package io.aragonite.adapter.metadata;

import io.aragonite.adapter.sql.function.CommonFunctions;
import io.aragonite.adapter.sql.function.FunctionForms;
import java.sql.DatabaseMetaData;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.apache.calcite.sql.SqlFunction;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.jspecify.annotations.Nullable;

/** {@link DatabaseMetaData#getFunctions}: the names that statements can call. */
public final class FunctionMetadata {
  private static final List<MetaRows.MetaColumn> COLUMNS =
      List.of(
          new MetaRows.MetaColumn("FUNCTION_CAT", String.class),
          new MetaRows.MetaColumn("FUNCTION_SCHEM", String.class),
          new MetaRows.MetaColumn("FUNCTION_NAME", String.class),
          new MetaRows.MetaColumn("REMARKS", String.class),
          new MetaRows.MetaColumn("FUNCTION_TYPE", Short.class),
          new MetaRows.MetaColumn("SPECIFIC_NAME", String.class));

  private static final List<String> OF_TABLES =
      List.of("GENERATE_SERIES", "RANGE", "READ_ARROW", "READ_CSV", "READ_JSON", "READ_PARQUET");

  /** Functions of sequences, streams and row patterns, of which there are none. */
  private static final Set<SqlKind> OF_NOTHING =
      EnumSet.of(
          SqlKind.NEXT_VALUE,
          SqlKind.CURRENT_VALUE,
          SqlKind.TUMBLE,
          SqlKind.TUMBLE_START,
          SqlKind.TUMBLE_END,
          SqlKind.HOP,
          SqlKind.HOP_START,
          SqlKind.HOP_END,
          SqlKind.SESSION,
          SqlKind.SESSION_START,
          SqlKind.SESSION_END,
          SqlKind.RUNNING,
          SqlKind.FINAL,
          SqlKind.FIRST,
          SqlKind.LAST,
          SqlKind.PREV,
          SqlKind.NEXT,
          SqlKind.CLASSIFIER,
          SqlKind.MATCH_NUMBER);

  /**
   * Names that no statement calls: of plans, of tables that are streams, of words that no name is.
   */
  private static final Set<String> OF_NOBODY =
      Set.of(
          "ANY",
          "CURRENT_SCHEMA",
          "FIRST_IN_ORDER",
          "FIRST_OF_ROWS",
          "HOP",
          "LAST_IN_ORDER",
          "LAST_OF_ROWS",
          "MODE_IN_ORDER",
          "SESSION",
          "SINGLE_VALUE",
          "TUMBLE");

  /** Names that statements have for functions which Calcite names by what they do with nulls. */
  private static final Map<String, String> WRITTEN =
      Map.of(
          "JSON_ARRAYAGG_ABSENT_ON_NULL", "JSON_ARRAYAGG",
          "JSON_OBJECTAGG_NULL_ON_NULL", "JSON_OBJECTAGG");

  private FunctionMetadata() {}

  /** All functions but those of schemas, in no schema. */
  public static MetaRows rows() {
    MetaRows rows = new MetaRows(COLUMNS);
    Collection<String> ofValues = names();
    for (String name : ofValues) {
      add(rows, name, DatabaseMetaData.functionNoTable, name);
    }
    for (String name : OF_TABLES) {
      String specific = ofValues.contains(name) ? name + "_TABLE" : name;
      add(rows, name, DatabaseMetaData.functionReturnsTable, specific);
    }
    return rows;
  }

  private static void add(MetaRows rows, String name, int type, String specific) {
    rows.add(null, null, name, null, (short) type, specific);
  }

  private static Collection<String> names() {
    Set<String> names = new TreeSet<>(FunctionForms.names());
    for (SqlOperator operator :
        CommonFunctions.after(SqlStdOperatorTable.instance()).getOperatorList()) {
      String name = operator.getName().toUpperCase(Locale.ROOT);
      if (operator instanceof SqlFunction
          && !OF_NOTHING.contains(operator.getKind())
          && Character.isLetter(name.charAt(0))
          && name.indexOf(' ') < 0) {
        names.add(WRITTEN.getOrDefault(name, name));
      }
    }
    names.removeAll(OF_NOBODY);
    return names;
  }

  /** Whether a statement may call something of a name, of no schema: a function or an operator. */
  public static boolean isKnown(String name) {
    String upper = name.toUpperCase(Locale.ROOT);
    return FunctionForms.names().contains(upper)
        || CommonFunctions.after(SqlStdOperatorTable.instance()).getOperatorList().stream()
            .anyMatch(operator -> operator.getName().equalsIgnoreCase(upper));
  }

  /** Whether a pattern of schemas matches what is in none. */
  public static boolean matchesNoSchema(@Nullable String pattern) {
    return pattern == null || pattern.isEmpty() || pattern.equals("%");
  }
}
