package io.aragonite.exec.device.cpu.window;

import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.vector.Column;

/** Which rows of a column without an indirection are null, whatever its type. */
final class NullCheck {
  private final boolean all;
  private final long validity;

  NullCheck(Column column) {
    all = column.shape().storage() == Storage.NONE;
    validity = column.validity() == null ? 0 : column.validity().address();
  }

  boolean isNull(int row) {
    return all || (validity != 0 && !Mem.getBit(validity, row));
  }
}
