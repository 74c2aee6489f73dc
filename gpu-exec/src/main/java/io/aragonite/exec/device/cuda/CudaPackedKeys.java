package io.aragonite.exec.device.cuda;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.PackedKeys;
import io.aragonite.exec.device.cuda.CudaConstants.BlockPolicy;
import io.aragonite.exec.device.cuda.CudaConstants.PackedKeysPolicy;
import io.aragonite.exec.device.cuda.CudaConstants.PackedPiece;
import io.aragonite.exec.memory.Buffer;

/** Packed keys, see {@link PackedKeys} and packed_keys.cu. */
final class CudaPackedKeys {
  private static final KernelFamily FAMILY = KernelFamily.PACKED_KEYS;
  private static final int THREADS = BlockPolicy.THREADS;
  private static final int WARPS = BlockPolicy.WARPS;

  private CudaPackedKeys() {}

  static void places(ExecContext context, Buffer keys, int count, int outBytes, Buffer out) {
    CudaStream stream = CudaStream.of(context);
    stream.launch(
        stream.gpu().kernel(FAMILY, "ara_key_places_" + outBytes),
        stream.gridStride(count, THREADS),
        THREADS,
        0,
        keys,
        count,
        out);
  }

  static void pack(
      ExecContext context,
      Buffer places,
      int count,
      Buffer groupStarts,
      int partBits,
      Buffer out,
      Buffer partStarts) {
    CudaStream stream = CudaStream.of(context);
    long starts = (long) (PackedKeys.groups(partBits) + 1) << partBits;
    stream.launch(
        stream.gpu().kernel(FAMILY, "ara_key_starts"),
        CudaWords.blocks(starts, THREADS),
        THREADS,
        0,
        groupStarts,
        partBits,
        out,
        partStarts);
    stream.launch(
        stream.gpu().kernel(FAMILY, "ara_key_pack"),
        stream.gridStride(count, THREADS),
        THREADS,
        0,
        places,
        count,
        groupStarts,
        partBits,
        out);
  }

  static void unpack(
      ExecContext context,
      Buffer packed,
      int pieces,
      int partBits,
      int part,
      int count,
      Buffer out) {
    CudaStream stream = CudaStream.of(context);
    long mark = context.scratch().mark();
    Buffer table = context.scratch().allocate((long) PackedPiece.SIZEOF * pieces);
    stream.launch(
        stream.gpu().kernel(FAMILY, "ara_key_pieces"), 1, 1, 0, packed, pieces, partBits, table);
    stream.launch(
        stream.gpu().kernel(FAMILY, "ara_key_unpack"),
        CudaWords.blocks(count, WARPS * PackedKeysPolicy.UNPACKED_ROWS),
        THREADS,
        0,
        packed,
        table,
        pieces,
        partBits,
        part,
        count,
        out);
    context.scratch().release(mark);
  }
}
