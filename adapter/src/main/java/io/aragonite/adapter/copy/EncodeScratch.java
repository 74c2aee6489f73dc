package io.aragonite.adapter.copy;

import io.aragonite.exec.memory.MemoryReservation;
import java.util.Arrays;

/** Memory that the columns of a row group are encoded in, one after the other. */
final class EncodeScratch implements AutoCloseable {
  private static final int PAGE_BYTES = 1 << 18;

  /** The page that is being made. */
  final NativeBytes page;

  /** The same, compressed. */
  final NativeBytes packed;

  /** What all of it counts in, and what is made with it. */
  final MemoryReservation account;

  /** A number for each value. */
  final long[] longs;

  /** Lengths of values, or numbers in a dictionary of the query. */
  final int[] ints;

  /** Numbers in the dictionary of the file. */
  int[] codes;

  private int[] slots = new int[0];

  EncodeScratch(int rows, MemoryReservation account) {
    account.add((Long.BYTES + 2L * Integer.BYTES) * rows);
    this.account = account;
    this.page = new NativeBytes(PAGE_BYTES, account);
    this.packed = new NativeBytes(PAGE_BYTES, account);
    this.longs = new long[rows];
    this.ints = new int[rows];
    this.codes = new int[rows];
  }

  /** Has room for so many values in the dictionary of the file: lists have more than rows. */
  void reserveCodes(int count) {
    if (codes.length < count) {
      account.add((long) Integer.BYTES * (count - codes.length));
      codes = new int[count];
    }
  }

  /** Zeros, so many at least. */
  int[] slots(int count) {
    if (slots.length < count) {
      account.add((long) Integer.BYTES * (count - slots.length));
      slots = new int[count];
    } else {
      Arrays.fill(slots, 0, count, 0);
    }
    return slots;
  }

  @Override
  public void close() {
    page.close();
    packed.close();
  }
}
