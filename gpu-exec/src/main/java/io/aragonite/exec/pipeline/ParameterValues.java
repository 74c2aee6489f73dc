package io.aragonite.exec.pipeline;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.table.BatchSource;
import io.aragonite.exec.table.RowSource;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The values of one execution's parameters, put into expressions in place of them. */
@SuppressWarnings("ReferenceEquality") // whether anything was replaced
public final class ParameterValues {
  private final List<@Nullable Object> values;

  public ParameterValues(List<@Nullable Object> values) {
    this.values = values;
  }

  public Expr resolve(Expr expression) {
    return switch (expression) {
      case Expr.Parameter parameter -> new Expr.Literal(value(parameter), parameter.type());
      case Expr.Call call -> {
        List<Expr> args = resolve(call.args());
        yield args == call.args() ? call : new Expr.Call(call.op(), args, call.type());
      }
      case Expr.HostFunctionCall call -> {
        List<Expr> args = resolve(call.args());
        yield args == call.args()
            ? call
            : new Expr.HostFunctionCall(
                call.name(), call.function(), args, call.deterministic(), call.type());
      }
      case Expr.KeyWord word -> {
        List<Expr> keys = resolve(word.keys());
        yield keys == word.keys() ? word : new Expr.KeyWord(keys, word.layout());
      }
      case Expr.InputRef ref -> ref;
      case Expr.Literal literal -> literal;
    };
  }

  /** The same list if nothing in it is a parameter. */
  public List<Expr> resolve(List<Expr> expressions) {
    boolean same = true;
    Expr[] resolved = new Expr[expressions.size()];
    for (int i = 0; i < resolved.length; i++) {
      Expr before = expressions.get(i);
      resolved[i] = resolve(before);
      same &= resolved[i] == before;
    }
    return same ? expressions : List.of(resolved);
  }

  public long rowCount(Expr expression, String what) {
    return rowCount(
        resolve(expression) instanceof Expr.Literal literal ? literal.value() : null, what);
  }

  /**
   * The rows that a clause asks for.
   *
   * @param what the clause, for errors
   * @throws AragoniteException INVALID_ARGUMENT if the value is null, no number or negative
   */
  public static long rowCount(@Nullable Object value, String what) {
    long count =
        switch (value) {
          case Long number -> number;
          case BigDecimal number -> number.setScale(0, RoundingMode.HALF_UP).longValueExact();
          case null, default ->
              throw new AragoniteException(
                  ErrorCode.INVALID_ARGUMENT,
                  what + " must be a number of rows, but is " + value + "; give a number.");
        };
    if (count < 0) {
      throw new AragoniteException(
          ErrorCode.INVALID_ARGUMENT,
          what + " must not be negative, but is " + count + "; give 0 or more.");
    }
    return count;
  }

  /** The value of a parameter that stands for rows. */
  public RowSource rowSource(Expr.Parameter parameter) {
    if (value(parameter) instanceof RowSource source) {
      return source;
    }
    throw new AragoniteException(
        ErrorCode.INTERNAL, "Parameter %d hands over no rows.".formatted(parameter.index() + 1));
  }

  /** The value of a parameter that stands for batches. */
  public BatchSource batchSource(Expr.Parameter parameter) {
    if (value(parameter) instanceof BatchSource source) {
      return source;
    }
    throw new AragoniteException(
        ErrorCode.INTERNAL, "Parameter %d hands over no batches.".formatted(parameter.index() + 1));
  }

  /** The value of a parameter. */
  public @Nullable Object value(Expr.Parameter parameter) {
    if (parameter.index() >= values.size()) {
      throw new AragoniteException(
          ErrorCode.MISSING_PARAMETER,
          "Parameter %d has no value; the statement was given %d."
              .formatted(parameter.index() + 1, values.size()));
    }
    return values.get(parameter.index());
  }
}
