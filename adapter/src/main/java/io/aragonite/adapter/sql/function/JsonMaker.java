package io.aragonite.adapter.sql.function;

import io.aragonite.rules.function.JsonEdits;
import io.aragonite.rules.function.JsonFunctions;
import io.aragonite.rules.function.JsonTexts;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlBasicFunction;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlFunction;
import org.apache.calcite.sql.SqlFunctionCategory;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlNumericLiteral;
import org.apache.calcite.sql.SqlSelect;
import org.apache.calcite.sql.SqlUtil;
import org.apache.calcite.sql.fun.SqlCase;
import org.apache.calcite.sql.type.OperandTypes;
import org.apache.calcite.sql.type.ReturnTypes;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.sql.type.SqlTypeUtil;
import org.apache.calcite.sql2rel.SqlRexContext;

/**
 * {@code TO_JSON(x)}: the value as a JSON text, null of a null as in PostgreSQL. Moments, instants
 * and whatever else JSON has not are quoted texts, as a cast to VARCHAR has them.
 */
public final class JsonMaker {
  static final SqlFunction OPERATOR =
      SqlBasicFunction.create(
          "TO_JSON", ReturnTypes.VARCHAR_NULLABLE, OperandTypes.ANY, SqlFunctionCategory.STRING);

  /** The key of a member of JSON_OBJECT as a JSON text. */
  static final SqlFunction KEY = new JsonKey();

  /** Calls whose texts are JSON, which is no text in another one. */
  private static final Set<String> MAKERS =
      Set.of(
          OPERATOR.getName(),
          JsonFunctions.JSON_NORMALIZED.getName(),
          JsonFunctions.JSON_EXTRACT.getName(),
          "JSON",
          "TO_JSONB",
          "ROW_TO_JSON",
          "ARRAY_TO_JSON",
          "JSON_QUOTE",
          "JSON_GROUP_ARRAY",
          "JSON_AGG",
          "JSONB_AGG",
          "JSON_GROUP_OBJECT",
          "JSON_OBJECT_AGG",
          "JSONB_OBJECT_AGG",
          "JSON_BUILD_OBJECT",
          "JSONB_BUILD_OBJECT",
          "JSON_BUILD_ARRAY",
          "JSONB_BUILD_ARRAY",
          "JSON_OBJECT",
          "JSON_ARRAY",
          "JSON_QUERY",
          "JSON_KEYS",
          "JSON_REMOVE",
          "JSON_SET",
          "JSON_INSERT",
          "JSON_REPLACE",
          JsonEdits.NAMES.getName(),
          JsonEdits.REMOVE.getName(),
          JsonEdits.SET.getName(),
          JsonEdits.INSERT.getName(),
          JsonEdits.REPLACE.getName());

  private JsonMaker() {}

  /** The JSON of a list, struct or map. */
  public static SqlNode of(SqlNode value) {
    return OPERATOR.createCall(value.getParserPosition(), value);
  }

  public static boolean is(SqlCall call) {
    return call.getOperator().equals(OPERATOR) || call.getOperator().equals(KEY);
  }

  /** Whether a value is JSON by the function that makes it, or that makes what it is chosen of. */
  static boolean isJson(SqlNode value) {
    if (value instanceof SqlSelect query) {
      SqlNodeList columns = query.getSelectList();
      return columns.size() == 1 && isJson(SqlUtil.stripAs(columns.get(0)));
    }
    return value instanceof SqlCall call
        && (MAKERS.contains(name(call))
            || JsonCast.is(call)
            || call.getKind() == SqlKind.SCALAR_QUERY && isJson(call.operand(0))
            || areJson(choices(call)));
  }

  /** Whether a value that is JSON is, or may be, a text as it is given, which may be none. */
  static boolean isGiven(SqlNode value) {
    return value instanceof SqlCall call
        && (JsonCast.is(call) || choices(call).stream().anyMatch(JsonMaker::isGiven));
  }

  /** Whether a value is a text that is written out. */
  public static boolean isText(SqlNode value) {
    return value instanceof SqlLiteral literal
        && SqlTypeName.CHAR_TYPES.contains(literal.getTypeName());
  }

  /**
   * A text that is written out and cast to JSON; of a TRY_CAST of what is none null.
   *
   * @throws io.aragonite.exec.error.AragoniteException INVALID_ARGUMENT if it is no JSON
   */
  public static SqlNode checked(SqlCall cast, SqlNode text) {
    String json = Objects.requireNonNull(((SqlLiteral) text).getValueAs(String.class));
    if (cast.getKind() == SqlKind.CAST) {
      JsonFunctions.requireValid(json);
    } else if (!JsonFunctions.isValid(json)) {
      return SqlLiteral.createNull(text.getParserPosition());
    }
    return text;
  }

