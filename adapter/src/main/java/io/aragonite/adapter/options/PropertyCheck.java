package io.aragonite.adapter.options;

import io.aragonite.adapter.error.NearestName;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import org.apache.calcite.avatica.BuiltInConnectionProperty;
import org.apache.calcite.avatica.ConnectionProperty;
import org.apache.calcite.config.CalciteConnectionProperty;
import org.jspecify.annotations.Nullable;

/** Looks at connection properties before anything is opened with them. */
public final class PropertyCheck {
  /** Operands of {@code schemaFactory=} are handed to the factory. */
  private static final String OPERAND_PREFIX = "schema.";

  /** JDBC's own, which tools always give. */
  private static final Set<String> STANDARD = Set.of("user", "password");

  private static final Map<String, ConnectionProperty> KNOWN =
      new TreeMap<>(String.CASE_INSENSITIVE_ORDER);

  static {
    List<ConnectionProperty> all = new ArrayList<>();
    all.addAll(List.of(BuiltInConnectionProperty.values()));
    all.addAll(List.of(CalciteConnectionProperty.values()));
    all.addAll(List.of(AragoniteProperty.values()));
    for (ConnectionProperty property : all) {
      KNOWN.put(property.camelName(), property);
      KNOWN.putIfAbsent(property.name(), property);
    }
  }

  private PropertyCheck() {}

  /** Avatica's, Calcite's and our own properties. */
  public static List<ConnectionProperty> all() {
    return KNOWN.values().stream().distinct().toList();
  }

  /**
   * @throws AragoniteException UNKNOWN_PROPERTY or INVALID_PROPERTY
   */
  public static void check(Properties properties) {
    for (String name : properties.stringPropertyNames()) {
      if (name.toLowerCase(Locale.ROOT).startsWith(OPERAND_PREFIX)
          || name.startsWith("avatica.")
          || STANDARD.contains(name)) {
        continue;
      }
      ConnectionProperty property = KNOWN.get(name);
      if (property == null) {
        throw unknown(name);
      }
      checkValue(name, property, properties.getProperty(name).trim());
    }
  }

  private static AragoniteException unknown(String name) {
    List<String> names = all().stream().map(ConnectionProperty::camelName).toList();
    String nearest = NearestName.of(name, names);
    return new AragoniteException(
        ErrorCode.UNKNOWN_PROPERTY,
        nearest == null
            ? "There is no connection property '%s'; see docs/reference.md for those there are."
                .formatted(name)
            : "There is no connection property '%s'; did you mean '%s'?".formatted(name, nearest));
  }

  private static void checkValue(String name, ConnectionProperty property, String value) {
    String wanted =
        switch (property.type()) {
          case BOOLEAN ->
              value.equalsIgnoreCase("true") || value.equalsIgnoreCase("false")
                  ? null
                  : "true or false";
          case NUMBER -> isNumber(value) ? null : "a number";
          case ENUM -> enumNames(property.valueClass(), value);
          case STRING, PLUGIN -> null;
        };
    if (wanted != null) {
      throw new AragoniteException(
          ErrorCode.INVALID_PROPERTY,
          "%s=%s is not valid; give %s.".formatted(name, value, wanted));
    }
  }

  private static boolean isNumber(String value) {
    try {
      Double.parseDouble(value);
      return true;
    } catch (NumberFormatException e) {
      return false;
    }
  }

  private static @Nullable String enumNames(Class<?> type, String value) {
    List<String> names = new ArrayList<>();
    for (Object constant : type.getEnumConstants()) {
      String name = ((Enum<?>) constant).name();
      if (name.equalsIgnoreCase(value)) {
        return null;
      }
      names.add(name);
    }
    return "one of " + String.join(", ", names);
  }
}
