package io.aragonite.adapter.copy;

import io.aragonite.adapter.copy.ChunkEncoder.EncodedBounds;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.parquet.format.BoundaryOrder;
import org.apache.parquet.format.ColumnIndex;
import org.apache.parquet.format.OffsetIndex;
import org.apache.parquet.format.PageLocation;
import org.jspecify.annotations.Nullable;

/** Where the pages of a column in a row group are, and between which bounds their values. */
final class ChunkIndex {
  private final List<PageLocation> places = new ArrayList<>();
  private final List<Boolean> empty = new ArrayList<>();
  private final List<Long> nulls = new ArrayList<>();
  private final List<ByteBuffer> least = new ArrayList<>();
  private final List<ByteBuffer> most = new ArrayList<>();
  private boolean bounded = true;

  /**
   * Adds a page.
   *
   * @param offset from the first page of values on
   * @param bytes with its header
   * @param row its first one in the row group
   * @param noValue whether all of its rows are null
   * @param bounds null: they are not known
   */
  void add(
      long offset,
      int bytes,
      int row,
      int nullCount,
      boolean noValue,
      @Nullable EncodedBounds bounds) {
    places.add(new PageLocation(offset, bytes, row));
    empty.add(noValue);
    nulls.add((long) nullCount);
    least.add(ByteBuffer.wrap(bounds == null ? new byte[0] : bounds.min()));
    most.add(ByteBuffer.wrap(bounds == null ? new byte[0] : bounds.max()));
    bounded &= noValue || bounds != null;
  }

  /** Null if there are pages whose bounds are not known: an index has those of all. */
  @Nullable ColumnIndex columnIndex() {
    return bounded
        ? new ColumnIndex(empty, least, most, BoundaryOrder.UNORDERED).setNull_counts(nulls)
        : null;
  }

  /**
   * @param start where the first page of values is in the file
   */
  OffsetIndex offsetIndex(long start) {
    return new OffsetIndex(
        places.stream()
            .map(place ->
                new PageLocation(
                    start + place.getOffset(),
                    place.getCompressed_page_size(),
                    place.getFirst_row_index()))
            .toList());
  }
}
