package io.aragonite.adapter.sql.function;

import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlBasicCall;
import org.apache.calcite.sql.SqlBasicFunction;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlFunction;
import org.apache.calcite.sql.SqlFunctionCategory;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlUtil;
import org.apache.calcite.sql.type.OperandTypes;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.sql2rel.SqlRexContext;

/** {@code TYPEOF(x)}: the type's name as a text, which is known before a row is read. */
public final class TypeOf {
  static final SqlFunction OPERATOR =
      SqlBasicFunction.create(
          "TYPE_NAME", // Calcite has a TYPEOF of its VARIANT
          binding -> binding.getTypeFactory().createSqlType(SqlTypeName.VARCHAR),
          OperandTypes.ANY,
          SqlFunctionCategory.SYSTEM);

  private static final Pattern PLAIN = Pattern.compile("[A-Za-z_][A-Za-z_0-9]*");

  private TypeOf() {}

  private static String quoted(String name) {
    return PLAIN.matcher(name).matches() ? name : '"' + name.replace("\"", "\"\"") + '"';
  }

  /** Makes it of Calcite's function of the name, which takes a VARIANT alone. */
  public static void apply(SqlNode node, Function<SqlNode, RelDataType> types) {
    if (node instanceof SqlBasicCall call
        && call.operandCount() == 1
        && call.getOperator() instanceof SqlFunction
        && call.getOperator().getName().equalsIgnoreCase("TYPEOF")
        && types.apply(call.operand(0)).getSqlTypeName() != SqlTypeName.VARIANT) {
      call.setOperator(OPERATOR);
    }
  }

  public static boolean is(SqlCall call) {
    return call.getOperator().equals(OPERATOR);
  }

  public static RexNode convert(SqlRexContext context, SqlCall call) {
    RelDataType type = context.getValidator().getValidatedNodeType(call.operand(0));
    String name =
        type.getSqlTypeName() == SqlTypeName.CHAR && SqlUtil.isLiteral(call.operand(0))
            ? "VARCHAR"
            : name(type);
    return context
        .getRexBuilder()
        .makeLiteral(name, context.getValidator().getValidatedNodeType(call), true);
  }

  /**
   * A type as DuckDB writes it, with the standard's names of types: what CREATE TABLE and the types
   * of {@code read_json} take.
   */
  public static String name(RelDataType type) {
    if (type.isStruct()) {
      return type.getFieldList().stream()
          .map(field -> quoted(field.getName()) + " " + name(field.getType()))
          .collect(Collectors.joining(", ", "STRUCT(", ")"));
    }
    return switch (type.getSqlTypeName()) {
      case NULL -> "\"NULL\"";
      case ARRAY, MULTISET -> name(Objects.requireNonNull(type.getComponentType())) + "[]";
      case MAP ->
          List.of(
                  Objects.requireNonNull(type.getKeyType()),
                  Objects.requireNonNull(type.getValueType()))
              .stream()
              .map(TypeOf::name)
              .collect(Collectors.joining(", ", "MAP(", ")"));
      case DECIMAL -> "DECIMAL(%d,%d)".formatted(type.getPrecision(), type.getScale());
      case CHAR, BINARY -> "%s(%d)".formatted(type.getSqlTypeName(), type.getPrecision());
      case TIMESTAMP_WITH_LOCAL_TIME_ZONE -> "TIMESTAMP WITH TIME ZONE";
      default ->
          SqlTypeName.INTERVAL_TYPES.contains(type.getSqlTypeName())
              ? "INTERVAL"
              : type.getSqlTypeName().getSpaceName();
    };
  }
}
