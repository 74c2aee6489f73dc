package io.aragonite.exec.expr;

import io.aragonite.exec.error.ErrorCode;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * How FORMAT and PRINTF write a value, as Python's format specification has it: {@code
 * [[fill]align][sign][#][0][width][,][.digits][type]}. Digits of a DOUBLE are those of its exact
 * value, halves to the even digit, as in C.
 */
public final class TextFormat {
  private static final Pattern SPEC =
      Pattern.compile(
          "(?:(.)?([<>^]))?([+ -])?(#)?(0)?(\\d{1,4})?([,_])?(?:\\.(\\d{1,3}))?([a-zA-Z])?",
          Pattern.DOTALL);

  /** What a letter at the end is for. */
  private static final String INTEGERS = "dxXob";

  /** Digits of a floating number at most that is written as it is, without an exponent. */
  private static final int ALL_DIGITS = 16;

  private static final String FLOATS = "fFeEgG";

  private final Matcher parts;
  private final @Nullable String digits;
  private final char type;

  private TextFormat(Matcher parts) {
    this.parts = parts;
    this.digits = parts.group(8);
    String letter = parts.group(9);
    this.type = letter == null ? 0 : letter.charAt(0);
  }

  private static @Nullable TextFormat of(String spec) {
    Matcher parts = SPEC.matcher(spec);
    return parts.matches() ? new TextFormat(parts) : null;
  }

  /** What kind of value a specification is for. */
  public enum Wanted {
    INTEGER,
    FLOAT,
    TEXT,
    /** Whatever the value is. */
    ANY,
    /** It is no specification. */
    NONE
  }

  public static Wanted wanted(String spec) {
    TextFormat format = of(spec);
    if (format == null) {
      return Wanted.NONE;
    }
    if (format.type == 0) {
      return format.digits != null ? Wanted.FLOAT : Wanted.ANY;
    }
    return INTEGERS.indexOf(format.type) >= 0
        ? Wanted.INTEGER
        : FLOATS.indexOf(format.type) >= 0
            ? Wanted.FLOAT
            : format.type == 's' ? Wanted.TEXT : Wanted.NONE;
  }

  /**
   * Writes a value.
   *
   * @param value a whole number, a floating one, or a text
   */
  public static String format(Object value, String spec) {
    TextFormat format = of(spec);
    if (format == null) {
      throw new EvalException(ErrorCode.INVALID_ARGUMENT, "'" + spec + "' is no format of a value");
    }
    return switch (value) {
      case String text -> format.text(text);
      case Double number -> format.floating(number);
      case Number number -> format.integer(number.longValue());
      default -> format.text(value.toString());
    };
  }

  private String text(String text) {
    int most = digits == null ? Integer.MAX_VALUE : Integer.parseInt(digits);
    return padded(
        "", most < TextFunctions.length(text) ? TextFunctions.slice(text, 0, most) : text, '<');
  }

  private String integer(long value) {
    if (FLOATS.indexOf(type) >= 0 && type != 0) {
      return floating(value);
    }
    String size =
        switch (type) {
          case 'x' -> Long.toHexString(Math.abs(value));
          case 'X' -> Long.toHexString(Math.abs(value)).toUpperCase(Locale.ROOT);
          case 'o' -> Long.toOctalString(Math.abs(value));
          case 'b' -> Long.toBinaryString(Math.abs(value));
          default -> BigDecimal.valueOf(value).abs().toPlainString();
        };
    String base =
        parts.group(4) == null
            ? ""
            : switch (type) {
              case 'x', 'X' -> "0" + type;
              case 'o' -> "0";
              case 'b' -> "0b";
              default -> "";
            };
    return number(value < 0, base, grouped(size));
  }

  private String floating(double value) {
    boolean negative = value < 0 || value == 0 && 1 / value < 0;
    String size;
    if (Double.isNaN(value) || Double.isInfinite(value)) {
      size = Double.isNaN(value) ? "nan" : "inf";
    } else {
      BigDecimal exact = new BigDecimal(value).abs();
      int places = digits == null ? 6 : Integer.parseInt(digits);
      size =
          switch (type) {
            case 'f', 'F' -> exact.setScale(places, RoundingMode.HALF_EVEN).toPlainString();
            case 'e', 'E' -> scientific(exact, places);
            default ->
                digits == null && (type == 0 || type == 's')
                    ? general(new BigDecimal(Double.toString(Math.abs(value))), ALL_DIGITS, true)
                    : general(exact, Math.max(1, places), type != 0);
          };
    }
    return number(
        negative, "", grouped(Character.isUpperCase(type) ? size.toUpperCase(Locale.ROOT) : size));
  }

  private static String scientific(BigDecimal exact, int places) {
    BigDecimal rounded = exact.round(new MathContext(places + 1, RoundingMode.HALF_EVEN));
    String all = rounded.unscaledValue().toString();
    int exponent = rounded.signum() == 0 ? 0 : all.length() - 1 - rounded.scale();
    all = rounded.signum() == 0 ? "0" : all;
    StringBuilder text = new StringBuilder(all.substring(0, 1));
    if (places > 0) {
      String rest = all.substring(1);
      text.append('.')
          .append(rest.length() > places ? rest.substring(0, places) : rest)
          .repeat('0', Math.max(0, places - rest.length()));
    }
    return text.append(exponent < 0 ? "e-" : "e+")
        .append(Math.abs(exponent) < 10 ? "0" : "")
        .append(Math.abs(exponent))
        .toString();
  }

  /** So many digits, as a number or with an exponent. */
  private static String general(BigDecimal exact, int places, boolean withoutZeros) {
    BigDecimal rounded = exact.round(new MathContext(places, RoundingMode.HALF_EVEN));
    int exponent = rounded.signum() == 0 ? 0 : rounded.precision() - 1 - rounded.scale();
    if (exponent >= -4 && exponent < places) {
      String plain =
          rounded.setScale(places - 1 - exponent, RoundingMode.HALF_EVEN).toPlainString();
      return withoutZeros ? withoutZeros(plain) : plain;
    }
    String text = scientific(exact, places - 1);
    if (!withoutZeros) {
      return text;
    }
    int end = text.indexOf('e');
    return withoutZeros(text.substring(0, end)) + text.substring(end);
  }

  private static String withoutZeros(String number) {
    return number.indexOf('.') < 0 ? number : number.replaceAll("0+$", "").replaceAll("\\.$", "");
  }

  private String grouped(String size) {
    String separator = parts.group(7);
    if (separator == null) {
      return size;
    }
    int end = 0;
    while (end < size.length() && Character.isDigit(size.charAt(end))) {
      end++;
    }
    StringBuilder text = new StringBuilder(size);
    for (int i = end - 3; i > 0; i -= 3) {
      text.insert(i, separator);
    }
    return text.toString();
  }

  private String number(boolean negative, String base, String size) {
    String sign = parts.group(3);
    String shown = negative ? "-" : sign == null || sign.equals("-") ? "" : sign;
    return padded(shown + base, size, '>');
  }

  /** With blanks or other characters up to the width; zeros go behind the sign. */
  private String padded(String sign, String text, char usual) {
    int width = parts.group(6) == null ? 0 : Integer.parseInt(parts.group(6));
    int missing = width - TextFunctions.length(sign + text);
    if (missing <= 0) {
      return sign + text;
    }
    String align = parts.group(2);
    if (align == null && parts.group(5) != null && usual == '>') {
      return sign + "0".repeat(missing) + text;
    }
    String fill = parts.group(1) == null ? " " : parts.group(1);
    int left =
        switch (align == null ? usual : align.charAt(0)) {
          case '<' -> 0;
          case '^' -> missing / 2;
          default -> missing;
        };
    return fill.repeat(left) + sign + text + fill.repeat(missing - left);
  }
}
