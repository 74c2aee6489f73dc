package io.aragonite.exec.device.cpu.codegen;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.vector.ColumnBatch;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Kernels of a set of nodes, made for the indirections that batches turn out to have. */
final class CompiledCode {
  private record Entry(Inputs.Pattern pattern, Kernel[] kernels) {}

  private final Inputs inputs;
  private final Constants.Values constants;
  private final Function<Inputs.Pattern, Kernel[]> maker;
  private final boolean deep;
  private final ConcurrentHashMap<Inputs.Pattern, Kernel[]> kernels = new ConcurrentHashMap<>();
  private volatile @Nullable Entry last;

  /**
   * @param maker writes and compiles the code for indirections
   * @param deep whether it needs a large stack
   */
  CompiledCode(
      Inputs inputs,
      Constants.Values constants,
      Function<Inputs.Pattern, Kernel[]> maker,
      boolean deep) {
    this.inputs = inputs;
    this.constants = constants;
    this.maker = maker;
    this.deep = deep;
  }

  private Kernel[] make(Inputs.Pattern pattern) {
    return DeepStack.call(deep, () -> maker.apply(pattern));
  }

  /** Arguments for a batch; outputs are still to be set. */
  KernelArgs args(ExecContext context, ColumnBatch batch) {
    KernelArgs args = new KernelArgs();
    args.rows = batch.rows();
    args.longs = constants.longs();
    args.doubles = constants.doubles();
    args.objects = constants.objects();
    args.stopCheck = context.stopCheck();
    args.heap = new TextHeap(context.scratch(), args.stopCheck);
    args.hostObjects = context.hostObjects();
    args.row = new BatchRow(batch, context.hostObjects());
    return args;
  }

  /** Runs all kernels; the result of the last. */
  int run(KernelArgs args, ColumnBatch batch) {
    Inputs.Pattern pattern = inputs.bind(batch, args);
    Entry entry = last;
    if (entry == null || !entry.pattern.equals(pattern)) {
      // A look first, which takes no lock.
      Kernel[] known = kernels.get(pattern);
      entry =
          new Entry(pattern, known == null ? kernels.computeIfAbsent(pattern, this::make) : known);
      last = entry;
    }
    int result = 0;
    for (Kernel kernel : entry.kernels) {
      result = kernel.run(args);
    }
    return result;
  }
}
