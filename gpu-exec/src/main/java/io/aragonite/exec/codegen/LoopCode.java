package io.aragonite.exec.codegen;

import io.aragonite.exec.vector.ColumnBatch;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Loops in the JVM that compute a set of nodes, made for the indirections that batches turn out to
 * have.
 */
final class LoopCode {
  private record Entry(Inputs.Pattern pattern, List<Kernel> kernels) {}

  private final Inputs inputs;
  private final CodeConstants.ConstantArrays constants;
  private final Function<Inputs.Pattern, List<Kernel>> maker;
  private final boolean deep;
  private final ConcurrentHashMap<Inputs.Pattern, List<Kernel>> kernels = new ConcurrentHashMap<>();
  private volatile @Nullable Entry last;

  /**
   * @param maker writes and compiles the code for indirections
   * @param deep whether it needs a large stack
   */
  LoopCode(
      Inputs inputs,
      CodeConstants.ConstantArrays constants,
      Function<Inputs.Pattern, List<Kernel>> maker,
      boolean deep) {
    this.inputs = inputs;
    this.constants = constants;
    this.maker = maker;
    this.deep = deep;
  }

  private List<Kernel> make(Inputs.Pattern pattern) {
    return DeepStack.call(deep, () -> maker.apply(pattern));
  }

  /** Arguments for a batch; outputs are still to be set. */
  KernelArgs args(KernelScope scope, ColumnBatch batch) {
    KernelArgs args = new KernelArgs();
    args.rows = batch.rows();
    args.longs = constants.longs();
    args.doubles = constants.doubles();
    args.objects = constants.objects();
    args.stopCheck = scope.stopCheck();
    args.heap = new TextHeap(scope.scratch(), args.stopCheck);
    args.hostObjects = scope.hostObjects();
    args.row = new BatchRow(batch, scope.hostObjects());
    return args;
  }

  /** Runs all kernels; the result of the last. */
  int run(KernelArgs args, ColumnBatch batch) {
    Inputs.Pattern pattern = inputs.bind(batch, args);
    Entry entry = last;
    if (entry == null || !entry.pattern.equals(pattern)) {
      // A look first, which takes no lock.
      List<Kernel> known = kernels.get(pattern);
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
