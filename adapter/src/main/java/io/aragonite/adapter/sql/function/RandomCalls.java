package io.aragonite.adapter.sql.function;

import io.aragonite.exec.error.AragoniteException;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.apache.calcite.sql.SqlBasicCall;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlUnresolvedFunction;
import org.apache.calcite.sql.fun.SqlBetweenOperator;
import org.apache.calcite.sql.fun.SqlCase;
import org.apache.calcite.sql.util.SqlBasicVisitor;
import org.jspecify.annotations.Nullable;

/**
 * Calls whose value is another one each time. What a function is written as may have an operand
 * several times, and one that is random would then have several values.
 */
public final class RandomCalls {
  /** As they are written, before the validator knows them. */
  public static final Set<String> NAMES =
      Set.of("RANDOM", "RAND", "RAND_INTEGER", "UUID", "GEN_RANDOM_UUID");

  /** What becomes a CASE that asks for its first operand, and then has it. */
  private static final Set<String> CASES = Set.of("IFNULL", "NVL", "NULLIF", "DECODE");

  private RandomCalls() {}

  /** How many an expression has, each as often as it stands there. */
  static int count(@Nullable SqlNode node) {
    int[] count = {0};
    if (node != null) {
      node.accept(
          new SqlBasicVisitor<Void>() {
            @Override
            public @Nullable Void visit(SqlCall call) {
              count[0] += isRandom(call) ? 1 : 0;
              return super.visit(call);
            }
          });
    }
    return count[0];
  }

  private static boolean isRandom(SqlCall call) {
    return call.getOperator() instanceof SqlUnresolvedFunction named
        ? NAMES.contains(named.getName().toUpperCase(Locale.ROOT))
        : !call.getOperator().isDeterministic();
  }

  /**
   * Looks whether an operand that is read several times has one value.
   *
   * @param what reads it, for the error
   * @throws AragoniteException INVALID_STATEMENT if it is random
   */
  public static void requireNone(String what, SqlNode operand) {
    if (count(operand) > 0) {
      throw refused(what, operand);
    }
  }

  /**
   * Looks whether the first operand of a comparison with several values has one value itself.
   *
   * @throws AragoniteException INVALID_STATEMENT if it is random
   */
  public static void requireReadOnce(SqlCall call) {
    switch (call.getKind()) {
      case BETWEEN -> {
        requireNone("BETWEEN", call.operand(0));
        if (call.getOperator() instanceof SqlBetweenOperator between
            && between.flag == SqlBetweenOperator.Flag.SYMMETRIC) {
          requireNone("BETWEEN SYMMETRIC", call.operand(1));
          requireNone("BETWEEN SYMMETRIC", call.operand(2));
        }
      }
      case IN, NOT_IN, SOME, ALL -> {
        if (call.operand(1) instanceof SqlNodeList list && list.size() > 1) {
          requireNone(
              call.getKind() == SqlKind.NOT_IN ? "IN" : call.getKind().name(), call.operand(0));
        }
      }
      case CASE -> requireOneValue(((SqlCase) call).getWhenOperands());
      default -> {
        if (call.getOperator().getName().equalsIgnoreCase("COALESCE")) {
          List<SqlNode> operands = call.getOperandList();
          operands
              .subList(0, Math.max(0, operands.size() - 1))
              .forEach(operand -> requireNone("COALESCE", operand));
        } else if (CASES.contains(call.getOperator().getName().toUpperCase(Locale.ROOT))) {
          requireNone(call.getOperator().getName(), call.operand(0));
        }
      }
    }
  }

  /** {@code CASE x WHEN a THEN ...} has become {@code CASE WHEN x = a THEN ...}. */
  private static void requireOneValue(SqlNodeList conditions) {
    SqlNode first =
        conditions.size() > 1
                && conditions.get(0) instanceof SqlBasicCall call
                && call.operandCount() > 0
            ? call.operand(0)
            : null;
    if (first != null
        && conditions.get(1) instanceof SqlBasicCall second
        && second.operandCount() > 0
        && isSame(first, second.operand(0))) {
      requireNone("CASE", first);
    }
  }

  @SuppressWarnings("ReferenceEquality") // the parser has put one node into all conditions
  private static boolean isSame(SqlNode first, SqlNode second) {
    return first == second;
  }

  /**
   * Looks whether what a call is written as has its random operands no more often.
   *
   * @param before how many there were
   * @throws AragoniteException INVALID_STATEMENT
   */
  static void requireOnce(SqlCall call, int before, SqlNode made) {
    if (before > 0 && count(made) > before) {
      throw refused(call.getOperator().getName(), call);
    }
  }

  private static AragoniteException refused(String what, SqlNode at) {
    return FunctionForms.invalid(
        at,
        "%s reads its operand several times, so that it cannot be random; make it a column first: SELECT ... FROM (SELECT random() AS r FROM ...)"
            .formatted(what));
  }
}
