package io.aragonite.exec.device.contract;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.device.Device;
import io.aragonite.exec.device.HostColumns;
import io.aragonite.exec.device.TestContext;
import io.aragonite.exec.device.cpu.CpuDevice;
import io.aragonite.exec.device.cpu.CpuExpressionCompiler;
import io.aragonite.exec.device.cuda.ptx.InterpretingRunner;
import io.aragonite.exec.device.cuda.ptx.PtxExpressionCompiler;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.LikePattern;
import io.aragonite.exec.expr.Op;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.testing.TestSeed;
import io.aragonite.exec.testing.device.TestDevices;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.Columns;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** LIKE over texts that lie anywhere in words, on a device and as interpreted PTX. */
class LikePredicateTest {
  private static final int ROUNDS = 60;
  private static final DataType BOOLEAN = DataType.BOOLEAN;
  private static final ColumnShape TEXTS =
      new ColumnShape(DataType.VARCHAR, Storage.BYTES, false, null, null);

  private final Random random = TestSeed.random(getClass());

  @Test
  void rowsThatMatchOnTheDevice() {
    try (Device device = TestDevices.create()) {
      check(device);
    }
  }

  @Test
  void rowsThatMatchByInterpretedPtx() {
    InterpretingRunner runner = new InterpretingRunner(false);
    try (Device device =
        new CpuDevice(
            1,
            new MemoryBudget("memory", 1L << 30),
            new PtxExpressionCompiler(runner, new CpuExpressionCompiler()))) {
      check(device);
      assertTrue(runner.kernels().size() >= 1);
    }
  }

  private void check(Device device) {
    int matched = 0;
    for (int round = 0; round < ROUNDS; round++) {
      try (TestContext context = new TestContext(device)) {
        matched += check(context);
      }
    }
    assertTrue(matched > ROUNDS, "too few rows match");
  }

  /** How many rows match. */
  private int check(TestContext context) {
    String letters = random.nextBoolean() ? "ab" : "abcdeé€😀 ";
    String pattern = pattern(letters);
    List<String> texts = new ArrayList<>();
    int rows = 1 + random.nextInt(200);
    for (int i = 0; i < rows; i++) {
      String text = text(letters, random.nextInt(random.nextBoolean() ? 12 : 90));
      // Half of the texts have the pattern's letters somewhere.
      String literals = pattern.replace("_", "a").replace("%", text(letters, random.nextInt(9)));
      int at =
          text.offsetByCodePoints(0, random.nextInt(text.codePointCount(0, text.length()) + 1));
      texts.add(
          random.nextBoolean() ? text : text.substring(0, at) + literals + text.substring(at));
    }
    Expr like =
        Expr.call(
            Op.LIKE,
            BOOLEAN,
            Expr.ref(0, DataType.VARCHAR),
            Expr.literal(pattern, DataType.VARCHAR));
    ColumnBatch onHost =
        new ColumnBatch(List.of(Columns.of(context.hostScratch(), TEXTS, texts)), rows);
    ColumnBatch batch = HostColumns.toDevice(context, onHost, context.scratch());
    Buffer out = context.scratch().allocate(4L * rows);
    int count =
        context.device().expressions().predicate(like, List.of(TEXTS)).select(context, batch, out);
    LikePattern parsed = new LikePattern(pattern, null, false);
    int[] expected = IntStream.range(0, rows).filter(i -> parsed.matches(texts.get(i))).toArray();
    assertArrayEquals(expected, context.ints(out, count), () -> "'" + pattern + "' in " + texts);
    return count;
  }

  /** Literals of up to 20 letters between percent signs, sometimes with an underscore. */
  private String pattern(String letters) {
    StringBuilder pattern = new StringBuilder(random.nextInt(4) > 0 ? "%" : "");
    int pieces = 1 + random.nextInt(3);
    for (int i = 0; i < pieces; i++) {
      pattern.append(text(letters, 1 + random.nextInt(random.nextInt(3) == 0 ? 20 : 4)));
      pattern.append(random.nextInt(5) == 0 ? "_" : "");
      pattern.append(i < pieces - 1 || random.nextInt(4) > 0 ? "%" : "");
    }
    return pattern.toString();
  }

  private String text(String letters, int length) {
    int[] points = letters.codePoints().toArray();
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < length; i++) {
      text.appendCodePoint(points[random.nextInt(points.length)]);
    }
    return text.toString();
  }
}
