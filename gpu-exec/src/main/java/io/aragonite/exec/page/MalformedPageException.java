package io.aragonite.exec.page;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Bytes that are not what the format says; whoever knows the file's name makes FILE_BROKEN of it.
 */
public final class MalformedPageException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int page;

  public MalformedPageException(String what) {
    this(what, -1);
  }

  /**
   * @param page the number of the page among those that were given; -1: not known
   */
  public MalformedPageException(String what, int page) {
    super(what);
    this.page = page;
  }

  /** The number of the page among those that were given; -1 if it is not known. */
  public int page() {
    return page;
  }

  /** The same, with the number of the page. */
  public MalformedPageException atPage(int number) {
    MalformedPageException numbered =
        new MalformedPageException(Objects.requireNonNull(getMessage()), number);
    numbered.initCause(this);
    return numbered;
  }

  /** A part of the metadata that must be there. */
  public static <T> T present(@Nullable T value, String what) {
    if (value == null) {
      throw new MalformedPageException(what + " is missing");
    }
    return value;
  }

  public static void check(boolean sound, String what) {
    if (!sound) {
      throw new MalformedPageException(what);
    }
  }

  /**
   * The same, with a number in the sentence, which is not put together unless it is needed.
   *
   * @param format of {@link String#format}
   */
  public static void check(boolean sound, String format, long number) {
    if (!sound) {
      throw new MalformedPageException(String.format(format, number));
    }
  }

  /** The same, with two numbers in the sentence. */
  public static void check(boolean sound, String format, long one, long other) {
    if (!sound) {
      throw new MalformedPageException(String.format(format, one, other));
    }
  }

  /** The same, with two things in the sentence. */
  public static void check(
      boolean sound, String format, @Nullable Object one, @Nullable Object other) {
    if (!sound) {
      throw new MalformedPageException(String.format(format, one, other));
    }
  }
}
