package io.aragonite.adapter.statement;

import io.aragonite.adapter.ddl.NamedStatement.Execute;
import io.aragonite.adapter.ddl.NamedStatement.Prepare;
import io.aragonite.adapter.error.NearestName;
import io.aragonite.adapter.execution.Execution;
import io.aragonite.adapter.parameter.Parameters;
import io.aragonite.adapter.sql.SqlTokens;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.math.BigDecimal;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TimeZone;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** The statements that PREPARE has given names, of one connection. Safe for several threads. */
final class NamedStatements {
  private static final int MOST = 1000;

  /** Numbers, texts, truth values and NULL. */
  private static final Pattern LITERAL =
      Pattern.compile("(?is)-?\\d{1,30}(?:\\.\\d{1,8})?|'(?:[^']++|'')*+'|true|false|null");

  private final Map<String, Named> named = new HashMap<>();

  /**
   * A statement.
   *
   * @param parts its text between the parameters, one more than places
   * @param places the number of the parameter, from 0, at each place where one is
   * @param count of parameters
   */
  private record Named(
      String name, List<String> types, List<String> parts, List<Integer> places, int count) {
    /** Whether each parameter stands once, in the order of their numbers. */
    boolean isInOrder() {
      return places.equals(IntStream.range(0, count).boxed().toList());
    }

    /** The text with something in the place of each parameter, which has the declared type. */
    String text(IntFunction<String> value) {
      StringBuilder text = new StringBuilder(parts.getFirst());
      for (int i = 0; i < places.size(); i++) {
        int place = places.get(i);
        String written = value.apply(place);
        text.append(
                place < types.size()
                    ? "CAST(" + written + " AS " + types.get(place) + ")"
                    : written)
            .append(parts.get(i + 1));
      }
      return text.toString();
    }
  }

  /**
   * Gives a statement a name.
   *
   * @throws AragoniteException INVALID_STATEMENT
   */
  synchronized void prepare(Prepare prepare) {
    String key = prepare.name().toLowerCase(Locale.ROOT);
    if (named.containsKey(key)) {
      throw refused(
          "There is a prepared statement \"%s\" already; DEALLOCATE %s takes it away."
              .formatted(prepare.name(), prepare.name()));
    }
    if (named.size() == MOST) {
      throw refused(
          "The connection has %d prepared statements; DEALLOCATE some of them.".formatted(MOST));
    }
    named.put(key, named(prepare));
  }

  /**
   * The text of a statement that is to be named, with nulls in place of its parameters.
   *
   * @throws AragoniteException INVALID_STATEMENT
   */
  static String sample(Prepare prepare) {
    return named(prepare).text(place -> "NULL");
  }

  private static AragoniteException refused(String sentence) {
    return new AragoniteException(ErrorCode.INVALID_STATEMENT, sentence);
  }

  private static Named named(Prepare prepare) {
    List<String> parts = new ArrayList<>();
    List<Integer> places = new ArrayList<>();
    StringBuilder part = new StringBuilder();
    boolean marks = false;
    int count = 0;
    for (String token : SqlTokens.list(prepare.text())) {
      boolean numbered = token.matches("\\$[1-9]\\d{0,3}");
      if (!numbered && !token.equals("?")) {
        part.append(token);
        continue;
      }
      if (!places.isEmpty() && marks == numbered) {
        throw refused("The parameters of a statement are either ? or $1, $2, and not both.");
      }
      marks = !numbered;
      int place = numbered ? Integer.parseInt(token.substring(1)) - 1 : places.size();
      count = Math.max(count, place + 1);
      places.add(place);
      parts.add(part.toString());
      part.setLength(0);
    }
    parts.add(part.toString());
    if (prepare.types().size() > count) {
      throw refused(
          "The statement \"%s\" has %d parameters, and %d types."
              .formatted(prepare.name(), count, prepare.types().size()));
    }
    return new Named(
        prepare.name(), prepare.types(), List.copyOf(parts), List.copyOf(places), count);
  }

  /**
   * Takes a name away.
   *
   * @param name null: all of them
   * @throws AragoniteException INVALID_STATEMENT
   */
  synchronized void deallocate(@Nullable String name) {
    if (name == null) {
      named.clear();
    } else {
      var _ = known(name);
      named.remove(name.toLowerCase(Locale.ROOT));
    }
  }

  private synchronized Named known(String name) {
    Named known = named.get(name.toLowerCase(Locale.ROOT));
    if (known == null) {
      throw refused(
          "There is no prepared statement \"%s\"%s"
              .formatted(
                  name,
                  NearestName.ending(name, named.values().stream().map(Named::name).toList())));
    }
    return known;
  }

  /**
   * The text to run. Values that are literals become parameters of the run, so that one plan does
   * for all of them; others are in the text.
   *
   * @param run null: the statement is looked at only
   * @param zone that of java.sql's dates
   * @throws AragoniteException INVALID_STATEMENT
   */
  String text(Execute execute, @Nullable Execution run, Supplier<TimeZone> zone) {
    Named statement = known(execute.name());
    List<String> values = execute.values();
    if (values.stream().anyMatch(value -> SqlTokens.list(value).contains("?"))
        && !statement.isInOrder()) {
      throw refused(
          "The prepared statement \"%s\" names its parameters in another order than their numbers, or twice; give values in place of ? to EXECUTE, or prepare its text by the connection."
              .formatted(statement.name));
    }
    if (values.size() != statement.count) {
      throw refused(
          "The prepared statement \"%s\" has %d parameters, and %d values are given."
              .formatted(statement.name, statement.count, values.size()));
    }
    if (run == null
        || !run.takesLiterals()
        || statement.places.stream().distinct().count() < statement.places.size()
        || !values.stream().allMatch(value -> LITERAL.matcher(value).matches())) {
      return statement.text(place -> "(" + values.get(place) + "\n)");
    }
    if (values.isEmpty()) {
      return statement.text(place -> "?");
    }
    Parameters parameters = new Parameters(statement.places.size(), zone);
    try {
      for (int i = 0; i < statement.places.size(); i++) {
        Object value = literal(values.get(statement.places.get(i)));
        parameters.set(
            value == null ? "setNull" : "setObject",
            new @Nullable Object[] {i + 1, value == null ? (Object) Types.NULL : value});
      }
    } catch (SQLException e) {
      throw refused("A value of \"%s\" is no literal.".formatted(statement.name));
    }
    run.parameters().set(parameters.values());
    return statement.text(place -> "?");
  }

  private static @Nullable Object literal(String text) {
    if (text.startsWith("'")) {
      return text.substring(1, text.length() - 1).replace("''", "'");
    }
    return switch (text.toUpperCase(Locale.ROOT)) {
      case "NULL" -> null;
      case "TRUE" -> true;
      case "FALSE" -> false;
      default -> number(new BigDecimal(text));
    };
  }

  /** A whole number is an INTEGER or BIGINT where it is one, as a literal is. */
  private static Object number(BigDecimal number) {
    if (number.scale() > 0 || number.precision() > 18) {
      return number;
    }
    long whole = number.longValueExact();
    return whole == (int) whole ? (Object) (int) whole : (Object) whole;
  }
}
