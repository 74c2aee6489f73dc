package io.aragonite.rules.translate;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.plan.HostAggregate;
import io.aragonite.rules.function.SortKeyCodec;
import io.aragonite.rules.function.SortKeys;
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
    SortKeyCodec codec = distinct ? codec() : null;
    Set<@Nullable Object> seen = new HashSet<>();
    for (@Nullable Object[] row : rows) {
      boolean counts = row.length == 1 || Boolean.TRUE.equals(row[1]);
      if (counts && (row[0] != null || !withoutNulls)) {
        Object value = CalciteValues.inList(row[0], type);
        if (codec == null || seen.add(codec.common(value))) {
          values.add(value);
        }
      }
    }
    return values.isEmpty() ? null : values;
  }

  private SortKeyCodec codec() {
    SortKeyCodec codec = SortKeys.codec(type);
    if (codec == null) {
      throw new AragoniteException(
          ErrorCode.EXPRESSION_UNSUPPORTED,
          "Values of type %s are not compared, so that there are no distinct ones; take their parts."
              .formatted(type));
    }
    return codec;
  }
}
