package io.aragonite.exec.codegen;

import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** A projection cut into what is passed on, and what loops over a batch in the JVM compute. */
public final class LoopProjection {
  private final LoweredProjection outputs;
  private final List<ColumnShape> shapes;
  private final LoopCode code;

  /** Lowers; classes are made when the first batch shows its indirections. */
  public LoopProjection(List<Expr> expressions, List<ColumnShape> inputs) {
    this.outputs = new LoweredProjection(expressions, inputs, null);
    this.shapes = IntStream.range(0, outputs.outputs()).mapToObj(outputs::shape).toList();
    Inputs read = outputs.read();
    List<LoweredProjection.OutputGroup> groups = outputs.groups(ClassWriter.MAX_METHOD_WEIGHT);
    this.code =
        new LoopCode(
            read,
            outputs.constants(),
            pattern -> groups.stream().map(group -> kernel(read, pattern, group)).toList(),
            DeepStack.isDeep(expressions));
  }

  private static Kernel kernel(
      Inputs read, Inputs.Pattern pattern, LoweredProjection.OutputGroup group) {
    ClassWriter writer = new ClassWriter(read, pattern, true);
    writer.outputLoop(group.nodes(), group.shapes(), group.places());
    return KernelCache.get(writer.text(false));
  }

  public List<ColumnShape> shapes() {
    return shapes;
  }

  /** The input column that is an output, or -1 if it is computed. */
  public int passed(int output) {
    return outputs.passed(output);
  }

  /** Whether there is anything to run. */
  public boolean computes() {
    return outputs.computes();
  }

  /**
   * Computes the outputs that are not passed on.
   *
   * @param values for each output the address of its values, unless they are texts
   * @param validity for each output that may be null the address of its validity bits
   * @param writers for each output of BYTES storage
   */
  public void run(
      KernelScope scope,
      ColumnBatch batch,
      long[] values,
      long[] validity,
      @Nullable TextWriter[] writers) {
    KernelArgs args = code.args(scope, batch);
    args.outValues = values;
    args.outValidity = validity;
    args.writers = writers;
    code.run(args, batch);
  }
}
