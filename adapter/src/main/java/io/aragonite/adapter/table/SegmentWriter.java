package io.aragonite.adapter.table;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.spill.file.ScratchFile;
import io.aragonite.exec.spill.file.SpillSpace;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorLoader;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.VectorUnloader;
import org.apache.arrow.vector.ipc.ArrowFileReader;
import org.apache.arrow.vector.ipc.ArrowFileWriter;
import org.apache.arrow.vector.ipc.message.ArrowRecordBatch;
import org.apache.arrow.vector.types.pojo.Schema;
import org.apache.arrow.vector.util.VectorSchemaRootAppender;
import org.jspecify.annotations.Nullable;

/** Writes the rows of a segment. What is not finished leaves nothing behind. */
public final class SegmentWriter implements AutoCloseable {
  private static final int BUFFER = 1 << 20;

  private final SpillSpace space;
  private final BufferAllocator allocator;
  private @Nullable ScratchFile scratch;
  private @Nullable VectorSchemaRoot root;
  private @Nullable OutputStream out;
  private @Nullable ArrowFileWriter writer;
  private long rows;

  SegmentWriter(SpillSpace space, BufferAllocator allocator) {
    this.space = space;
    this.allocator = allocator;
  }

  /** Rows written so far. */
  public long rows() {
    return rows;
  }

  /**
   * Adds rows, all with the same schema.
   *
   * @throws AragoniteException DISK_FAILED if the disk, or what may be used of it, is full
   */
  public void write(VectorSchemaRoot batch) throws IOException {
    ArrowFileWriter open = writer;
    if (open == null) {
      open = open(batch.getSchema());
    }
    if (batch.getRowCount() == 0) {
      return;
    }
    try (ArrowRecordBatch moved = new VectorUnloader(batch).getRecordBatch()) {
      new VectorLoader(java.util.Objects.requireNonNull(root)).load(moved);
    }
    open.writeBatch();
    rows += batch.getRowCount();
  }

  private ArrowFileWriter open(Schema schema) throws IOException {
    ScratchFile file = space.scratchFile();
    scratch = file;
    OutputStream made = file.create();
    out = made;
    root = VectorSchemaRoot.create(schema, allocator);
    OutputStream buffered = new BufferedOutputStream(made, BUFFER);
    ArrowFileWriter open = new ArrowFileWriter(root, null, Channels.newChannel(buffered));
    writer = open;
    open.start();
    return open;
  }

  /** The segment; the writer is of no use any more. */
  TableSegment finish() throws IOException {
    ArrowFileWriter open = writer;
    ScratchFile file = scratch;
    if (open == null || file == null) {
      throw new AragoniteException(ErrorCode.INTERNAL, "A segment was finished before it began.");
    }
    open.end();
    open.close();
    writer = null;
    TableSegment segment = new TableSegment(file, rows);
    scratch = null;
    return segment;
  }

  /** A segment of the rows of some others, in one batch. */
  static TableSegment merged(
      SpillSpace space, BufferAllocator allocator, List<TableSegment> segments) throws IOException {
    try (SegmentWriter writer = new SegmentWriter(space, allocator);
        VectorSchemaRoot all = VectorSchemaRoot.create(schema(segments, allocator), allocator)) {
      all.getFieldVectors().forEach(FieldVector::allocateNew);
      for (TableSegment segment : segments) {
        try (FileChannel channel = FileChannel.open(segment.scratch().path());
            ArrowFileReader reader = new ArrowFileReader(channel, allocator)) {
          while (reader.loadNextBatch()) {
            VectorSchemaRootAppender.append(false, all, reader.getVectorSchemaRoot());
          }
        }
      }
      writer.write(all);
      return writer.finish();
    }
  }

  private static Schema schema(List<TableSegment> segments, BufferAllocator allocator)
      throws IOException {
    try (FileChannel channel = FileChannel.open(segments.getFirst().scratch().path());
        ArrowFileReader reader = new ArrowFileReader(channel, allocator)) {
      return reader.getVectorSchemaRoot().getSchema();
    }
  }

  /** What was not written yet is left out: there may be no room for it. */
  @Override
  public void close() throws IOException {
    try (ScratchFile _ = scratch;
        VectorSchemaRoot _ = root;
        OutputStream _ = out) {
      writer = null;
    }
  }
}
