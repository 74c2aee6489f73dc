package io.aragonite.adapter.sql;

import io.aragonite.adapter.sql.function.JsonCast;
import io.aragonite.adapter.sql.function.JsonMaker;
import io.aragonite.rules.translate.TypeMapping;
import java.util.Locale;
import java.util.Set;
import java.util.function.Function;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.sql.type.SqlTypeUtil;

/**
 * Lists, structs and maps where JSON is looked into, as in {@code address ->> 'city'}: they are
 * written as JSON. Objects and arrays of JSON files are such values. So are all values but texts
 * that are cast to JSON.
 */
final class JsonOperands {
  /** Functions whose first argument is JSON. */
  private static final Set<String> READERS =
      Set.of(
          "JSON_EXTRACT",
          "JSON_EXTRACT_STRING",
          "JSON_ARRAY_LENGTH",
          "JSON_NORMALIZED",
          "JSON_VALUE",
          "JSON_QUERY",
          "JSON_EXISTS",
          "$JSON_EXISTS",
          "JSON_TYPE",
          "JSON_DEPTH",
          "JSON_LENGTH",
          "JSON_KEYS",
          "JSON_PRETTY",
          "$JSON_SET",
          "$JSON_INSERT",
          "$JSON_REPLACE",
          "$JSON_REMOVE",
          "$JSON_NAMES",
          "$JSON_SIZE",
          "JSON_STORAGE_SIZE",
          "$JSON_KEYS",
          "$JSON_ELEMENTS",
          "$JSON_ELEMENT_TEXTS",
          "$JSON_PARTS",
          "$JSON_PART_TEXTS",
          "$JSON_MEMBERS",
          "$JSON_MEMBER_TEXTS",
          "$JSON_EACH",
          "$JSON_TREE",
          "IS JSON VALUE",
          "IS JSON OBJECT",
          "IS JSON ARRAY",
          "IS JSON SCALAR",
          "IS NOT JSON VALUE",
          "IS NOT JSON OBJECT",
          "IS NOT JSON ARRAY",
          "IS NOT JSON SCALAR");

  private JsonOperands() {}

  static void apply(SqlNode expr, Function<SqlNode, RelDataType> types) {
    if (!(expr instanceof SqlCall call) || call.operandCount() == 0) {
      return;
    }
    SqlNode json = call.operand(0);
    if (JsonCast.is(call)) {
      if (JsonMaker.isText(json)) {
        call.setOperand(0, JsonMaker.checked(call, json));
      } else if (!isSame(types.apply(json))) {
        call.setOperand(0, JsonMaker.of(json));
      }
      return;
    }
    if (!READERS.contains(call.getOperator().getName().toUpperCase(Locale.ROOT))) {
      return;
    }
    if (TypeMapping.isNested(types.apply(json))) {
      call.setOperand(0, JsonMaker.of(json));
    }
  }

  /** Whether the text of a value is its JSON, or what its JSON is taken of. */
  private static boolean isSame(RelDataType type) {
    return SqlTypeUtil.inCharFamily(type)
        || SqlTypeUtil.isExactNumeric(type)
        || type.getSqlTypeName() == SqlTypeName.NULL;
  }
}
