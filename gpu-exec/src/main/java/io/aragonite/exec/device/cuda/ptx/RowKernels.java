package io.aragonite.exec.device.cuda.ptx;

import io.aragonite.exec.codegen.LaneSums;
import io.aragonite.exec.codegen.RowCode;
import io.aragonite.exec.device.cuda.ptx.KernelArgument.ArgumentKind;
import io.aragonite.exec.device.cuda.ptx.PtxKernel.KernelTexts;
import io.aragonite.exec.device.cuda.ptx.RowKernelWriter.RowResult;
import io.aragonite.exec.vector.ColumnShape;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * Kernels around code for a row. A row that fails, or that only the host can do, is recorded in the
 * status word (the smallest such row), and the host then does the batch, or raises the error.
 */
final class RowKernels {
  private static final int MAX_KERNELS = 2_000;

  /** Loads in the leading part of a row's code: up to these a thread takes four rows, or two. */
  private static final int FEW_LOADS = 8;

  private static final int MANY_LOADS = 16;

  /** Instructions of a kernel for one row: up to these a thread takes four rows, or two. */
  private static final int SHORT_TEXT = 120;

  private static final int LONG_TEXT = 240;
  private static final ConcurrentHashMap<String, PtxKernel> KERNELS = new ConcurrentHashMap<>();

  private RowKernels() {}

  /**
   * The kernel that writes the bits of a predicate.
   *
   * @param runner may have it of an earlier process
   */
  static PtxKernel predicate(RowCode code, RowCode.BoundRowCode bound, PtxRunner runner) {
    return cached(
        key("predicate", code, bound, List.of()),
        runner,
        key -> write(key, code, bound, RowResult.BIT, List.of()));
  }

  /**
   * The kernel that writes outputs.
   *
   * @param shapes of the outputs, in the order of the code
   * @param runner may have it of an earlier process
   */
  static PtxKernel projection(
      RowCode code, RowCode.BoundRowCode bound, List<ColumnShape> shapes, PtxRunner runner) {
    return cached(
        key("projection", code, bound, shapes),
        runner,
        key -> write(key, code, bound, RowResult.COLUMNS, shapes));
  }

  /**
   * The kernel that adds rows to the sums of a table.
   *
   * @param runner may have it of an earlier process
   */
  static PtxKernel tableAggregation(RowCode code, RowCode.BoundRowCode bound, PtxRunner runner) {
    return cached(
        key("table aggregation", code, bound, List.of()),
        runner,
        key -> write(key, code, bound, RowResult.TABLE_SUMS, List.of()));
  }

  /**
   * The kernel that adds rows to sums.
   *
   * @param sums of all groups together
   * @param runner may have it of an earlier process
   */
  static PtxKernel aggregation(
      RowCode code, RowCode.BoundRowCode bound, int sums, PtxRunner runner) {
    return cached(
        key("aggregation " + sums, code, bound, List.of()),
        runner,
        key -> writeAggregation(key, code, bound, sums));
  }

  private static String key(
      String kind, RowCode code, RowCode.BoundRowCode bound, List<ColumnShape> shapes) {
    StringBuilder key = new StringBuilder(kind).append(' ');
    for (int i = 0; i < code.constantObjects(); i++) {
      if (code.constantObject(i) instanceof Enum<?> constant) {
        key.append(i).append('=').append(constant.name()).append(' ');
      }
    }
    for (ColumnShape shape : shapes) {
      key.append(shape.mayBeNull() ? '?' : '.');
    }
    return key.append(bound.text()).toString();
  }

  private static PtxKernel cached(
      String key, PtxRunner runner, Function<String, PtxKernel> writer) {
    if (KERNELS.size() >= MAX_KERNELS) {
      KERNELS.clear();
    }
    return KERNELS.computeIfAbsent(
        key,
        k -> {
          PtxKernel kept = runner.kept(k);
          return kept != null ? kept : writer.apply(k);
        });
  }

  private static PtxKernel writeAggregation(
      String key, RowCode code, RowCode.BoundRowCode bound, int sums) {
    AggregationKernelWriter one = new AggregationKernelWriter(code, bound, sums, 1);
    int count = one.leadingLoads() > FEW_LOADS || one.lines() > LONG_TEXT ? 2 : 4;
    AggregationKernelWriter several = new AggregationKernelWriter(code, bound, sums, count);
    int shared = PtxKernel.THREADS / LaneSums.LANES * sums * LaneSums.STRIDE;
    String text = several.module();
    return new PtxKernel(key, new KernelTexts(text, count, shared, text), several.slots(), null);
  }

  private static PtxKernel write(
      String key,
      RowCode code,
      RowCode.BoundRowCode bound,
      RowResult result,
      List<ColumnShape> shapes) {
    RowKernelWriter row = new RowKernelWriter(code, bound, result, shapes, 1);
    int count = rowsPerThread(row);
    if (count == 1) {
      return new PtxKernel(key, KernelTexts.ofRow(row.module()), row.slots(), null);
    }
    RowKernelWriter rows = new RowKernelWriter(code, bound, result, shapes, count);
    return new PtxKernel(
        key, new KernelTexts(rows.module(), count, 0, row.module()), row.slots(), null);
  }

  /** Rows of a thread, so that loads are under way together, and the text stays short. */
  private static int rowsPerThread(RowKernelWriter row) {
    boolean makesTexts = row.slots().contains(new KernelArgument(ArgumentKind.HEAP));
    int loads = row.leadingLoads();
    if (makesTexts || loads == 0 || loads > MANY_LOADS || row.lines() > LONG_TEXT) {
      return 1;
    }
    return loads > FEW_LOADS || row.lines() > SHORT_TEXT ? 2 : 4;
  }
}
