package io.aragonite.adapter.sql;

import io.aragonite.adapter.parameter.TypedMarker;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.util.List;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeFactory;
import org.apache.calcite.sql.SqlBasicTypeNameSpec;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlCallBinding;
import org.apache.calcite.sql.SqlCharStringLiteral;
import org.apache.calcite.sql.SqlCollectionTypeNameSpec;
import org.apache.calcite.sql.SqlDataTypeSpec;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.fun.SqlQuantifyOperator;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.apache.calcite.sql.type.SqlTypeFamily;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.sql.type.SqlTypeUtil;
import org.apache.calcite.sql.validate.SqlValidator;
import org.apache.calcite.sql.validate.SqlValidatorScope;
import org.apache.calcite.sql.validate.implicit.TypeCoercionImpl;
import org.jspecify.annotations.Nullable;

/**
 * Calcite's implicit conversions, with four differences. A CHAR that is compared with a text is
 * left to {@link Convertlets}, which knows of padding. The literals of a long IN list become values
 * of the common type without a cast around each, so that the list is one relation of constants; a
 * cast would make each element a relation of its own. And a text that is compared with a timestamp
 * keeps the digits that the timestamp's type lacks: rounded to them it would be equal to what it is
 * not. A text beside bytes is its bytes.
 */
final class Coercion extends TypeCoercionImpl {
  /** The digits of a timestamp that a text is, unless more are known. */
  private static final int TEXT_DIGITS = 6;

  private static final Pattern MORE_DIGITS = Pattern.compile("\\.\\d{6}\\d*[1-9]");

  private @Nullable SqlNodeList inList;

  private boolean ofHive;

  /** Digits of the texts of the comparison at work, 0 outside of one. */
  private int textDigits;

  Coercion(RelDataTypeFactory typeFactory, SqlValidator validator) {
    super(typeFactory, validator);
  }

  @Override
  public boolean binaryComparisonCoercion(SqlCallBinding binding) {
    requireNoNumberAsBoolean(binding);
    truthAsNumber(binding);
    boolean texts =
        (binding.getOperandCount() == 2
                || binding.operands().stream().anyMatch(TypedMarker::isText))
            && IntStream.range(0, binding.getOperandCount())
                .allMatch(i -> SqlTypeUtil.inCharFamily(binding.getOperandType(i)));
    return !texts && comparing(binding, () -> super.binaryComparisonCoercion(binding));
  }

  /** Beside a decimal or a double; Calcite fails over a cast of a truth value to one. */
  private void truthAsNumber(SqlCallBinding binding) {
    for (int i = 0; i < binding.getOperandCount() && binding.getOperandCount() == 2; i++) {
      RelDataType type = binding.getOperandType(i);
      RelDataType other = binding.getOperandType(1 - i);
      if (type.getSqlTypeName() == SqlTypeName.BOOLEAN
          && (SqlTypeUtil.isDecimal(other) || SqlTypeUtil.isApproximateNumeric(other))) {
        RelDataType number = factory.createSqlType(SqlTypeName.INTEGER);
        coerceOperandType(
            binding.getScope(),
            binding.getCall(),
            i,
            factory.createTypeWithNullability(number, type.isNullable()));
      }
    }
  }

  private boolean comparing(SqlCallBinding binding, Supplier<Boolean> coercion) {
    int outer = textDigits;
    textDigits = binding.operands().stream().anyMatch(Coercion::hasMoreDigits) ? 9 : TEXT_DIGITS;
    try {
      return coercion.get();
    } finally {
      textDigits = outer;
    }
  }

  /** Whether a node is a text with more than microseconds, or a list or row with such a text. */
  private static boolean hasMoreDigits(SqlNode node) {
    return switch (node) {
      case SqlCharStringLiteral text -> MORE_DIGITS.matcher(text.toValue()).find();
      case SqlNodeList list -> list.stream().anyMatch(Coercion::hasMoreDigits);
      case SqlCall row when row.getKind() == SqlKind.ROW ->
          row.getOperandList().stream().anyMatch(Coercion::hasMoreDigits);
      default -> false;
    };
  }

