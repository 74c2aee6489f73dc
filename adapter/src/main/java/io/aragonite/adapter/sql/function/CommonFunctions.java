package io.aragonite.adapter.sql.function;

import io.aragonite.rules.function.ArrayAggFunction;
import io.aragonite.rules.function.AsofMatch;
import io.aragonite.rules.function.DatePartFunction;
import io.aragonite.rules.function.DoubleFunctions;
import io.aragonite.rules.function.FormatFunctions;
import io.aragonite.rules.function.IntegerFunctions;
import io.aragonite.rules.function.IntervalFunctions;
import io.aragonite.rules.function.JsonEdits;
import io.aragonite.rules.function.JsonFunctions;
import io.aragonite.rules.function.JsonRows;
import io.aragonite.rules.function.JsonTexts;
import io.aragonite.rules.function.LambdaFunctions;
import io.aragonite.rules.function.ListEdits;
import io.aragonite.rules.function.ListFunctions;
import io.aragonite.rules.function.MomentLists;
import io.aragonite.rules.function.NullableFunctions;
import io.aragonite.rules.function.NumberSequence;
import io.aragonite.rules.function.OrderedFunctions;
import io.aragonite.rules.function.ParseFunctions;
import io.aragonite.rules.function.PowerSum;
import io.aragonite.rules.function.RandomFunctions;
import io.aragonite.rules.function.RowAggregates;
import io.aragonite.rules.function.SplitFunctions;
import io.aragonite.rules.function.TextDistances;
import io.aragonite.rules.function.VectorFunctions;
import io.aragonite.rules.function.ZoneFunctions;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.sql.SqlFunctionCategory;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.SqlOperatorTable;
import org.apache.calcite.sql.SqlSyntax;
import org.apache.calcite.sql.fun.SqlLibraryOperators;
import org.apache.calcite.sql.util.SqlOperatorTables;
import org.apache.calcite.sql.validate.SqlNameMatcher;
import org.jspecify.annotations.Nullable;

/**
 * Functions beyond the standard that users of other systems expect, in PostgreSQL's form where
 * systems differ. Libraries that {@code fun=} names come before them.
 */
public final class CommonFunctions implements SqlOperatorTable {
  /** The name of the one database, for PostgreSQL's programs. */
  public static final String DATABASE = "aragonite";

