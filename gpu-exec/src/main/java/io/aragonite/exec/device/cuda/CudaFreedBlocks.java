package io.aragonite.exec.device.cuda;

import io.aragonite.exec.memory.Buffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Blocks of a GPU's memory that were freed and wait for somebody who wants just as much: a query
 * that runs again asks for the same sizes. Safe for several threads.
 */
final class CudaFreedBlocks {
  /** Sizes by address; the block that was freed first is first. */
  private final LinkedHashMap<Long, Long> sizes = new LinkedHashMap<>();

  /** Addresses by size, the last one freed last. */
  private final Map<Long, ArrayDeque<Long>> addresses = new HashMap<>();

  private boolean closed;

  /** Keeps a block; false if nothing is kept any more. */
  synchronized boolean put(Buffer block) {
    if (closed) {
      return false;
    }
    sizes.put(block.address(), block.size());
    addresses.computeIfAbsent(block.size(), size -> new ArrayDeque<>()).addLast(block.address());
    return true;
  }

  /** The address of a block of a size, which is no longer kept; 0 if there is none. */
  synchronized long take(long bytes) {
    ArrayDeque<Long> some = addresses.get(bytes);
    if (some == null) {
      return 0;
    }
    long address = some.removeLast();
    forget(address, bytes, some);
    return address;
  }

  /** The block that was freed first, which is no longer kept; null if there is none. */
  synchronized @Nullable Buffer takeOldest() {
    Map.Entry<Long, Long> first = sizes.firstEntry();
    if (first == null) {
      return null;
    }
    long address = first.getKey();
    long bytes = first.getValue();
    ArrayDeque<Long> some = Objects.requireNonNull(addresses.get(bytes));
    some.removeFirstOccurrence(address);
    forget(address, bytes, some);
    return new Buffer(address, bytes);
  }

  private void forget(long address, long bytes, ArrayDeque<Long> some) {
    sizes.remove(address);
    if (some.isEmpty()) {
      addresses.remove(bytes);
    }
  }

  /** All blocks, the first freed first, which are no longer kept. */
  synchronized List<Buffer> takeAll() {
    List<Buffer> all = new ArrayList<>(sizes.size());
    sizes.forEach((address, bytes) -> all.add(new Buffer(address, bytes)));
    sizes.clear();
    addresses.clear();
    return all;
  }

  /** All blocks; nothing is kept from now on. */
  synchronized List<Buffer> close() {
    closed = true;
    return takeAll();
  }

  synchronized int count() {
    return sizes.size();
  }
}
