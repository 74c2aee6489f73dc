package io.aragonite.tpch;

import java.util.Collections;
import java.util.Iterator;

/**
 * The rows of a table from any row on. The generator can start only at the parts of an even split,
 * so this splits finely, starts at the part that holds the row, skips, and goes on through the
 * parts that follow.
 */
final class RowCursor<R> {
  /** Small enough that skipping costs little, large enough that so does starting a part. */
  private static final int UNITS_PER_PART = 512;

  /** The generator of a part; parts count from 1. */
  interface PartGenerator<R> {
    Iterable<R> part(int part, int partCount);
  }

  private final PartGenerator<R> parts;
  private final int partCount;
  private int part;
  private Iterator<R> rows = Collections.emptyIterator();

  RowCursor(TpchTable table, TpchScale scale, RowRange start, PartGenerator<R> parts) {
    this.parts = parts;
    long units = scale.units(table);
    this.partCount = Math.toIntExact(Math.max(1, units / UNITS_PER_PART));
    long unitsPerPart = units / partCount; // as the generator divides: the last one has the rest
    this.part = (int) Math.min(start.firstUnit() / unitsPerPart, partCount - 1);
    long skip =
        RowRange.rowsBetween(table, part * unitsPerPart, start.firstUnit()) + start.skipRows();
    for (long i = 0; i < skip; i++) {
      next();
    }
  }

  /** The next row; there must be one. */
  R next() {
    while (!rows.hasNext()) {
      rows = parts.part(++part, partCount).iterator();
    }
    return rows.next();
  }
}
