package io.aragonite.adapter.sql.function;

import io.aragonite.adapter.sql.function.FunctionForms.Form;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.rules.function.FormatFunctions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.type.SqlTypeName;
import org.jspecify.annotations.Nullable;

/**
 * FORMAT with the places of Python's format strings, and PRINTF with those of C: texts one after
 * the other, the places between them by {@link FormatFunctions}.
 */
final class FormatForms {
  private static final Pattern BRACES =
      Pattern.compile("\\{\\{|\\}\\}|\\{(?<number>\\d{0,3})(?::(?<spec>[^{}]*))?\\}");

  private static final Pattern PERCENT =
      Pattern.compile(
          "%%|%(?<flags>[-+"
              + " 0#,']*)(?<width>\\d+)?(?<digits>\\.\\d+)?(?:ll?|hh?|[Lqjzt])?(?<type>[a-zA-Z])");

  private final Trees trees;
  private final SqlCall call;
  private final List<SqlNode> parts = new ArrayList<>();
  private int next = 1;

  private FormatForms(Trees trees, SqlCall call) {
    this.trees = trees;
    this.call = call;
  }

  static void add(Map<String, Form> forms) {
    forms.put("FORMAT", (trees, call) -> new FormatForms(trees, call).text(BRACES, "{}"));
    forms.put("BAR", FormatForms::bar);
    forms.put("PRINTF", (trees, call) -> new FormatForms(trees, call).text(PERCENT, "%"));
  }

  /** {@code bar(x, least, greatest, width)}: of 80 characters, unless it says so. */
  private static SqlNode bar(Trees trees, SqlCall call) {
    FunctionForms.require(call, 3, 4);
    List<SqlNode> numbers = new ArrayList<>(call.getOperandList());
    if (numbers.size() < 4) {
      numbers.add(trees.number(80));
    }
    numbers.replaceAll(number -> trees.cast(number, SqlTypeName.DOUBLE));
    return trees.call(FormatFunctions.BAR, numbers.toArray(SqlNode[]::new));
  }

  private SqlNode text(Pattern place, String signs) {
    FunctionForms.require(call, 1, Integer.MAX_VALUE);
    String format = Trees.literalText(call.operand(0));
    if (format == null) {
      if (Trees.isNull(call.operand(0))) {
        return trees.cast(call.operand(0), SqlTypeName.VARCHAR);
      }
      throw FunctionForms.invalid(
          call, "The format of %s is a literal".formatted(call.getOperator().getName()));
    }
    StringBuilder between = new StringBuilder();
    int at = 0;
    Matcher places = place.matcher(format);
    while (places.find()) {
      between.append(plain(format.substring(at, places.start()), signs));
      at = places.end();
      if (places.group().length() == 2 && places.group().charAt(0) == places.group().charAt(1)) {
        between.append(places.group().charAt(0));
        continue;
      }
      parts.add(trees.text(between.toString()));
      between.setLength(0);
      parts.add(signs.equals("%") ? percent(places) : braces(places));
    }
    between.append(plain(format.substring(at), signs));
    parts.add(trees.cast(trees.text(between.toString()), SqlTypeName.VARCHAR));
    return trees.concat(parts);
  }

  private String plain(String text, String signs) {
    if (text.chars().anyMatch(c -> signs.indexOf(c) >= 0)) {
      throw invalid("'%s' has a place that is none".formatted(text));
    }
    return text;
  }

  private AragoniteException invalid(String what) {
    return FunctionForms.invalid(
        call,
        "The format of %s is not understood: %s".formatted(call.getOperator().getName(), what));
  }

  private SqlNode braces(Matcher place) {
    String number = place.group("number");
    SqlNode value = value(number.isEmpty() ? next++ : Integer.parseInt(number) + 1);
    return written(value, place.group("spec"));
  }

  /** A place of C's, of which texts stand at the right, too. */
  private SqlNode percent(Matcher place) {
    String flags = place.group("flags");
    String width = place.group("width");
    String digits = place.group("digits");
    String letter = place.group("type");
    boolean text = letter.equals("s");
    StringBuilder spec = new StringBuilder();
    if (flags.indexOf('-') >= 0) {
      spec.append('<');
    } else if (text && width != null) {
      spec.append('>');
    }
    if (!text) {
      spec.append(flags.indexOf('+') >= 0 ? "+" : flags.indexOf(' ') >= 0 ? " " : "");
      spec.append(flags.indexOf('#') >= 0 ? "#" : "");
      spec.append(flags.indexOf('0') >= 0 && flags.indexOf('-') < 0 ? "0" : "");
    }
    spec.append(width == null ? "" : width);
    spec.append(flags.indexOf(',') >= 0 || flags.indexOf('\'') >= 0 ? "," : "");
    spec.append(digits == null ? "" : digits);
    spec.append(letter.equals("i") || letter.equals("u") ? "d" : letter);
    return written(value(next++), spec.toString());
  }

  private SqlNode value(int number) {
    if (number >= call.operandCount()) {
      throw invalid(
          "it has a place for a value %d, and there %s"
              .formatted(
                  number, call.operandCount() == 2 ? "is 1" : "are " + (call.operandCount() - 1)));
    }
    return Trees.copy(call.operand(number));
  }

  private SqlNode written(SqlNode value, @Nullable String spec) {
    if (Trees.isNull(value)) {
      return trees.cast(SqlLiteral.createNull(trees.at), SqlTypeName.VARCHAR);
    }
    return spec == null || spec.isEmpty() || spec.equals("s")
        ? trees.cast(value, SqlTypeName.VARCHAR)
        : trees.call(FormatFunctions.FORMAT_VALUE, value, trees.text(spec));
  }
}
