package io.aragonite.exec.codegen;

import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.vector.ColumnShape;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A projection cut into what is passed on, what code for single rows computes, and what needs the
 * host.
 */
public final class RowProjection {
  /** Nodes of one kernel: each reads its columns from memory, so that few are better than many. */
  private static final int MAX_KERNEL_WEIGHT = 500;

  private final LoweredProjection outputs;
  private final List<RowCode> code = new ArrayList<>();

  public RowProjection(List<Expr> expressions, List<ColumnShape> inputs) {
    this.outputs = new LoweredProjection(expressions, inputs, new DeviceLimits());
    Inputs read = outputs.read();
    CodeConstants.ConstantArrays constants = outputs.constants();
    boolean deep = DeepStack.isDeep(expressions);
    for (LoweredProjection.OutputGroup group : outputs.groups(MAX_KERNEL_WEIGHT)) {
      code.add(
          new RowCode(
              group.places(),
              read,
              constants,
              pattern ->
                  RowWriter.projection(
                      new ClassWriter(read, pattern, false),
                      group.nodes(),
                      group.shapes(),
                      group.places()),
              deep));
    }
  }

  /** The shape of an output that does not need the host. */
  public ColumnShape shape(int output) {
    return outputs.shape(output);
  }

  /** The input column that is an output, or -1 if it is computed. */
  public int passed(int output) {
    return outputs.passed(output);
  }

  /** The outputs that need the host, and why. */
  public Map<Integer, String> host() {
    return outputs.host();
  }

  public List<RowCode> code() {
    return code;
  }
}
