package io.aragonite.rules.translate;

import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.type.DataType;
import io.aragonite.rules.function.CheckedCalls;
import io.aragonite.rules.function.HostMethods;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.calcite.adapter.enumerable.RexImpTable;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeFactory;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexCorrelVariable;
import org.apache.calcite.rex.RexFieldAccess;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexLambda;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexOver;
import org.apache.calcite.rex.RexSubQuery;
import org.apache.calcite.rex.RexUtil;
import org.apache.calcite.rex.RexVisitorImpl;
import org.apache.calcite.schema.impl.ScalarFunctionImpl;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.validate.SqlUserDefinedFunction;
import org.apache.calcite.util.TimeString;
import org.apache.calcite.util.TimestampString;
import org.apache.calcite.util.Util;

/**
 * Makes host functions of expressions that the engine has no operation for. The part of the tree
 * that it does not know is compiled by Calcite's own code generator; the parts below that it knows
 * become arguments.
 */
final class HostFunctions {
  private final RexBuilder rexBuilder;
  private final HostContext hostContext;
  private final RexTranslator translator;

  HostFunctions(RexBuilder rexBuilder, HostContext hostContext, RexTranslator translator) {
    this.rexBuilder = rexBuilder;
    this.hostContext = hostContext;
    this.translator = translator;
  }

  /** The call as a host function over what the engine can compute of its operands. */
  Expr translate(RexNode given) {
    RexNode node = rowOfFields(given);
    Arguments arguments = new Arguments();
    RexNode body = arguments.abstractFrom(node, true);
    RelDataTypeFactory.Builder row = rexBuilder.getTypeFactory().builder();
    arguments.nodes.forEach((expr, ref) -> row.add("a" + ref.getIndex(), ref.getType()));
    RelDataType rowType = row.build();
    DataType type = TypeMapping.of(node.getType());
    return new Expr.HostFunctionCall(
        nameOf(node),
        new RexHostFunction(rexBuilder, body, rowType, hostContext),
        List.copyOf(arguments.nodes.keySet()),
        isDeterministic(node),
        type);
  }

  /** A written row that is cast, as a row whose fields are. */
  private RexNode rowOfFields(RexNode node) {
    return node.isA(SqlKind.CAST)
            && node.getType().isStruct()
            && ((RexCall) node).getOperands().getFirst() instanceof RexCall row
            && row.isA(SqlKind.ROW)
        ? CheckedCalls.rowOfCasts(rexBuilder, (RexCall) node, row)
        : node;
  }

  /** Calcite says that RAND is dynamic, but not that it is not deterministic. */
  private static boolean isDeterministic(RexNode node) {
    try {
      node.accept(
          new RexVisitorImpl<Void>(true) {
            @Override
            public Void visitCall(RexCall call) {
              if (call.getOperator().isDynamicFunction()) {
                throw Util.FoundOne.NULL;
              }
              return super.visitCall(call);
            }
          });
      return RexUtil.isDeterministic(node);
    } catch (Util.FoundOne e) {
      return false;
    }
  }

  private static String nameOf(RexNode node) {
    return switch (node) {
      case RexCall call -> call.getOperator().getName();
      case RexFieldAccess access -> "field " + access.getField().getName();
      default -> node.getType().toString();
    };
  }

  /** Replaces what the engine can compute by references to arguments. */
  private final class Arguments {
    final Map<Expr, RexInputRef> nodes = new LinkedHashMap<>();

    RexNode abstractFrom(RexNode node, boolean top) {
      if (!top) {
        if (rowOfFields(node).isA(SqlKind.ROW)) {
          // Calcite's generator of single expressions declares no class for the row.
          return argument(translator.translate(node), node.getType());
        }
        Expr expr = translator.tryBuiltIn(node);
        if (expr != null) {
          return argument(expr, node.getType());
        }
      }
      return switch (node) {
        case RexLiteral literal ->
            isFine(literal) ? argument(translator.translate(literal), literal.getType()) : literal;
        case RexOver over -> throw Untranslatable.window(over);
        case RexSubQuery subQuery -> throw Untranslatable.subQuery(subQuery);
        case RexCall call -> abstractCall(call);
        case RexLambda lambda -> closed(lambda);
        case RexFieldAccess access -> abstractField(access);
        default -> throw Untranslatable.expression(node);
      };
    }

    /** Whether a time or timestamp has more than the milliseconds of Calcite's code. */
    private boolean isFine(RexLiteral literal) {
      return switch (literal.getTypeName()) {
        case TIME -> {
          TimeString time = literal.getValueAs(TimeString.class);
          yield time != null && !time.round(3).equals(time);
        }
        case TIMESTAMP, TIMESTAMP_WITH_LOCAL_TIME_ZONE -> {
          TimestampString moment = literal.getValueAs(TimestampString.class);
          yield moment != null && !moment.round(3).equals(moment);
        }
        default -> false;
      };
    }

    private RexNode abstractCall(RexCall call) {
      requireImplementor(call);
      List<RexNode> operands = new ArrayList<>();
      for (RexNode operand : call.getOperands()) {
        operands.add(abstractFrom(operand, false));
      }
      return call.clone(call.getType(), operands);
    }

    private RexNode abstractField(RexFieldAccess access) {
      RexNode base = access.getReferenceExpr();
      if (base instanceof RexCorrelVariable variable) {
        throw Untranslatable.outer(access, variable);
      }
      return rexBuilder.makeFieldAccess(abstractFrom(base, false), access.getField().getIndex());
    }

    private RexNode argument(Expr expr, RelDataType type) {
      RexInputRef known = nodes.get(expr);
      if (known == null) {
        known = new RexInputRef(nodes.size(), type);
        nodes.put(expr, known);
      }
      return known;
    }

    private RexNode closed(RexLambda lambda) {
      lambda
          .getExpression()
          .accept(
              new RexVisitorImpl<Void>(true) {
                @Override
                public Void visitInputRef(RexInputRef ref) {
                  throw new Untranslatable(
                      "the lambda %s refers to a column of its query; pass the column as an element of an array"
                          .formatted(lambda));
                }
              });
      return lambda;
    }
  }

  private static void requireImplementor(RexCall call) {
    SqlOperator operator = call.getOperator();
    if (operator.equals(SqlStdOperatorTable.CASE)
        || operator.equals(SqlStdOperatorTable.SEARCH)
        || RexImpTable.INSTANCE.get(operator) != null
        || HostMethods.implement(operator)) {
      return;
    }
    if (operator instanceof SqlUserDefinedFunction function
        && function.getFunction() instanceof ScalarFunctionImpl) {
      return;
    }
    throw new Untranslatable(
        "function %s has no implementation, in Calcite neither".formatted(operator.getName()));
  }
}
