package io.aragonite.exec.device.contract;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.airlift.compress.v3.Compressor;
import io.airlift.compress.v3.lz4.Lz4JavaCompressor;
import io.airlift.compress.v3.snappy.SnappyJavaCompressor;
import io.aragonite.exec.device.Device;
import io.aragonite.exec.device.PageOps;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.page.MalformedPageException;
import io.aragonite.exec.page.PageBytes;
import io.aragonite.exec.page.PageCodec;
import io.aragonite.exec.page.ReferencePages;
import io.aragonite.exec.page.StoredBytes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** decompress. */
class DecompressionContractTest extends Contract {
  private static final int ROUNDS = Integer.getInteger("aragonite.rounds", LIGHT ? 20 : 150);

  private static final byte POISON = 0x5A;

  private static final List<PageCodec> CODECS = List.of(PageCodec.SNAPPY, PageCodec.LZ4);

  DecompressionContractTest(Device device) {
    super(device);
  }

  /** What a device makes of stored bytes, with poison around it, or an error. */
  private record Decompression(byte[] bytes, @Nullable MalformedPageException error) {}

  /** Decompresses pages whose results lie behind each other, a few bytes apart. */
  private Decompression decompress(List<byte[]> stored, int[] sizes, PageCodec codec) {
    PageBytes all = new PageBytes(new Random(1));
    List<StoredBytes> pages = new ArrayList<>();
    int to = 3;
    for (int i = 0; i < sizes.length; i++) {
      all.put(new byte[i % 4]);
      int length = stored.get(i).length;
      pages.add(new StoredBytes(i, all.size(), length, to, sizes[i], codec));
      all.put(stored.get(i));
      to += sizes[i] + 1;
    }
    Buffer in = context.bytes(all.bytes());
    Buffer out = context.bytes(PageContractTest.poisoned(to + 2));
    MalformedPageException error = null;
    try (PageOps.PageOutcome outcome = context.pages().decompress(context, in, pages, out)) {
      outcome.await();
    } catch (MalformedPageException e) {
      error = e;
    }
    byte[] bytes = context.bytes(out, to + 2);
    for (StoredBytes page : pages) {
      assertEquals(POISON, bytes[(int) page.to() - 1]);
      assertEquals(POISON, bytes[(int) page.to() + page.size()]);
    }
    context.memory().free(in);
    context.memory().free(out);
    return new Decompression(bytes, error);
  }

  private void checkDecompressed(List<byte[]> plain, List<byte[]> stored, PageCodec codec) {
    int[] sizes = plain.stream().mapToInt(bytes -> bytes.length).toArray();
    Decompression result = decompress(stored, sizes, codec);
    if (result.error != null) {
      throw result.error;
    }
    int at = 3;
    for (byte[] expected : plain) {
      assertArrayEquals(expected, Arrays.copyOfRange(result.bytes, at, at + expected.length));
      at += expected.length + 1;
    }
  }

  /** Bytes that compress more or less, as a library does it. */
  private byte[] compressible(int size) {
    byte[] bytes = new byte[size];
    int few = 1 + random.nextInt(random.nextBoolean() ? 3 : 256);
    for (int i = 0; i < size; i++) {
      int back = 1 + random.nextInt(100);
      boolean again = i >= back && random.nextInt(8) > 0;
      bytes[i] = again ? bytes[i - back] : (byte) random.nextInt(few);
    }
    return bytes;
  }

  private static byte[] compressed(PageCodec codec, byte[] bytes) {
    Compressor compressor =
        codec == PageCodec.LZ4 ? new Lz4JavaCompressor() : new SnappyJavaCompressor();
    byte[] room = new byte[compressor.maxCompressedLength(bytes.length)];
    int size = compressor.compress(bytes, 0, bytes.length, room, 0, room.length);
    return Arrays.copyOf(room, size);
  }

  private void checkCompressed(List<byte[]> plain) {
    for (PageCodec codec : CODECS) {
      checkDecompressed(
          plain, plain.stream().map(bytes -> compressed(codec, bytes)).toList(), codec);
    }
  }

  @Test
  void decompress() {
    List<byte[]> plain = new ArrayList<>();
    for (int size : SIZES) {
      byte[] random = new byte[size];
      this.random.nextBytes(random);
      plain.add(random);
      plain.add(compressible(size));
    }
    checkCompressed(plain);
    checkDecompressed(plain, plain, PageCodec.NONE);
  }

  /** Larger than what devices look at together, and than compressors do. */
  @Test
  void largePages() {
    List<byte[]> plain = new ArrayList<>();
    for (int size : new int[] {4095, 4097, 65_535, 65_537, 400_003}) {
      plain.add(compressible(size));
    }
    byte[] incompressible = new byte[150_000];
    random.nextBytes(incompressible);
    plain.add(incompressible);
    checkCompressed(plain);
  }

  /** Each byte comes of the one before, over all that is looked at together; lengths are long. */
  @Test
  void repeatedBytes() {
    byte[] same = new byte[150_000];
    byte[] periodic = new byte[50_000];
    for (int i = 0; i < periodic.length; i++) {
      periodic[i] = (byte) (i % 7);
    }
    checkCompressed(List.of(same, periodic));
  }

