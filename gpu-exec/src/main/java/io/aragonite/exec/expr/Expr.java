package io.aragonite.exec.expr;

import io.aragonite.exec.type.DataType;
import java.io.Serializable;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A typed scalar expression over the columns of a batch. Immutable; equality is structural. {@link
 * Interpreter} defines what each form means; compiled code must agree with it to the bit, floats
 * included where Java's are.
 */
public sealed interface Expr extends Serializable {
  DataType type();

  /** Whether rows must be evaluated one after the other, in their order (NEXTVAL). */
  default boolean sequential() {
    return switch (this) {
      case Call call -> call.args().stream().anyMatch(Expr::sequential);
      case HostFunctionCall call ->
          call.function().sequential() || call.args().stream().anyMatch(Expr::sequential);
      default -> false;
    };
  }

  /** Column {@code index} of the input batch. */
  record InputRef(int index, DataType type) implements Expr {}

  /**
   * A constant.
   *
   * @param value null, Boolean, Long (integers, DATE, TIME, TIMESTAMP, intervals), Double (FLOAT32
   *     as well), BigDecimal of the type's scale, String, or byte[] for BINARY
   */
  record Literal(@Nullable Object value, DataType type) implements Expr {}

  /** A parameter of a prepared statement, replaced by a literal before execution. */
  record Parameter(int index, DataType type) implements Expr {}

  /** A call of a built-in operation. Operand types are those that {@link Op} documents. */
  record Call(Op op, List<Expr> args, DataType type) implements Expr {
    public Call {
      args = List.copyOf(args);
    }
  }

  /**
   * A call of a host function.
   *
   * @param name how EXPLAIN and messages call it
   * @param deterministic false if it must be evaluated once a row even with equal arguments (RAND)
   */
  record HostFunctionCall(
      String name, HostFunction function, List<Expr> args, boolean deterministic, DataType type)
      implements Expr {
    public HostFunctionCall {
      args = List.copyOf(args);
    }
  }

  /**
   * The key columns of a join or a grouping in one 64-bit word (INT64 NOT NULL). Hashed words:
   * integers and dates hash as 64-bit values whatever their width, decimals as 128-bit ones, floats
   * by value with -0.0 as 0.0 and one NaN, text by its bytes whatever its storage, null as a value
   * of its own; so columns of equal values have equal words on both sides of a join.
   */
  record KeyWord(List<Expr> keys, KeyLayout layout) implements Expr {
    public KeyWord {
      keys = List.copyOf(keys);
    }

    @Override
    public DataType type() {
      return DataType.INT64;
    }
  }

  static Expr ref(int index, DataType type) {
    return new InputRef(index, type);
  }

  static Expr literal(@Nullable Object value, DataType type) {
    return new Literal(value, type);
  }

  static Expr call(Op op, DataType type, Expr... args) {
    return new Call(op, List.of(args), type);
  }
}
