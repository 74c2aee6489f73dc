package io.aragonite.adapter.format;

import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.spill.file.SpillSpace;

/** For tests that have no engine: unpacks into the system's folder for temporary files. */
public final class TestUnpacking {
  public static final Unpacking ANY =
      new Unpacking(new SpillSpace(null, Long.MAX_VALUE, new MemoryBudget("test", 1 << 20)));

  private TestUnpacking() {}
}
