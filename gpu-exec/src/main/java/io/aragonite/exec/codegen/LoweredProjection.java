package io.aragonite.exec.codegen;

import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.type.TypeKind;
import io.aragonite.exec.vector.ColumnShape;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A projection cut into columns that are passed on, maybe under another type, nodes that code
 * computes, and what code for a device cannot compute.
 */
final class LoweredProjection {
  /** Outputs of one loop, and of one class. */
  private static final int MAX_LOOP_OUTPUTS = 24;

  /** Outputs that one piece of code computes. */
  record OutputGroup(List<ExprNode> nodes, List<ColumnShape> shapes, int[] places) {}

  private final List<ColumnShape> inputs;
  private final Lowering lowering;
  private final @Nullable DeviceLimits limits;
  private final @Nullable ColumnShape[] shapes;

  /** For each output the column that is passed on, or -1. */
  private final int[] passed;

  private final Map<Integer, String> host = new LinkedHashMap<>();
  private final List<ExprNode> computed = new ArrayList<>();
  private final List<Integer> places = new ArrayList<>();
  private final IdentityHashMap<ExprNode, Integer> weights = new IdentityHashMap<>();

  /**
   * @param limits of the device that the code is for; null for code that runs in the JVM
   */
  LoweredProjection(
      List<Expr> expressions, List<ColumnShape> inputs, @Nullable DeviceLimits limits) {
    this.inputs = inputs;
    this.lowering = new Lowering(inputs);
    this.limits = limits;
    this.shapes = new @Nullable ColumnShape[expressions.size()];
    this.passed = new int[expressions.size()];
    for (int i = 0; i < expressions.size(); i++) {
      passed[i] = -1;
      add(i, expressions.get(i));
    }
  }

  private void add(int output, Expr expr) {
    if (expr instanceof Expr.InputRef ref) {
      passed[output] = ref.index();
      shapes[output] = inputs.get(ref.index());
      return;
    }
    ExprNode node = lowering.lower(expr);
    DataType type = expr.type();
    if (node.rep != ExprNode.Rep.CODE || node.isConstantNull()) {
      node = lowering.coerce(node, type);
    }
    if (node.kind == ExprNode.NodeKind.COLUMN && canPass(inputs.get(node.index), type)) {
      passed[output] = node.index;
      shapes[output] = inputs.get(node.index).withType(type);
      return;
    }
    ColumnShape shape = shape(node, type);
    if (limits != null) {
      String reason =
          shape.storage() == Storage.HANDLE ? "values that are objects" : limits.reason(node);
      if (reason != null) {
        host.put(output, reason);
        return;
      }
    }
    shapes[output] = shape;
    ClassWriter.outline(node, weights);
    computed.add(node);
    places.add(output);
  }

  private static boolean canPass(ColumnShape shape, DataType type) {
    Storage storage = shape.storage();
    return storage.isCode() || storage == Storage.BYTES
        ? type.kind().isVariable()
        : type.kind() == TypeKind.DECIMAL
            ? shape.type().kind() == TypeKind.DECIMAL && shape.type().scale() == type.scale()
            : storage == Storage.of(type) || shape.type().kind() == type.kind();
  }

  private static ColumnShape shape(ExprNode node, DataType type) {
    Storage storage =
        switch (node.rep) {
          case CODE -> Storage.CODE;
          case LONG -> type.kind() == TypeKind.DECIMAL ? Storage.LONG : Storage.of(type);
          case WIDE -> Storage.LONG128;
          default -> Storage.of(type);
        };
    return new ColumnShape(
        type,
        storage,
        node.nullable,
        node.rep == ExprNode.Rep.CODE ? node.dictionary : null,
        Bounds.range(node));
  }

  /** The columns that computed outputs read. */
  Inputs read() {
    return new Inputs(inputs, computed);
  }

  CodeConstants.ConstantArrays constants() {
    return lowering.constants.freeze();
  }

  /** The computed outputs in groups of at most {@code maxWeight} nodes, or of one output. */
  List<OutputGroup> groups(int maxWeight) {
    List<OutputGroup> groups = new ArrayList<>();
    int from = 0;
    while (from < computed.size()) {
      int to = from;
      int weight = 0;
      while (to < computed.size() && to - from < MAX_LOOP_OUTPUTS) {
        int own = Objects.requireNonNullElse(weights.get(computed.get(to)), 1);
        if (to > from && weight + own > maxWeight) {
          break;
        }
        weight += own;
        to++;
      }
      List<Integer> outputs = places.subList(from, to);
      groups.add(
          new OutputGroup(
              List.copyOf(computed.subList(from, to)),
              outputs.stream().map(this::shape).toList(),
              outputs.stream().mapToInt(Integer::intValue).toArray()));
      from = to;
    }
    return groups;
  }

  int outputs() {
    return passed.length;
  }

  boolean computes() {
    return !computed.isEmpty();
  }

  /** The shape of an output that code makes or that is passed on. */
  ColumnShape shape(int output) {
    return Objects.requireNonNull(shapes[output]);
  }

  /** The input column that is an output, or -1 if it is computed. */
  int passed(int output) {
    return passed[output];
  }

  /** The outputs that need the host, and why. */
  Map<Integer, String> host() {
    return host;
  }
}
