package io.aragonite.exec.device.cpu.codegen;

import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnShape;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A projection cut into what is passed on, what code for single rows computes, and what needs the
 * host.
 */
public final class RowProjection {
  /** Nodes of one kernel: each reads its columns from memory, so that few are better than many. */
  private static final int MAX_KERNEL_WEIGHT = 500;

  private final @Nullable ColumnShape[] shapes;

  /** For each output the column that is passed on, or -1. */
  private final int[] passed;

  private final Map<Integer, String> host = new LinkedHashMap<>();
  private final List<RowCode> code = new ArrayList<>();

  public RowProjection(List<Expr> expressions, List<ColumnShape> inputs) {
    Lowering lowering = new Lowering(inputs);
    DeviceLimits limits = new DeviceLimits();
    int count = expressions.size();
    this.shapes = new @Nullable ColumnShape[count];
    this.passed = new int[count];
    List<Node> computed = new ArrayList<>();
    List<Integer> places = new ArrayList<>();
    IdentityHashMap<Node, Integer> known = new IdentityHashMap<>();
    for (int i = 0; i < count; i++) {
      Expr expr = expressions.get(i);
      passed[i] = -1;
      if (expr instanceof Expr.InputRef ref) {
        passed[i] = ref.index();
        shapes[i] = inputs.get(ref.index());
        continue;
      }
      Node node = lowering.lower(expr);
      DataType type = expr.type();
      if (node.rep != Node.Rep.CODE || node.isConstantNull()) {
        node = lowering.coerce(node, type);
      }
      if (node.kind == Node.Kind.COLUMN
          && GeneratedProjection.canPass(inputs.get(node.index), type)) {
        passed[i] = node.index;
        shapes[i] = inputs.get(node.index).withType(type);
        continue;
      }
      String reason = limits.reason(node);
      if (reason != null) {
        host.put(i, reason);
        continue;
      }
      shapes[i] = GeneratedProjection.shape(node, type);
      ClassWriter.outline(node, known);
      computed.add(node);
      places.add(i);
    }
    group(
        computed,
        places,
        new Inputs(inputs, computed),
        lowering.constants.freeze(),
        known,
        DeepStack.isDeep(expressions));
  }

  private void group(
      List<Node> computed,
      List<Integer> places,
      Inputs read,
      Constants.Values constants,
      IdentityHashMap<Node, Integer> known,
      boolean deep) {
    int from = 0;
    while (from < computed.size()) {
      int to = from;
      int weight = 0;
      while (to < computed.size() && to - from < GeneratedProjection.MAX_LOOP_OUTPUTS) {
        int own = java.util.Objects.requireNonNullElse(known.get(computed.get(to)), 1);
        if (to > from && weight + own > MAX_KERNEL_WEIGHT) {
          break;
        }
        weight += own;
        to++;
      }
      List<Node> nodes = List.copyOf(computed.subList(from, to));
      int[] numbers = places.subList(from, to).stream().mapToInt(Integer::intValue).toArray();
      List<ColumnShape> shapesHere = new ArrayList<>();
      for (int number : numbers) {
        shapesHere.add(shape(number));
      }
      code.add(
          new RowCode(
              numbers,
              read,
              constants,
              pattern ->
                  RowWriter.projection(
                      new ClassWriter(read, pattern, false), nodes, shapesHere, numbers),
              deep));
      from = to;
    }
  }

  /** The shape of an output that does not need the host. */
  public ColumnShape shape(int output) {
    return java.util.Objects.requireNonNull(shapes[output]);
  }

  /** The input column that is an output, or -1 if it is computed. */
  public int passed(int output) {
    return passed[output];
  }

  /** The outputs that need the host, and why. */
  public Map<Integer, String> host() {
    return host;
  }

  public List<RowCode> code() {
    return code;
  }

  /** The same data under another SQL type. */
  public static Column retyped(Column column, DataType type) {
    return column.shape().type().equals(type) ? column : GeneratedProjection.retyped(column, type);
  }
}
