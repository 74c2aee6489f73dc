package io.aragonite.exec.device.cpu.codegen;

import io.aragonite.exec.codegen.LoopProjection;
import io.aragonite.exec.codegen.TextWriter;
import io.aragonite.exec.device.CompiledProjection;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A list of expressions as generated code. Columns that are only passed on, maybe under another
 * type, are not copied.
 */
public final class GeneratedProjection implements CompiledProjection {
  private final LoopProjection loops;

  /** Compiles; classes are made when the first batch shows its indirections. */
  public GeneratedProjection(List<Expr> expressions, List<ColumnShape> inputs) {
    this.loops = new LoopProjection(expressions, inputs);
  }

  @Override
  public List<ColumnShape> shapes() {
    return loops.shapes();
  }

  @Override
  public ColumnBatch evaluate(ExecContext context, ColumnBatch batch) {
    int count = shapes().size();
    @Nullable Column[] computed = loops.computes() ? compute(context, batch) : null;
    List<Column> columns = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      int passed = loops.passed(i);
      columns.add(
          passed >= 0
              ? batch.column(passed).withType(shapes().get(i).type())
              : java.util.Objects.requireNonNull(computed)[i]);
    }
    return new ColumnBatch(columns, batch.rows());
  }

  /** The outputs that are computed, each at its place. */
  private @Nullable Column[] compute(ExecContext context, ColumnBatch batch) {
    int rows = batch.rows();
    int count = shapes().size();
    @Nullable Buffer[] values = new @Nullable Buffer[count];
    @Nullable Buffer[] validity = new @Nullable Buffer[count];
    @Nullable TextWriter[] writers = new @Nullable TextWriter[count];
    long[] outValues = new long[count];
    long[] outValidity = new long[count];
    QueryMemory.Arena scratch = context.scratch();
    for (int i = 0; i < count; i++) {
      if (loops.passed(i) >= 0) {
        continue;
      }
      ColumnShape shape = shapes().get(i);
      if (shape.storage() == Storage.BYTES) {
        writers[i] = new TextWriter(scratch, rows);
      } else {
        Buffer buffer = scratch.allocate((long) rows * shape.storage().width());
        values[i] = buffer;
        outValues[i] = buffer.address();
      }
      if (shape.mayBeNull()) {
        Buffer bits = scratch.allocate((rows + 63L) / 64 * 8);
        validity[i] = bits;
        outValidity[i] = bits.address();
      }
    }
    loops.run(GeneratedPredicate.scope(context), batch, outValues, outValidity, writers);
    @Nullable Column[] columns = new @Nullable Column[count];
    for (int i = 0; i < count; i++) {
      TextWriter texts = writers[i];
      Buffer numbers = values[i];
      if (texts != null) {
        columns[i] =
            new Column(shapes().get(i), rows, texts.bytes(), texts.offsets(), validity[i], null);
      } else if (numbers != null) {
        columns[i] = new Column(shapes().get(i), rows, numbers, Buffer.EMPTY, validity[i], null);
      }
    }
    return columns;
  }
}
