package io.aragonite.rules.translate;

import io.aragonite.exec.expr.Expr;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.calcite.DataContext;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexDynamicParam;
import org.apache.calcite.rex.RexNode;
import org.jspecify.annotations.Nullable;

/**
 * Values of a query that are known only when an execution starts: parameters of a prepared
 * statement, and functions of the session such as CURRENT_TIMESTAMP. Each is one {@link
 * Expr.Parameter} of the plan.
 */
public final class RuntimeValues {
  private final HostContext hostContext = new HostContext();
  private final Map<RexNode, Expr.Parameter> parameters = new LinkedHashMap<>();
  private final Map<String, RelDataType> parameterTypes = new HashMap<>();
  private final List<RexHostFunction> values = new ArrayList<>();

  HostContext hostContext() {
    return hostContext;
  }

  Expr add(RexNode node, RexBuilder rexBuilder) {
    Expr.Parameter known = parameters.get(node);
    if (known == null) {
      known = new Expr.Parameter(values.size(), TypeMapping.of(node.getType()));
      RelDataType noRow = rexBuilder.getTypeFactory().builder().build();
      values.add(new RexHostFunction(rexBuilder, node, noRow, hostContext));
      parameters.put(node, known);
      if (node instanceof RexDynamicParam parameter) {
        parameterTypes.put(parameter.getName(), parameter.getType());
      }
    }
    return known;
  }

  /** The values for an execution, in the engine's form, in the order of the plan's parameters. */
  public List<@Nullable Object> begin(DataContext context) {
    hostContext.begin(context);
    List<@Nullable Object> result = new ArrayList<>(values.size());
    DataContext typed = new TypedParameters(context, parameterTypes);
    for (RexHostFunction value : values) {
      result.add(value.evaluate(typed));
    }
    return result;
  }

  /** Generates the code of all values. */
  public void prepare() {
    values.forEach(RexHostFunction::prepare);
  }
}
