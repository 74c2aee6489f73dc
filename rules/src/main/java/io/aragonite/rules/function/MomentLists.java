package io.aragonite.rules.function;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.limit.StopCheck;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.linq4j.function.Strict;
import org.apache.calcite.sql.SqlBasicFunction;
import org.apache.calcite.sql.SqlFunction;
import org.apache.calcite.sql.SqlFunctionCategory;
import org.apache.calcite.sql.type.OperandTypes;
import org.apache.calcite.sql.type.ReturnTypes;
import org.apache.calcite.sql.type.SqlTypeFamily;
import org.apache.calcite.sql.type.SqlTypeTransforms;

/** Lists of moments; the method is for Calcite's code. */
@Strict
public final class MomentLists {
  /**
   * {@code MOMENT_SERIES(first, last, months, millis, included)}: the moments from one to another
   * by steps of so many months and milliseconds.
   */
  public static final SqlFunction MOMENT_SERIES =
      SqlBasicFunction.create(
          "MOMENT_SERIES",
          ReturnTypes.ARG0
              .andThen(SqlTypeTransforms.TO_ARRAY)
              .andThen(SqlTypeTransforms.TO_NULLABLE),
          OperandTypes.family(
              SqlTypeFamily.TIMESTAMP,
              SqlTypeFamily.TIMESTAMP,
              SqlTypeFamily.INTEGER,
              SqlTypeFamily.INTEGER,
              SqlTypeFamily.BOOLEAN),
          SqlFunctionCategory.SYSTEM);

  private static final int MOST_MOMENTS = 1 << 24;

  private MomentLists() {}

  /**
   * Months are added one step after the other: from 31 January to 29 February to 29 March.
   *
   * @param first milliseconds since 1970
   * @param included whether the last one belongs to them
   */
  public static List<Long> series(
      long first, long last, long months, long millis, boolean included) {
    if (months == 0 && millis == 0) {
      throw new AragoniteException(
          ErrorCode.INVALID_ARGUMENT, "A series of moments has a step of zero.");
    }
    boolean up = months > 0 || months == 0 && millis > 0;
    List<Long> moments = new ArrayList<>();
    StopCheck stopCheck = StopCheck.current();
    for (long moment = first;
        up ? moment < last : moment > last;
        moment = next(moment, months, millis)) {
      require(moments);
      stopCheck.make(16);
      moments.add(moment);
      if (included && next(moment, months, millis) == last) {
        moments.add(last);
        return moments;
      }
    }
    if (included && first == last) {
      moments.add(last);
    }
    return moments;
  }

  private static void require(List<Long> moments) {
    if (moments.size() == MOST_MOMENTS) {
      throw new AragoniteException(
          ErrorCode.RESULT_TOO_LARGE,
          "A series has more than %,d moments.".formatted(MOST_MOMENTS));
    }
  }

  private static long next(long moment, long months, long millis) {
    try {
      long shifted =
          months == 0
              ? moment
              : LocalDateTime.ofInstant(Instant.ofEpochMilli(moment), ZoneOffset.UTC)
                  .plusMonths(months)
                  .toInstant(ZoneOffset.UTC)
                  .toEpochMilli();
      return Math.addExact(shifted, millis);
    } catch (DateTimeException | ArithmeticException e) {
      throw new AragoniteException(
          ErrorCode.INVALID_ARGUMENT, "A series of moments has a step that is too long.", e);
    }
  }
}
