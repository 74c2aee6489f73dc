package io.aragonite.rules.function;

import io.aragonite.exec.limit.StopCheck;

/**
 * A text as {@code java.util.regex} reads it: every few thousand characters it looks whether the
 * query is to end. A matcher that backtracks reads each character again, so that it ends however
 * long it would take.
 */
final class CheckedText implements CharSequence {
  /** Characters read between two looks, less one; a power of two, less one. */
  private static final int LOOK = (1 << 12) - 1;

  private final String text;
  private final StopCheck stopCheck = StopCheck.current();
  private int reads;

  CheckedText(String text) {
    this.text = text;
  }

  @Override
  public char charAt(int index) {
    if ((++reads & LOOK) == 0) {
      stopCheck.check();
    }
    return text.charAt(index);
  }

  @Override
  public int length() {
    return text.length();
  }

  @Override
  public CharSequence subSequence(int start, int end) {
    return text.substring(start, end);
  }

  @Override
  public String toString() {
    return text;
  }
}
