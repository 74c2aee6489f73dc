package io.aragonite.adapter.parameter;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.rules.function.FineMoment;
import java.lang.reflect.Array;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.List;
import java.util.TimeZone;
import java.util.function.Supplier;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.util.TimeString;
import org.apache.calcite.util.TimestampString;
import org.jspecify.annotations.Nullable;

/** Arrays as values of parameters: lists of values of one type, or of such lists. */
public final class ArrayParameters {
  private ArrayParameters() {}

  /** Whether an object is an array whose elements are values; bytes are one value. */
  static boolean is(Object object) {
    return object instanceof java.sql.Array
        || object.getClass().isArray() && !(object instanceof byte[] || object instanceof char[]);
  }

  /** The value of an object that {@link #is} an array. */
  static ParameterValue of(Object array, Supplier<TimeZone> zone) throws SQLException {
    return of(array, Types.OTHER, zone);
  }

  /**
   * The value of an array.
   *
   * @param array Java's, or JDBC's, whose base type its elements have
   * @param type of the elements that are no arrays, one of {@link Types}, OTHER if that of their
   *     classes
   * @throws AragoniteException TYPE_UNSUPPORTED if the elements are of several types
   */
  public static ParameterValue of(Object array, int type, Supplier<TimeZone> zone)
      throws SQLException {
    if (array instanceof java.sql.Array given) {
      int base = given.getBaseType();
      return of(given.getArray(), base == Types.ARRAY ? Types.OTHER : base, zone);
    }
    List<ParameterValue> elements = new ArrayList<>();
    ParameterType common = ParameterType.UNTYPED_NULL;
    for (int i = 0; i < Array.getLength(array); i++) {
      Object element = Array.get(array, i);
      ParameterValue value =
          element != null && is(element)
              ? of(element, type, zone)
              : type == Types.OTHER
                  ? JavaParameters.of(element, zone)
                  : TargetTypes.of(element, type, null, zone);
      elements.add(value);
      common = element == null ? common : common.with(value.type());
    }
    if (common.isUntypedNull()) {
      common = common.with(TargetTypes.ofNull(type).type());
    }
    List<@Nullable Object> values = new ArrayList<>(elements.size());
    for (ParameterValue element : elements) {
      values.add(value(element.value(), common));
    }
    return new ParameterValue(ParameterType.ofList(common), values);
  }

  private static @Nullable Object value(@Nullable Object value, ParameterType type) {
    return switch (value) {
      case TimestampString moment ->
          FineMoment.of(moment.getMillisSinceEpoch(), nanos(moment.toString(9)), false);
      case TimeString time -> FineMoment.of(time.getMillisOfDay(), nanos(time.toString(9)), true);
      case Integer number when type.name() == SqlTypeName.BIGINT -> number.longValue();
      case null, default -> value;
    };
  }

  /** What stands behind the milliseconds of a text that ends with nine digits. */
  private static int nanos(String text) {
    return Integer.parseInt(text.substring(text.length() - 6));
  }

  static AragoniteException ofSeveralTypes(ParameterType one, ParameterType other) {
    return new AragoniteException(
        ErrorCode.TYPE_UNSUPPORTED,
        "The elements of an array are of the types %s and %s; name one type with createArrayOf."
            .formatted(one.name(), other.name()));
  }
}
