package io.aragonite.rules.function;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.expr.UuidText;
import java.util.UUID;
import org.apache.calcite.linq4j.function.Strict;
import org.jspecify.annotations.Nullable;

/** UUIDs for Calcite's code. */
@Strict
public final class UuidFunctions {
  private UuidFunctions() {}

  /**
   * The UUID that a text is.
   *
   * @throws AragoniteException INVALID_ARGUMENT for another text
   */
  public static UUID ofText(String text) {
    UUID read = UuidText.parse(text);
    if (read == null) {
      throw new AragoniteException(
          ErrorCode.INVALID_ARGUMENT, UuidText.refusal(text) + "; TRY_CAST makes it NULL.");
    }
    return read;
  }

  /** Null for a text that is no UUID. */
  public static @Nullable UUID tryOfText(String text) {
    return UuidText.parse(text);
  }

  /** The order of their digits. Java's compares their halves as numbers with signs. */
  static int compare(UUID a, UUID b) {
    int order = Long.compareUnsigned(a.getMostSignificantBits(), b.getMostSignificantBits());
    return order != 0
        ? order
        : Long.compareUnsigned(a.getLeastSignificantBits(), b.getLeastSignificantBits());
  }
}
