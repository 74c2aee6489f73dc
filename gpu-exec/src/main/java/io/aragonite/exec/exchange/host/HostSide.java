package io.aragonite.exec.exchange.host;

import io.aragonite.exec.device.HostColumn;
import io.aragonite.exec.memory.Mem;
import java.util.List;
import java.util.stream.Stream;

/**
 * A side of a join in host memory.
 *
 * @param key signed integers of 4 or 8 bytes
 * @param validity for each piece of the key the address of its bitmap, 0 where it has none; rows
 *     whose key is null have no partner, and are left out. Empty: no nulls
 * @param payload what goes along, of any fixed width up to 8 bytes
 */
public record HostSide(HostColumn key, List<Long> validity, List<HostColumn> payload) {
  public HostSide {
    if (key.width() != Integer.BYTES && key.width() != Long.BYTES) {
      throw new IllegalArgumentException("keys of " + key.width() + " bytes");
    }
  }

  public long rows() {
    return key.rows();
  }

  /** Whether a key may be null. */
  boolean nulls() {
    return validity.stream().anyMatch(address -> address != 0);
  }

  boolean valid(long row) {
    if (validity.isEmpty()) {
      return true;
    }
    int piece = key.piece(row);
    long bits = validity.get(piece);
    return bits == 0 || Mem.getBit(bits, row - key.start(piece));
  }

  /** Bytes of a value of each column, the key's first. */
  List<Integer> widths() {
    return Stream.concat(Stream.of(key), payload.stream()).map(HostColumn::width).toList();
  }

  /** Bytes of a row. */
  public int rowBytes() {
    return widths().stream().mapToInt(Integer::intValue).sum();
  }
}
