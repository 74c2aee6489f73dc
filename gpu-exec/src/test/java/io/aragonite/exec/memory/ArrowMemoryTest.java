package io.aragonite.exec.memory;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.memory.util.MemoryUtil;
import org.junit.jupiter.api.Test;

/** Arrow's buffers reach memory through our class, and without private parts of the JDK. */
class ArrowMemoryTest {
  @Test
  void theClassIsOurs() {
    assertEquals(
        Mem.class.getProtectionDomain().getCodeSource(),
        MemoryUtil.class.getProtectionDomain().getCodeSource());
  }

  @Test
  void buffersAndAddressesAreTheSameMemory() {
    try (BufferAllocator allocator = new RootAllocator();
        ArrowBuf buffer = allocator.buffer(64)) {
      buffer.setLong(8, 0x0102030405060708L);
      ByteBuffer view = buffer.nioBuffer(8, 16).order(ByteOrder.LITTLE_ENDIAN);
      assertEquals(0x0102030405060708L, view.getLong(0));
      view.putInt(12, 77);
      assertEquals(77, buffer.getInt(20));
      assertEquals(buffer.memoryAddress() + 8, MemoryUtil.getByteBufferAddress(view));
      view.position(5).limit(7);
      assertEquals(buffer.memoryAddress() + 8, MemoryUtil.getByteBufferAddress(view));

      ByteBuffer direct = ByteBuffer.allocateDirect(16);
      direct.put(3, (byte) 9).position(3);
      buffer.setBytes(0, direct);
      assertEquals(9, buffer.getByte(0));
      assertEquals(9, MemoryUtil.getByte(MemoryUtil.getByteBufferAddress(direct) + 3));
    }
  }

  @Test
  void copiesGoBothWays() {
    byte[] bytes = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    long address = MemoryUtil.allocateMemory(16);
    try {
      MemoryUtil.setMemory(address, 16, (byte) 0);
      MemoryUtil.copyToMemory(bytes, 1, address, 8);
      assertEquals(MemoryUtil.getLong(bytes, 1), MemoryUtil.getLong(address));
      assertEquals(MemoryUtil.getInt(bytes, 5), MemoryUtil.getInt(address + 4));
      MemoryUtil.copyMemory(address, address + 8, 8);
      byte[] back = new byte[4];
      MemoryUtil.copyFromMemory(address + 8, back, 1, 3);
      assertArrayEquals(new byte[] {0, 2, 3, 4}, back);
    } finally {
      MemoryUtil.freeMemory(address);
    }
    assertThrows(IllegalArgumentException.class, () -> MemoryUtil.directBuffer(8, -1));
  }
}
