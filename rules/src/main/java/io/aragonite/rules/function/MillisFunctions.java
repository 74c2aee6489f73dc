package io.aragonite.rules.function;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import org.apache.calcite.linq4j.function.Strict;
import org.apache.calcite.util.TimeString;
import org.apache.calcite.util.TimestampString;
import org.jspecify.annotations.Nullable;

/** Refuses moments of which Calcite's code, which counts milliseconds, would lose digits. */
@Strict
public final class MillisFunctions {
  /** Digits of a fraction of a second that Calcite's code has. */
  static final int DIGITS = 3;

  private MillisFunctions() {}

  /** A text that is read as a time or timestamp. Called by generated code. */
  public static String ofMillis(String text) {
    String moment = text.stripTrailing();
    int point = moment.lastIndexOf('.');
    for (int i = point + 4; point >= 0 && i < moment.length(); i++) {
      char digit = moment.charAt(i);
      if (digit >= '1' && digit <= '9') {
        throw refused("time " + text);
      }
    }
    return text;
  }

  /** Accepts what is no moment. */
  static void requireMillis(@Nullable Object value) {
    if (value instanceof TimestampString moment && !moment.round(DIGITS).equals(moment)) {
      throw refused("timestamp " + moment);
    }
    if (value instanceof TimeString time && !time.round(DIGITS).equals(time)) {
      throw refused("time " + time);
    }
  }

  /** What is thrown for a moment with more than milliseconds. */
  public static AragoniteException refused(String moment) {
    return new AragoniteException(
        ErrorCode.EXPRESSION_UNSUPPORTED,
        "The %s has more than milliseconds, and a part of the query runs in Calcite's code, which has no more; cast it to three digits, as TIMESTAMP(3) and TIME(3) have, or to VARCHAR before that."
            .formatted(moment));
  }
}
