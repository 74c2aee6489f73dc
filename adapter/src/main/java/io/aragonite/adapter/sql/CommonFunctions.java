package io.aragonite.adapter.sql;

import org.apache.calcite.sql.SqlOperatorTable;
import org.apache.calcite.sql.fun.SqlLibraryOperators;
import org.apache.calcite.sql.util.SqlOperatorTables;

/**
 * Functions beyond the standard that users of other systems expect, in PostgreSQL's form where
 * systems differ. They are there unless {@code fun=} names libraries.
 */
final class CommonFunctions {
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
          SqlLibraryOperators.LPAD,
          SqlLibraryOperators.RPAD,
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
          SqlLibraryOperators.MD5,
          SqlLibraryOperators.LOG2,
          SqlLibraryOperators.SINH,
          SqlLibraryOperators.COSH,
          SqlLibraryOperators.TANH);

  private CommonFunctions() {}
}
