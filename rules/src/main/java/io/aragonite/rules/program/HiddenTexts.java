package io.aragonite.rules.program;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.rex.RexUtil;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.sql.type.SqlTypeUtil;

/**
 * Texts that are made of a value and cast to another type: {@code CAST(CAST(x AS VARCHAR) AS
 * TIMESTAMP)}. Calcite's simplifier takes the text away and casts the value itself, and a number
 * becomes a moment, though its text is none (1.42, no issue known). And values that are cast before
 * they become a text: {@code CAST(CAST(x AS DECIMAL(9, 3)) AS VARCHAR)} has three digits behind the
 * point, and Calcite's simplifier takes the inner cast away where no value is lost. While it works
 * they stand for columns that there are not.
 */
final class HiddenTexts extends RexShuttle {
  /**
   * Behind the columns of all inputs, and close to them: Calcite keeps the names of all numbers.
   */
  private final int first;

  private final Map<RexNode, Integer> numbers = new LinkedHashMap<>();

  /**
   * @param rel whose expressions are looked at
   */
  HiddenTexts(RelNode rel) {
    this.first =
        rel.getInputs().stream().mapToInt(input -> input.getRowType().getFieldCount()).sum();
  }

  @Override
  public RexNode visitCall(RexCall call) {
    if (!isCast(call)) {
      return super.visitCall(call);
    }
    if (call.isA(SqlKind.SAFE_CAST) && isLargeReal(call)) {
      return hidden(call); // the simplifier would make it a CAST
    }
    List<RexNode> operands = new ArrayList<>(call.getOperands());
    operands.set(0, castOperand(call, operands.getFirst()));
    return call.clone(call.getType(), operands);
  }

  /**
   * What a cast is given, or a branch of it: where one alone remains, it is what the simplifier
   * finds below the cast.
   */
  private RexNode castOperand(RexCall cast, RexNode operand) {
    if (!(operand instanceof RexCall value)) {
      return operand.accept(this);
    }
    if (isCast(value) && (isHidden(cast, value) || isWritten(cast, value))) {
      return hidden(super.visitCall(value));
    }
    if (value.isA(SqlKind.CASE) || value.isA(SqlKind.COALESCE)) {
      List<RexNode> branches =
          value.getOperands().stream().map(branch -> castOperand(cast, branch)).toList();
      return value.clone(value.getType(), branches);
    }
    return value.accept(this);
  }

  private RexNode hidden(RexNode expression) {
    int number = numbers.computeIfAbsent(expression, _ -> first + numbers.size());
    return new RexInputRef(number, expression.getType());
  }

  private static boolean isLargeReal(RexCall cast) {
    return cast.getType().getSqlTypeName() == SqlTypeName.REAL
        && cast.getOperands().getFirst() instanceof RexLiteral literal
        && literal.getValue() instanceof Double number
        && Float.isInfinite(number.floatValue());
  }

  private static boolean isCast(RexCall call) {
    return call.isA(SqlKind.CAST) || call.isA(SqlKind.SAFE_CAST);
  }

  private static boolean isHidden(RexCall call, RexCall text) {
    RexNode value = text.getOperands().getFirst();
    SqlTypeName of = value.getType().getSqlTypeName();
    return SqlTypeUtil.inCharFamily(text.getType())
        && !SqlTypeUtil.inCharFamily(value.getType())
        && of != call.getType().getSqlTypeName()
        && !RexUtil.isConstant(value)
        && RexUtil.isDeterministic(value);
  }

  /** Whether a value becomes a text in the form of the type that it is cast to. */
  private static boolean isWritten(RexCall text, RexCall cast) {
    RexNode value = cast.getOperands().getFirst();
    return SqlTypeUtil.inCharFamily(text.getType())
        && !SqlTypeUtil.inCharFamily(cast.getType())
        && value.getType().getSqlTypeName() != SqlTypeName.NULL
        && !(value instanceof RexLiteral)
        && RexUtil.isDeterministic(value);
  }

  /** The expression with the texts again. */
  RexNode shown(RexNode expression) {
    if (numbers.isEmpty()) {
      return expression;
    }
    List<RexNode> texts = new ArrayList<>(numbers.keySet());
    return expression.accept(
        new RexShuttle() {
          @Override
          public RexNode visitInputRef(RexInputRef column) {
            // A text may be within another one.
            return column.getIndex() < first
                ? column
                : texts.get(column.getIndex() - first).accept(this);
          }
        });
  }
}
