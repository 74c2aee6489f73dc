package io.aragonite.exec.expr;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A text such as {@code 1 day 2 hours} as intervals of the standard, each of one unit.
 *
 * @param terms whose sum it is
 */
public record IntervalText(List<Term> terms) {
  /**
   * {@code INTERVAL -'digits' unit(precision, scale)}.
   *
   * @param scale null if the unit is no second
   */
  public record Term(
      boolean negative, String digits, String unit, String precision, @Nullable String scale) {
    boolean isMonths() {
      return unit.equals("YEAR") || unit.equals("MONTH");
    }

    /** Months, or milliseconds. */
    private BigDecimal count() {
      BigDecimal count =
          new BigDecimal(digits)
              .multiply(
                  BigDecimal.valueOf(
                      switch (unit) {
                        case "YEAR" -> 12;
                        case "MONTH" -> 1;
                        case "DAY" -> 86_400_000;
                        case "HOUR" -> 3_600_000;
                        case "MINUTE" -> 60_000;
                        default -> 1_000;
                      }));
      return negative ? count.negate() : count;
    }
  }

  private record Unit(String name, BigDecimal factor) {}

  private static final int MAX_DIGITS = 10;

  private static final Pattern TERM =
      Pattern.compile("\\s*([+-]?\\d+(?:\\.\\d+)?)\\s*([a-zA-Z]+)\\s*(?:,|and\\b)?");

  private static final Pattern CLOCK =
      Pattern.compile("\\s*([+-]?)(\\d+):([0-5]\\d)(?::([0-5]\\d(?:\\.\\d+)?))?\\s*");

  private static final Set<String> STANDARD =
      Set.of("YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND");

  private static final Set<String> COUNTED =
      Set.of(
          "YEARS",
          "QUARTER",
          "QUARTERS",
          "MONTHS",
          "WEEK",
          "WEEKS",
          "DAYS",
          "HOURS",
          "MINUTES",
          "SECONDS",
          "MILLISECOND",
          "MICROSECOND",
          "NANOSECOND");

  private static final Map<String, Unit> UNITS =
      Map.ofEntries(
          unit("MILLENNIUM", "YEAR", "1000"),
          unit("CENTURY", "YEAR", "100"),
          unit("DECADE", "YEAR", "10"),
          unit("YEAR", "YEAR", "1"),
          unit("YR", "YEAR", "1"),
          unit("Y", "YEAR", "1"),
          unit("QUARTER", "MONTH", "3"),
          unit("MONTH", "MONTH", "1"),
          unit("MON", "MONTH", "1"),
          unit("WEEK", "DAY", "7"),
          unit("W", "DAY", "7"),
          unit("DAY", "DAY", "1"),
          unit("D", "DAY", "1"),
          unit("HOUR", "HOUR", "1"),
          unit("HR", "HOUR", "1"),
          unit("H", "HOUR", "1"),
          unit("MINUTE", "MINUTE", "1"),
          unit("MIN", "MINUTE", "1"),
          unit("M", "MINUTE", "1"),
          unit("SECOND", "SECOND", "1"),
          unit("SEC", "SECOND", "1"),
          unit("S", "SECOND", "1"),
          unit("MILLISECOND", "SECOND", "0.001"),
          unit("MS", "SECOND", "0.001"),
          unit("MICROSECOND", "SECOND", "0.000001"),
          unit("US", "SECOND", "0.000001"));

  private static Map.Entry<String, Unit> unit(String word, String name, String factor) {
    return Map.entry(word, new Unit(name, new BigDecimal(factor)));
  }

  private static @Nullable Unit find(String word) {
    String upper = word.toUpperCase(Locale.ROOT);
    Unit unit = UNITS.get(upper);
    if (unit != null) {
      return unit;
    }
    return switch (upper) {
      case "CENTURIES" -> UNITS.get("CENTURY");
      case "MILLENNIA" -> UNITS.get("MILLENNIUM");
      default -> upper.endsWith("S") ? UNITS.get(upper.substring(0, upper.length() - 1)) : null;
    };
  }

  /** Whether a word after a number says what the number counts; a letter alone does not. */
  public static boolean isUnit(String word) {
    return word.length() > 2 && find(word) != null;
  }

  /** Whether the grammar takes the word after a text, with or without a precision. */
  public static boolean isStandardUnit(String word) {
    return STANDARD.contains(word.toUpperCase(Locale.ROOT));
  }

  /** Whether the grammar takes the word after a number. */
  public static boolean isCounted(String word) {
    return isStandardUnit(word) || COUNTED.contains(word.toUpperCase(Locale.ROOT));
  }

  /** The sum of the terms of months, in months; or of the others, in milliseconds. */
  long sum(boolean months) {
    return terms.stream()
        .filter(term -> term.isMonths() == months)
        .map(Term::count)
        .reduce(BigDecimal.ZERO, BigDecimal::add)
        .longValueExact();
  }

  /** Null if the text is no sum of numbers with units. */
  public static @Nullable IntervalText parse(String text) {
    List<Term> terms = new ArrayList<>();
    Matcher term = TERM.matcher(text);
    int at = 0;
    while (at < text.length() && term.region(at, text.length()).lookingAt()) {
      Unit unit = find(term.group(2));
      Term made = unit == null ? null : term(new BigDecimal(term.group(1)), unit);
      if (made == null) {
        return null;
      }
      terms.add(made);
      at = term.end();
    }
    Matcher clock = CLOCK.matcher(text).region(at, text.length());
    if (clock.matches()) {
      BigDecimal seconds =
          new BigDecimal(clock.group(2))
              .multiply(BigDecimal.valueOf(60))
              .add(new BigDecimal(clock.group(3)))
              .multiply(BigDecimal.valueOf(60))
              .add(clock.group(4) == null ? BigDecimal.ZERO : new BigDecimal(clock.group(4)));
      Term made =
          term(clock.group(1).equals("-") ? seconds.negate() : seconds, UNITS.get("SECOND"));
      if (made == null) {
        return null;
      }
      terms.add(made);
      at = text.length();
    }
    return terms.isEmpty() || !text.substring(at).isBlank() ? null : new IntervalText(terms);
  }

  private static @Nullable Term term(BigDecimal count, @Nullable Unit unit) {
    if (unit == null) {
      return null;
    }
    String name = unit.name();
    BigDecimal value = count.multiply(unit.factor()).stripTrailingZeros();
    if (value.scale() > 0) {
      // A part of a day, hour or minute is one of seconds; a part of a year is one of months.
      int smaller =
          switch (name) {
            case "YEAR" -> 12;
            case "DAY" -> 86_400;
            case "HOUR" -> 3_600;
            case "MINUTE" -> 60;
            default -> 1;
          };
      value = value.multiply(BigDecimal.valueOf(smaller)).stripTrailingZeros();
      name = name.equals("YEAR") || name.equals("MONTH") ? "MONTH" : "SECOND";
      if (value.scale() > (name.equals("MONTH") ? 0 : 3)) {
        return null;
      }
    }
    String digits = value.abs().toPlainString();
    String scale = name.equals("SECOND") ? "3" : null;
    int point = digits.indexOf('.');
    return (point < 0 ? digits.length() : point) > MAX_DIGITS
        ? null
        : new Term(value.signum() < 0, digits, name, String.valueOf(MAX_DIGITS), scale);
  }
}
