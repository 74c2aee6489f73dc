package io.aragonite.exec.operator.join;

import io.aragonite.exec.cost.JoinModel;
import io.aragonite.exec.device.HostColumns;
import io.aragonite.exec.spill.SpillableRowCollection;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import java.util.List;

/**
 * Memory that joins need, their inputs included, and whether a query has the room for it ({@link
 * io.aragonite.exec.spill.QuerySpill#room}). A join that does not fit runs another way, or part by
 * part.
 */
final class JoinMemory {
  /** Words, row numbers and a table, of a row of a piece of {@link HostMergeJoin}. */
  private static final int MERGE_BYTES = 96;

  /** Row numbers have 32 bits, and vectors a rest behind their rows. */
  private static final long MOST_BUILD_ROWS = Integer.MAX_VALUE - 64;

  /** Rows of a side that can be brought into an order. */
  private static final long MOST_ARRANGED_ROWS = 1 << 30;

  /** Copies of both sides that one pass over them needs: what comes in and what goes out. */
  static final int ONE_PASS = 2;

  /** As {@link #ONE_PASS}, with what lies between two passes. */
  static final int TWO_PASSES = 3;

  private JoinMemory() {}

  /** Rows of one side, and their bytes. */
  record InputSize(long bytes, long rows) {
    static InputSize of(ColumnBatch rows) {
      return new InputSize(HostColumns.bytes(rows), rows.rows());
    }

    static InputSize of(SpillableRowCollection rows) {
      return new InputSize(rows.bytes(), rows.rows());
    }

    /** As far as shapes tell, which leave out texts. */
    static InputSize expected(List<ColumnShape> shapes, long rows) {
      long width = shapes.stream().mapToLong(shape -> shape.storage().width()).sum();
      return new InputSize(rows * width, rows);
    }
  }

  /** A build side with an index over its rows. */
  static long indexed(InputSize build) {
    return build.bytes + JoinModel.INDEX_BYTES * build.rows;
  }

  static boolean fitsIndexed(InputSize build, long room) {
    return indexed(build) <= room && build.rows < MOST_BUILD_ROWS;
  }

  /**
   * Both sides, and as they are brought into an order: with words, and row numbers, of each copy.
   *
   * @param copies {@link #ONE_PASS} or {@link #TWO_PASSES}
   */
  static long arranged(InputSize build, InputSize probe, int copies) {
    return copies * (build.bytes + probe.bytes) + (8 + 8L * copies) * (build.rows + probe.rows);
  }

  static boolean fitsArranged(InputSize build, InputSize probe, int copies, long room) {
    return arranged(build, probe, copies) <= room
        && Math.max(build.rows, probe.rows) < MOST_ARRANGED_ROWS;
  }

  /**
   * As {@link #arranged}, and the build side's payload once for each row of the probe side: a whole
   * join fetches it for all of them before it hands out the first.
   */
  static long whole(InputSize build, InputSize probe, int copies) {
    long width = (build.bytes - 1) / Math.max(1, build.rows) + 1;
    return arranged(build, probe, copies) + width * probe.rows;
  }

  static boolean fitsWhole(InputSize build, InputSize probe, int copies, long room) {
    return whole(build, probe, copies) <= room
        && Math.max(build.rows, probe.rows) < MOST_ARRANGED_ROWS;
  }

  /**
   * Rows of both sides of a merge join that are joined while others come and go, with copies on
   * their way through the join.
   */
  static double mergePiece(double rows, double bytes) {
    return 2 * (4 * bytes + MERGE_BYTES * rows);
  }
}
