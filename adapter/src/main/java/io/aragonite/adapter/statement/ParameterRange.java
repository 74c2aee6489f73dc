package io.aragonite.adapter.statement;

import io.aragonite.adapter.parameter.ParameterValue;
import java.util.List;
import org.apache.calcite.sql.type.SqlTypeName;

/**
 * The values of a parameter that a shared plan is for: those that the column beside it can have.
 *
 * @param least of a whole number; of all else it is of no account
 * @param most of a whole number; less than {@code least}: the plan is for no value
 */
record ParameterRange(long least, long most) {
  static final ParameterRange NONE = new ParameterRange(0, -1);
  static final ParameterRange ALL = new ParameterRange(Long.MIN_VALUE, Long.MAX_VALUE);

  /** The values of a column. */
  static ParameterRange of(SqlTypeName type) {
    return switch (type) {
      case TINYINT -> new ParameterRange(Byte.MIN_VALUE, Byte.MAX_VALUE);
      case SMALLINT -> new ParameterRange(Short.MIN_VALUE, Short.MAX_VALUE);
      case INTEGER -> new ParameterRange(Integer.MIN_VALUE, Integer.MAX_VALUE);
      case BIGINT, VARCHAR, DATE -> ALL;
      default -> NONE;
    };
  }

  boolean isEmpty() {
    return most < least;
  }

  boolean contains(ParameterRange other) {
    return least <= other.least && other.most <= most;
  }

  /** Whether each value is in its range. */
  static boolean hold(List<ParameterRange> ranges, List<ParameterValue> values) {
    for (int i = 0; i < ranges.size(); i++) {
      if (values.get(i).value() instanceof Number number
          && (number.longValue() < ranges.get(i).least
              || number.longValue() > ranges.get(i).most)) {
        return false;
      }
    }
    return true;
  }
}
