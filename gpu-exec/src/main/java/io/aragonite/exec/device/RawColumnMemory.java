package io.aragonite.exec.device;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.memory.RawMemory;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Memory for what outlives a query, of blocks of a {@link RawMemory}. */
public final class RawColumnMemory implements ColumnMemory {
  /** What an {@link io.aragonite.exec.memory.Allocator} aligns to and has behind a buffer. */
  private static final int LINE = 64;

  private final MemoryBudget budget;
  private final RawMemory raw;

  /** Of each buffer's address the block that it is in. */
  private final Map<Long, Long> blocks = new ConcurrentHashMap<>();

  public RawColumnMemory(MemoryBudget budget, RawMemory raw) {
    this.budget = budget;
    this.raw = raw;
  }

  private static long padded(long bytes) {
    return bytes + 3 * LINE;
  }

  @Override
  public Buffer allocate(ExecContext context, long bytes, String what) {
    budget.admit(bytes);
    budget.reserve(padded(bytes), what);
    long block = raw.allocate(padded(bytes));
    if (block == 0) {
      budget.release(padded(bytes));
      throw new AragoniteException(
          ErrorCode.MEMORY_EXCEEDED, what + " needs memory that the system does not have.");
    }
    long address = (block + LINE - 1) & -LINE;
    blocks.put(address, block);
    return new Buffer(address, bytes);
  }

  @Override
  public long taken(Buffer buffer) {
    return padded(buffer.size());
  }

  @Override
  public void free(Buffer buffer) {
    Long block = blocks.remove(buffer.address());
    if (block != null) {
      raw.free(block);
      budget.release(padded(buffer.size()));
    }
  }

  @Override
  public void toDevice(ExecContext context, List<Copy> copies) {
    for (Copy copy : copies) {
      context
          .device()
          .transfers()
          .toDevice(context, copy.host(), copy.device(), copy.device().size());
    }
  }

  @Override
  public void fill(ExecContext context, Buffer buffer, byte value) {
    raw.fill(buffer.address(), buffer.size(), value);
  }

  @Override
  public void await(ExecContext context) {
    // Copies are done when they return.
  }
}
