package io.aragonite.exec.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.math.BigInteger;
import org.junit.jupiter.api.Test;

class Int128Test {
  @Test
  void whatIsPutComesBack() {
    BigInteger most = BigInteger.ONE.shiftLeft(127).subtract(BigInteger.ONE);
    long address = Mem.allocate(Int128.BYTES);
    try {
      for (int shift = 0; shift < 128; shift++) {
        for (BigInteger value :
            new BigInteger[] {
              BigInteger.ZERO.setBit(shift).and(most),
              most.shiftRight(shift),
              most.shiftRight(shift).not(), // negative, the least value among them
              BigInteger.ONE.shiftLeft(shift).negate(),
            }) {
          if (value.bitLength() < 128) {
            Int128.put(address, value);
            assertEquals(value, Int128.get(address));
          }
        }
      }
    } finally {
      Mem.free(address);
    }
  }
}
