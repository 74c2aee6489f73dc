package io.aragonite.adapter.sql.function;

import io.aragonite.adapter.sql.function.FunctionForms.Form;
import io.aragonite.rules.function.IntegerFunctions;
import io.aragonite.rules.function.NullableFunctions;
import io.aragonite.rules.function.TextDistances;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.fun.SqlLibraryOperators;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.fun.SqlTrimFunction;
import org.apache.calcite.sql.type.SqlTypeName;
import org.jspecify.annotations.Nullable;

/** Functions of texts. */
final class TextForms {
  private TextForms() {}

  static void add(Map<String, Form> forms) {
    same(forms, "UCASE", SqlStdOperatorTable.UPPER, 1);
    same(forms, "LCASE", SqlStdOperatorTable.LOWER, 1);
    same(forms, "LEN", SqlStdOperatorTable.CHAR_LENGTH, 1);
    same(forms, "STRLEN", SqlStdOperatorTable.OCTET_LENGTH, 1);
    same(forms, "BIT_LENGTH", SqlLibraryOperators.BIT_LENGTH, 1);
    same(forms, "UNICODE", SqlStdOperatorTable.ASCII, 1);
    same(forms, "ORD", SqlStdOperatorTable.ASCII, 1);
    same(forms, "PREFIX", SqlLibraryOperators.STARTS_WITH, 2);
    same(forms, "STARTSWITH", SqlLibraryOperators.STARTS_WITH, 2);
    same(forms, "SUFFIX", SqlLibraryOperators.ENDS_WITH, 2);
    same(forms, "ENDSWITH", SqlLibraryOperators.ENDS_WITH, 2);
    others(forms);
    same(forms, "SHA1", SqlLibraryOperators.SHA1, 1);
    same(forms, "SHA256", SqlLibraryOperators.SHA256, 1);
    forms.put("REGEXP_EXTRACT", TextForms::extracted);
    forms.put(
        "REGEXP_FULL_MATCH",
        (trees, call) -> {
          FunctionForms.require(call, 2, 2);
          SqlNode pattern =
              trees.concat(List.of(trees.text("^(?:"), call.operand(1), trees.text(")$")));
          return trees.call(SqlLibraryOperators.REGEXP_LIKE, call.operand(0), pattern);
        });
    for (String name : new String[] {"INSTR", "STRPOS"}) {
      forms.put(
          name,
          (trees, call) ->
              call.operandCount() == 2 ? position(trees, call.operand(0), call.operand(1)) : null);
    }
    forms.put(
        "CONTAINS",
        (trees, call) -> {
          FunctionForms.require(call, 2, 2);
          return trees.call(
              SqlStdOperatorTable.GREATER_THAN,
              position(trees, call.operand(0), call.operand(1)),
              trees.number(0));
        });
    forms.put("GLOB", TextForms::glob);
    forms.put("CONCAT_WS", TextForms::concatWithSeparator);
    forms.put("BTRIM", (trees, call) -> trimmed(trees, call, SqlTrimFunction.Flag.BOTH));
    forms.put("LTRIM", (trees, call) -> trimmed(trees, call, SqlTrimFunction.Flag.LEADING));
    forms.put("RTRIM", (trees, call) -> trimmed(trees, call, SqlTrimFunction.Flag.TRAILING));
    forms.put("LEFT", TextForms::left);
    forms.put("RIGHT", TextForms::right);
    for (String name : new String[] {"LPAD", "RPAD"}) {
      forms.put(name, TextForms::padded);
    }
  }

  private static void others(Map<String, Form> forms) {
    same(forms, "SPACE", SqlLibraryOperators.SPACE, 1);
    same(forms, "CHARINDEX", SqlStdOperatorTable.POSITION, 2);
    same(forms, "REPLICATE", SqlLibraryOperators.REPEAT, 2);
    same(forms, "TO_BASE64", SqlLibraryOperators.TO_BASE64, 1);
    same(forms, "BASE64", SqlLibraryOperators.TO_BASE64, 1);
    same(forms, "FROM_BASE64", SqlLibraryOperators.FROM_BASE64, 1);
    same(forms, "URL_ENCODE", SqlLibraryOperators.URL_ENCODE, 1);
    same(forms, "URL_DECODE", SqlLibraryOperators.URL_DECODE, 1);
    same(forms, "BIN", SqlLibraryOperators.BIN, 1);
    same(forms, "SUBSTRING_INDEX", SqlLibraryOperators.SUBSTRING_INDEX, 3);
    same(forms, "EDITDIST3", SqlLibraryOperators.LEVENSHTEIN, 2);
    same(forms, "MISMATCHES", TextDistances.HAMMING, 2);
    forms.put("ENCODE", TextForms::encoded);
  }