  /** The functions; their names are those that SQL uses. */
  static final SqlOperatorTable TABLE =
      SqlOperatorTables.of(
          SqlLibraryOperators.TRY_CAST,
          SqlLibraryOperators.NVL,
          SqlLibraryOperators.IFNULL,
          SqlLibraryOperators.DECODE,
          SqlLibraryOperators.IF,
          SqlLibraryOperators.GREATEST_PG,
          SqlLibraryOperators.LEAST_PG,
          SqlLibraryOperators.BOOL_AND,
          SqlLibraryOperators.BOOL_OR,
          SqlLibraryOperators.ILIKE,
          SqlLibraryOperators.NOT_ILIKE,
          SqlLibraryOperators.LENGTH,
          SqlLibraryOperators.LEFT,
          SqlLibraryOperators.RIGHT,
          NullableFunctions.LPAD,
          NullableFunctions.RPAD,
          SqlLibraryOperators.LTRIM,
          SqlLibraryOperators.RTRIM,
          SqlLibraryOperators.SUBSTR_POSTGRESQL,
          SqlLibraryOperators.STRPOS,
          SqlLibraryOperators.STARTS_WITH,
          SqlLibraryOperators.ENDS_WITH,
          SqlLibraryOperators.SPLIT_PART,
          SqlLibraryOperators.CONCAT_FUNCTION_WITH_NULL,
          SqlLibraryOperators.REPEAT,
          SqlLibraryOperators.REVERSE,
          SqlLibraryOperators.CHR,
          SqlLibraryOperators.REGEXP_LIKE,
          SqlLibraryOperators.REGEXP_REPLACE_PG_3,
          SqlLibraryOperators.REGEXP_REPLACE_PG_4,
          SqlLibraryOperators.TRANSLATE3,
          SqlLibraryOperators.LEVENSHTEIN,
          TextDistances.HAMMING,
          TextDistances.DAMERAU_LEVENSHTEIN,
          TextDistances.JACCARD,
          TextDistances.JARO,
          TextDistances.JARO_WINKLER,
          SqlLibraryOperators.SOUNDEX,
          SqlLibraryOperators.SHA1,
          SqlLibraryOperators.SHA256,
          SqlLibraryOperators.HEX,
          SqlLibraryOperators.FACTORIAL,
          SqlLibraryOperators.TO_DATE_PG,
          SqlLibraryOperators.TO_TIMESTAMP_PG,
          SqlLibraryOperators.TO_CHAR_PG,
          ArrayAggFunction.ARRAY_AGG,
          SqlLibraryOperators.ARRAY_LENGTH,
          SqlLibraryOperators.ARRAY_TO_STRING,
          SqlLibraryOperators.BIT_LENGTH,
          SqlLibraryOperators.MD5,
          SqlLibraryOperators.LOG2,
          SqlLibraryOperators.SINH,
          SqlLibraryOperators.COSH,
          SqlLibraryOperators.TANH,
          SqlLibraryOperators.ASINH,
          SqlLibraryOperators.ACOSH,
          SqlLibraryOperators.ATANH,
          SqlLibraryOperators.SHA512,
          SqlLibraryOperators.CRC32,
          SqlLibraryOperators.PARSE_DATETIME,
          SqlLibraryOperators.ARRAY_CONTAINS,
          SqlLibraryOperators.ARRAY_APPEND,
          SqlLibraryOperators.ARRAY_PREPEND,
          SqlLibraryOperators.ARRAY_DISTINCT,
          SqlLibraryOperators.SORT_ARRAY,
          SqlLibraryOperators.ARRAY_REVERSE,
          SqlLibraryOperators.ARRAY_CONCAT,
          SqlLibraryOperators.ARRAY_POSITION,
          SqlLibraryOperators.ARRAY_COMPACT,
          SqlLibraryOperators.ARRAY_MIN,
          SqlLibraryOperators.ARRAY_MAX,
          ListFunctions.MAP_ENTRIES,
          SqlLibraryOperators.MAP_FROM_ARRAYS,
          SqlLibraryOperators.MAP_FROM_ENTRIES,
          SqlLibraryOperators.MAP_CONCAT,
          SqlLibraryOperators.MAP_KEYS,
          SqlLibraryOperators.MAP_VALUES,
          SqlLibraryOperators.SPLIT,
          SqlLibraryOperators.SPACE,
          SqlLibraryOperators.TO_BASE64,
          SqlLibraryOperators.FROM_BASE64,
          SqlLibraryOperators.URL_ENCODE,
          SqlLibraryOperators.URL_DECODE,
          SqlLibraryOperators.BIN,
          SqlLibraryOperators.SUBSTRING_INDEX,
          ZoneFunctions.AT_TIME_ZONE,
          JsonFunctions.JSON_EXTRACT,
          JsonFunctions.JSON_EXTRACT_STRING,
          LambdaFunctions.LIST_TRANSFORM,
          LambdaFunctions.LIST_FILTER,
          LambdaFunctions.LIST_REDUCE,
          ListFunctions.LIST_SUM,
          ListFunctions.LIST_AVG,
          ListFunctions.LIST_SORT,
          ListFunctions.GENERATE_SERIES,
          ListFunctions.LIST_SLICE,
          ListFunctions.FLATTEN,
          ListFunctions.LIST_HAS_ALL,
          ListFunctions.LIST_HAS_ANY,
          ListFunctions.RANGE,
          ListFunctions.REGEXP_EXTRACT_ALL,
          ListFunctions.REGEXP_SPLIT,
          ListEdits.LIST_ZIP,
          ListEdits.LIST_HISTOGRAM,
          ListEdits.LIST_RESIZE,
          ListEdits.LIST_GRADE_UP,
          ParseFunctions.STRPTIME_TEXT,
          ParseFunctions.TRY_STRPTIME_TEXT,
          ListEdits.LIST_WHERE,
          ListEdits.LIST_SELECT,
          ListEdits.LIST_INTERSECT,
          VectorFunctions.LIST_DOT_PRODUCT,
          VectorFunctions.LIST_COSINE_SIMILARITY,
          VectorFunctions.LIST_DISTANCE,
          VectorFunctions.LIST_PRODUCT,
          VectorFunctions.LIST_MEDIAN,
          VectorFunctions.LIST_VAR_POP,
          VectorFunctions.LIST_VAR_SAMP,
          JsonFunctions.JSON_ARRAY_LENGTH,
          JsonMaker.OPERATOR,
          SplitFunctions.STRIP_ACCENTS,
          IntegerFunctions.GCD,
          IntegerFunctions.HEX,
          IntegerFunctions.LCM,
          IntegerFunctions.UNHEX,
          RowAggregates.MAD,
          RowAggregates.PRODUCT,
          RowAggregates.ENTROPY);

