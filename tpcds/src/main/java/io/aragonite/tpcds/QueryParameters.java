package io.aragonite.tpcds;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What stands for the places of a query's template: the qualification parameters.
 *
 * @param number of the query
 * @param values lists of values by their names in upper case
 */
record QueryParameters(int number, Map<String, List<String>> values) {
  private static final Map<Integer, QueryParameters> ALL = read();

  static QueryParameters of(int number) {
    return ALL.getOrDefault(number, new QueryParameters(number, Map.of()));
  }

  /**
   * The value for {@code NAME}, or for {@code NAME.n}, the n-th of several.
   *
   * @throws IllegalArgumentException if there is none
   */
  String value(String place) {
    int dot = place.indexOf('.');
    String name = (dot < 0 ? place : place.substring(0, dot)).toUpperCase(Locale.ROOT);
    int index = dot < 0 ? 0 : Integer.parseInt(place.substring(dot + 1)) - 1;
    List<String> list = values.getOrDefault(name, List.of());
    if (index >= list.size()) {
      throw new IllegalArgumentException("query " + number + " has no parameter " + place);
    }
    return list.get(index);
  }

  private static Map<Integer, QueryParameters> read() {
    String text;
    try (InputStream in = QueryParameters.class.getResourceAsStream("parameters.txt")) {
      if (in == null) {
        throw new IllegalStateException("resource parameters.txt is missing from the jar");
      }
      text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Map<Integer, QueryParameters> all = new HashMap<>();
    for (String line : text.replaceAll("\\R\\s+", "").lines().toList()) {
      if (!line.startsWith("#")) {
        int colon = line.indexOf(':');
        int number = Integer.parseInt(line.substring(0, colon));
        Map<String, List<String>> values = new HashMap<>();
        for (String assignment : line.substring(colon + 1).split(";")) {
          int equals = assignment.indexOf('=');
          values.put(
              assignment.substring(0, equals).strip(),
              List.of(assignment.substring(equals + 1).split("\\|")));
        }
        all.put(number, new QueryParameters(number, Map.copyOf(values)));
      }
    }
    return Collections.unmodifiableMap(all);
  }
}
