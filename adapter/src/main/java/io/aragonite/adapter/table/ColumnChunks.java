package io.aragonite.adapter.table;

import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/** Columns in pieces as batches of rows. */
final class ColumnChunks {
  private ColumnChunks() {}

  /** Rows without columns. */
  static List<ColumnBatch> bare(long rows) {
    List<ColumnBatch> chunks = new ArrayList<>();
    for (long from = 0; from < rows; from += PieceWriter.PIECE_ROWS) {
      chunks.add(new ColumnBatch(List.of(), (int) Math.min(PieceWriter.PIECE_ROWS, rows - from)));
    }
    return chunks;
  }

  /** Columns are cut independently of each other: chunks are their common refinement. */
  static List<ColumnBatch> align(List<List<Column>> columns) {
    TreeSet<Long> cuts = new TreeSet<>();
    for (List<Column> column : columns) {
      long at = 0;
      cuts.add(at);
      for (Column piece : column) {
        cuts.add(at += piece.dataRows());
      }
    }
    List<ColumnBatch> chunks = new ArrayList<>();
    int[] piece = new int[columns.size()];
    long[] pieceStart = new long[columns.size()];
    long from = 0;
    for (long to : cuts.tailSet(0L, false)) {
      List<Column> slices = new ArrayList<>();
      int count = (int) (to - from);
      for (int c = 0; c < columns.size(); c++) {
        List<Column> pieces = columns.get(c);
        if (from >= pieceStart[c] + pieces.get(piece[c]).dataRows()) {
          pieceStart[c] += pieces.get(piece[c]++).dataRows();
        }
        Column whole = pieces.get(piece[c]);
        slices.add(
            whole.dataRows() == count ? whole : whole.slice((int) (from - pieceStart[c]), count));
      }
      chunks.add(new ColumnBatch(slices, count));
      from = to;
    }
    return chunks;
  }
}
