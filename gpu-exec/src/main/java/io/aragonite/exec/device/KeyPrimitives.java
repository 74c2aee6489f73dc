package io.aragonite.exec.device;

import io.aragonite.exec.memory.Buffer;

/** The part of {@link Primitives} that makes keys smaller: see {@link PackedKeys}. */
public interface KeyPrimitives {
  /**
   * The places of 4-byte keys.
   *
   * @param outBytes of a place: 4, or 8, of which the upper half is 0
   */
  void keyPlaces(ExecContext context, Buffer keys, int count, int outBytes, Buffer out);

  /**
   * Packs places that are in the order of their upper bits.
   *
   * @param places of 4 bytes
   * @param groupStarts 2^{@link PackedKeys#SAID_BITS} + 1 32-bit starts of the rows with the same
   *     upper bits
   * @param partBits 1 to {@link PackedKeys#SAID_BITS}
   * @param out the pieces, as far as {@link PackedKeys#offset} of a part behind the last
   * @param outPartStarts 2^partBits + 1 32-bit starts of the parts
   */
  void packPlaces(
      ExecContext context,
      Buffer places,
      int count,
      Buffer groupStarts,
      int partBits,
      Buffer out,
      Buffer outPartStarts);

  /**
   * The keys of some pieces of one part, one piece's behind the other's.
   *
   * @param packed the pieces, each directly behind the {@link PackedKeys#bytes} of the one before
   * @param pieces how many
   * @param out as many 4-byte keys as the pieces have rows
   */
  void unpackKeys(
      ExecContext context,
      Buffer packed,
      int pieces,
      int partBits,
      int part,
      int count,
      Buffer out);
}
