package io.aragonite.adapter.sql.parse;

import io.aragonite.rules.function.ListEdits;
import java.util.Locale;
import java.util.Set;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlDynamicParam;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlUnnestOperator;

/**
 * {@code UNNEST(list) AS t(x)} of a list of structs: x is the struct, as in DuckDB. Without a name
 * of the column, and with several, the fields are columns, as in the standard.
 */
final class UnnestedStructs {
  /** What makes lists of numbers and texts, which other forms look for. */
  private static final Set<String> OF_SCALARS = Set.of("GENERATE_SERIES", "RANGE", "STRING_SPLIT");

  private UnnestedStructs() {}

  /** Changes an alias of an item of FROM. */
  static void name(SqlCall alias) {
    SqlNode item = alias.operand(0);
    SqlCall unnest =
        item instanceof SqlCall lateral && item.getKind() == SqlKind.LATERAL
            ? lateral.operand(0) instanceof SqlCall inner ? inner : lateral
            : item instanceof SqlCall call ? call : alias;
    if (alias.operandCount() == 3
        && unnest.getOperator() instanceof SqlUnnestOperator operator
        && !operator.withOrdinality
        && unnest.operandCount() == 1
        && !unnest.operand(0).getKind().belongsTo(SqlKind.QUERY)) {
      unnest.setOperand(0, column(unnest.operand(0)));
    }
  }

  /** A list that UNNEST makes one column of. */
  static SqlNode column(SqlNode list) {
    boolean scalars =
        list instanceof SqlDynamicParam
            || list instanceof SqlCall call
                && OF_SCALARS.contains(call.getOperator().getName().toUpperCase(Locale.ROOT));
    return scalars ? list : ListEdits.ELEMENTS.createCall(list.getParserPosition(), list);
  }
}