  @Test
  void damagedLargePages() {
    byte[] plain = compressible(60_000);
    for (PageCodec codec : CODECS) {
      byte[] sound = compressed(codec, plain);
      for (int round = 0; round < 30; round++) {
        byte[] stored = sound.clone();
        stored[3 + random.nextInt(stored.length - 3)] ^= (byte) (1 << random.nextInt(8));
        byte[] cut = round % 8 == 0 ? Arrays.copyOf(stored, random.nextInt(stored.length)) : stored;
        checkDamaged(codec, cut, plain.length, round);
      }
    }
  }

  /**
   * Holds a device against the reference.
   *
   * @return whether the page is wrong
   */
  private boolean checkDamaged(PageCodec codec, byte[] stored, int size, int round) {
    Decompression found = decompress(List.of(stored), new int[] {size}, codec);
    byte[] expected;
    try {
      expected = ReferencePages.decompressed(codec, stored, size);
    } catch (ReferencePages.UnspecifiedException e) {
      return false;
    }
    String what = codec + ", round " + round;
    assertEquals(expected == null ? 0 : -1, PageContractTest.page(found.error), what);
    if (expected != null) {
      assertArrayEquals(expected, Arrays.copyOfRange(found.bytes, 3, 3 + size), what);
    }
    return expected == null;
  }

  /** Elements of every kind, as no library may write them. */
  @Test
  void elementsOfEachKind() {
    checkElements(30, 60, 1000);
  }

  /** They lie across what is looked at together, and name bytes far before. */
  @Test
  void longElements() {
    checkElements(4, 400, 9000);
  }

  private void checkElements(int pages, int elementCount, int longest) {
    for (PageCodec codec : CODECS) {
      List<byte[]> plain = new ArrayList<>();
      List<byte[]> stored = new ArrayList<>();
      for (int page = 0; page < pages; page++) {
        CompressedPage made = new CompressedPage(random, elementCount * (2 * longest + 100));
        for (int i = random.nextInt(elementCount); i >= 0; i--) {
          if (codec == PageCodec.LZ4) {
            made.sequence(longest);
          } else {
            made.element(longest);
          }
        }
        stored.add(codec == PageCodec.LZ4 ? made.lz4() : made.snappy());
        plain.add(made.plain());
      }
      checkDecompressed(plain, stored, codec);
    }
  }

  @Test
  void compressedPagesThatLie() {
    byte[] offsetZero = {4, 0, 7, 2 << 2 | 2, 0, 0};
    byte[] beforeBegin = {4, 0, 7, 2 << 2 | 2, 2, 0};
    byte[] tooLong = {4, 3 << 2, 1, 2, 3, 4, 0, 7};
    byte[] huge = {4, (byte) (63 << 2), -1, -1, -1, -1};
    byte[] endless = {-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1};
    checkLies(
        PageCodec.SNAPPY,
        List.of(
            beforeBegin,
            tooLong,
            huge,
            endless,
            new byte[0],
            new byte[] {4},
            new byte[] {5, 4 << 2, 1, 2, 3, 4, 5}));
    // What no writer means may be refused or not, but nothing else is written.
    decompress(List.of(offsetZero), new int[] {4}, PageCodec.SNAPPY);
  }

  @Test
  void blocksThatLie() {
    byte[] beforeBegin = {0x10, 7, 2, 0, 0x50, 1, 2, 3, 4, 5};
    byte[] tooLong = {0x50, 1, 2, 3, 4, 5};
    byte[] longLiteral = {(byte) 0xF0, -1, -1, -1, 0, 1, 2, 3};
    byte[] longCopy = {0x1F, 7, 1, 0, -1, -1, -1, 0, 0x50, 1, 2, 3, 4, 5};
    byte[] endless = {(byte) 0xFF, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1};
    checkLies(
        PageCodec.LZ4,
        List.of(
            beforeBegin,
            tooLong,
            longLiteral,
            longCopy,
            endless,
            new byte[] {0x40},
            new byte[] {0x30, 1, 2, 3}));
  }

  private void checkLies(PageCodec codec, List<byte[]> lies) {
    byte[] stored = compressed(codec, compressible(1000));
    for (byte[] wrong : lies) {
      Decompression result =
          decompress(List.of(stored, wrong, stored), new int[] {1000, 4, 1000}, codec);
      assertEquals(1, PageContractTest.page(result.error), Arrays.toString(wrong));
    }
    for (int size : new int[] {999, 1001}) {
      Decompression result = decompress(List.of(stored), new int[] {size}, codec);
      assertEquals(0, PageContractTest.page(result.error), codec + " to " + size);
    }
  }

  @Test
  void damagedCompressedPages() {
    for (PageCodec codec : CODECS) {
      int errors = 0;
      for (int round = 0; round < ROUNDS; round++) {
        byte[] plain = compressible(random.nextInt(600));
        byte[] stored = compressed(codec, plain);
        for (int i = random.nextInt(3); i >= 0; i--) {
          stored[random.nextInt(stored.length)] ^= (byte) (1 << random.nextInt(8));
        }
        byte[] cut =
            random.nextInt(4) == 0 ? Arrays.copyOf(stored, random.nextInt(stored.length)) : stored;
        errors += checkDamaged(codec, cut, plain.length, round) ? 1 : 0;
      }
      assertTrue(errors > ROUNDS / 10, codec + ": " + errors + " of " + ROUNDS);
    }
  }
}
