package io.aragonite.adapter.copy;

import java.util.Arrays;

/** Which texts of a delimited file stand between quotes: those that would be read otherwise. */
public final class CsvQuotes {
  private CsvQuotes() {}

  /**
   * Whether a text has delimiters, quotes or line ends in it, blanks around it, is empty, or stands
   * for null.
   *
   * @param value in UTF-8
   * @param nullText what stands for null in the file
   */
  public static boolean areNeeded(byte[] value, char delimiter, char quote, byte[] nullText) {
    if (value.length == 0
        || value[0] == ' '
        || value[value.length - 1] == ' '
        || value[0] == '\\'
        || Arrays.equals(value, nullText)) {
      return true;
    }
    for (byte one : value) {
      if (one == delimiter || one == quote || one == '\n' || one == '\r') {
        return true;
      }
    }
    return false;
  }
}
