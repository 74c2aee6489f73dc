package io.aragonite.adapter.sql;

import io.aragonite.rules.function.SortKeys;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.avatica.util.ByteString;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeField;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.sql.type.SqlTypeUtil;

/**
 * Structs as the fields that have no fields themselves, one after the other; lists and maps, in
 * structs or by themselves, as their {@link SortKeys}.
 */
final class NestedLeaves {
  private NestedLeaves() {}

  /** Whether values of a type are compared by others that are made of them. */
  static boolean isNested(RelDataType type) {
    return type.isStruct() ? !hasOther(type) : isKeyed(type);
  }

  /** Whether values are lists or maps that have keys. */
  static boolean isKeyed(RelDataType type) {
    return isCollection(type) && SortKeys.has(type);
  }

  private static boolean isCollection(RelDataType type) {
    return type.getComponentType() != null || type.getKeyType() != null;
  }

  /** Whether a struct has a collection in it whose values have no keys. */
  private static boolean hasOther(RelDataType type) {
    return type.isStruct()
        ? type.getFieldList().stream().anyMatch(field -> hasOther(field.getType()))
        : isCollection(type) && !SortKeys.has(type);
  }

  /**
   * Adds the leaves of a value of a shape, which is its type or one that takes more nulls: before
   * the fields of a struct that may be null stands whether it is.
   */
  static void of(RexBuilder rex, RexNode value, RelDataType shape, List<RexNode> leaves) {
    if (!shape.isStruct()) {
      RexNode typed = typed(rex, value, shape);
      leaves.add(isKeyed(shape) ? SortKeys.create(rex, typed, shape) : typed);
      return;
    }
    if (shape.isNullable()) {
      leaves.add(rex.makeCall(SqlStdOperatorTable.IS_NULL, uncast(value)));
    }
    for (RelDataTypeField field : shape.getFieldList()) {
      RexNode part =
          value.getType().isStruct()
              ? field(rex, value, field.getIndex())
              : rex.makeNullLiteral(field.getType()); // of a null without a type
      of(rex, part, field.getType(), leaves);
    }
  }

  /** A row without casts to others, which is null where they are: Calcite fails over such casts. */
  static RexNode uncast(RexNode row) {
    RexNode value = row;
    while (value.isA(SqlKind.CAST)
        && value.getType().isStruct()
        && ((RexCall) value).getOperands().getFirst().getType().isStruct()) {
      value = ((RexCall) value).getOperands().getFirst();
    }
    return value;
  }

  private static RexNode typed(RexBuilder rex, RexNode value, RelDataType type) {
    return SqlTypeUtil.equalSansNullability(rex.getTypeFactory(), value.getType(), type)
        ? value
        : rex.makeCast(
            rex.getTypeFactory().createTypeWithNullability(type, value.getType().isNullable()),
            value);
  }

  private static RexNode field(RexBuilder rex, RexNode struct, int i) {
    return struct.getKind() == SqlKind.ROW
        ? ((RexCall) struct).getOperands().get(i)
        : rex.makeFieldAccess(struct, i);
  }

  /** The struct that leaves are of, from the place on that {@code at} is advanced from. */
  static RexNode struct(
      RexBuilder rex, RelDataType type, List<? extends RexNode> leaves, int[] at) {
    if (!type.isStruct()) {
      RexNode leaf = leaves.get(at[0]++);
      if (isKeyed(type)) {
        return SortKeys.decode(rex, leaf, type);
      }
      return leaf.getType().equals(type) ? leaf : rex.makeAbstractCast(type, leaf, false);
    }
    RexNode absent = type.isNullable() ? leaves.get(at[0]++) : null;
    List<RexNode> fields = new ArrayList<>();
    for (RelDataTypeField field : type.getFieldList()) {
      fields.add(struct(rex, field.getType(), leaves, at));
    }
    RelDataType whole = rex.getTypeFactory().createTypeWithNullability(type, false);
    RexNode row = rex.makeCall(whole, SqlStdOperatorTable.ROW, fields);
    return absent == null
        ? row
        : rex.makeCall(
            type, SqlStdOperatorTable.CASE, List.of(absent, rex.makeNullLiteral(type), row));
  }

  /**
   * Columns of which all are null for a null struct and none is elsewhere, so that SQL compares
   * them as one value.
   *
   * @return false if there is no value that stands for a null of a field
   */
  static boolean encode(RexBuilder rex, RexNode value, RelDataType shape, List<RexNode> columns) {
    RelDataType present = rex.getTypeFactory().createTypeWithNullability(shape, false);
    List<RexNode> leaves = new ArrayList<>();
    of(rex, value, present, leaves);
    if (!shape.isStruct()) {
      columns.addAll(leaves);
      return true;
    }
    List<RexNode> encoded = new ArrayList<>();
    for (RexNode leaf : leaves) {
      if (isCollection(leaf.getType())
          || !SqlTypeUtil.hasLiterals(leaf.getType())
          || leaf.getType().getSqlTypeName() == SqlTypeName.NULL
          || SqlTypeUtil.isInterval(leaf.getType())
          || leaf.getType().getSqlTypeName() == SqlTypeName.UUID && leaf.getType().isNullable()) {
        return false;
      }
      encoded.add(rex.makeCall(SqlStdOperatorTable.IS_NULL, leaf));
      encoded.add(
          leaf.getType().isNullable()
              ? rex.makeCall(SqlStdOperatorTable.COALESCE, leaf, zero(rex, leaf.getType()))
              : leaf);
    }
    for (RexNode column : encoded) {
      columns.add(shape.isNullable() ? unless(rex, value, column) : column);
    }
    return true;
  }

  private static RexNode zero(RexBuilder rex, RelDataType type) {
    if (type.getSqlTypeName() == SqlTypeName.VARBINARY) {
      return rex.makeBinaryLiteral(ByteString.EMPTY);
    }
    return rex.makeZeroLiteral(rex.getTypeFactory().createTypeWithNullability(type, false));
  }

  private static RexNode unless(RexBuilder rex, RexNode struct, RexNode column) {
    RelDataType type = rex.getTypeFactory().createTypeWithNullability(column.getType(), true);
    return rex.makeCall(
        type,
        SqlStdOperatorTable.CASE,
        List.of(
            rex.makeCall(SqlStdOperatorTable.IS_NULL, struct),
            rex.makeNullLiteral(type),
            rex.makeAbstractCast(type, column, false)));
  }
}
