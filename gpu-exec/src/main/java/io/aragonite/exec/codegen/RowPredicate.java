package io.aragonite.exec.codegen;

import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.Op;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.vector.ColumnShape;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A predicate cut into terms that code for single rows evaluates, and those that need the host. A
 * term that can fail is evaluated after those before it in the statement, so if one such term needs
 * the host, all do.
 */
public final class RowPredicate {
  private final @Nullable RowCode code;
  private final @Nullable Expr host;
  private final Map<Expr, String> reasons = new IdentityHashMap<>();

  public RowPredicate(Expr predicate, List<ColumnShape> inputs) {
    Lowering lowering = new Lowering(inputs);
    DeviceLimits limits = new DeviceLimits();
    List<Expr> terms = new ArrayList<>();
    flatten(predicate, terms);
    List<ExprNode> nodes = new ArrayList<>();
    boolean failingOnHost = false;
    for (Expr term : terms) {
      ExprNode node = lowering.coerce(lowering.lower(term), DataType.BOOLEAN);
      String reason = limits.reason(node);
      if (reason != null) {
        reasons.put(term, reason);
        failingOnHost |= node.fails;
      }
      nodes.add(node);
    }
    List<ExprNode> onDevice = new ArrayList<>();
    List<Expr> onHost = new ArrayList<>();
    for (int i = 0; i < nodes.size(); i++) {
      ExprNode node = nodes.get(i);
      if (reasons.containsKey(terms.get(i)) || (failingOnHost && node.fails)) {
        onHost.add(terms.get(i));
      } else {
        Conjunction.flatten(node, onDevice);
      }
    }
    this.host =
        onHost.isEmpty()
            ? null
            : onHost.size() == 1
                ? onHost.getFirst()
                : new Expr.Call(Op.AND, onHost, DataType.BOOLEAN.withNullable(true));
    if (onDevice.isEmpty()) {
      this.code = null;
      return;
    }
    List<List<ExprNode>> groups = Conjunction.loops(onDevice);
    Inputs read = new Inputs(inputs, onDevice);
    this.code =
        new RowCode(
            new int[0],
            read,
            lowering.constants.freeze(),
            pattern -> RowWriter.predicate(new ClassWriter(read, pattern, false), groups),
            DeepStack.isDeep(List.of(predicate)));
  }

  private static void flatten(Expr expr, List<Expr> terms) {
    if (expr instanceof Expr.Call call && call.op() == Op.AND) {
      call.args().forEach(arg -> flatten(arg, terms));
    } else {
      terms.add(expr);
    }
  }

  /** What runs on the device; null if nothing does. */
  public @Nullable RowCode code() {
    return code;
  }

  /** What is left to the host, for the rows that the device has selected; null if nothing is. */
  public @Nullable Expr host() {
    return host;
  }

  /** Why terms need the host. */
  public List<String> reasons() {
    return List.copyOf(reasons.values());
  }
}
