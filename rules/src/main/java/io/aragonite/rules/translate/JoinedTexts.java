package io.aragonite.rules.translate;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.limit.StopCheck;
import io.aragonite.exec.plan.HostAggregate;
import io.aragonite.rules.function.SortKeyCodec;
import io.aragonite.rules.function.SortKeys;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.sql.SqlAggFunction;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.type.SqlTypeUtil;
import org.jspecify.annotations.Nullable;

/**
 * LISTAGG: the texts of the rows one behind the other, each but the first behind its row's
 * separator; null of no rows. Rows with a null do not count. Calcite's own copies what it has with
 * each row.
 *
 * @param types of the text and, if it is given, the separator
 * @param distinct whether the first of equal rows is there alone
 */
record JoinedTexts(List<RelDataType> types, boolean distinct) implements HostAggregate {
  private static final long MAX_LENGTH = 256 << 20;
  private static final String COMMA = ",";

  /**
   * What computes a call.
   *
   * @param types of its arguments
   * @return null for other functions, and for bytes
   */
  static @Nullable JoinedTexts of(
      SqlAggFunction function, List<RelDataType> types, boolean distinct) {
    return function.getKind() == SqlKind.LISTAGG
            && types.stream().allMatch(SqlTypeUtil::inCharFamily)
        ? new JoinedTexts(types, distinct)
        : null;
  }

  @Override
  public @Nullable Object aggregate(List<@Nullable Object[]> rows) {
    Set<List<@Nullable Object>> seen = new HashSet<>();
    List<String> pieces = new ArrayList<>();
    long length = 0;
    for (@Nullable Object[] row : rows) {
      String text = text(row, 0);
      String separator = types.size() > 1 ? text(row, 1) : COMMA;
      if (text == null || separator == null || distinct && !seen.add(key(row))) {
        continue;
      }
      if (!pieces.isEmpty()) {
        pieces.add(separator);
        length += separator.length();
      }
      pieces.add(text);
      length += text.length();
    }
    if (pieces.isEmpty()) {
      return null;
    }
    if (length > MAX_LENGTH) {
      throw new AragoniteException(
          ErrorCode.RESULT_TOO_LARGE,
          "LISTAGG makes a text of %,d characters, which is longer than the limit of %,d."
              .formatted(length, MAX_LENGTH));
    }
    StopCheck.current().make(2 * length);
    StringBuilder joined = new StringBuilder((int) length);
    pieces.forEach(joined::append);
    return joined.toString();
  }

  private @Nullable String text(@Nullable Object[] row, int place) {
    Object value = CalciteValues.fromEngine(row[place], types.get(place));
    return value == null ? null : value.toString();
  }

  /** Alike of rows that DISTINCT takes for equal. */
  private List<@Nullable Object> key(@Nullable Object[] row) {
    List<@Nullable Object> key = new ArrayList<>();
    for (int i = 0; i < types.size(); i++) {
      SortKeyCodec codec = SortKeys.codec(types.get(i));
      key.add(codec == null ? row[i] : codec.common(row[i]));
    }
    return key;
  }
}
