package io.aragonite.rules.function;

import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Writes values of lists, maps and rows as a text while it reads their type. */
abstract class NestedWriter {
  private static final DateTimeFormatter MOMENT =
      DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss");

  private final String type;
  private final String separator;
  private final String colon;
  private final StringBuilder text = new StringBuilder();
  private int at;

  /**
   * @param type of the values, as {@link JsonTexts#type} has it
   * @param separator between values
   * @param colon between the name of a field and its value
   */
  NestedWriter(String type, String separator, String colon) {
    this.type = type;
    this.separator = separator;
    this.colon = colon;
  }

  /** The text of a null. */
  abstract String none();

  abstract String name(String field);

  /** The text of a map's key. */
  abstract String keyText(String text);

  /** Between the key of a map and its value. */
  String equal() {
    return colon;
  }

  /** The text of a value that is neither a list nor a map nor a row. */
  abstract String scalar(char kind, Object value);

  String text(Object value) {
    value(value);
    return text.toString();
  }

  private int number() {
    int end = type.indexOf(':', at);
    int number = Integer.parseInt(type.substring(at, end));
    at = end + 1;
    return number;
  }

  void value(@Nullable Object value) {
    char kind = type.charAt(at++);
    switch (kind) {
      case 'L' -> list(value);
      case 'M' -> map(value);
      case 'R' -> row(value);
      default -> text.append(value == null ? none() : scalar(kind, value));
    }
  }

  private void list(@Nullable Object value) {
    int element = at;
    if (value == null) {
      skip();
      text.append(none());
      return;
    }
    text.append('[');
    String before = "";
    for (Object each : (List<?>) value) {
      at = element;
      text.append(before);
      value(each);
      before = separator;
    }
    at = element;
    skip();
    text.append(']');
  }

  private void map(@Nullable Object value) {
    int entry = at;
    if (value == null) {
      skip();
      skip();
      text.append(none());
      return;
    }
    text.append('{');
    String before = "";
    for (Map.Entry<?, ?> each : ((Map<?, ?>) value).entrySet()) {
      at = entry;
      text.append(before).append(key(each.getKey())).append(equal());
      value(each.getValue());
      before = separator;
    }
    at = entry;
    skip();
    skip();
    text.append('}');
  }

  private String key(@Nullable Object value) {
    int from = text.length();
    value(value);
    String key = text.substring(from);
    text.setLength(from);
    return keyText(key);
  }

  private void row(@Nullable Object value) {
    Iterator<?> fields =
        switch (value) {
          case Object[] array -> Arrays.asList(array).iterator();
          case Iterable<?> list -> list.iterator();
          case null, default -> null;
        };
    text.append(fields == null ? none() : "{");
    int count = number();
    for (int i = 0; i < count; i++) {
      int length = number();
      String name = type.substring(at, at + length);
      at += length;
      if (fields == null) {
        skip();
      } else {
        String label = name(name);
        text.append(i == 0 ? "" : separator).append(label).append(label.isEmpty() ? "" : colon);
        value(fields.next());
      }
    }
    text.append(fields == null ? "" : "}");
  }

  /** Goes on behind a type of which there is no value. */
  private void skip() {
    char kind = type.charAt(at++);
    if (kind == 'L') {
      skip();
    } else if (kind == 'M') {
      skip();
      skip();
    } else if (kind == 'R') {
      int count = number();
      for (int i = 0; i < count; i++) {
        int length = number(); // moves the place itself
        at += length;
        skip();
      }
    }
  }

  /** The text of a date, a time, a timestamp or an interval. */
  static String moment(char kind, Object value) {
    if (kind == 'P') {
      return timestamp(FineMoment.millis(value), FineMoment.nanos(value));
    }
    if (kind == 'T') {
      return LocalTime.ofNanoOfDay(FineMoment.millis(value) * 1_000_000 + FineMoment.nanos(value))
          .format(DateTimeFormatter.ISO_LOCAL_TIME);
    }
    long number = ((Number) value).longValue();
    return switch (kind) {
      case 'D' -> LocalDate.ofEpochDay(number).toString();
      case 'Y' -> IntervalFunctions.monthsText((int) number);
      default -> IntervalFunctions.intervalText(number);
    };
  }

  private static String timestamp(long millis, int nanos) {
    LocalDateTime moment =
        LocalDateTime.ofEpochSecond(
            Math.floorDiv(millis, 1000L),
            (int) Math.floorMod(millis, 1000L) * 1_000_000 + nanos,
            ZoneOffset.UTC);
    int fraction = moment.getNano();
    String digits = String.valueOf(1_000_000_000 + fraction).substring(1);
    return moment.format(MOMENT) + (fraction == 0 ? "" : "." + digits.replaceAll("0+$", ""));
  }
}
