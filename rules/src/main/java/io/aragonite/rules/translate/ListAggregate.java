package io.aragonite.rules.translate;

import io.aragonite.exec.plan.HostAggregate;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.calcite.rel.type.RelDataType;
import org.jspecify.annotations.Nullable;

/**
 * A list of the first arguments, in Calcite's form, of the rows whose second one is not there or
 * true; null of no rows.
 *
 * @param type of a first argument
 * @param withoutNulls whether nulls are left out
 * @param distinct whether the first of equal values is there alone
 */
record ListAggregate(RelDataType type, boolean withoutNulls, boolean distinct)
    implements HostAggregate {
  @Override
  public @Nullable Object aggregate(List<@Nullable Object[]> rows) {
    List<@Nullable Object> values = new ArrayList<>(rows.size());
    Set<@Nullable Object> seen = new HashSet<>();
    for (@Nullable Object[] row : rows) {
      boolean counts = row.length == 1 || Boolean.TRUE.equals(row[1]);
      if (counts && (row[0] != null || !withoutNulls)) {
        Object value = CalciteValues.fromEngine(row[0], type);
        if (!distinct || seen.add(comparable(value))) {
          values.add(value);
        }
      }
    }
    return values.isEmpty() ? null : values;
  }

  /** A form in which equals means equality. */
  private static @Nullable Object comparable(@Nullable Object value) {
    return switch (value) {
      case Double number when number == 0 -> 0.0;
      case Float number when number == 0 -> 0f;
      case null, default -> value;
    };
  }
}
