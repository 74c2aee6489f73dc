package io.aragonite.exec.device.contract;

import io.aragonite.exec.page.PageBytes;
import java.util.Arrays;
import java.util.Random;

/** A compressed page of random elements, and what comes of it. */
final class CompressedPage {
  /** Bytes that a block of LZ4 ends with at least, none of which is a copy. */
  private static final int LAST_LITERALS = 12;

  private final Random random;
  private final PageBytes elements;
  private final byte[] bytes;
  private int size;

  /**
   * @param most room for what comes out
   */
  CompressedPage(Random random, int most) {
    this.random = random;
    this.elements = new PageBytes(random);
    this.bytes = new byte[most + LAST_LITERALS];
  }

  byte[] plain() {
    return Arrays.copyOf(bytes, size);
  }

  /** Adds one of Snappy's. */
  void element(int longest) {
    if (size == 0 || random.nextInt(3) == 0) {
      byte[] literal = literal(1 + length(longest));
      int length = literal.length - 1;
      int least = length < 60 ? 0 : length < 256 ? 1 : 2;
      int more = least + random.nextInt(5 - least);
      elements.put((more == 0 ? length : 59 + more) << 2);
      elements.littleEndian(length, more);
      elements.put(literal);
      return;
    }
    int kind = 1 + random.nextInt(3);
    int length = kind == 1 ? 4 + random.nextInt(8) : 1 + random.nextInt(64);
    int offset = offset(kind == 1 ? 2047 : random.nextBoolean() ? 70 : 65_535);
    if (kind == 1) {
      elements.put(1 | length - 4 << 2 | offset >> 8 << 5);
      elements.put(offset);
    } else {
      elements.put(kind | length - 1 << 2);
      elements.littleEndian(offset, kind == 2 ? 2 : 4);
    }
    copy(offset, length);
  }

  /** Adds one of LZ4's. */
  void sequence(int longest) {
    byte[] literal = literal(size == 0 ? 1 + length(longest) : length(longest));
    int offset = offset(random.nextBoolean() ? 70 : 65_535);
    int length = length(longest);
    elements.put(Math.min(15, literal.length) << 4 | Math.min(15, length));
    more(literal.length);
    elements.put(literal);
    elements.littleEndian(offset, 2);
    more(length);
    copy(offset, length + 4);
  }

  private void more(int length) {
    int left = length - 15;
    for (; left >= 255; left -= 255) {
      elements.put(255);
    }
    if (left >= 0) {
      elements.put(left);
    }
  }

  private int length(int longest) {
    return random.nextInt(random.nextInt(8) == 0 ? longest : 90);
  }

  private int offset(int most) {
    return 1 + random.nextInt(Math.min(size, most));
  }

  private byte[] literal(int length) {
    byte[] literal = new byte[length];
    random.nextBytes(literal);
    System.arraycopy(literal, 0, bytes, size, length);
    size += length;
    return literal;
  }

  private void copy(int offset, int length) {
    for (int k = 0; k < length; k++, size++) {
      bytes[size] = bytes[size - offset];
    }
  }

  /** Of Snappy's elements. */
  byte[] snappy() {
    PageBytes whole = new PageBytes(random);
    whole.varint(size);
    whole.put(elements.bytes());
    return whole.bytes();
  }

  /** Of LZ4's sequences and the last literal. */
  byte[] lz4() {
    byte[] literal = literal(LAST_LITERALS);
    PageBytes whole = new PageBytes(random);
    whole.put(elements.bytes());
    whole.put(literal.length << 4);
    whole.put(literal);
    return whole.bytes();
  }
}
