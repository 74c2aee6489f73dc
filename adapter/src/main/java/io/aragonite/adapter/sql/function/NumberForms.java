package io.aragonite.adapter.sql.function;

import io.aragonite.adapter.sql.function.FunctionForms.Form;
import io.aragonite.rules.function.DoubleFunctions;
import io.aragonite.rules.function.IntegerFunctions;
import io.aragonite.rules.function.NumberSequence;
import io.aragonite.rules.function.RandomFunctions;
import java.math.BigDecimal;
import java.util.Map;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNumericLiteral;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.type.SqlTypeName;
import org.jspecify.annotations.Nullable;

/** Functions of numbers, and choices between values. */
final class NumberForms {
  private static final BigDecimal MOST_BITS = BigDecimal.valueOf(62);

  private NumberForms() {}

  static void add(Map<String, Form> forms) {
    same(forms, "POW", SqlStdOperatorTable.POWER, 2);
    same(forms, "CEILING", SqlStdOperatorTable.CEIL, 1);
    for (String name : new String[] {"UUID", "GEN_RANDOM_UUID"}) {
      forms.put(name, (trees, call) -> random(trees, call, RandomFunctions.UUID));
    }
    for (String name : new String[] {"RANDOM", "RAND"}) {
      forms.put(name, (trees, call) -> random(trees, call, RandomFunctions.RANDOM));
    }
    forms.put("RAND_INTEGER", NumberForms::randomInteger);
    addSequences(forms);
    same(forms, "XOR", SqlStdOperatorTable.BITXOR, 2);
    same(forms, "BIT_COUNT", SqlStdOperatorTable.BITCOUNT, 1);
    same(forms, "DIVIDE", SqlStdOperatorTable.DIVIDE, 2);
    same(forms, "MULTIPLY", SqlStdOperatorTable.MULTIPLY, 2);
    same(forms, "ADD", SqlStdOperatorTable.PLUS, 2);
    same(forms, "SUBTRACT", SqlStdOperatorTable.MINUS, 2);
    shifts(forms);
    forms.put("EVEN", NumberForms::even);
    addLogarithm(forms);
    forms.put("PG_TYPEOF", NumberForms::typeName);
    forms.put(
        "SQUARE",
        (trees, call) -> {
          FunctionForms.require(call, 1, 1);
          return trees.times(call.operand(0), Trees.copy(call.operand(0)));
        });
    forms.put(
        "DIV",
        (trees, call) -> {
          FunctionForms.require(call, 2, 2);
          return trees.call(
              SqlStdOperatorTable.TRUNCATE, trees.over(call.operand(0), call.operand(1)));
        });
    same(forms, "GREATEST_COMMON_DIVISOR", IntegerFunctions.GCD, 2);
    same(forms, "LEAST_COMMON_MULTIPLE", IntegerFunctions.LCM, 2);
    for (String name : new String[] {"GREATEST", "LEAST"}) {
      forms.put(
          name,
          (trees, call) -> {
            FunctionForms.require(call, 1, Integer.MAX_VALUE);
            return null;
          });
    }
    for (String name : new String[] {"TRUNC", "TRUNCATE"}) {
      forms.put(
          name,
          (trees, call) ->
              call.operandCount() == 1
                  ? trees.call(SqlStdOperatorTable.TRUNCATE, call.operand(0))
                  : call.operandCount() == 2
                      ? trees.call(SqlStdOperatorTable.TRUNCATE, call.operand(0), call.operand(1))
                      : null);
    }
    forms.put("LOG", NumberForms::log);
    notNumbers(forms);
    choices(forms);
  }

  private static void notNumbers(Map<String, Form> forms) {
    forms.put(
        "ISNAN",
        (trees, call) -> {
          FunctionForms.require(call, 1, 1);
          return trees.call(
              SqlStdOperatorTable.EQUALS,
              trees.cast(call.operand(0), SqlTypeName.DOUBLE),
              constant(trees, "NaN"));
        });
    forms.put(
        "ISINF",
        (trees, call) -> {
          FunctionForms.require(call, 1, 1);
          return trees.call(
              SqlStdOperatorTable.EQUALS,
              trees.call(SqlStdOperatorTable.ABS, trees.cast(call.operand(0), SqlTypeName.DOUBLE)),
              constant(trees, "Infinity"));
        });
    forms.put(
        "ISFINITE",
        (trees, call) -> {
          FunctionForms.require(call, 1, 1);
          return trees.call(
              SqlStdOperatorTable.LESS_THAN,
              trees.call(SqlStdOperatorTable.ABS, trees.cast(call.operand(0), SqlTypeName.DOUBLE)),
              constant(trees, "Infinity"));
        });
  }

  private static void choices(Map<String, Form> forms) {
    for (String name : new String[] {"IFF", "IF"}) {
      forms.put(
          name,
          (trees, call) -> {
            FunctionForms.require(call, 3, 3);
            return trees.ifElse(call.operand(0), call.operand(1), call.operand(2));
          });
    }
    forms.put(
        "NVL2",
        (trees, call) -> {
          FunctionForms.require(call, 3, 3);
          return trees.ifElse(
              trees.call(SqlStdOperatorTable.IS_NOT_NULL, call.operand(0)),
              call.operand(1),
              call.operand(2));
        });
    forms.put(
        "ZEROIFNULL",
        (trees, call) -> {
          FunctionForms.require(call, 1, 1);
          return trees.call(SqlStdOperatorTable.COALESCE, call.operand(0), trees.number(0));
        });
    forms.put(
        "NULLIFZERO",
        (trees, call) -> {
          FunctionForms.require(call, 1, 1);
          return trees.call(SqlStdOperatorTable.NULLIF, call.operand(0), trees.number(0));
        });
  }

