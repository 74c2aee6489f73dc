package io.aragonite.adapter.sql;

import io.aragonite.adapter.sql.function.JsonMaker;
import io.aragonite.adapter.sql.parse.TypeNames;
import io.aragonite.rules.translate.TypeMapping;
import java.util.Locale;
import java.util.Set;
import java.util.function.Function;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlNode;

/**
 * Lists, structs and maps where JSON is looked into, as in {@code address ->> 'city'}: they are
 * written as JSON. Objects and arrays of JSON files are such values.
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
          "JSON_REMOVE",
          "JSON_SET",
          "JSON_INSERT",
          "JSON_REPLACE",
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
    if (!(expr instanceof SqlCall call)
        || call.operandCount() == 0
        || !(READERS.contains(call.getOperator().getName().toUpperCase(Locale.ROOT))
            || TypeNames.isJsonCast(call))) {
      return;
    }
    SqlNode json = call.operand(0);
    if (TypeMapping.isNested(types.apply(json))) {
      call.setOperand(0, JsonMaker.of(json));
    }
  }
}
