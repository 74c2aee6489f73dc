package io.aragonite.adapter.shell;

import java.util.Arrays;

/**
 * Which columns a table shows, and how wide.
 *
 * @param columnNumbers by place; {@link #LEFT_OUT} stands for those that are not shown
 * @param widths by place
 */
record TableLayout(int[] columnNumbers, int[] widths, int shown, boolean leavesOut) {
  /** The place of the columns that are left out. */
  static final int LEFT_OUT = -1;

  /** A text of this many columns still says something. */
  private static final int LEAST_TEXT = 6;

  /** A number that is cut is a wrong one: it is kept whole up to this width. */
  private static final int LEAST_NUMBER = 40;

  /** Two blanks around a value, and a line. */
  private static final int AROUND = 3;

  /**
   * @param natural width of each column's widest value
   * @param limit columns of the terminal; 0: none
   */
  static TableLayout of(int[] natural, boolean[] numeric, int limit) {
    int count = natural.length;
    int kept = count;
    if (limit > 0 && total(natural) > limit) {
      int[] least = least(natural, numeric);
      while (kept > 1 && total(some(least, kept)) > limit) {
        kept--;
      }
    }
    int[] numbers = numbers(count, kept);
    return new TableLayout(numbers, numbers, kept, kept < count).fit(natural, numeric, limit);
  }

  /** The same columns for values of other widths. */
  TableLayout fit(int[] natural, boolean[] numeric, int limit) {
    int[] least = least(natural, numeric);
    int[] fitted = new int[columnNumbers.length];
    int[] wanted = new int[columnNumbers.length];
    for (int place = 0; place < fitted.length; place++) {
      int column = columnNumbers[place];
      fitted[place] = column == LEFT_OUT ? 1 : least[column];
      wanted[place] = column == LEFT_OUT ? 1 : natural[column];
    }
    if (limit <= 0) {
      fitted = wanted;
    } else {
      narrow(fitted, total(fitted) - limit);
      widen(fitted, wanted, limit - total(fitted));
    }
    return new TableLayout(columnNumbers, fitted, shown, leavesOut);
  }

  private static int[] least(int[] natural, boolean[] numeric) {
    int[] least = new int[natural.length];
    Arrays.setAll(least, i -> Math.min(natural[i], numeric[i] ? LEAST_NUMBER : LEAST_TEXT));
    return least;
  }

  /** The width of a line; the blank at its end is not printed. */
  private static int total(int[] widths) {
    long sum = (long) AROUND * widths.length - 1;
    for (int width : widths) {
      sum += width;
    }
    return (int) Math.min(sum, Integer.MAX_VALUE);
  }

  /** The numbers of the columns of which {@code kept} are shown, the first and the last ones. */
  private static int[] numbers(int count, int kept) {
    int places = kept < count ? kept + 1 : count;
    int[] numbers = new int[places];
    int left = kept < count ? (kept + 1) / 2 : count;
    for (int place = 0; place < places; place++) {
      numbers[place] = place < left ? place : place == left ? LEFT_OUT : count - places + place;
    }
    return numbers;
  }

  private static int[] some(int[] least, int kept) {
    int[] numbers = numbers(least.length, kept);
    return Arrays.stream(numbers).map(column -> column == LEFT_OUT ? 1 : least[column]).toArray();
  }

  /** Takes from the widest columns what they are together too wide. */
  private static void narrow(int[] widths, int much) {
    for (int left = much; left > 0; left--) {
      int widest = 0;
      for (int i = 1; i < widths.length; i++) {
        widest = widths[i] > widths[widest] ? i : widest;
      }
      if (widths.length == 0 || widths[widest] == 1) {
        return;
      }
      widths[widest]--;
    }
  }

  /** Gives columns what they want, the narrow ones first; what is missing, the wide ones share. */
  private static void widen(int[] widths, int[] wanted, int room) {
    int left = room;
    while (left > 0) {
      int open = 0;
      for (int i = 0; i < widths.length; i++) {
        open += widths[i] < wanted[i] ? 1 : 0;
      }
      if (open == 0) {
        return;
      }
      int share = Math.max(1, left / open);
      for (int i = 0; i < widths.length && left > 0; i++) {
        int more = Math.min(Math.min(share, left), wanted[i] - widths[i]);
        widths[i] += Math.max(0, more);
        left -= Math.max(0, more);
      }
    }
  }

  int places() {
    return columnNumbers.length;
  }

  /** The number of the column at a place, or {@link #LEFT_OUT}. */
  int column(int place) {
    return columnNumbers[place];
  }

  int width(int place) {
    return widths[place];
  }

  /** The line below the names. */
  String rule() {
    StringBuilder rule = new StringBuilder();
    for (int place = 0; place < widths.length; place++) {
      rule.append(place == 0 ? "" : "+").append("-".repeat(widths[place] + 2));
    }
    return rule.toString();
  }
}
