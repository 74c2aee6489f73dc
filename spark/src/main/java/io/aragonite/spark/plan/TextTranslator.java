package io.aragonite.spark.plan;

import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.Op;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.TypeKind;
import io.aragonite.spark.execution.CaseMapping;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.Concat;
import org.apache.spark.sql.catalyst.expressions.Contains;
import org.apache.spark.sql.catalyst.expressions.EndsWith;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Length;
import org.apache.spark.sql.catalyst.expressions.Like;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.Lower;
import org.apache.spark.sql.catalyst.expressions.StartsWith;
import org.apache.spark.sql.catalyst.expressions.StringInstr;
import org.apache.spark.sql.catalyst.expressions.StringLPad;
import org.apache.spark.sql.catalyst.expressions.StringRPad;
import org.apache.spark.sql.catalyst.expressions.StringReplace;
import org.apache.spark.sql.catalyst.expressions.StringTrim;
import org.apache.spark.sql.catalyst.expressions.StringTrimLeft;
import org.apache.spark.sql.catalyst.expressions.StringTrimRight;
import org.apache.spark.sql.catalyst.expressions.Substring;
import org.apache.spark.sql.catalyst.expressions.Upper;
import org.apache.spark.sql.catalyst.expressions.objects.StaticInvoke;
import org.apache.spark.sql.catalyst.util.CharVarcharCodegenUtils;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.unsafe.types.UTF8String;
import org.jspecify.annotations.Nullable;
import scala.Option;

/** Spark's functions of texts. */
final class TextTranslator {
  /** The escape of patterns that have one. */
  static final char ESCAPE = '\\';

  /** What TRIM removes that names nothing: Spark looks at bytes then, and else at characters. */
  static final Expr BLANK = Expr.literal(" ", DataType.VARCHAR);

  /** What Spark reads a column of CHAR by, whatever the file has. */
  private static final String PADDING = "readSidePadding";

  /** Characters of a text that is filled up: it is to fit a batch beside many others. */
  private static final int MOST_PADDED = 10_000;

  private final ExpressionTranslator values;

  TextTranslator(ExpressionTranslator values) {
    this.values = values;
  }

  /** Null for other functions. */
  @Nullable Expr translate(Expression expression, DataType type) throws UntranslatableException {
    return switch (expression) {
      case Concat concat -> texts(Op.CONCAT, ScalaValues.list(concat.children()), concat, type);
      case Length length -> texts(Op.CHAR_LENGTH, List.of(length.child()), length, type);
      case Upper upper -> mapped(Op.UPPER, CaseMapping.UPPER, upper.child(), type);
      case Lower lower -> mapped(Op.LOWER, CaseMapping.LOWER, lower.child(), type);
      case Substring substring -> substring(substring, type);
      case Like like -> like(like, type);
      case StartsWith starts -> pattern(starts.left(), starts.right(), "", "%", type);
      case EndsWith ends -> pattern(ends.left(), ends.right(), "%", "", type);
      case Contains contains -> pattern(contains.left(), contains.right(), "%", "%", type);
      case StringTrim trim -> trim(Op.TRIM_BOTH, trim.srcStr(), trim.trimStr(), type);
      case StringTrimLeft trim -> trim(Op.TRIM_LEADING, trim.srcStr(), trim.trimStr(), type);
      case StringTrimRight trim -> trim(Op.TRIM_TRAILING, trim.srcStr(), trim.trimStr(), type);
      case StringReplace replace ->
          Expr.call(
              Op.REPLACE,
              type,
              values.translate(replace.srcExpr()),
              constant(replace.searchExpr(), false),
              constant(replace.replaceExpr(), true));
      case StringInstr place ->
          Expr.call(
              Op.POSITION, type, constant(place.substr(), false), values.translate(place.str()));
      case StringRPad pad -> padded(Op.RPAD, pad.str(), pad.len(), pad.pad(), type);
      case StringLPad pad -> padded(Op.LPAD, pad.str(), pad.len(), pad.pad(), type);
      case StaticInvoke call when isPadding(call) -> padded(call, type);
      default -> null;
    };
  }

  /** In another case: the engine and Spark's library agree on ASCII. */
  private Expr mapped(Op op, CaseMapping mapping, Expression child, DataType type)
      throws UntranslatableException {
    if (Boolean.FALSE.equals(SQLConf.get().getConf(SQLConf.ICU_CASE_MAPPINGS_ENABLED()))) {
      throw new UntranslatableException("case mappings of the JDK, by the locale");
    }
    Expr text = values.translate(child);
    Expr all = new Expr.HostFunctionCall(mapping.name(), mapping, List.of(text), true, type);
    if (!(text instanceof Expr.InputRef)) {
      return all; // else nested calls would be evaluated many times
    }
    DataType length = DataType.INT32.withNullable(text.type().nullable());
    Expr isAscii =
        Expr.call(
            Op.EQ,
            DataType.BOOLEAN.withNullable(text.type().nullable()),
            Expr.call(Op.CHAR_LENGTH, length, text),
            Expr.call(Op.OCTET_LENGTH, length, text));
    return Expr.call(Op.CASE, type, isAscii, Expr.call(op, type, text), all);
  }

