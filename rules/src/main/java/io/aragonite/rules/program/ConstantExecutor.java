package io.aragonite.rules.program;

import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.Interpreter;
import io.aragonite.rules.translate.CalciteValues;
import io.aragonite.rules.translate.RexTranslator;
import io.aragonite.rules.translate.RuntimeValues;
import java.util.List;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexExecutor;
import org.apache.calcite.rex.RexNode;
import org.jspecify.annotations.Nullable;

/**
 * Computes constants with the engine's own operations, so that a constant is what the same
 * expression of a column would be: Calcite's own executor casts, rounds, compares and cuts
 * fractions in other ways, and compiles a class for each. What fails stays as it is: it is an error
 * of the execution, if a row ever reaches it. So does what Calcite has no literal of.
 */
public final class ConstantExecutor implements RexExecutor {
  @Override
  public void reduce(RexBuilder builder, List<RexNode> constants, List<RexNode> reduced) {
    for (RexNode constant : constants) {
      reduced.add(fold(builder, constant));
    }
  }

  private static RexNode fold(RexBuilder builder, RexNode constant) {
    if (!hasLiterals(constant.getType())) {
      return constant;
    }
    try {
      Expr expr = new RexTranslator(builder, new RuntimeValues()).translate(constant);
      RexNode literal = literal(builder, evaluate(expr), constant.getType());
      return literal == null ? constant : literal;
    } catch (RuntimeException e) {
      return constant;
    }
  }

  /**
   * The value of an expression without columns, in the engine's form.
   *
   * @throws RuntimeException if it has none, or if the plan does not have it yet
   */
  static @Nullable Object evaluate(Expr expr) {
    return Interpreter.evaluate(
        expr,
        column -> {
          throw new IllegalStateException("a constant without columns");
        });
  }

  /** Null for a float that Calcite has no literal of, or one that it orders in another way. */
  private static @Nullable RexNode literal(
      RexBuilder builder, @Nullable Object value, RelDataType type) {
    if (value == null) {
      return builder.makeNullLiteral(type);
    }
    if (value instanceof Double number
        && (!Double.isFinite(number) || number == 0 && 1 / number < 0)) {
      return null;
    }
    return builder.makeLiteral(CalciteValues.literalForm(value, type), type, true, false);
  }

  private static boolean hasLiterals(RelDataType type) {
    return switch (type.getSqlTypeName()) {
      case BOOLEAN,
          TINYINT,
          SMALLINT,
          INTEGER,
          BIGINT,
          DECIMAL,
          REAL,
          FLOAT,
          DOUBLE,
          CHAR,
          VARCHAR,
          BINARY,
          VARBINARY,
          DATE,
          TIME,
          TIMESTAMP,
          TIMESTAMP_WITH_LOCAL_TIME_ZONE,
          INTERVAL_YEAR,
          INTERVAL_YEAR_MONTH,
          INTERVAL_MONTH,
          INTERVAL_DAY,
          INTERVAL_DAY_HOUR,
          INTERVAL_DAY_MINUTE,
          INTERVAL_DAY_SECOND,
          INTERVAL_HOUR,
          INTERVAL_HOUR_MINUTE,
          INTERVAL_HOUR_SECOND,
          INTERVAL_MINUTE,
          INTERVAL_MINUTE_SECOND,
          INTERVAL_SECOND,
          UUID ->
          true;
      default -> false;
    };
  }
}
