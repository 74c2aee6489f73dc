package io.aragonite.rules.translate;

import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.pipeline.ParameterValues;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.TypeKind;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.calcite.DataContext;
import org.apache.calcite.adapter.enumerable.EnumerableRel;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexDynamicParam;
import org.apache.calcite.rex.RexNode;
import org.jspecify.annotations.Nullable;

/**
 * Values of a query that are known only when an execution starts: parameters of a prepared
 * statement, functions of the session such as CURRENT_TIMESTAMP, and the rows of other adapters'
 * tables. Each is one {@link Expr.Parameter} of the plan.
 */
public final class RuntimeValues {
  private final HostContext hostContext = new HostContext();
  private final Map<RexNode, Expr.Parameter> parameters = new LinkedHashMap<>();
  private final List<Value> values = new ArrayList<>();

  /** What has a value in each execution. */
  private interface Value {
    /** Generates its code. */
    void prepare();

    @Nullable Object evaluate(DataContext context);
  }

  HostContext hostContext() {
    return hostContext;
  }

  Expr add(RexNode node, RexBuilder rexBuilder) {
    Expr.Parameter known = parameters.get(node);
    if (known == null) {
      known = new Expr.Parameter(values.size(), TypeMapping.of(node.getType()));
      values.add(
          node instanceof RexDynamicParam parameter
              ? given(parameter)
              : computed(node, rexBuilder));
      parameters.put(node, known);
    }
    return known;
  }

  /** A parameter of the statement, whose value is taken as it is. */
  private static Value given(RexDynamicParam parameter) {
    return new Value() {
      @Override
      public void prepare() {}

      @Override
      public @Nullable Object evaluate(DataContext context) {
        Object value = ParameterConversion.value(parameter, context.get(parameter.getName()));
        if (parameter instanceof RowCountParam count) {
          ParameterValues.rowCount(value, count.clause());
        }
        return value;
      }
    };
  }

  private Value computed(RexNode node, RexBuilder rexBuilder) {
    RelDataType noRow = rexBuilder.getTypeFactory().builder().build();
    RexHostFunction function = new RexHostFunction(rexBuilder, node, noRow, hostContext);
    return new Value() {
      @Override
      public void prepare() {
        function.prepare();
      }

      @Override
      public @Nullable Object evaluate(DataContext context) {
        return function.evaluate(context);
      }
    };
  }

  /** A parameter whose value is the rows of a tree of Calcite's Enumerable convention. */
  public Expr.Parameter addRows(EnumerableRel rel) {
    Expr.Parameter parameter =
        new Expr.Parameter(values.size(), DataType.of(TypeKind.OPAQUE, false));
    EnumerableRows rows = new EnumerableRows(rel);
    values.add(
        new Value() {
          @Override
          public void prepare() {
            rows.prepare();
          }

          @Override
          public Object evaluate(DataContext context) {
            return rows.in(context);
          }
        });
    return parameter;
  }

  /** The values for an execution, in the engine's form, in the order of the plan's parameters. */
  public List<@Nullable Object> begin(DataContext context) {
    hostContext.begin(context);
    List<@Nullable Object> result = new ArrayList<>(values.size());
    for (Value value : values) {
      result.add(value.evaluate(context));
    }
    return result;
  }

  /** Generates the code of all values. */
  public void prepare() {
    values.forEach(Value::prepare);
  }
}
