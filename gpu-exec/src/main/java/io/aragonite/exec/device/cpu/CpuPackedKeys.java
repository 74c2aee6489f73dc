package io.aragonite.exec.device.cpu;

import io.aragonite.exec.device.PackedKeys;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;

/** Loops over packed keys, see {@link PackedKeys}. */
final class CpuPackedKeys {
  private static final int LOW_BITS = Integer.SIZE - PackedKeys.SAID_BITS;

  private CpuPackedKeys() {}

  static void places(Buffer keys, int count, int outBytes, Buffer out) {
    for (int i = 0; i < count; i++) {
      int place = PackedKeys.place(Mem.getInt(keys.address() + 4L * i));
      if (outBytes == Integer.BYTES) {
        Mem.putInt(out.address() + 4L * i, place);
      } else {
        Mem.putLong(out.address() + 8L * i, Integer.toUnsignedLong(place));
      }
    }
  }

  static void pack(Buffer places, Buffer groupStarts, int partBits, Buffer out, Buffer partStarts) {
    int groups = PackedKeys.groups(partBits);
    for (int part = 0; part < 1 << partBits; part++) {
      long starts = groupStarts.address() + 4L * part * groups;
      int first = Mem.getInt(starts);
      int end = Mem.getInt(starts + 4L * groups);
      long piece = out.address() + PackedKeys.offset(partBits, part, first);
      for (int group = 0; group <= groups; group++) {
        Mem.putInt(piece + 4L * group, Mem.getInt(starts + 4L * group) - first);
      }
      long low = piece + PackedKeys.head(partBits);
      for (int row = first; row < end; row++) {
        short bits = (short) Mem.getInt(places.address() + 4L * row);
        Mem.putShort(low + 2L * (row - first), bits);
      }
      Mem.putInt(partStarts.address() + 4L * part, first);
      Mem.putInt(partStarts.address() + 4L * part + 4, end);
    }
  }

  static void unpack(Buffer packed, int pieces, int partBits, int part, Buffer out) {
    int groups = PackedKeys.groups(partBits);
    long piece = packed.address();
    long to = out.address();
    for (int i = 0; i < pieces; i++) {
      long low = piece + PackedKeys.head(partBits);
      for (int group = 0; group < groups; group++) {
        int upper = (part * groups + group) << LOW_BITS;
        int end = Mem.getInt(piece + 4L * group + 4);
        for (int row = Mem.getInt(piece + 4L * group); row < end; row++) {
          int place = upper | Short.toUnsignedInt(Mem.getShort(low + 2L * row));
          Mem.putInt(to + 4L * row, PackedKeys.key(place));
        }
      }
      int rows = Mem.getInt(piece + 4L * groups);
      to += 4L * rows;
      piece += PackedKeys.bytes(partBits, rows);
    }
  }
}
