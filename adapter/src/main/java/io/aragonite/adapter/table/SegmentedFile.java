package io.aragonite.adapter.table;

import io.aragonite.adapter.format.ColumnWidening;
import io.aragonite.adapter.format.FileColumn;
import io.aragonite.adapter.format.TableFile;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.type.DataType;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** The segments of a connection's table as they are in one version of it. */
final class SegmentedFile implements TableFile {
  private final List<FileColumn> columns;
  private final List<TableSegment> segments;
  private final List<FilePart> parts = new ArrayList<>();

  /**
   * @param segments which this holds until it is closed
   */
  SegmentedFile(List<FileColumn> columns, List<TableSegment> segments) {
    this.columns = List.copyOf(columns);
    this.segments = List.copyOf(segments);
    for (TableSegment segment : segments) {
      segment.hold();
      List<FilePart> own = segment.file().parts();
      for (int i = 0; i < own.size(); i++) {
        parts.add(new Part(segment, i, own.get(i)));
      }
    }
  }

  List<TableSegment> segments() {
    return segments;
  }

  @Override
  public List<FileColumn> columns() {
    return columns;
  }

  @Override
  public List<FilePart> parts() {
    return parts;
  }

  @Override
  public void forget(int part) {
    if (parts.get(part) instanceof Part mine) {
      mine.segment.file().forget(mine.index);
    }
  }

  @Override
  public void close() {
    segments.forEach(TableSegment::release);
  }

  /** A record batch, in the types that the table declares. */
  private final class Part implements FilePart {
    private final TableSegment segment;
    private final int index;
    private final FilePart part;

    Part(TableSegment segment, int index, FilePart part) {
      this.segment = segment;
      this.index = index;
      this.part = part;
    }

    @Override
    public int rows() {
      return part.rows();
    }

    @Override
    public Decoded read(int column, QueryMemory temporary) {
      DataType declared = Objects.requireNonNull(columns.get(column).type());
      DataType stored = Objects.requireNonNull(segment.file().columns().get(column).type());
      return ColumnWidening.widen(part.read(column, temporary), stored, declared, temporary);
    }
  }
}