  private static String name(SqlCall call) {
    return call.getOperator().getName().toUpperCase(Locale.ROOT);
  }

  /** The values that a call chooses one of; none of another call. */
  private static List<SqlNode> choices(SqlCall call) {
    List<SqlNode> operands = call.getOperandList();
    if (call instanceof SqlCase choice) {
      List<SqlNode> values = new ArrayList<>(choice.getThenOperands());
      if (choice.getElseOperand() != null) {
        values.add(choice.getElseOperand());
      }
      return values;
    }
    return switch (name(call)) {
      case "COALESCE", "IFNULL", "NVL" -> operands;
      case "IF", "IFF" -> operands.subList(1, operands.size());
      case "NULLIF" -> operands.subList(0, 1);
      default -> List.of();
    };
  }

  /**
   * Whether each value is JSON, or a literal beside JSON: null, a number or the text of JSON.
   *
   * @throws io.aragonite.exec.error.AragoniteException INVALID_STATEMENT of another literal
   */
  private static boolean areJson(List<SqlNode> values) {
    boolean json =
        values.stream().anyMatch(JsonMaker::isJson)
            && values.stream().allMatch(value -> value instanceof SqlLiteral || isJson(value));
    for (SqlNode value : json ? values : List.<SqlNode>of()) {
      if (value instanceof SqlLiteral literal && !isJsonText(literal)) {
        throw FunctionForms.invalid(
            value,
            "%s stands beside JSON and is no JSON itself; write to_json(%s) for it as a value, or quote a text within the text: '\"x\"'"
                .formatted(value, value));
      }
    }
    return json;
  }

  private static boolean isJsonText(SqlLiteral literal) {
    if (literal.getValue() == null) {
      return true;
    }
    if (literal instanceof SqlNumericLiteral number) { // the text of 0.5 is .5, which is no JSON
      return number.isInteger()
          || Objects.requireNonNull(number.bigDecimalValue()).abs().compareTo(BigDecimal.ONE) >= 0;
    }
    return SqlTypeName.CHAR_TYPES.contains(literal.getTypeName())
        && JsonFunctions.isValid(Objects.requireNonNull(literal.getValueAs(String.class)));
  }

  /** Whether a list or struct that is written out has JSON in it. */
  static boolean hasJson(SqlNode value) {
    return value instanceof SqlCall call
        && isWrittenOut(call)
        && call.getOperandList().stream().anyMatch(part -> isJson(part) || hasJson(part));
  }

  private static boolean isWrittenOut(SqlCall call) {
    return call.getKind() == SqlKind.ARRAY_VALUE_CONSTRUCTOR || StructPack.isWritten(call);
  }

  public static RexNode convert(SqlRexContext context, SqlCall call) {
    RexBuilder rex = context.getRexBuilder();
    RexNode value = context.convertExpression(call.operand(0));
    RelDataType result = context.getValidator().getValidatedNodeType(call);
    if (value.getType().getSqlTypeName() == SqlTypeName.NULL) {
      return rex.makeNullLiteral(result);
    }
    RexNode given = isWritten(value.getType()) ? value : asText(rex, value);
    return rex.makeCall(
        result,
        JsonTexts.TO_JSON_TEXT,
        List.of(given, rex.makeLiteral(JsonTexts.type(given.getType()))));
  }

  /** Whether JsonTexts has all digits of values of a type. */
  private static boolean isWritten(RelDataType type) {
    return type.isStruct()
        || type.getComponentType() != null
        || SqlTypeUtil.isInterval(type)
        || switch (type.getSqlTypeName()) {
          case MAP,
              BOOLEAN,
              TINYINT,
              SMALLINT,
              INTEGER,
              BIGINT,
              REAL,
              FLOAT,
              DOUBLE,
              DECIMAL,
              VARCHAR ->
              true;
          default -> false;
        };
  }

  private static RexNode asText(RexBuilder rex, RexNode value) {
    RelDataType text = rex.getTypeFactory().createSqlType(SqlTypeName.VARCHAR);
    return rex.makeAbstractCast(
        rex.getTypeFactory().createTypeWithNullability(text, value.getType().isNullable()),
        value,
        false);
  }
}
