package io.aragonite.adapter.format.parquet;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** The hash of Parquet's Bloom filters: XXH64 with a seed of 0. */
final class XxHash64 {
  private static final long PRIME_1 = 0x9E3779B185EBCA87L;
  private static final long PRIME_2 = 0xC2B2AE3D27D4EB4FL;
  private static final long PRIME_3 = 0x165667B19E3779F9L;
  private static final long PRIME_4 = 0x85EBCA77C2B2AE63L;
  private static final long PRIME_5 = 0x27D4EB2F165667C5L;

  private XxHash64() {}

  static long hash(byte[] bytes) {
    ByteBuffer in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    long hash = (bytes.length >= 32 ? stripes(in) : PRIME_5) + bytes.length;
    while (in.remaining() >= Long.BYTES) {
      hash = Long.rotateLeft(hash ^ round(0, in.getLong()), 27) * PRIME_1 + PRIME_4;
    }
    if (in.remaining() >= Integer.BYTES) {
      hash ^= (in.getInt() & 0xFFFFFFFFL) * PRIME_1;
      hash = Long.rotateLeft(hash, 23) * PRIME_2 + PRIME_3;
    }
    while (in.hasRemaining()) {
      hash = Long.rotateLeft(hash ^ (in.get() & 0xFF) * PRIME_5, 11) * PRIME_1;
    }
    hash = (hash ^ hash >>> 33) * PRIME_2;
    hash = (hash ^ hash >>> 29) * PRIME_3;
    return hash ^ hash >>> 32;
  }

  private static long stripes(ByteBuffer in) {
    long[] lanes = {0x60EA27EEADC0B5D6L, PRIME_2, 0, -PRIME_1}; // the first is the primes' sum
    while (in.remaining() >= 4 * Long.BYTES) {
      for (int i = 0; i < lanes.length; i++) {
        lanes[i] = round(lanes[i], in.getLong());
      }
    }
    long hash = 0;
    int[] turns = {1, 7, 12, 18};
    for (int i = 0; i < lanes.length; i++) {
      hash += Long.rotateLeft(lanes[i], turns[i]);
    }
    for (long lane : lanes) {
      hash = (hash ^ round(0, lane)) * PRIME_1 + PRIME_4;
    }
    return hash;
  }

  private static long round(long lane, long word) {
    return Long.rotateLeft(lane + word * PRIME_2, 31) * PRIME_1;
  }
}
