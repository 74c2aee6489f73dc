package io.aragonite.adapter.format.parquet;

import static io.aragonite.exec.page.MalformedPageException.present;

import io.aragonite.exec.table.ZoneMap;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.parquet.format.ColumnChunk;
import org.apache.parquet.format.ColumnIndex;
import org.apache.parquet.format.OffsetIndex;
import org.apache.parquet.format.PageLocation;
import org.jspecify.annotations.Nullable;
import shaded.parquet.org.apache.thrift.TBase;

/**
 * What a file's column and offset index say of each page of a column chunk.
 *
 * @param starts the first row of each page within the row group, and the group's rows at the end
 * @param pages what is known of them
 */
record PageIndex(int[] starts, List<ZoneMap> pages) {
  /** Indexes are small; nothing is allocated for one that says it is not. */
  private static final int MOST_BYTES = 1 << 26;

  /** Null if there is none that can be used: pages do not need it. */
  static @Nullable PageIndex of(Footer file, ColumnChunk chunk, ColumnBounds bounds, int rows) {
    ColumnIndex values = new ColumnIndex();
    OffsetIndex places = new OffsetIndex();
    boolean read =
        read(file, chunk.getColumn_index_offset(), chunk.getColumn_index_length(), values)
            && read(file, chunk.getOffset_index_offset(), chunk.getOffset_index_length(), places);
    List<PageLocation> locations = places.getPage_locations();
    if (!read || locations == null || !agree(values, locations.size())) {
      return null;
    }
    int[] starts = new int[locations.size() + 1];
    starts[locations.size()] = rows;
    for (int i = 0; i < locations.size(); i++) {
      long first = locations.get(i).getFirst_row_index();
      if (i == 0 ? first != 0 : first <= starts[i - 1] || first >= rows) {
        return null;
      }
      starts[i] = (int) first;
    }
    List<ZoneMap> pages = new ArrayList<>();
    for (int i = 0; i < locations.size(); i++) {
      pages.add(page(values, i, bounds, starts[i + 1] - starts[i]));
    }
    return new PageIndex(starts, pages);
  }

  private static boolean agree(ColumnIndex values, int pages) {
    return pages > 0
        && values.getNull_pages() != null
        && values.getNull_pagesSize() == pages
        && values.getMin_valuesSize() == pages
        && values.getMax_valuesSize() == pages
        && (!values.isSetNull_counts() || values.getNull_countsSize() == pages);
  }

  private static ZoneMap page(ColumnIndex values, int page, ColumnBounds bounds, int rows) {
    if (present(values.getNull_pages(), "pages of nulls").get(page)) {
      return new ZoneMap(rows, rows, null, null, false);
    }
    List<Long> nulls = values.getNull_counts();
    return bounds.ofPage(
        bytes(present(values.getMin_values(), "least values").get(page)),
        bytes(present(values.getMax_values(), "largest values").get(page)),
        nulls == null ? -1 : nulls.get(page),
        rows);
  }

  private static byte[] bytes(ByteBuffer buffer) {
    byte[] bytes = new byte[buffer.remaining()];
    buffer.duplicate().get(bytes);
    return bytes;
  }

  private static boolean read(Footer file, long offset, int length, TBase<?, ?> to) {
    long size = file.dataEnd() - file.address();
    if (offset < 4 || length <= 0 || length > MOST_BYTES || offset > size - length) {
      return false;
    }
    file.mapping().require(offset, length);
    long from = file.address() + offset;
    try {
      long _ = ThriftInput.read(from, from + length, to);
      return true;
    } catch (IOException | RuntimeException e) {
      return false;
    }
  }

  /** What is known of a run of the row group's rows, in as many runs as there are pages. */
  List<ZoneMap> zones(int from, int to) {
    List<ZoneMap> zones = new ArrayList<>();
    for (int i = 0; i < pages.size(); i++) {
      int rows = Math.min(to, starts[i + 1]) - Math.max(from, starts[i]);
      if (rows > 0) {
        zones.add(pages.get(i).part(rows));
      }
    }
    return zones;
  }
}