  @Override
  public @Nullable RelDataType commonTypeForBinaryComparison(
      @Nullable RelDataType type1, @Nullable RelDataType type2) {
    if (type1 != null
        && type2 != null
        && ZonedForms.isInstant(type1) != ZonedForms.isInstant(type2)) {
      return SqlTypeUtil.isDatetime(type1) && SqlTypeUtil.isDatetime(type2)
          ? factory.leastRestrictive(List.of(type1, type2))
          : null;
    }
    if (isUuidBesideLiteral(type1, type2) || isUuidBesideLiteral(type2, type1)) {
      return factory.createSqlType(SqlTypeName.UUID);
    }
    if (areBytesAndText(type1, type2)) {
      return factory.createSqlType(SqlTypeName.VARBINARY);
    }
    RelDataType common = super.commonTypeForBinaryComparison(type1, type2);
    return common != null
            && type1 != null
            && type2 != null
            && isTimestamp(common)
            && (SqlTypeUtil.isCharacter(type1) || SqlTypeUtil.isCharacter(type2))
        ? ofText(common)
        : common;
  }

  /** Timestamps of several digits have the most of them, beside dates too. */
  @Override
  public @Nullable RelDataType getWiderTypeForTwo(
      @Nullable RelDataType type1, @Nullable RelDataType type2, boolean stringPromotion) {
    if (stringPromotion
        && type1 != null
        && type2 != null
        && (isUuidBesideLiteral(type1, type2) || isUuidBesideLiteral(type2, type1))) {
      boolean nullable = type1.isNullable() || type2.isNullable();
      return factory.createTypeWithNullability(factory.createSqlType(SqlTypeName.UUID), nullable);
    }
    if (type1 != null && type2 != null && areBytesAndText(type1, type2)) {
      boolean nullable = type1.isNullable() || type2.isNullable();
      return factory.createTypeWithNullability(
          factory.createSqlType(SqlTypeName.VARBINARY), nullable);
    }
    RelDataType wider = super.getWiderTypeForTwo(type1, type2, stringPromotion);
    return wider == null
            && type1 != null
            && type2 != null
            && isTimestamp(type1)
            && isTimestamp(type2)
        ? factory.leastRestrictive(List.of(type1, type2))
        : wider;
  }

  /** The timestamp that a text becomes beside one of {@code type}. */
  private RelDataType ofText(RelDataType type) {
    int digits = Math.max(type.getPrecision(), Math.max(textDigits, TEXT_DIGITS));
    return factory.createTypeWithNullability(
        factory.createSqlType(SqlTypeName.TIMESTAMP, digits), type.isNullable());
  }

  /**
   * Literals are CHARs, and are read as UUIDs. Other texts are compared as texts: columns of files
   * and tables have the canonical ones of UUIDs.
   */
  private static boolean isUuidBesideLiteral(
      @Nullable RelDataType type, @Nullable RelDataType other) {
    return type != null
        && other != null
        && type.getSqlTypeName() == SqlTypeName.UUID
        && other.getSqlTypeName() == SqlTypeName.CHAR;
  }

  /** The text is its bytes then, as by a cast: hexadecimal digits of the others are no text. */
  private static boolean areBytesAndText(@Nullable RelDataType type, @Nullable RelDataType other) {
    return type != null
        && other != null
        && (SqlTypeUtil.isBinary(type) && SqlTypeUtil.inCharFamily(other)
            || SqlTypeUtil.inCharFamily(type) && SqlTypeUtil.isBinary(other));
  }

  private static boolean isTimestamp(RelDataType type) {
    return type.getSqlTypeName() == SqlTypeName.TIMESTAMP;
  }

  @Override
  protected boolean dateTimeStringEquality(
      SqlCallBinding binding, RelDataType left, RelDataType right) {
    return super.dateTimeStringEquality(
        binding,
        isTimestamp(left) ? ofText(left) : left,
        isTimestamp(right) ? ofText(right) : right);
  }