  private Expr trim(Op op, Expression text, Option<Expression> characters, DataType type)
      throws UntranslatableException {
    Expr trimmed = characters.isEmpty() ? BLANK : constant(characters.get(), false);
    if (!characters.isEmpty() && trimmed.equals(BLANK)) {
      trimmed = Expr.literal("  ", DataType.VARCHAR); // the same set
    }
    return Expr.call(op, type, trimmed, values.translate(text));
  }

  /** Filled up with characters, or cut off, to so many of them, a constant. */
  private Expr padded(Op op, Expression text, Expression width, Expression with, DataType type)
      throws UntranslatableException {
    if (!(width instanceof Literal literal
        && literal.value() instanceof Integer count
        && count >= 0
        && count <= MOST_PADDED)) {
      throw new UntranslatableException("a width that is no constant, or large: " + width.sql());
    }
    Expr characters = constant(with, false);
    return Expr.call(op, type, values.translate(text), integer(width), characters);
  }

  private static boolean isPadding(StaticInvoke call) {
    return call.staticObject() == CharVarcharCodegenUtils.class
        && call.functionName().equals(PADDING)
        && call.arguments().apply(1) instanceof Literal width
        && width.value() instanceof Integer;
  }

  /** With blanks behind it to so many characters; a text of more stays as it is. */
  private Expr padded(StaticInvoke call, DataType type) throws UntranslatableException {
    Expr text = values.translate(call.arguments().head());
    Expr width = integer(call.arguments().apply(1));
    DataType length = DataType.INT32.withNullable(text.type().nullable());
    Expr longer =
        Expr.call(
            Op.GT,
            DataType.BOOLEAN.withNullable(text.type().nullable()),
            Expr.call(Op.CHAR_LENGTH, length, text),
            width);
    return Expr.call(Op.CASE, type, longer, text, Expr.call(Op.RPAD, type, text, width, BLANK));
  }

  /** A text; engines differ on where an empty one is, and what characters it has. */
  private static Expr constant(Expression expression, boolean mayBeEmpty)
      throws UntranslatableException {
    String text = constantText(expression);
    if (text == null || text.isEmpty() && !mayBeEmpty) {
      throw new UntranslatableException(
          "text that is no constant, or empty: " + expression.sql());
    }
    return Expr.literal(text, DataType.VARCHAR);
  }

  /** A function of texts that is null where one of them is. */
  private Expr texts(
      Op op, List<Expression> children, Expression call, DataType type)
      throws UntranslatableException {
    List<Expr> args = values.translate(children);
    if (!args.stream().allMatch(arg -> arg.type().kind() == TypeKind.VARCHAR)) {
      throw new UntranslatableException("other values than texts in " + call.sql());
    }
    return new Expr.Call(op, args, type);
  }

  private Expr substring(Substring call, DataType type) throws UntranslatableException {
    Expr text = values.translate(call.str());
    boolean simple =
        type.kind() == TypeKind.VARCHAR
            && call.pos() instanceof Literal from
            && from.value() instanceof Integer first
            && first > 0
            && call.len() instanceof Literal length
            && length.value() instanceof Integer count
            && count >= 0;
    if (!simple) {
      throw new UntranslatableException("positions in " + call.sql());
    }
    return Expr.call(
        Op.SUBSTRING, type, text, integer(call.pos()), integer(call.len()));
  }

  private static Expr integer(Expression literal) {
    return Expr.literal(ScalaValues.literal(((Literal) literal).value()), DataType.INT32);
  }

  private Expr like(Like like, DataType type) throws UntranslatableException {
    String text = constantText(like.right());
    if (text == null || text.indexOf(like.escapeChar()) >= 0) {
      throw new UntranslatableException("pattern of " + like.sql());
    }
    return Expr.call(
        Op.LIKE, type, values.translate(like.left()), Expr.literal(text, DataType.VARCHAR));
  }

  private Expr pattern(
      Expression value, Expression part, String before, String behind, DataType type)
      throws UntranslatableException {
    String text = constantText(part);
    Expr translated = values.translate(value);
    if (text == null || translated.type().kind() != TypeKind.VARCHAR) {
      throw new UntranslatableException("text that is no constant: " + part.sql());
    }
    StringBuilder escaped = new StringBuilder(before);
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '%' || c == '_' || c == ESCAPE) {
        escaped.append(ESCAPE);
      }
      escaped.append(c);
    }
    return Expr.call(
        Op.LIKE,
        type,
        translated,
        Expr.literal(escaped.append(behind).toString(), DataType.VARCHAR),
        Expr.literal(String.valueOf(ESCAPE), DataType.VARCHAR));
  }

  private static @Nullable String constantText(Expression expression) {
    return expression instanceof Literal literal && literal.value() instanceof UTF8String text && text.isValid()
        ? text.toString()
        : null;
  }
}