  private static final SqlOperatorTable ORDERED = SqlOperatorTables.of(OrderedFunctions.all());

  /** What casts, joins and quantiles of frames are written by; nobody else may use the names. */
  private static final List<SqlOperator> INTERNAL =
      List.of(
          AsofMatch.ASOF_MATCH,
          AsofMatch.ASOF_USING,
          ArrayAggFunction.ARRAY_AGG_IF,
          DatePartFunction.DATE_PART,
          FormatFunctions.BAR,
          FormatFunctions.FORMAT_VALUE,
          JsonFunctions.JSON_EXISTS,
          JsonFunctions.JSON_NORMALIZED,
          JsonMaker.KEY,
          JsonTexts.TO_JSON_TEXT,
          MomentLists.MOMENT_SERIES,
          GroupNumber.OPERATOR,
          ListFunctions.SERIES_STEP,
          DoubleFunctions.LOG2,
          NumberSequence.CURRVAL,
          SeriesFunction.INSTANCE,
          NumberSequence.LASTVAL,
          NumberSequence.NEXTVAL,
          NumberSequence.SETVAL,
          PowerSum.of(1),
          PowerSum.of(2),
          PowerSum.of(3),
          PowerSum.of(4),
          RandomFunctions.UUID,
          RandomFunctions.RANDOM,
          RandomFunctions.RANDOM_INTEGER,
          RowAggregates.QUANTILE_CONT,
          RowAggregates.QUANTILE_DISC,
          ZoneFunctions.INSTANT_TEXT,
          ZoneFunctions.INSTANT_OF_TEXT,
          ZoneFunctions.FINE_INSTANT_OF_TEXT,
          ZoneFunctions.TRY_INSTANT_OF_TEXT,
          ZoneFunctions.TRY_FINE_INSTANT_OF_TEXT);

  private static final SqlOperatorTable HIDDEN =
      SqlOperatorTables.chain(
          SqlOperatorTables.of(INTERNAL),
          SqlOperatorTables.of(IntervalFunctions.all()),
          SqlOperatorTables.of(JsonRows.all()),
          SqlOperatorTables.of(JsonEdits.all()),
          SqlOperatorTables.of(
              StructPack.OPERATOR,
              TypeOf.OPERATOR,
              NestedText.OPERATOR,
              ListFunctions.EMPTY_LIST,
              ListEdits.ELEMENTS));

  private final SqlOperatorTable given;

  private CommonFunctions(SqlOperatorTable given) {
    this.given = given;
  }

  /** The functions of a table, and those here whose names it lacks. */
  public static SqlOperatorTable after(SqlOperatorTable given) {
    return new CommonFunctions(given);
  }

  /** The functions here. */
  public static List<SqlOperator> own() {
    return TABLE.getOperatorList();
  }

  /** The functions that rewritten statements alone call. */
  public static List<SqlOperator> internal() {
    return INTERNAL;
  }

  @Override
  public void lookupOperatorOverloads(
      SqlIdentifier name,
      @Nullable SqlFunctionCategory category,
      SqlSyntax syntax,
      List<SqlOperator> operators,
      SqlNameMatcher matcher) {
    int before = operators.size();
    given.lookupOperatorOverloads(name, category, syntax, operators, matcher);
    operators.replaceAll(NullableFunctions::nullable);
    if (operators.size() == before) {
      TABLE.lookupOperatorOverloads(name, category, syntax, operators, matcher);
      ORDERED.lookupOperatorOverloads(name, category, syntax, operators, matcher);
      HIDDEN.lookupOperatorOverloads(name, category, syntax, operators, matcher);
    }
  }

  @Override
  public List<SqlOperator> getOperatorList() {
    List<SqlOperator> all = new ArrayList<>(given.getOperatorList());
    all.addAll(TABLE.getOperatorList());
    all.addAll(ORDERED.getOperatorList());
    return all;
  }
}
