package io.aragonite.bench.fuzz;

import io.aragonite.exec.error.ErrorCode;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What a statement of a soak may end with beside its answer. */
final class SoakErrors {
  private static final Pattern CODE = Pattern.compile("AR-(\\d{3})");
  private static final int DEPTH = 10;

  /** Memory or disk is short, somebody cancels it, time ends, others wait. */
  private static final Set<ErrorCode> EXPECTED =
      Set.of(
          ErrorCode.MEMORY_EXCEEDED,
          ErrorCode.DISK_FAILED,
          ErrorCode.CANCELLED,
          ErrorCode.TIMED_OUT,
          ErrorCode.TOO_MANY_QUERIES,
          ErrorCode.RESULT_IDLE);

  private SoakErrors() {}

  /** The number of an error, which some drivers have in its text only, and not of a SQLException; 0: it is none of ours. */
  static int code(Exception error) {
    Throwable cause = error;
    for (int depth = 0; cause != null && depth < DEPTH; depth++) {
      Matcher found = CODE.matcher(String.valueOf(cause.getMessage()));
      if (found.find()) {
        return Integer.parseInt(found.group(1));
      }
      cause = cause.getCause();
    }
    return 0;
  }

  /** Apache's driver lets the error of a stream that it has cancelled itself through as it is. */
  static boolean isOfFlight(Exception error) {
    return "CANCELLED: Cancel".equals(error.getMessage());
  }

  /** What it is called among those that are expected; null: it is not. */
  static @Nullable String expected(Exception error, boolean cancelled) {
    int number = code(error);
    if (number == ErrorCode.CANCELLED.number() && !cancelled) {
      return null; // it was for another statement
    }
    if (number == 0 && cancelled && (error instanceof java.sql.SQLException || isOfFlight(error))) {
      return ErrorCode.CANCELLED.name(); // the client's own
    }
    return EXPECTED.stream().filter(code -> code.number() == number).map(ErrorCode::name).findFirst().orElse(null);
  }
}