  /** Bytes are no text of hexadecimal digits, unless a CAST says so. */
  @Override
  public @Nullable RelDataType implicitCast(RelDataType in, SqlTypeFamily expected) {
    return SqlTypeUtil.isBinary(in) && expected == SqlTypeFamily.CHARACTER && !ofHive
        ? null
        : super.implicitCast(in, expected);
  }

  /** Hive's HEX, of {@code fun=hive}, takes texts alone, and nulls of bytes with them. */
  @Override
  public boolean builtinFunctionCoercion(
      SqlCallBinding binding, List<RelDataType> types, List<SqlTypeFamily> families) {
    boolean outer = ofHive;
    ofHive = binding.getOperator().getName().equals("HEX");
    try {
      return super.builtinFunctionCoercion(binding, types, families);
    } finally {
      ofHive = outer;
    }
  }

  private static boolean isOfRows(RelDataType type) {
    RelDataType element = type.getComponentType();
    return type.isStruct() || element != null && element.isStruct();
  }

  /** Timestamps of several units, and intervals, are compared as they are. */
  @Override
  protected boolean coerceOperandType(
      @Nullable SqlValidatorScope scope, SqlCall call, int index, RelDataType target) {
    if (call.getOperator() instanceof SqlQuantifyOperator
        && scope != null
        && isOfRows(validator.deriveType(scope, call.operand(index)))) {
      return false; // Calcite fails over it, and says then that the types are not compatible
    }
    if (SqlTypeUtil.isInterval(target)
        && scope != null
        && SqlTypeUtil.isInterval(validator.deriveType(scope, call.operand(index)))) {
      return false; // Calcite fails over a cast between them
    }
    return !(textDigits > 0
            && scope != null
            && isTimestamp(target)
            && isTimestamp(validator.deriveType(scope, call.operand(index))))
        && super.coerceOperandType(scope, call, index, target);
  }

  @Override
  public boolean quantifyOperationCoercion(SqlCallBinding binding) {
    return textBesideList(binding)
        || comparing(binding, () -> super.quantifyOperationCoercion(binding));
  }

  /** {@code upper('a') = ANY(list)}: Calcite has no type in common of a CHAR and a list's texts. */
  private static boolean textBesideList(SqlCallBinding binding) {
    RelDataType elements = binding.getOperandType(1).getComponentType();
    if (elements == null
        || elements.getSqlTypeName() != SqlTypeName.VARCHAR
        || binding.getOperandType(0).getSqlTypeName() != SqlTypeName.CHAR) {
      return false;
    }
    SqlNode text = binding.operand(0);
    SqlParserPos at = text.getParserPosition();
    SqlDataTypeSpec varchar =
        new SqlDataTypeSpec(new SqlBasicTypeNameSpec(SqlTypeName.VARCHAR, at), at);
    binding.getCall().setOperand(0, SqlStdOperatorTable.CAST.createCall(at, text, varchar));
    return true;
  }

  @Override
  public boolean inOperationCoercion(SqlCallBinding binding) {
    SqlNodeList outer = inList;
    inList =
        binding.operand(1) instanceof SqlNodeList list && list.size() >= LiteralLists.LONG
            ? list
            : null;
    try {
      return asRow(binding)
          || momentsOfQuery(binding)
          || comparing(binding, () -> super.inOperationCoercion(binding));
    } finally {
      inList = outer;
    }
  }

  /** {@code date = ANY (SELECT timestamp ...)}: Calcite makes one type of lists alone. */
  private boolean momentsOfQuery(SqlCallBinding binding) {
    RelDataType columns = binding.getOperandType(1);
    if (!(binding.getOperator() instanceof SqlQuantifyOperator)
        || !columns.isStruct()
        || columns.getFieldCount() != 1) {
      return false;
    }
    RelDataType value = binding.getOperandType(0);
    RelDataType column = columns.getFieldList().getFirst().getType();
    if (value.getSqlTypeName() == SqlTypeName.DATE && isTimestamp(column)) {
      return coerceOperandType(binding.getScope(), binding.getCall(), 0, column);
    }
    return isTimestamp(value)
        && column.getSqlTypeName() == SqlTypeName.DATE
        && rowTypeCoercion(binding.getScope(), binding.operand(1), 0, value);
  }

