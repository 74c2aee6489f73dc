package io.aragonite.exec.expr;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Expressions as SQL-like text, for messages and EXPLAIN. */
public final class ExprText {
  private static final int MAX_LENGTH = 200;

  private ExprText() {}

  /** The text of an expression; columns are {@code $0}, {@code $1}, …; long ones are cut. */
  public static String of(Expr expr) {
    StringBuilder text = new StringBuilder();
    append(text, expr);
    return text.length() > MAX_LENGTH ? text.substring(0, MAX_LENGTH) + "…" : text.toString();
  }

  private static void append(StringBuilder text, Expr expr) {
    if (text.length() > MAX_LENGTH) {
      return;
    }
    switch (expr) {
      case Expr.InputRef ref -> text.append('$').append(ref.index());
      case Expr.Literal literal -> appendLiteral(text, literal);
      case Expr.Parameter parameter -> text.append('?').append(parameter.index());
      case Expr.HostFunctionCall call -> appendCall(text, call.name(), call.args());
      case Expr.KeyWord word -> appendCall(text, "KEY_WORD", word.keys());
      case Expr.Call call -> appendOperation(text, call);
    }
  }

  private static void appendLiteral(StringBuilder text, Expr.Literal literal) {
    Object value = literal.value();
    switch (value) {
      case null -> text.append("NULL");
      case byte[] bytes -> text.append("X'").append(bytes.length).append(" bytes'");
      case String string ->
          text.append('\'')
              .append(string.length() > 50 ? string.substring(0, 50) + "…" : string)
              .append('\'');
      case Long number ->
          text.append(
              switch (literal.type().kind()) {
                case DATE, TIME, TIMESTAMP ->
                    literal.type().kind() + " '" + Casts.toText(number, literal.type()) + "'";
                default -> number.toString();
              });
      default -> text.append(value);
    }
  }

  private static void appendOperation(StringBuilder text, Expr.Call call) {
    String symbol = symbol(call.op());
    List<Expr> args = call.args();
    if (symbol != null && args.size() > 1) {
      for (int i = 0; i < args.size(); i++) {
        if (i > 0) {
          text.append(' ').append(symbol).append(' ');
        }
        boolean nested = args.get(i) instanceof Expr.Call inner && symbol(inner.op()) != null;
        if (nested) {
          text.append('(');
        }
        append(text, args.get(i));
        if (nested) {
          text.append(')');
        }
      }
    } else if (call.op() == Op.CAST || call.op() == Op.TRY_CAST) {
      text.append(call.op()).append('(');
      append(text, args.getFirst());
      text.append(" AS ").append(call.type().withNullable(true)).append(')');
    } else if (call.op() == Op.UUID_OF_TEXT || call.op() == Op.TRY_UUID_OF_TEXT) {
      text.append(call.op().isTried() ? "TRY_CAST(" : "CAST(");
      append(text, args.getFirst());
      text.append(" AS UUID)");
    } else if (call.op() == Op.CASE) {
      appendCase(text, args);
    } else {
      appendCall(text, call.op().name(), args);
    }
  }

  private static void appendCase(StringBuilder text, List<Expr> args) {
    text.append("CASE");
    for (int i = 0; i + 1 < args.size(); i += 2) {
      append(text.append(" WHEN "), args.get(i));
      append(text.append(" THEN "), args.get(i + 1));
    }
    append(text.append(" ELSE "), args.getLast());
    text.append(" END");
  }

  private static void appendCall(StringBuilder text, String name, List<Expr> args) {
    text.append(name).append('(');
    for (int i = 0; i < args.size(); i++) {
      if (i > 0) {
        text.append(", ");
      }
      append(text, args.get(i));
    }
    text.append(')');
  }

  private static @Nullable String symbol(Op op) {
    return switch (op) {
      case PLUS, DATETIME_PLUS -> "+";
      case MINUS, DATETIME_MINUS -> "-";
      case TIMES -> "*";
      case DIVIDE -> "/";
      case EQ -> "=";
      case NE -> "<>";
      case LT -> "<";
      case LE -> "<=";
      case GT -> ">";
      case GE -> ">=";
      case IS_DISTINCT_FROM -> "IS DISTINCT FROM";
      case IS_NOT_DISTINCT_FROM -> "IS NOT DISTINCT FROM";
      case AND -> "AND";
      case OR -> "OR";
      case LIKE -> "LIKE";
      case ILIKE -> "ILIKE";
      case SIMILAR -> "SIMILAR TO";
      case CONCAT -> "||";
      default -> null;
    };
  }
}
