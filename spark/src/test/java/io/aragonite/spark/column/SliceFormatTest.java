package io.aragonite.spark.column;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.TypeKind;
import java.util.Random;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.junit.jupiter.api.Test;

class SliceFormatTest {
  private static final int ROWS = 1001;

  @Test
  void aDifferenceHasAsManyBitsAsTheRangeNeeds() {
    assertEquals(0, SliceFormat.bits(5, 5));
    for (int bits = 1; bits <= Long.SIZE; bits++) {
      long most = -1L >>> Long.SIZE - bits;
      int wanted = bits <= 56 ? bits : Long.SIZE;
      assertEquals(wanted, SliceFormat.bits(0, most), bits + " bits");
      assertEquals(wanted, SliceFormat.bits(-100, most - 100), bits + " bits");
    }
    assertEquals(Long.SIZE, SliceFormat.bits(Long.MIN_VALUE, Long.MAX_VALUE));
  }

  /** The bits of a column of so many values in runs of some length. */
  private static int bitsOf(long most, int rows, int run) {
    SliceColumnBuilder column = new SliceColumnBuilder(DataType.of(TypeKind.INT64, false));
    for (int i = 0; i < rows; i++) {
      int number = i / run;
      column.add(new GenericInternalRow(new Object[] {number == 0 ? 0 : most - number % 2}), 0);
    }
    int head = 1 + 1 + Long.BYTES;
    return (column.measure() - head) * 8 / rows;
  }

  @Test
  void whatRepeatsHasWholeBytesWhichACodecFinds() {
    assertEquals(24, bitsOf((1 << 23) - 1, 4000, 4));
    assertEquals(23, bitsOf((1 << 23) - 1, 4000, 2));
    assertEquals(23, bitsOf((1 << 23) - 1, 4000, 1));
    assertEquals(8, bitsOf(1, 4000, 400));
    assertEquals(0, bitsOf(0, 1, 1));
    assertEquals(16, bitsOf((1 << 16) - 1, 4000, 1));
    // 4000 rows of 23 bits have whole bytes up to 1642 runs: 8 * 1642 * 7 bits are fewer, and those of one more are not.
    assertEquals(1642, SliceFormat.mostRuns(23, 4000));
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
