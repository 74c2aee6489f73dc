package io.aragonite.adapter.sql.function;

import io.aragonite.exec.error.AragoniteException;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Function;
import org.apache.calcite.sql.SqlBasicCall;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlFunction;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.SqlUnresolvedFunction;
import org.apache.calcite.sql.fun.SqlBetweenOperator;
import org.apache.calcite.sql.fun.SqlCase;
import org.apache.calcite.sql.util.SqlBasicVisitor;
import org.apache.calcite.sql.util.SqlShuttle;
import org.jspecify.annotations.Nullable;

/**
 * Calls whose value is another one each time. What a function is written as may have an operand
 * several times; one that is random gets one value for all of these, as {@link SharedCall}.
 */
public final class RandomCalls {
  /** Those of everybody, as they are written, before the validator knows them. */
  private static final Set<String> NAMES =
      Set.of(
          "RANDOM",
          "RAND",
          "RAND_INTEGER",
          "UUID",
          "GEN_RANDOM_UUID",
          "NEXTVAL",
          "CURRVAL",
          "LASTVAL",
          "SETVAL");

  /** What becomes a CASE that asks for its first operand, and then has it. */
  private static final Set<String> CASES = Set.of("IFNULL", "NVL", "NULLIF", "DECODE");

  private final Function<SqlFunction, List<SqlOperator>> own;

  /**
   * @param own the connection's functions of a name
   */
  public RandomCalls(Function<SqlFunction, List<SqlOperator>> own) {
    this.own = own;
  }

  /** How many an expression has, each as often as it stands there. */
  int count(SqlNode node) {
    int[] count = {0};
    node.accept(
        new SqlBasicVisitor<Void>() {
          @Override
          public @Nullable Void visit(SqlCall call) {
            count[0] += isRandom(call) ? 1 : 0;
            return SharedCall.is(call) ? null : super.visit(call);
          }
        });
    return count[0];
  }

  private boolean isRandom(SqlCall call) {
    if (!(call.getOperator() instanceof SqlUnresolvedFunction named)) {
      return !call.getOperator().isDeterministic();
    }
    List<SqlOperator> functions = own.apply(named);
    return functions.isEmpty()
        ? NAMES.contains(named.getName().toUpperCase(Locale.ROOT))
        : functions.stream().anyMatch(function -> !function.isDeterministic());
  }

  /**
   * Looks whether an operand of a validated call that is read several times has one value.
   *
   * @param what reads it, for the error
   * @throws AragoniteException INVALID_STATEMENT if it is random
   */
  public static void requireNone(String what, SqlNode operand) {
    if (new RandomCalls(_ -> List.of()).count(operand) > 0) {
      throw refused(what, operand);
    }
  }

  /**
   * Has operands that a comparison with several values, or what becomes a CASE, reads several times
   * have one value.
   *
   * @throws AragoniteException INVALID_STATEMENT if a random query is among them
   */
  public void share(SqlCall call) {
    switch (call.getKind()) {
      case BETWEEN -> {
        share("BETWEEN", call, 0);
        if (call.getOperator() instanceof SqlBetweenOperator between
            && between.flag == SqlBetweenOperator.Flag.SYMMETRIC) {
          share("BETWEEN SYMMETRIC", call, 1);
          share("BETWEEN SYMMETRIC", call, 2);
        }
      }
      case IN, NOT_IN, SOME, ALL -> {
        if (call.operand(1) instanceof SqlNodeList list && list.size() > 1) {
          share(call.getKind() == SqlKind.NOT_IN ? "IN" : call.getKind().name(), call, 0);
        }
      }
      case CASE -> shareOfConditions(((SqlCase) call).getWhenOperands());
      default -> {
        String name = call.getOperator().getName();
        if (name.equalsIgnoreCase("COALESCE")) {
          for (int i = 0; i + 1 < call.operandCount(); i++) {
            share("COALESCE", call, i);
          }
        } else if (CASES.contains(name.toUpperCase(Locale.ROOT)) && call.operandCount() > 0) {
          share(name, call, 0);
        }
      }
    }
  }

  private void share(String what, SqlCall call, int operand) {
    SqlNode value = call.operand(operand);
    if (count(value) > 0) {
      call.setOperand(operand, shared(what, value));
    }
  }

  /** {@code CASE x WHEN a THEN ...} has become {@code CASE WHEN x = a THEN ...}. */
  private void shareOfConditions(SqlNodeList conditions) {
    SqlNode first = conditions.size() > 1 ? compared(conditions.get(0)) : null;
    if (first == null || !isSame(first, compared(conditions.get(1))) || count(first) == 0) {
      return;
    }
    SqlNode value = shared("CASE", first);
    for (SqlNode condition : conditions) {
      if (isSame(first, compared(condition))) {
        ((SqlCall) condition).setOperand(0, value);
      }
    }
  }

  private static @Nullable SqlNode compared(SqlNode condition) {
    return condition instanceof SqlBasicCall call && call.operandCount() > 0
        ? call.operand(0)
        : null;
  }

  @SuppressWarnings("ReferenceEquality") // the parser has put one node into all conditions
  private static boolean isSame(SqlNode first, @Nullable SqlNode second) {
    return first == second;
  }

  /** A call whose random operands have one value each, however often they are written. */
  public SqlCall shared(SqlCall call) {
    return (SqlCall)
        call.getOperator()
            .createCall(
                call.getFunctionQuantifier(),
                call.getParserPosition(),
                call.getOperandList().stream()
                    .map(operand ->
                        operand != null && count(operand) > 0
                            ? shared(call.getOperator().getName(), operand)
                            : operand)
                    .toList());
  }

  /** An expression whose random calls have one value each. */
  private SqlNode shared(String what, SqlNode value) {
    SqlNode made =
        value.accept(
            new SqlShuttle() {
              @Override
              public @Nullable SqlNode visit(SqlCall call) {
                if (CallFinder.isQuery(call) && count(call) > 0) {
                  throw refused(what, call);
                }
                if (SharedCall.is(call)) {
                  return call;
                }
                return isRandom(call) ? SharedCall.of(call) : super.visit(call);
              }
            });
    return made == null ? value : made;
  }

  private static AragoniteException refused(String what, SqlNode at) {
    return FunctionForms.invalid(
        at,
        "%s reads its operand several times, so that it cannot be random here; make it a column first: SELECT ... FROM (SELECT random() AS r FROM ...)"
            .formatted(what));
  }
}
