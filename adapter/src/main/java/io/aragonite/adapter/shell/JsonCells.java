package io.aragonite.adapter.shell;

import java.math.BigDecimal;
import java.sql.Array;
import java.sql.SQLException;
import java.sql.Struct;
import java.sql.Timestamp;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Values as JSON has them. */
final class JsonCells {
  private static final Pattern WHOLE_SECOND = Pattern.compile("\\.0$");

  private JsonCells() {}

  /** Names of columns, each of which differs from those before it: repeated ones have a number. */
  static List<String> distinct(List<String> names) {
    Set<String> taken = new HashSet<>(names);
    Set<String> used = new HashSet<>();
    List<String> distinct = new ArrayList<>();
    for (String name : names) {
      String one = name;
      for (int number = 2; !used.add(one); number++) {
        String next = name + "_" + number;
        one = taken.contains(next) ? one : next;
      }
      distinct.add(one);
    }
    return distinct;
  }

  /**
   * Writes a value of a column.
   *
   * @param text the value where JSON has no form of its own for it
   */
  static void write(Object value, @Nullable String text, StringBuilder line) throws SQLException {
    if (isNested(value)) {
      write(value, line);
    } else if (isPlain(value)) {
      plain(value, line);
    } else {
      quote(String.valueOf(text), line);
    }
  }

  private static boolean isNested(Object value) {
    return value instanceof Array
        || value instanceof Struct
        || value instanceof Collection
        || value instanceof Map
        || value instanceof Object[];
  }

  private static void write(@Nullable Object value, StringBuilder line) throws SQLException {
    switch (value) {
      case null -> line.append("null");
      case Array array -> write(array.getArray(), line);
      case Struct row -> list(Arrays.asList(row.getAttributes()), line);
      case Object[] elements -> list(Arrays.asList(elements), line);
      case Collection<?> elements -> list(elements, line);
      case Map<?, ?> map -> object(map, line);
      case byte[] bytes -> quote(HexFormat.of().formatHex(bytes), line);
      case Timestamp moment -> quote(text(moment), line);
      case Object other when isPlain(other) -> plain(other, line);
      default -> quote(value.toString(), line);
    }
  }

  private static void list(Collection<?> elements, StringBuilder line) throws SQLException {
    String before = "[";
    for (Object element : elements) {
      line.append(before);
      write(element, line);
      before = ",";
    }
    line.append(elements.isEmpty() ? "[]" : "]");
  }

  private static void object(Map<?, ?> map, StringBuilder line) throws SQLException {
    String before = "{";
    for (Map.Entry<?, ?> entry : map.entrySet()) {
      line.append(before);
      Object key = entry.getKey();
      quote(key instanceof Timestamp moment ? text(moment) : String.valueOf(key), line);
      line.append(':');
      write(entry.getValue(), line);
      before = ",";
    }
    line.append(map.isEmpty() ? "{}" : "}");
  }

  private static String text(Timestamp moment) {
    return WHOLE_SECOND.matcher(moment.toString()).replaceAll("");
  }

  private static boolean isPlain(Object value) {
    return value instanceof Boolean || value instanceof Number && isFinite(value);
  }

  private static void plain(Object value, StringBuilder line) {
    line.append(value instanceof BigDecimal d ? d.toPlainString() : value.toString());
  }

  private static boolean isFinite(Object value) {
    return !(value instanceof Double || value instanceof Float)
        || Double.isFinite(((Number) value).doubleValue());
  }

  static void quote(String value, StringBuilder line) {
    line.append('"');
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      switch (c) {
        case '"' -> line.append("\\\"");
        case '\\' -> line.append("\\\\");
        case '\n' -> line.append("\\n");
        case '\r' -> line.append("\\r");
        case '\t' -> line.append("\\t");
        default -> {
          if (DisplayText.isControl(c) && !isPaired(value, i)) {
            line.append("\\u%04x".formatted((int) c));
          } else {
            line.append(c);
          }
        }
      }
    }
    line.append('"');
  }

  /** Whether a char is half of a character that is whole. */
  private static boolean isPaired(String value, int at) {
    char c = value.charAt(at);
    return Character.isHighSurrogate(c)
            && at + 1 < value.length()
            && Character.isLowSurrogate(value.charAt(at + 1))
        || Character.isLowSurrogate(c) && at > 0 && Character.isHighSurrogate(value.charAt(at - 1));
  }
}