  /** {@code encode(text)}: its bytes; {@code encode(bytes, 'hex')}: a text of them. */
  private static SqlNode encoded(Trees trees, SqlCall call) {
    FunctionForms.require(call, 1, 2);
    if (call.operandCount() == 1) {
      return trees.cast(call.operand(0), SqlTypeName.VARBINARY);
    }
    return switch (String.valueOf(Trees.literalText(call.operand(1))).toLowerCase(Locale.ROOT)) {
      case "hex" ->
          trees.call(SqlStdOperatorTable.LOWER, trees.call(IntegerFunctions.HEX, call.operand(0)));
      case "base64" -> trees.call(SqlLibraryOperators.TO_BASE64, call.operand(0));
      default ->
          throw FunctionForms.invalid(
              call, "ENCODE takes 'hex' or 'base64', not " + call.operand(1));
    };
  }

  private static void same(
      Map<String, Form> forms, String name, SqlOperator operator, int arguments) {
    forms.put(
        name,
        (trees, call) ->
            call.operandCount() == arguments
                ? trees.call(operator, call.getOperandList().toArray(SqlNode[]::new))
                : null);
  }

  /** {@code x ~ p}; Calcite's own operator knows no end of time. */
  static SqlNode matches(Trees trees, SqlCall call) {
    SqlOperator operator = call.getOperator();
    boolean negated =
        operator.equals(SqlStdOperatorTable.NEGATED_POSIX_REGEX_CASE_INSENSITIVE)
            || operator.equals(SqlStdOperatorTable.NEGATED_POSIX_REGEX_CASE_SENSITIVE);
    boolean anyCase =
        operator.equals(SqlStdOperatorTable.NEGATED_POSIX_REGEX_CASE_INSENSITIVE)
            || operator.equals(SqlStdOperatorTable.POSIX_REGEX_CASE_INSENSITIVE);
    SqlNode found =
        anyCase
            ? trees.call(
                SqlLibraryOperators.REGEXP_LIKE, call.operand(0), call.operand(1), trees.text("i"))
            : trees.call(SqlLibraryOperators.REGEXP_LIKE, call.operand(0), call.operand(1));
    return negated ? trees.call(SqlStdOperatorTable.NOT, found) : found;
  }

  /** The first match, or a group of it; empty where there is none. */
  private static SqlNode extracted(Trees trees, SqlCall call) {
    FunctionForms.require(call, 2, 3);
    SqlNode text = call.operand(0);
    SqlNode pattern = call.operand(1);
    BigDecimal group =
        call.operandCount() == 2 ? BigDecimal.ZERO : Trees.literalNumber(call.operand(2));
    if (group == null || group.signum() < 0 || group.compareTo(BigDecimal.TEN) >= 0) {
      throw FunctionForms.invalid(
          call, "The group of REGEXP_EXTRACT is a literal from 0 (all that matches) to 9");
    }
    boolean all = group.signum() == 0;
    SqlNode around =
        trees.concat(
            List.of(
                trees.text(all ? "^[\\s\\S]*?(" : "^[\\s\\S]*?(?:"),
                Trees.copy(pattern),
                trees.text(")[\\s\\S]*$")));
    return trees.ifElse(
        trees.call(SqlLibraryOperators.REGEXP_LIKE, Trees.copy(text), pattern),
        trees.call(
            SqlLibraryOperators.REGEXP_REPLACE_PG_3,
            text,
            around,
            trees.text("\\" + (all ? "1" : group.toPlainString()))),
        trees.ifElse(
            trees.call(SqlStdOperatorTable.IS_NULL, Trees.copy(text)),
            trees.cast(SqlLiteral.createNull(trees.at), SqlTypeName.VARCHAR),
            trees.cast(trees.text(""), SqlTypeName.VARCHAR)));
  }

  /** {@code x GLOB p}: LIKE, or SIMILAR TO if the pattern has a set of characters. */
  private static SqlNode glob(Trees trees, SqlCall call) {
    FunctionForms.require(call, 2, 2);
    SqlNode text = call.operand(0);
    if (Trees.isNull(call.operand(1))) {
      return trees.call(SqlStdOperatorTable.LIKE, text, call.operand(1));
    }
    String glob = Trees.literalText(call.operand(1));
    if (glob == null) {
      throw FunctionForms.invalid(call, "The pattern of GLOB is a literal; take LIKE for others");
    }
    boolean sets = glob.indexOf('[') >= 0;
    return trees.call(
        sets ? SqlStdOperatorTable.SIMILAR_TO : SqlStdOperatorTable.LIKE,
        text,
        trees.text(pattern(glob, sets ? "%_\\|*+?{}()[]^" : "%_\\")),
        trees.text("\\"));
  }

