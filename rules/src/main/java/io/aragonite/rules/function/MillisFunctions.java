package io.aragonite.rules.function;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import org.apache.calcite.linq4j.function.Strict;
import org.apache.calcite.util.TimestampString;

/** Refuses timestamps of which Calcite's code, which counts milliseconds, would lose digits. */
@Strict
public final class MillisFunctions {
  private MillisFunctions() {}

  /** A text that is read as a timestamp. Called by generated code. */
  public static String ofMillis(String text) {
    String moment = text.stripTrailing();
    int point = moment.lastIndexOf('.');
    for (int i = point + 4; point >= 0 && i < moment.length(); i++) {
      char digit = moment.charAt(i);
      if (digit >= '1' && digit <= '9') {
        throw refused(text);
      }
    }
    return text;
  }

  static void requireMillis(TimestampString value) {
    if (!value.round(3).equals(value)) {
      throw refused(value.toString());
    }
  }

  /** What is thrown for a timestamp with more than milliseconds. */
  public static AragoniteException refused(String timestamp) {
    return new AragoniteException(
        ErrorCode.EXPRESSION_UNSUPPORTED,
        "The timestamp %s has more than milliseconds, and a part of the query runs in Calcite's code, which has no more; cast it to TIMESTAMP(3) or to VARCHAR before that."
            .formatted(timestamp));
  }
}
