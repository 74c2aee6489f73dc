package io.aragonite.exec.device;

import io.aragonite.exec.memory.Allocator;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.vector.Column;

/**
 * Gather operations of a device with memory of its own, run by its host; see {@link
 * DiscreteDevice}.
 */
final class HostBackedGatherOps implements GatherOps {
  /** Held while flags that several workers mark are on the host. */
  private final Object marks = new Object();

  @Override
  public void mark(ExecContext context, Buffer ids, int count, Buffer flags) {
    try (StagedCall call = new StagedCall(context)) {
      Buffer hostIds = call.in(ids, 4L * count);
      synchronized (marks) {
        Buffer hostFlags = call.in(flags, flags.size());
        call.host().gather().mark(call.host(), hostIds, count, hostFlags);
        call.back(hostFlags, flags, flags.size());
      }
    }
  }

  @Override
  public void gatherIds(ExecContext context, Buffer ids, Buffer positions, int count, Buffer out) {
    try (StagedCall call = new StagedCall(context)) {
      Buffer result = call.room(4L * count);
      call.host()
          .gather()
          .gatherIds(
              call.host(), call.in(ids, ids.size()), call.in(positions, 4L * count), count, result);
      call.back(result, out, 4L * count);
    }
  }

  @Override
  public Column materialize(ExecContext context, Column column, Allocator allocator) {
    try (StagedCall call = new StagedCall(context)) {
      Column result =
          call.host().gather().materialize(call.host(), call.in(column), context.hostScratch());
      return call.back(result, allocator);
    }
  }

  @Override
  public void append(ExecContext context, Column column, GrowingColumn target) {
    if (column.rows() > 0) {
      try (StagedCall call = new StagedCall(context)) {
        HostBackedAppend.append(context, call, column, target);
      }
    }
  }

  @Override
  public void scatter(
      ExecContext context, Buffer in, Buffer ids, int count, int width, Buffer out) {
    try (StagedCall call = new StagedCall(context)) {
      // What no id names must stay.
      Buffer result = call.in(out, out.size());
      Buffer values = call.in(in, (long) width * count);
      call.host()
          .gather()
          .scatter(call.host(), values, call.in(ids, 4L * count), count, width, result);
      call.back(result, out, out.size());
    }
  }
}
