package io.aragonite.adapter.sql.function;

import io.aragonite.adapter.options.ProductVersion;
import io.aragonite.adapter.sql.function.FunctionForms.Form;
import io.aragonite.rules.function.IntegerFunctions;
import java.util.Map;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.fun.SqlLibraryOperators;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.type.SqlTypeName;
import org.jspecify.annotations.Nullable;

/** Functions of patterns, of paths, of maps and of what the product is. */
final class OtherForms {
  private OtherForms() {}

  static void add(Map<String, Form> forms) {
    forms.put(
        "VERSION",
        (trees, call) -> {
          FunctionForms.require(call, 0, 0);
          return trees.cast(trees.text("Aragonite " + ProductVersion.text()), SqlTypeName.VARCHAR);
        });
    forms.put(
        "CURRENT_DATABASE",
        (trees, call) -> {
          FunctionForms.require(call, 0, 0);
          return SqlLiteral.createCharString(CommonFunctions.DATABASE, trees.at);
        });
    forms.put("REGEXP_MATCHES", OtherForms::matches);
    forms.put("REGEXP_ESCAPE", OtherForms::escaped);
    forms.put("PARSE_FILENAME", OtherForms::fileName);
    forms.put("PARSE_DIRPATH", OtherForms::folder);
    addHexadecimal(forms);
    forms.put(
        "MAP_EXTRACT_VALUE",
        (trees, call) -> {
          FunctionForms.require(call, 2, 2);
          return trees.call(SqlStdOperatorTable.ITEM, call.operand(0), call.operand(1));
        });
    forms.put(
        "FDIV",
        (trees, call) -> {
          FunctionForms.require(call, 2, 2);
          return trees.call(
              SqlStdOperatorTable.FLOOR,
              trees.over(
                  trees.cast(call.operand(0), SqlTypeName.DOUBLE),
                  trees.cast(call.operand(1), SqlTypeName.DOUBLE)));
        });
    forms.put(
        "CONSTANT_OR_NULL",
        (trees, call) -> {
          FunctionForms.require(call, 2, 2);
          return trees.ifElse(
              trees.call(SqlStdOperatorTable.IS_NULL, call.operand(1)),
              SqlLiteral.createNull(trees.at),
              call.operand(0));
        });
  }

  private static void addHexadecimal(Map<String, Form> forms) {
    forms.put(
        "HEX",
        (trees, call) -> {
          FunctionForms.require(call, 1, 1);
          return trees.call(IntegerFunctions.HEX, call.operand(0));
        });
    forms.put(
        "TO_HEX",
        (trees, call) -> {
          FunctionForms.require(call, 1, 1);
          return trees.call(
              SqlStdOperatorTable.LOWER, trees.call(IntegerFunctions.HEX, call.operand(0)));
        });
    forms.put(
        "FROM_HEX",
        (trees, call) -> {
          FunctionForms.require(call, 1, 1);
          return trees.call(IntegerFunctions.UNHEX, call.operand(0));
        });
  }

  /** {@code regexp_matches(x, p, flags)}. */
  private static @Nullable SqlNode matches(Trees trees, SqlCall call) {
    FunctionForms.require(call, 2, 3);
    return trees.call(
        SqlLibraryOperators.REGEXP_LIKE, call.getOperandList().toArray(SqlNode[]::new));
  }

  private static SqlNode escaped(Trees trees, SqlCall call) {
    FunctionForms.require(call, 1, 1);
    return trees.call(
        SqlLibraryOperators.REGEXP_REPLACE_PG_4,
        call.operand(0),
        trees.text("([\\\\.^$|?*+()\\[\\]{}/-])"),
        trees.text("\\\\\\1"),
        trees.text("g"));
  }

  /** What is behind the last slash; without what is behind its last dot, if that is wanted. */
  private static SqlNode fileName(Trees trees, SqlCall call) {
    FunctionForms.require(call, 1, 2);
    SqlNode name = replaced(trees, call.operand(0), "^.*/");
    boolean bare =
        call.operandCount() == 2
            && call.operand(1) instanceof SqlLiteral flag
            && Boolean.TRUE.equals(flag.getValue());
    return bare ? replaced(trees, name, "\\.[^.]*$") : name;
  }

  /** What is before the last slash. */
  private static SqlNode folder(Trees trees, SqlCall call) {
    FunctionForms.require(call, 1, 1);
    return replaced(trees, call.operand(0), "/?[^/]*$");
  }

  private static SqlNode replaced(Trees trees, SqlNode text, String pattern) {
    return trees.call(
        SqlLibraryOperators.REGEXP_REPLACE_PG_3, text, trees.text(pattern), trees.text(""));
  }
}
