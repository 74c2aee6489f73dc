package io.aragonite.exec.device.cpu.window;

import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.QueryMemory;

/** 32-bit integers in the query's memory. */
record IntVector(Buffer buffer) {
  static IntVector allocate(QueryMemory memory, long count) {
    return new IntVector(memory.allocate(count * 4));
  }

  int get(long index) {
    return Mem.getInt(buffer.address() + index * 4);
  }

  void set(long index, int value) {
    Mem.putInt(buffer.address() + index * 4, value);
  }
}
