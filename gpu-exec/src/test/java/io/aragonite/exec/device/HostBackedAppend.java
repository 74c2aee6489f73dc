package io.aragonite.exec.device;

import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.vector.Column;
import org.jspecify.annotations.Nullable;

/** Appends to a growing column of a device: the piece to append is made on the host. */
final class HostBackedAppend {
  private HostBackedAppend() {}

  /** Appends one row at least. */
  static void append(ExecContext context, StagedCall call, Column column, GrowingColumn target) {
    int count = column.rows();
    GrowingColumn piece = new GrowingColumn(target.shape(), context.hostMemory());
    try {
      call.host().gather().append(call.host(), call.in(column), piece);
      target.reserveRows(count);
      int width = target.shape().storage().width();
      if (target.shape().storage() == Storage.BYTES) {
        target.reserveBytes(piece.dataBytes());
        call.back(piece.values(), from(target.values(), target.dataBytes()), piece.dataBytes());
        long at = piece.offsets().address();
        for (int i = 0; i <= count; i++) {
          Mem.putInt(at + 4L * i, Mem.getInt(at + 4L * i) + target.dataBytes());
        }
        call.back(piece.offsets(), from(target.offsets(), 4L * target.rows()), 4L * count + 4);
      } else {
        call.back(
            piece.values(),
            from(target.values(), (long) target.rows() * width),
            (long) count * width);
      }
      appendValidity(context, call, piece.validity(), count, target);
      target.added(count, piece.dataBytes());
    } finally {
      piece.free();
    }
  }

  private static Buffer from(Buffer buffer, long offset) {
    return buffer.slice(offset, buffer.size() - offset);
  }

  private static void appendValidity(
      ExecContext context,
      StagedCall call,
      @Nullable Buffer bits,
      int count,
      GrowingColumn target) {
    if (bits == null && target.validity() == null) {
      return;
    }
    int shift = target.rows() & 7;
    int bytes = (shift + count + 7) / 8;
    Buffer out = from(target.needValidity(), target.rows() / 8);
    Buffer made = call.in(out, shift == 0 ? 0 : 1);
    Buffer room = call.room(bytes);
    Mem.fill(room.address(), bytes, (byte) 0);
    if (shift != 0) {
      Mem.putByte(room.address(), (byte) (Mem.getByte(made.address()) & (1 << shift) - 1));
    }
    for (int i = 0; i < count; i++) {
      if (bits == null || Mem.getBit(bits.address(), i)) {
        long address = room.address() + (shift + i) / 8;
        Mem.putByte(address, (byte) (Mem.getByte(address) | 1 << ((shift + i) & 7)));
      }
    }
    call.back(room, out, bytes);
  }
}
