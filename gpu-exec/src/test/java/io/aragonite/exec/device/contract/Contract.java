package io.aragonite.exec.device.contract;

import io.aragonite.exec.device.Device;
import io.aragonite.exec.device.TestContext;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.testing.TestSeed;
import io.aragonite.exec.testing.device.TestDevices;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.type.TypeKind;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.Columns;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What the contract tests of primitives share: the devices, a context that must be empty in the
 * end, sizes and values that break loops.
 */
@ParameterizedClass
@MethodSource("devices")
abstract class Contract {
  /** Fewer sizes, for runs under a tool that slows kernels down a hundred times. */
  static final boolean LIGHT = Boolean.getBoolean("aragonite.contract.light");

  static final int[] SIZES =
      LIGHT
          ? new int[] {0, 1, 33, 1025, 20_001}
          : new int[] {
            0, 1, 2, 31, 32, 33, 63, 64, 65, 127, 128, 129, 1023, 1024, 1025, 4095, 4097, 70_001
          };

  /** The smaller ones, for tests that box every value. */
  static final int[] SMALL_SIZES =
      LIGHT
          ? new int[] {0, 1, 33, 1025}
          : new int[] {0, 1, 2, 31, 32, 33, 63, 64, 65, 127, 129, 1023, 1025, 5000};

  /** All kinds of words; fewer under such a tool. */
  static final WordKind[] KINDS =
      LIGHT
          ? new WordKind[] {WordKind.EQUAL, WordKind.SPARSE, WordKind.ZIPF, WordKind.RANDOM}
          : WordKind.values();

  final Device device;
  final TestContext context;
  final Random random = TestSeed.random(getClass());

  Contract(Device device) {
    this.device = device;
    this.context = new TestContext(device);
  }

  static Stream<Device> devices() {
    return Stream.of(TestDevices.create());
  }

  @AfterEach
  void nothingIsLeft() {
    context.close();
  }

  Buffer longs(long... values) {
    return context.longs(values);
  }

  Buffer ints(int... values) {
    return context.ints(values);
  }

  Buffer room(long bytes) {
    return context.memory().allocate(bytes);
  }

  /** Room of which a primitive may leave bytes as they are, and which is read as a whole. */
  Buffer written(long bytes) {
    byte[] any = new byte[Math.toIntExact(bytes)];
    Arrays.fill(any, (byte) 0xA5);
    return context.bytes(any);
  }

  /** Kinds of words that {@link #words} makes. */
  enum WordKind {
    EQUAL,
    DISTINCT,
    DENSE,
    /** Spread over a range some ten times their number. */
    SPARSE,
    FEW,
    ZIPF,
    EXTREME,
    HIGH_BITS,
    RANDOM
  }

  long[] words(WordKind kind, int count) {
    long base = random.nextLong();
    long[] extremes = {0, -1, 1, Long.MIN_VALUE, Long.MAX_VALUE, -2};
    long[] words = new long[count];
    for (int i = 0; i < count; i++) {
      words[i] =
          switch (kind) {
            case EQUAL -> base;
            case DISTINCT -> base + i * 0x1_0001_0001L;
            case DENSE -> random.nextInt(2 * count + 1);
            case SPARSE -> base + random.nextInt(30 * count + 1);
            case FEW -> random.nextInt(7);
            case ZIPF -> (long) (1 / (random.nextDouble() + 1e-6));
            case EXTREME -> extremes[random.nextInt(extremes.length)];
            case HIGH_BITS -> (long) random.nextInt(500) << 53;
            case RANDOM -> random.nextLong();
          };
    }
    return words;
  }

  /** What narrow words can be. */
  static long[] narrowed(long[] words) {
    return Arrays.stream(words).map(w -> (int) w).toArray();
  }

  /** Words on the device, each of four bytes or eight. */
  Buffer words(long[] words, int wordBytes) {
    return wordBytes == 8
        ? longs(words)
        : ints(Arrays.stream(words).mapToInt(w -> (int) w).toArray());
  }

  /** Which values are null. */
  enum Nulls {
    NONE,
    SOME,
    ALL
  }

  /** Shapes of every storage but CODE, with the type that is stored that way. */
  static List<ColumnShape> shapes() {
    List<ColumnShape> shapes = new ArrayList<>();
    for (TypeKind kind : TypeKind.values()) {
      if (kind != TypeKind.DECIMAL) {
        shapes.add(ColumnShape.of(DataType.of(kind, true)));
      }
    }
    shapes.add(ColumnShape.of(DataType.decimal(15, 2, true)));
    shapes.add(ColumnShape.of(DataType.decimal(38, 3, true)));
    // A wide decimal whose values are known to fit 64 bits.
    shapes.add(new ColumnShape(DataType.decimal(38, 0, true), Storage.LONG, true, null, null));
    shapes.add(Columns.codeShape("", "a", "ab", "b", "zebra", "\u00e9"));
    return shapes;
  }

  List<@Nullable Object> values(ColumnShape shape, Nulls nulls, int count) {
    List<@Nullable Object> values = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      boolean isNull =
          nulls == Nulls.ALL
              || nulls == Nulls.SOME && random.nextInt(4) == 0
              || shape.storage() == Storage.NONE;
      values.add(isNull ? null : value(shape));
    }
    return values;
  }

  Object value(ColumnShape shape) {
    DataType type = shape.type();
    return switch (type.kind()) {
      case NULL -> throw new IllegalArgumentException("no values");
      case BOOLEAN -> random.nextBoolean();
      case INT8 -> integer(8);
      case INT16 -> integer(16);
      case INT32, DATE, TIME, INTERVAL_MONTH -> integer(32);
      case INT64, TIMESTAMP, INSTANT, INTERVAL_DAY -> integer(64);
      case OPAQUE -> (long) random.nextInt(1000);
      case FLOAT32 -> (double) (float) floating();
      case FLOAT64 -> floating();
      case DECIMAL -> {
        int digits = shape.storage() == Storage.LONG ? Math.min(18, type.precision()) : 38;
        BigInteger limit = BigInteger.TEN.pow(random.nextInt(digits) + 1);
        BigInteger unscaled = new BigInteger(130, random).mod(limit);
        yield new BigDecimal(random.nextBoolean() ? unscaled : unscaled.negate(), type.scale());
      }
      case CHAR, VARCHAR -> {
        if (shape.dictionary() != null) {
          yield shape.dictionary().text(random.nextInt(shape.dictionary().size()));
        }
        int length = random.nextInt(10) == 0 ? random.nextInt(200) : random.nextInt(12);
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < length; i++) {
          text.append(random.nextInt(8) == 0 ? '\u00e9' : (char) ('a' + random.nextInt(3)));
        }
        yield text.toString();
      }
      case BINARY -> {
        byte[] bytes = new byte[random.nextInt(20)];
        random.nextBytes(bytes);
        yield bytes;
      }
    };
  }

  private long integer(int bits) {
    long max = Long.MAX_VALUE >> 64 - bits;
    return switch (random.nextInt(6)) {
      case 0 -> max;
      case 1 -> ~max;
      case 2 -> 0L;
      case 3 -> -1L;
      default -> random.nextLong() >> 64 - bits;
    };
  }

  private double floating() {
    double[] special = {
      0.0, -0.0, Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY, 1.5, -1.5
    };
    return random.nextInt(3) == 0
        ? special[random.nextInt(special.length)]
        : random.nextGaussian() * 1000;
  }
}
