package io.aragonite.spark.column;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Random;
import org.junit.jupiter.api.Test;

class SliceFormatTest {
  private static final int ROWS = 9;

  @Test
  void aWidthIsOfAsManyBytesAsTheRangeNeeds() {
    assertEquals(0, SliceFormat.width(5, 5));
    int[] wanted = {1, 2, 3, 4, 5, 6, 8, 8};
    for (int bytes = 1; bytes <= Long.BYTES; bytes++) {
      long most = -1L >>> Long.SIZE - 8 * bytes;
      assertEquals(wanted[bytes - 1], SliceFormat.width(0, most), bytes + " bytes");
      assertEquals(wanted[bytes - 1], SliceFormat.width(-100, most - 100), bytes + " bytes");
      if (bytes > 1) {
        assertEquals(wanted[bytes - 1], SliceFormat.width(0, (most >>> 8) + 1), bytes + " bytes");
      }
    }
    assertEquals(8, SliceFormat.width(Long.MIN_VALUE, Long.MAX_VALUE));
  }

  @Test
  void differencesOfAllWidthsComeBackAndLeaveTheirNeighboursAlone() {
    Random random = new Random(7);
    for (int width : new int[] {1, 2, 3, 4, 5, 6, 8}) {
      long[] values = new long[ROWS];
      // The last value ends with the array.
      byte[] bytes = new byte[1 + width * ROWS];
      for (int row = 0; row < ROWS; row++) {
        values[row] = random.nextLong() >>> Long.SIZE - 8 * width;
      }
      values[3] = -1L >>> Long.SIZE - 8 * width;
      values[4] = 0;
      for (int row = ROWS - 1; row >= 0; row--) {
        SliceFormat.putDifference(bytes, 1, width, row, values[row]);
      }
      for (int row = 0; row < ROWS; row += 2) {
        SliceFormat.putDifference(bytes, 1, width, row, values[row]);
      }
      for (int row = 0; row < ROWS; row++) {
        assertEquals(values[row], SliceFormat.difference(bytes, 1, width, row), width + " bytes");
      }
      assertEquals(0, bytes[0]);
    }
  }
}