  /** A struct is one value beside a column of structs; Calcite compares its fields with columns. */
  private static boolean asRow(SqlCallBinding binding) {
    SqlNode left = binding.operand(0);
    if (binding.operand(1) instanceof SqlNodeList
        || left.getKind() == SqlKind.ROW
        || !binding.getOperandType(0).isStruct()) {
      return false;
    }
    RelDataType columns = binding.getOperandType(1);
    boolean one = columns.isStruct() && columns.getFieldCount() == 1;
    if (one && columns.getFieldList().getFirst().getType().isStruct()) {
      binding
          .getCall()
          .setOperand(0, SqlStdOperatorTable.ROW.createCall(left.getParserPosition(), left));
      return true;
    }
    return false;
  }

  /** Calcite's code fails over a cast of a text to a multiset. */
  static void requireNoMultisetOfText(SqlCall cast, boolean ofText) {
    if (ofText
        && cast.operand(1) instanceof SqlDataTypeSpec spec
        && spec.getTypeNameSpec() instanceof SqlCollectionTypeNameSpec collection
        && collection.getTypeName().getSimple().equals(SqlTypeName.MULTISET.getName())) {
      throw new AragoniteException(
          ErrorCode.EXPRESSION_UNSUPPORTED,
          "A text is not cast to a multiset, as %s has it; cast it to a list, or write MULTISET[...]."
              .formatted(cast));
    }
  }

  /** Calcite puts casts around the elements of a list of intervals, which it fails over. */
  static void dropIntervalCasts(SqlCall list) {
    for (int i = 0; i < list.operandCount(); i++) {
      if (list.operand(i) instanceof SqlCall cast
          && cast.getKind() == SqlKind.CAST
          && cast.operand(1) instanceof SqlDataTypeSpec spec
          && spec.getTypeNameSpec() instanceof SqlBasicTypeNameSpec
          && spec.getTypeName().getSimple().startsWith("INTERVAL")) {
        list.setOperand(i, cast.operand(0));
      }
    }
  }

  @Override
  @SuppressWarnings("ReferenceEquality") // the list that is being converted
  protected boolean coerceColumnType(
      @Nullable SqlValidatorScope scope, SqlNodeList nodes, int index, RelDataType type) {
    SqlNode node = nodes.get(index);
    if (SqlTypeUtil.isInterval(type)
        && scope != null
        && SqlTypeUtil.isInterval(validator.deriveType(scope, node))) {
      return false; // as of an operand
    }
    return nodes == inList && LiteralLists.isValueOf(node, type)
        || super.coerceColumnType(scope, nodes, index, type);
  }

  /** Calcite forgets that a column of a set operation may be null in its second query alone. */
  @Override
  protected void updateInferredColumnType(
      SqlValidatorScope scope, SqlNode query, int column, RelDataType desired) {
    RelDataType known = validator.getValidatedNodeTypeIfKnown(query);
    boolean nullable =
        known != null
            && known.isStruct()
            && known.getFieldList().get(column).getType().isNullable();
    super.updateInferredColumnType(
        scope,
        query,
        column,
        nullable ? factory.createTypeWithNullability(desired, true) : desired);
  }

  /** Calcite takes a literal of a number for a truth value, and fails over what is none. */
  private static void requireNoNumberAsBoolean(SqlCallBinding binding) {
    for (int i = 0; i < binding.getOperandCount(); i++) {
      SqlTypeName type = binding.getOperandType(i).getSqlTypeName();
      if (TypedMarker.is(binding.operand(i)) && SqlTypeName.NUMERIC_TYPES.contains(type)) {
        for (int j = 0; j < binding.getOperandCount(); j++) {
          if (binding.getOperandType(j).getSqlTypeName() == SqlTypeName.BOOLEAN) {
            throw new AragoniteException(
                ErrorCode.INVALID_STATEMENT,
                "A BOOLEAN is compared with a parameter that is of type %s; set it with setBoolean."
                    .formatted(type));
          }
        }
      }
    }
  }
}
