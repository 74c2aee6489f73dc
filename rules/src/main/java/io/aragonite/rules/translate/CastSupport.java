package io.aragonite.rules.translate;

import io.aragonite.exec.type.TypeKind;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.sql.type.SqlTypeUtil;

/** Which casts the engine's CAST does; Calcite's own code does the others. */
final class CastSupport {
  private static final String NOT_NULL = " NOT NULL";

  private CastSupport() {}

  /** Whether types of lists, maps or rows differ in where there may be nulls only. */
  static boolean differInNullsAlone(RelDataType from, RelDataType to) {
    return TypeMapping.of(from).kind() == TypeKind.OPAQUE
        && TypeMapping.of(to).kind() == TypeKind.OPAQUE
        && withoutNulls(from).equals(withoutNulls(to));
  }

  private static String withoutNulls(RelDataType type) {
    return type.getFullTypeString().replace(NOT_NULL, "");
  }

  static boolean isBuiltIn(RelDataType from, RelDataType to) {
    TypeKind source = TypeMapping.of(from).kind();
    TypeKind target = TypeMapping.of(to).kind();
    if (source == TypeKind.OPAQUE || target == TypeKind.OPAQUE) {
      return false;
    }
    if (to.getSqlTypeName() == SqlTypeName.UUID || from.getSqlTypeName() == SqlTypeName.UUID) {
      return ofUuid(from, to);
    }
    if (source == TypeKind.NULL) {
      return true;
    }
    if (source.isInterval() || target.isInterval()) {
      return from.getSqlTypeName() == to.getSqlTypeName();
    }
    if (source.isNumeric()) {
      return target.isNumeric() || target.isText();
    }
    if (source.isText()) {
      return target != TypeKind.BINARY && target != TypeKind.NULL && target != TypeKind.INSTANT;
    }
    return ofPlain(source, target);
  }

  /** A UUID is its text; what makes one of other texts is an operation of its own. */
  private static boolean ofUuid(RelDataType from, RelDataType to) {
    return from.getSqlTypeName() == SqlTypeName.UUID
        ? to.getSqlTypeName() == SqlTypeName.UUID || SqlTypeUtil.inCharFamily(to)
        : from.getSqlTypeName() == SqlTypeName.NULL;
  }

  private static boolean ofPlain(TypeKind source, TypeKind target) {
    return switch (source) {
      case BOOLEAN -> target == TypeKind.BOOLEAN || target.isText();
      case DATE -> target == TypeKind.DATE || target == TypeKind.TIMESTAMP || target.isText();
      case TIME -> target == TypeKind.TIME || target.isText();
      case TIMESTAMP ->
          target == TypeKind.TIMESTAMP
              || target == TypeKind.DATE
              || target == TypeKind.TIME
              || target.isText();
      case INSTANT -> target == TypeKind.INSTANT;
      case BINARY -> target == TypeKind.BINARY;
      default -> false;
    };
  }
}
