package io.aragonite.adapter.sql;

import io.aragonite.rules.function.ZoneFunctions;
import io.aragonite.rules.limit.StoppableRexBuilder;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeFactory;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlFunction;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.sql.type.SqlTypeUtil;

/**
 * Casts between instants and all else by a time zone: those that Calcite puts into UNION, joins,
 * CASE and VALUES, where it finds a common type.
 */
public final class ZonedRexBuilder extends StoppableRexBuilder {
  private final String zone;

  /**
   * @param zone of the connection
   */
  public ZonedRexBuilder(RelDataTypeFactory types, String zone) {
    super(types);
    this.zone = zone;
  }

  @Override
  public RexNode makeCast(
      SqlParserPos pos,
      RelDataType type,
      RexNode value,
      boolean matchNullability,
      boolean safe,
      RexLiteral format) {
    if (!isBeyond(type, value)) {
      return super.makeCast(pos, type, zoned(type, value, safe), matchNullability, safe, format);
    }
    return safe // Calcite's simplifier would make a cast of it that fails
        ? makeNullLiteral(type)
        : super.makeAbstractCast(pos, type, value, false, format);
  }

  /** Whether a number is too large for a REAL; Calcite makes a literal of that type of it. */
  private static boolean isBeyond(RelDataType type, RexNode value) {
    return type.getSqlTypeName() == SqlTypeName.REAL
        && value instanceof RexLiteral literal
        && SqlTypeUtil.isApproximateNumeric(literal.getType())
        && literal.getValueAs(Double.class) instanceof Double number
        && Float.isInfinite(number.floatValue())
        && !number.isInfinite();
  }

  @Override
  public RexNode makeAbstractCast(
      SqlParserPos pos, RelDataType type, RexNode value, boolean safe, RexLiteral format) {
    return super.makeAbstractCast(pos, type, zoned(type, value, safe), safe, format);
  }

  /** A value of which only the digits are to be cast, where one of the two types is an instant. */
  private RexNode zoned(RelDataType type, RexNode value, boolean safe) {
    RelDataType from = value.getType();
    if (ZonedForms.isInstant(from) == ZonedForms.isInstant(type)
        || from.getSqlTypeName() == SqlTypeName.NULL
        || value instanceof RexLiteral literal && literal.isNull()) {
      return value;
    }
    RelDataType other = ZonedForms.isInstant(from) ? type : from;
    boolean text = SqlTypeUtil.inCharFamily(other);
    boolean local =
        switch (other.getSqlTypeName()) {
          case DATE, TIMESTAMP -> true;
          case TIME -> ZonedForms.isInstant(from);
          default -> false;
        };
    if (!text && !local) {
      return value;
    }
    return makeCall(
        !text
            ? ZoneFunctions.AT_TIME_ZONE
            : ZonedForms.isInstant(from) ? ZoneFunctions.INSTANT_TEXT : ofText(type, safe),
        value,
        makeLiteral(zone));
  }

  private static SqlFunction ofText(RelDataType type, boolean safe) {
    boolean fine = type.getPrecision() > ZonedForms.MICROS;
    return safe
        ? fine ? ZoneFunctions.TRY_FINE_INSTANT_OF_TEXT : ZoneFunctions.TRY_INSTANT_OF_TEXT
        : fine ? ZoneFunctions.FINE_INSTANT_OF_TEXT : ZoneFunctions.INSTANT_OF_TEXT;
  }
}