  /** A quotient by a power of two; what is shifted out is taken away before. */
  private static void shifts(Map<String, Form> forms) {
    forms.put(
        "RIGHTSHIFT",
        (trees, call) -> {
          FunctionForms.require(call, 2, 2);
          SqlNode whole =
              trees.call(
                  SqlStdOperatorTable.BITAND,
                  trees.cast(call.operand(0), SqlTypeName.BIGINT),
                  trees.cast(
                      trees.call(
                          SqlStdOperatorTable.UNARY_MINUS, powerOfTwo(trees, call.operand(1))),
                      SqlTypeName.BIGINT));
          return trees.over(whole, powerOfTwo(trees, Trees.copy(call.operand(1))));
        });
  }

  private static SqlNode powerOfTwo(Trees trees, SqlNode exponent) {
    BigDecimal known = Trees.literalNumber(exponent);
    return known != null && known.signum() >= 0 && known.compareTo(MOST_BITS) <= 0
        ? trees.number(1L << known.intValue())
        : trees.cast(
            trees.call(SqlStdOperatorTable.POWER, trees.number(2), exponent), SqlTypeName.BIGINT);
  }

  private static SqlNode constant(Trees trees, String text) {
    return trees.cast(trees.text(text), SqlTypeName.DOUBLE);
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

  private static SqlNode typeName(Trees trees, SqlCall call) {
    FunctionForms.require(call, 1, 1);
    return trees.call(SqlStdOperatorTable.LOWER, trees.call(TypeOf.OPERATOR, call.operand(0)));
  }

  /** The next even number away from zero. */
  private static SqlNode even(Trees trees, SqlCall call) {
    FunctionForms.require(call, 1, 1);
    SqlNode half = trees.over(trees.cast(call.operand(0), SqlTypeName.DOUBLE), trees.number(2));
    SqlNode pairs =
        trees.times(
            trees.call(SqlStdOperatorTable.SIGN, Trees.copy(half)),
            trees.call(SqlStdOperatorTable.CEIL, trees.call(SqlStdOperatorTable.ABS, half)));
    return trees.times(pairs, trees.number(2));
  }

  /** To base ten, or to the base that comes first. */
  private static @Nullable SqlNode log(Trees trees, SqlCall call) {
    return switch (call.operandCount()) {
      case 1 -> trees.call(SqlStdOperatorTable.LOG10, call.operand(0));
      case 2 ->
          trees.over(
              trees.call(SqlStdOperatorTable.LN, call.operand(1)),
              trees.call(SqlStdOperatorTable.LN, call.operand(0)));
      default -> null;
    };
  }

  /** Each call of a text has a number, its line and column, so that none is taken for another. */
  private static @Nullable SqlNode random(Trees trees, SqlCall call, SqlOperator random) {
    return call.operandCount() == 0 ? trees.call(random, number(trees)) : null;
  }

  /** With a seed it is Calcite's. */
  private static @Nullable SqlNode randomInteger(Trees trees, SqlCall call) {
    return call.operandCount() == 1
        ? trees.call(
            RandomFunctions.RANDOM_INTEGER,
            number(trees),
            trees.cast(call.operand(0), SqlTypeName.INTEGER))
        : null;
  }

  /** A name that is none of a sequence has not become a number. */
  private static void addLogarithm(Map<String, Form> forms) {
    forms.put(
        "LOG2",
        (trees, call) -> {
          FunctionForms.require(call, 1, 1);
          SqlNode number = trees.cast(call.operand(0), SqlTypeName.DOUBLE);
          return trees.call(DoubleFunctions.LOG2, number);
        });
  }

  private static void addSequences(Map<String, Form> forms) {
    forms.put("NEXTVAL", (trees, call) -> ofSequence(trees, call, NumberSequence.NEXTVAL));
    forms.put("SETVAL", NumberForms::setval);
    forms.put("LASTVAL", NumberForms::lastval);
    forms.put("CURRVAL", (trees, call) -> ofSequence(trees, call, NumberSequence.CURRVAL));
  }

  private static SqlNode ofSequence(Trees trees, SqlCall call, SqlOperator operator) {
    FunctionForms.require(call, 1, 1);
    requireSequence(call);
    return trees.call(operator, number(trees), call.operand(0));
  }

  /** {@code setval('s', n)}, and {@code setval('s', n, false)}: n is the next number. */
  private static SqlNode setval(Trees trees, SqlCall call) {
    FunctionForms.require(call, 2, 3);
    requireSequence(call);
    SqlNode given =
        call.operandCount() > 2 ? call.operand(2) : SqlLiteral.createBoolean(true, trees.at);
    SqlNode to = trees.cast(call.operand(1), SqlTypeName.BIGINT);
    return trees.call(NumberSequence.SETVAL, number(trees), call.operand(0), to, given);
  }

  private static SqlNode lastval(Trees trees, SqlCall call) {
    if (call.operandCount() != 1 || !(call.operand(0) instanceof SqlNumericLiteral)) {
      throw FunctionForms.invalid(
          call,
          "LASTVAL() is the last number of the connection's sequences, and it has none; CREATE"
              + " SEQUENCE makes one");
    }
    return trees.call(NumberSequence.LASTVAL, number(trees), call.operand(0));
  }

  private static void requireSequence(SqlCall call) {
    if (!(call.operand(0) instanceof SqlNumericLiteral)) {
      throw FunctionForms.invalid(
          call,
          "%s takes the name of a sequence of the connection as a text, and %s is none; CREATE SEQUENCE makes one"
              .formatted(
                  call.getOperator().getName(), call.operand(0).toString().replace("`", "")));
    }
  }

  private static SqlNode number(Trees trees) {
    return trees.number(((long) trees.at.getLineNum() << Integer.SIZE) + trees.at.getColumnNum());
  }
}
