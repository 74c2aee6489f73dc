package io.aragonite.exec.device.cpu.window;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.WindowOps;
import io.aragonite.exec.device.WindowResult;
import io.aragonite.exec.device.WindowResult.Computed;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.plan.AggregateCall;
import io.aragonite.exec.plan.PhysicalPlan.Window;
import io.aragonite.exec.plan.WindowCall;
import io.aragonite.exec.vector.ColumnBatch;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Functions of windows as loops over host memory. */
public final class CpuWindowOps implements WindowOps {
  @Override
  public List<WindowResult> compute(
      ExecContext context,
      Window window,
      ColumnBatch rows,
      Buffer order,
      List<WindowCall> calls,
      RowSorter sorter) {
    SortedRows sorted = SortedRows.of(context, rows, new IntVector(order), window);
    boolean framed = calls.stream().anyMatch(call -> needsFrame(call.function()));
    Frames frames = framed ? new FrameBounds(context, window, sorted).find() : null;
    WindowResult[] found = new WindowResult[calls.size()];
    context
        .parallel()
        .forEach(
            found.length,
            (worker, i) ->
                found[i] = compute(worker, window, sorted, calls.get(i), frames, sorter));
    return List.of(found);
  }

  private static @Nullable AggregateCall onHost(WindowCall call) {
    AggregateCall aggregate = call.aggregate();
    return aggregate == null || aggregate.host() == null ? null : aggregate;
  }

  private static boolean needsFrame(WindowCall.Function function) {
    return switch (function) {
      case AGGREGATE,
          FIRST_VALUE,
          LAST_VALUE,
          NTH_VALUE,
          COMOMENT,
          COMOMENT_ROWS,
          COMOMENT_LEFT_MEAN,
          COMOMENT_LEFT_REST,
          COMOMENT_RIGHT_MEAN,
          COMOMENT_RIGHT_REST ->
          true;
      default -> false;
    };
  }

  private static WindowResult compute(
      ExecContext worker,
      Window window,
      SortedRows sorted,
      WindowCall call,
      @Nullable Frames frames,
      RowSorter sorter) {
    if (onHost(call) instanceof AggregateCall host) {
      return new HostFrames(worker, sorted, Objects.requireNonNull(frames), host).compute();
    }
    return switch (call.function()) {
      case AGGREGATE ->
          new Aggregates(worker, sorted, Objects.requireNonNull(frames), window, call, sorter)
              .compute();
      case ROW_NUMBER, RANK, DENSE_RANK, PERCENT_RANK, CUME_DIST, NTILE -> {
        WindowOutput out = new WindowOutput(worker.memory(), call.type(), sorted.count());
        Ranking.compute(call, sorted, out);
        yield new Computed(out.finish(), null);
      }
      case LAG -> new Navigation(worker, sorted, call).offset(false);
      case LEAD -> new Navigation(worker, sorted, call).offset(true);
      case FIRST_VALUE, LAST_VALUE, NTH_VALUE ->
          new Navigation(worker, sorted, call).inFrame(Objects.requireNonNull(frames));
      case COMOMENT,
          COMOMENT_ROWS,
          COMOMENT_LEFT_MEAN,
          COMOMENT_LEFT_REST,
          COMOMENT_RIGHT_MEAN,
          COMOMENT_RIGHT_REST ->
          new Comoments(worker, sorted, Objects.requireNonNull(frames), call).compute();
    };
  }
}
