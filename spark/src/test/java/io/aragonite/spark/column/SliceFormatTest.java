package io.aragonite.spark.column;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Random;
import org.junit.jupiter.api.Test;

class SliceFormatTest {
  private static final int ROWS = 1001;

  @Test
  void aDifferenceHasAsManyBitsAsTheRangeNeeds() {
    assertEquals(0, SliceFormat.bits(5, 5, ROWS, ROWS));
    for (int bits = 1; bits <= Long.SIZE; bits++) {
      long most = -1L >>> Long.SIZE - bits;
      int wanted = bits <= 56 ? bits : Long.SIZE;
      assertEquals(wanted, SliceFormat.bits(0, most, ROWS, ROWS), bits + " bits");
      assertEquals(wanted, SliceFormat.bits(-100, most - 100, ROWS, ROWS), bits + " bits");
    }
    assertEquals(Long.SIZE, SliceFormat.bits(Long.MIN_VALUE, Long.MAX_VALUE, ROWS, ROWS));
  }

  @Test
  void whatRepeatsHasWholeBytesWhichACodecFinds() {
    assertEquals(24, SliceFormat.bits(0, (1 << 23) - 1, 4000, 1000));
    assertEquals(23, SliceFormat.bits(0, (1 << 23) - 1, 4000, 2000));
    assertEquals(8, SliceFormat.bits(0, 1, 4000, 10));
    assertEquals(0, SliceFormat.bits(7, 7, 4000, 1));
  }

  @Test
  void differencesOfAllWidthsComeBack() {
    Random random = new Random(7);
    for (int bits = 0; bits <= Long.SIZE; bits = bits == 56 ? Long.SIZE : bits + 1) {
      long mask = SliceFormat.mask(bits);
      for (int rows : new int[] {0, 1, 7, ROWS}) {
        long least = random.nextLong();
        long[] values = new long[rows];
        for (int row = 0; row < rows; row++) {
          values[row] = least + (row % 5 == 3 ? mask : row % 5 == 4 ? 0 : random.nextLong() & mask);
        }
        // The last difference ends with the slack.
        byte[] bytes = new byte[1 + SliceFormat.bytes(bits, rows) + SliceFormat.SLACK];
        int end = SliceFormat.putDifferences(bytes, 1, bits, values, least, rows);
        assertEquals(1 + SliceFormat.bytes(bits, rows), end, bits + " bits");
        for (int row = 0; row < rows; row++) {
          long difference = SliceFormat.difference(bytes, 1, bits, mask, row);
          assertEquals(values[row], least + difference, bits + " bits");
        }
        assertEquals(0, bytes[0]);
      }
    }
  }
}
