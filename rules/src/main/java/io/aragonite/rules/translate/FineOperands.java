package io.aragonite.rules.translate;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeFactory;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexLambda;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.rex.RexVisitorImpl;
import org.apache.calcite.schema.impl.ScalarFunctionImpl;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.sql.validate.SqlUserDefinedFunction;
import org.jspecify.annotations.Nullable;

/**
 * Lets times and timestamps pass through Calcite's code as lists, maps and rows have them, where it
 * does no more with them than to put them into such or to take them out: with all of their digits.
 * Its own form has milliseconds.
 */
final class FineOperands extends RexShuttle {
  private final RexBuilder rexBuilder;

  /** Arguments of which the code has the form of lists. */
  private final Set<Integer> arguments = new HashSet<>();

  private FineOperands(RexBuilder rexBuilder) {
    this.rexBuilder = rexBuilder;
  }

  /**
   * Marks what may pass.
   *
   * @param bodies the code's expressions, as its generator gets them
   * @param marked gets the arguments that the code is given in the form of lists
   */
  static List<RexNode> of(RexBuilder rexBuilder, List<RexNode> bodies, Set<Integer> marked) {
    FineOperands operands = new FineOperands(rexBuilder);
    List<RexNode> passed = operands.passedAll(bodies);
    // An argument that something else needs as Calcite has it stays so everywhere.
    Set<Integer> others = new HashSet<>();
    RexVisitorImpl<Void> finder =
        new RexVisitorImpl<>(true) {
          @Override
          public Void visitInputRef(RexInputRef ref) {
            if (CalciteValues.isMoment(ref.getType())) {
              others.add(ref.getIndex());
            }
            return null;
          }
        };
    passed.forEach(body -> body.accept(finder));
    others.retainAll(operands.arguments);
    if (!others.isEmpty()) {
      return bodies;
    }
    marked.addAll(operands.arguments);
    return passed;
  }

  private List<RexNode> passedAll(List<RexNode> nodes) {
    List<RexNode> passed = new ArrayList<>();
    nodes.forEach(node -> passed.add(passed(node)));
    return passed;
  }

  /** A value that is only handed on. */
  private RexNode passed(RexNode node) {
    if (!CalciteValues.isMoment(node.getType())) {
      return node.accept(this);
    }
    if (node instanceof RexInputRef ref) {
      arguments.add(ref.getIndex());
      return new RexInputRef(ref.getIndex(), any(rexBuilder, ref.getType()));
    }
    return node instanceof RexCall call && isTaken(call)
        ? rexBuilder.makeCall(
            any(rexBuilder, call.getType()),
            call.getOperator(),
            ((RexCall) visitCall(call)).getOperands())
        : node.accept(this);
  }

  /** The type of a moment in the form of lists. */
  static RelDataType any(RexBuilder rexBuilder, RelDataType moment) {
    RelDataTypeFactory types = rexBuilder.getTypeFactory();
    return types.createTypeWithNullability(
        types.createSqlType(SqlTypeName.ANY), moment.isNullable());
  }

  @Override
  public RexNode visitLambda(RexLambda lambda) {
    return lambda;
  }

  @Override
  public RexNode visitCall(RexCall call) {
    List<RexNode> operands = new ArrayList<>();
    for (int i = 0; i < call.getOperands().size(); i++) {
      RexNode operand = call.getOperands().get(i);
      operands.add(isPut(call, i) ? passed(operand) : operand.accept(this));
    }
    return call.clone(call.getType(), operands);
  }

  /** Whether a call takes its value out of a list or map. */
  private static boolean isTaken(RexCall call) {
    Method method = method(call);
    return method == null ? call.isA(SqlKind.ITEM) : method.getReturnType() == Object.class;
  }

  /** Whether a call puts an operand into a list, a map or a row, or takes it for what it is. */
  private static boolean isPut(RexCall call, int operand) {
    Method method = method(call);
    if (method == null) {
      return call.isA(
          Set.of(SqlKind.ARRAY_VALUE_CONSTRUCTOR, SqlKind.MAP_VALUE_CONSTRUCTOR, SqlKind.ROW));
    }
    Class<?>[] parameters = method.getParameterTypes();
    return operand >= parameters.length
        || parameters[operand] == Object.class
        || parameters[operand] == Object[].class;
  }

  private static @Nullable Method method(RexCall call) {
    return call.getOperator() instanceof SqlUserDefinedFunction function
            && function.getFunction() instanceof ScalarFunctionImpl made
        ? made.method
        : null;
  }
}
