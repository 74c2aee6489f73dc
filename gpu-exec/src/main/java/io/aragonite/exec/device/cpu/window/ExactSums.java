package io.aragonite.exec.device.cpu.window;

import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.QueryMemory;

/**
 * Running totals of 128-bit integers in 192 bits, which no number of rows overflows; the sum of a
 * stretch is the difference of two.
 */
final class ExactSums {
  private static final long WIDTH = 24;

  private final Buffer totals;

  ExactSums(QueryMemory memory, int count) {
    totals = memory.allocate((count + 1L) * WIDTH);
    for (int i = 0; i < 3; i++) {
      Mem.putLong(totals.address() + i * 8L, 0);
    }
  }

  private long word(int position, int word) {
    return Mem.getLong(totals.address() + position * WIDTH + word * 8L);
  }

  /** Adds the value of a position; positions come in order. */
  void add(int position, long high, long low) {
    long newLow = word(position, 0) + low;
    long carry = Long.compareUnsigned(newLow, low) < 0 ? 1 : 0;
    long middle = word(position, 1);
    long newMiddle = middle + high + carry;
    long carryOut = ((middle & high) | ((middle | high) & ~newMiddle)) >>> 63;
    long newTop = word(position, 2) + (high >> 63) + carryOut;
    long at = totals.address() + (position + 1L) * WIDTH;
    Mem.putLong(at, newLow);
    Mem.putLong(at + 8, newMiddle);
    Mem.putLong(at + 16, newTop);
  }

  /** Sets the sum over pieces of a frame. */
  void total(int[] pieces, int pieceCount, int position, WindowOutput out) {
    long low = 0;
    long middle = 0;
    long top = 0;
    for (int i = 0; i < 2 * pieceCount; i++) {
      // Starts are taken away, ends are added.
      boolean plus = (i & 1) != 0;
      long a = word(pieces[i], 0);
      long b = word(pieces[i], 1);
      long c = word(pieces[i], 2);
      if (!plus) {
        a = -a;
        b = ~b + (a == 0 ? 1 : 0);
        c = ~c + (a == 0 && b == 0 ? 1 : 0);
      }
      long newLow = low + a;
      long carry = Long.compareUnsigned(newLow, a) < 0 ? 1 : 0;
      long newMiddle = middle + b + carry;
      long carryOut = ((middle & b) | ((middle | b) & ~newMiddle)) >>> 63;
      top += c + carryOut;
      low = newLow;
      middle = newMiddle;
    }
    out.setInteger(position, middle, low, top ^ middle >> 63);
  }

  void free(QueryMemory memory) {
    memory.free(totals);
  }
}
