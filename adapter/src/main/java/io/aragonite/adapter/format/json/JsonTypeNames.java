package io.aragonite.adapter.format.json;

import io.aragonite.adapter.format.csv.CsvTypes;
import io.aragonite.adapter.format.nested.NestedType;
import io.aragonite.adapter.format.nested.NestedType.Field;
import io.aragonite.adapter.format.nested.NestedType.Listed;
import io.aragonite.adapter.format.nested.NestedType.Scalar;
import io.aragonite.adapter.format.nested.NestedType.Struct;
import io.aragonite.exec.type.DataType;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Names of types in options of JSON files. */
final class JsonTypeNames {
  /** What there is, for messages. */
  static final String ALL =
      CsvTypes.NAMES + ", T[], STRUCT(name T, ...), MAP(VARCHAR, T), and JSON for a text of it";

  private JsonTypeNames() {}

  /**
   * The type with a name: {@code BIGINT}, {@code DOUBLE[]}, {@code STRUCT(a DATE, "b c" TIME)},
   * {@code MAP(VARCHAR, BOOLEAN)}, {@code JSON}; null if there is none.
   */
  static @Nullable NestedType parse(String name) {
    String text = name.strip();
    if (text.endsWith("[]")) {
      NestedType element = within(text.substring(0, text.length() - 2));
      return element == null ? null : new Listed(element, true);
    }
    String struct = inside(text, "STRUCT");
    if (struct == null) {
      struct = inside(text, "ROW");
    }
    if (struct != null) {
      return struct(struct);
    }
    String map = inside(text, "MAP");
    if (map != null) {
      List<String> parts = split(map);
      NestedType value = parts.size() == 2 ? within(parts.get(1)) : null;
      return value == null || !JsonTypes.TEXT.equals(parse(parts.getFirst()))
          ? null
          : JsonTypes.map(value);
    }
    if (text.equalsIgnoreCase("JSON")) {
      return JsonTypes.TEXT;
    }
    DataType scalar = CsvTypes.parse(text);
    return scalar == null ? null : new Scalar(scalar);
  }

  /** That of a part of a value, where there are no instants. */
  private static @Nullable NestedType within(String name) {
    return parse(name) instanceof NestedType type
        ? type instanceof Scalar(DataType scalar) ? new Scalar(NestedType.local(scalar)) : type
        : null;
  }

  private static @Nullable NestedType struct(String inside) {
    List<Field> fields = new ArrayList<>();
    for (String part : split(inside)) {
      NamedField named = NamedField.of(part);
      NestedType type = named == null ? null : within(named.type());
      if (named == null || type == null || hasField(fields, named.name())) {
        return null;
      }
      fields.add(new Field(named.name(), type));
    }
    return new Struct(fields, true);
  }

  private static boolean hasField(List<Field> fields, String name) {
    return fields.stream().anyMatch(field -> field.name().equalsIgnoreCase(name));
  }

  /** What is in the parentheses behind a word; null if it does not begin so. */
  private static @Nullable String inside(String text, String word) {
    String rest =
        text.regionMatches(true, 0, word, 0, word.length())
            ? text.substring(word.length()).strip()
            : "";
    return rest.startsWith("(") && rest.endsWith(")") ? rest.substring(1, rest.length() - 1) : null;
  }

  /** The parts between commas, but for those in parentheses and quotes. */
  private static List<String> split(String text) {
    List<String> parts = new ArrayList<>();
    int depth = 0;
    boolean quoted = false;
    int from = 0;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      quoted ^= c == '"';
      depth += quoted ? 0 : c == '(' ? 1 : c == ')' ? -1 : 0;
      if (c == ',' && depth == 0 && !quoted) {
        parts.add(text.substring(from, i).strip());
        from = i + 1;
      }
    }
    parts.add(text.substring(from).strip());
    return parts;
  }

  /** A field as a type's name has it. */
  private record NamedField(String name, String type) {
    static @Nullable NamedField of(String part) {
      boolean quoted = part.startsWith("\"");
      int end = quoted ? closing(part) : part.indexOf(' ');
      if (end <= 0) {
        return null;
      }
      String name = quoted ? part.substring(1, end).replace("\"\"", "\"") : part.substring(0, end);
      return new NamedField(name, part.substring(end + (quoted ? 1 : 0)));
    }

    private static int closing(String part) {
      int at = part.indexOf('"', 1);
      while (at >= 0 && at + 1 < part.length() && part.charAt(at + 1) == '"') {
        at = part.indexOf('"', at + 2);
      }
      return at;
    }
  }
}