  /** A pattern with percent signs, for one with stars. */
  private static String pattern(String glob, String special) {
    StringBuilder pattern = new StringBuilder();
    for (int i = 0; i < glob.length(); i++) {
      char c = glob.charAt(i);
      int close = c == '[' ? glob.indexOf(']', i + 2) : -1;
      if (close > 0) {
        boolean not = glob.charAt(i + 1) == '!';
        pattern.append(not ? "[^" : "[");
        String set = glob.substring(not ? i + 2 : i + 1, close);
        pattern.append(set.replaceAll("[\\[\\]^\\\\]", "\\\\$0")).append(']');
        i = close;
      } else if (c == '*' || c == '?') {
        pattern.append(c == '*' ? '%' : '_');
      } else {
        c = c == '\\' && i + 1 < glob.length() ? glob.charAt(++i) : c;
        pattern.append(special.indexOf(c) >= 0 ? "\\" : "").append(c);
      }
    }
    return pattern.toString();
  }

  private static SqlNode position(Trees trees, SqlNode text, SqlNode part) {
    return trees.call(SqlStdOperatorTable.POSITION, part, text);
  }

  /** Each text that is not null with the separator before it, without the first separator. */
  private static SqlNode concatWithSeparator(Trees trees, SqlCall call) {
    FunctionForms.require(call, 2, Integer.MAX_VALUE);
    SqlNode separator = call.operand(0);
    List<SqlNode> parts = new ArrayList<>();
    for (SqlNode value : call.getOperandList().subList(1, call.operandCount())) {
      SqlNode text = trees.cast(value, SqlTypeName.VARCHAR);
      parts.add(
          trees.ifElse(
              trees.call(SqlStdOperatorTable.IS_NULL, Trees.copy(text)),
              trees.cast(trees.text(""), SqlTypeName.VARCHAR),
              trees.call(SqlStdOperatorTable.CONCAT, Trees.copy(separator), text)));
    }
    return trees.call(
        SqlStdOperatorTable.SUBSTRING,
        trees.concat(parts),
        trees.plus(
            trees.call(SqlStdOperatorTable.CHAR_LENGTH, Trees.copy(separator)), trees.number(1)));
  }

  /** With the letters to take away, whichever of them there are. */
  private static @Nullable SqlNode trimmed(Trees trees, SqlCall call, SqlTrimFunction.Flag flag) {
    if (call.operandCount() == 1 && flag == SqlTrimFunction.Flag.BOTH) {
      return trees.call(
          SqlStdOperatorTable.TRIM, flag.symbol(trees.at), trees.text(" "), call.operand(0));
    }
    if (call.operandCount() != 2) {
      return null;
    }
    SqlNode text = call.operand(0);
    SqlNode letters = call.operand(1);
    SqlNode trimmed = trees.call(SqlStdOperatorTable.TRIM, flag.symbol(trees.at), letters, text);
    String known = Trees.literalText(letters);
    return known != null && !known.isEmpty() || Trees.isNull(letters)
        ? trimmed
        : trees.ifElse( // of no letters TRIM is an error
            trees.call(SqlStdOperatorTable.EQUALS, Trees.copy(letters), trees.text("")),
            Trees.copy(text),
            trimmed);
  }

  /** Of a negative number all but so many letters at the end, as in PostgreSQL. */
  private static @Nullable SqlNode left(Trees trees, SqlCall call) {
    if (call.operandCount() != 2) {
      return null;
    }
    SqlNode text = call.operand(0);
    SqlNode count = call.operand(1);
    BigDecimal known = Trees.literalNumber(count);
    if (known != null && known.signum() >= 0 || Trees.isNull(count)) {
      return trees.call(SqlLibraryOperators.LEFT, text, count);
    }
    SqlNode rest =
        trees.plus(
            trees.call(SqlStdOperatorTable.CHAR_LENGTH, Trees.copy(text)), Trees.copy(count));
    return trees.call(
        SqlLibraryOperators.LEFT,
        text,
        trees.ifElse(
            trees.call(SqlStdOperatorTable.LESS_THAN, count, trees.number(0)),
            rest,
            Trees.copy(count)));
  }

  /** Of a negative number all but so many letters at the beginning. */
  private static @Nullable SqlNode right(Trees trees, SqlCall call) {
    if (call.operandCount() != 2) {
      return null;
    }
    SqlNode text = call.operand(0);
    SqlNode count = call.operand(1);
    BigDecimal known = Trees.literalNumber(count);
    SqlNode plain = trees.call(SqlLibraryOperators.RIGHT, text, count);
    if (known != null && known.signum() >= 0 || Trees.isNull(count)) {
      return plain;
    }
    return trees.ifElse(
        trees.call(SqlStdOperatorTable.LESS_THAN, Trees.copy(count), trees.number(0)),
        trees.call(
            SqlStdOperatorTable.SUBSTRING,
            Trees.copy(text),
            trees.minus(trees.number(1), Trees.copy(count))),
        plain);
  }

  /** Blanks if nothing says with what. */
  private static @Nullable SqlNode padded(Trees trees, SqlCall call) {
    return call.operandCount() == 2
        ? trees.call(
            call.getOperator().getName().equalsIgnoreCase("LPAD")
                ? NullableFunctions.LPAD
                : NullableFunctions.RPAD,
            call.operand(0),
            call.operand(1),
            trees.text(" "))
        : null;
  }
}
