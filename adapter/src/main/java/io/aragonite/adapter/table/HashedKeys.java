package io.aragonite.adapter.table;

import io.aragonite.exec.memory.MemoryBudget;

/**
 * A set of keys as hashes of 128 bits, in a table with open addressing: two keys have one hash with
 * a probability of less than rows² / 2^128. Its room is reserved. Not safe for several threads.
 */
final class HashedKeys implements AutoCloseable {
  private static final int FIRST = 1 << 6;

  private final MemoryBudget budget;
  private long[] slots = new long[0];
  private int size;

  HashedKeys(MemoryBudget budget) {
    this.budget = budget;
  }

  int size() {
    return size;
  }

  boolean contains(long high, long low) {
    return slots.length > 0 && slots[find(slots, high, low) + 1] != 0;
  }

  /**
   * Makes room, so that so many more keys can be added without an error.
   *
   * @throws io.aragonite.exec.error.AragoniteException MEMORY_EXCEEDED
   */
  void reserve(int more) {
    if (slots.length >= ((long) size + more) * 3) {
      return;
    }
    int entries = entries((long) size + more);
    budget.admit(entries * 16L);
    budget.reserve(entries * 16L, "the keys of a table");
    long before = slots.length * 8L;
    move(entries);
    budget.release(before);
  }

  /** Gives back room for keys that were not added after all. */
  void trim() {
    long before = slots.length * 8L;
    int entries = size == 0 ? 0 : entries(size);
    if (entries * 16L < before) {
      move(entries);
      budget.release(before - entries * 16L);
    }
  }

  private static int entries(long keys) {
    long wanted = FIRST;
    while (wanted * 2 < keys * 3) {
      wanted *= 2;
    }
    return Math.toIntExact(wanted);
  }

  private void move(int entries) {
    long[] moved = new long[Math.multiplyExact(entries, 2)];
    for (int i = 0; i < slots.length; i += 2) {
      if (slots[i + 1] != 0) {
        int place = find(moved, slots[i], slots[i + 1]);
        moved[place] = slots[i];
        moved[place + 1] = slots[i + 1];
      }
    }
    slots = moved;
  }

  /**
   * Adds a key that is not there.
   *
   * @param low not 0
   */
  void add(long high, long low) {
    reserve(1);
    int place = find(slots, high, low);
    slots[place] = high;
    slots[place + 1] = low;
    size++;
  }

  /** Adds all keys of another set, for which there is room. */
  void addAll(HashedKeys others) {
    for (int i = 0; i < others.slots.length; i += 2) {
      if (others.slots[i + 1] != 0) {
        add(others.slots[i], others.slots[i + 1]);
      }
    }
  }

  boolean hasAnyOf(HashedKeys others) {
    for (int i = 0; i < others.slots.length; i += 2) {
      if (others.slots[i + 1] != 0 && contains(others.slots[i], others.slots[i + 1])) {
        return true;
      }
    }
    return false;
  }

  /** Where a key is, or would be: an entry whose second half is 0 is free. */
  private static int find(long[] slots, long high, long low) {
    int mask = slots.length / 2 - 1;
    int entry = (int) high & mask;
    while (slots[2 * entry + 1] != 0 && (slots[2 * entry] != high || slots[2 * entry + 1] != low)) {
      entry = (entry + 1) & mask;
    }
    return 2 * entry;
  }

  @Override
  public void close() {
    budget.release(slots.length * 8L);
    slots = new long[0];
    size = 0;
  }
}
