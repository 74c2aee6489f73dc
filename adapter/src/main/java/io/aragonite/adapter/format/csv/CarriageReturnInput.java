package io.aragonite.adapter.format.csv;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/**
 * A text whose lines end with carriage returns alone, as old Macs write them, with newlines in
 * their place. Those in quoted fields, and those before a newline, stay. No byte is added or taken
 * away.
 */
final class CarriageReturnInput extends FilterInputStream {
  private static final int NOTHING = -2;

  private final String delimiters;
  private final int quote;
  private int before = '\n';
  private boolean quoted;

  private boolean doubled;

  /** A byte that was read to know what comes next. */
  private int ahead = NOTHING;

  /**
   * @param delimiters what may end a field
   * @param quote -1 if none is special
   */
  CarriageReturnInput(InputStream in, String delimiters, int quote) {
    super(in);
    this.delimiters = delimiters;
    this.quote = quote;
  }

  /**
   * Whether the first line that ends in a sample ends with a carriage return alone.
   *
   * @param whole whether the sample is the whole text
   */
  static boolean endsLines(byte[] sample, int length, int quote, boolean whole) {
    boolean quoted = false;
    for (int i = 0; i < length; i++) {
      byte value = sample[i];
      if (value == quote) {
        quoted = !quoted;
      } else if (!quoted && value == '\n') {
        return false;
      } else if (!quoted && value == '\r') {
        return i + 1 < length ? sample[i + 1] != '\n' : whole;
      }
    }
    return false;
  }

  @Override
  public int read() throws IOException {
    int value = next();
    if (doubled) {
      doubled = false;
    } else if (value == quote && quote >= 0) {
      if (!quoted) {
        quoted = before == '\n' || delimiters.indexOf(before) >= 0;
      } else if (peek() == quote) {
        doubled = true; // two quotes stand for one
      } else {
        quoted = false;
      }
    }
    before = value == '\r' && !quoted && peek() != '\n' ? '\n' : value;
    return before;
  }

  @Override
  public int read(byte[] bytes, int offset, int length) throws IOException {
    int count = 0;
    while (count < length) {
      int value = read();
      if (value < 0) {
        return count == 0 ? -1 : count;
      }
      bytes[offset + count++] = (byte) value;
    }
    return count;
  }

  private int next() throws IOException {
    int value = ahead == NOTHING ? in.read() : ahead;
    ahead = NOTHING;
    return value;
  }

  private int peek() throws IOException {
    if (ahead == NOTHING) {
      ahead = in.read();
    }
    return ahead;
  }
}
