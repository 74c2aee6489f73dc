package io.aragonite.adapter.format.arrow;

import io.aragonite.adapter.format.CutTimes;
import io.aragonite.adapter.format.FileColumn;
import io.aragonite.adapter.format.FileErrors;
import io.aragonite.adapter.format.FileScope;
import io.aragonite.adapter.format.ForeignKeyHint;
import io.aragonite.adapter.format.TableFile;
import io.aragonite.adapter.remote.FileMapping;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.spill.file.SpillSpace;
import io.aragonite.exec.vector.Column;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.arrow.flatbuf.Footer;
import org.apache.arrow.flatbuf.Message;
import org.apache.arrow.flatbuf.RecordBatch;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.ForeignAllocation;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.TypeLayout;
import org.apache.arrow.vector.VectorLoader;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.dictionary.Dictionary;
import org.apache.arrow.vector.dictionary.DictionaryEncoder;
import org.apache.arrow.vector.ipc.message.ArrowBlock;
import org.apache.arrow.vector.ipc.message.ArrowDictionaryBatch;
import org.apache.arrow.vector.ipc.message.ArrowFooter;
import org.apache.arrow.vector.ipc.message.ArrowRecordBatch;
import org.apache.arrow.vector.ipc.message.MessageSerializer;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;
import org.apache.arrow.vector.util.DictionaryUtility;
import org.jspecify.annotations.Nullable;

/**
 * An Arrow IPC file, mapped into memory. A column is read by giving Arrow's loader that column's
 * buffers only, so that uncompressed values are used where they lie and other columns are never
 * touched.
 *
 * <p>Keys are taken from the schema's metadata: {@code aragonite.primaryKey} ({@code a,b}) and
 * {@code aragonite.foreignKeys} ({@code a,b->table(c,d);…}).
 */
public final class ArrowFile implements TableFile {
  private final CutTimes cutTimes = new CutTimes();
  private static final byte[] MAGIC = "ARROW1".getBytes(StandardCharsets.US_ASCII);

  private final Path path;
  private final BufferAllocator allocator = new RootAllocator();
  private final FileMapping mapping;
  private final MemorySegment file;
  private final Schema schema;
  private final List<FileColumn> columns = new ArrayList<>();
  private final List<FilePart> parts = new ArrayList<>();
  private final Map<Long, Dictionary> dictionaries = new HashMap<>();
  private volatile boolean damaged;

  /**
   * @throws AragoniteException FILE_BROKEN
   */
  public static ArrowFile open(Path path) {
    return new ArrowFile(path, null);
  }

  /**
   * The same for a file that may be a remote one.
   *
   * @param space where a copy of it is
   */
  public static ArrowFile open(Path path, SpillSpace space) {
    return new ArrowFile(path, space);
  }

  @SuppressWarnings("this-escape")
  private ArrowFile(Path path, @Nullable SpillSpace space) {
    this.path = path;
    this.mapping = map(path, space);
    this.file = mapping.bytes();
    boolean done = false;
    try {
      ArrowFooter footer = footer();
      schema = footer.getSchema();
      for (Field field : schema.getFields()) {
        columns.add(ArrowTypes.root(field));
      }
      readDictionaries(footer);
      for (ArrowBlock block : footer.getRecordBatches()) {
        parts.add(new Batch(block));
      }
      done = true;
    } catch (AragoniteException e) {
      throw e;
    } catch (IOException e) {
      throw broken(FileErrors.reason(e), e);
    } catch (RuntimeException e) {
      throw broken(e.getMessage() == null ? e.toString() : e.getMessage(), e);
    } finally {
      if (!done) {
        close();
      }
    }
  }

  private FileMapping map(Path from, @Nullable SpillSpace space) {
    try {
      return FileScope.open(from, space);
    } catch (IOException e) {
      allocator.close();
      throw broken(FileErrors.reason(e), e);
    }
  }

  private AragoniteException broken(String what, @Nullable Exception cause) {
    return new AragoniteException(
        ErrorCode.FILE_BROKEN,
        "%s is not a readable Arrow IPC file: %s; write it again".formatted(path, what),
        cause);
  }

  private MemorySegment slice(long offset, long length, String what) {
    if (offset < 0 || length < 0 || offset > file.byteSize() - length) {
      throw broken(
          "%s at byte %,d of %,d bytes lies outside the file".formatted(what, offset, length),
          null);
    }
    mapping.require(offset, length);
    return file.asSlice(offset, length);
  }

  private ArrowFooter footer() {
    long size = file.byteSize();
    if (size < 2 * MAGIC.length + 8
        || slice(0, MAGIC.length, "the header").mismatch(MemorySegment.ofArray(MAGIC)) >= 0
        || slice(size - MAGIC.length, MAGIC.length, "the end")
                .mismatch(MemorySegment.ofArray(MAGIC))
            >= 0) {
      throw broken(
          "it does not begin and end with " + new String(MAGIC, StandardCharsets.US_ASCII), null);
    }
    MemorySegment end = slice(size - MAGIC.length - 4, 4, "the footer's length");
    int length = end.get(ValueLayout.JAVA_INT_UNALIGNED, 0);
    ByteBuffer bytes = buffer(slice(size - MAGIC.length - 4 - length, length, "the footer"));
    return new ArrowFooter(Footer.getRootAsFooter(bytes));
  }

  private static ByteBuffer buffer(MemorySegment segment) {
    return segment.asByteBuffer().order(ByteOrder.LITTLE_ENDIAN);
  }

  private Message message(ArrowBlock block) {
    MemorySegment metadata = slice(block.getOffset(), block.getMetadataLength(), "a message");
    // Since format version 0.15 a continuation marker comes before the length.
    int prefix = metadata.get(ValueLayout.JAVA_INT_UNALIGNED, 0) == -1 ? 8 : 4;
    return Message.getRootAsMessage(buffer(metadata.asSlice(prefix)));
  }

  private ArrowBuf body(ArrowBlock block) {
    MemorySegment body =
        slice(
            block.getOffset() + block.getMetadataLength(),
            block.getBodyLength(),
            "a message's body");
    if (body.byteSize() == 0) {
      return allocator.getEmpty();
    }
    return allocator.wrapForeignAllocation(
        new ForeignAllocation(body.byteSize(), body.address()) {
          @Override
          protected void release0() {}
        });
  }

  private void readDictionaries(ArrowFooter footer) throws IOException {
    Map<Long, Dictionary> empty = new HashMap<>();
    for (Field field : schema.getFields()) {
      DictionaryUtility.toMemoryFormat(field, allocator, empty);
    }
    dictionaries.putAll(empty);
    for (ArrowBlock block : footer.getDictionaries()) {
      try (ArrowDictionaryBatch batch =
          MessageSerializer.deserializeDictionaryBatch(message(block), body(block))) {
        Dictionary dictionary = dictionaries.get(batch.getDictionaryId());
        if (dictionary == null) {
          throw broken("a dictionary has the unknown number " + batch.getDictionaryId(), null);
        }
        FieldVector vector = dictionary.getVector();
        VectorSchemaRoot root =
            new VectorSchemaRoot(List.of(vector.getField()), List.of(vector), 0);
        new VectorLoader(root, ArrowDecompression.INSTANCE).load(batch.getDictionary());
      }
    }
  }

  @Override
  public List<FileColumn> columns() {
    return columns;
  }

  @Override
  public List<String> primaryKey() {
    String key = schema.getCustomMetadata().get("aragonite.primaryKey");
    return key == null || key.isEmpty() ? List.of() : List.of(key.split(","));
  }

  @Override
  public List<ForeignKeyHint> foreignKeys() {
    String keys = schema.getCustomMetadata().get("aragonite.foreignKeys");
    List<ForeignKeyHint> result = new ArrayList<>();
    for (String key : keys == null || keys.isEmpty() ? new String[0] : keys.split(";")) {
      int arrow = key.indexOf("->");
      int open = key.indexOf('(', arrow);
      if (arrow < 0 || open < 0 || !key.endsWith(")")) {
        throw broken("its foreign key \"" + key + "\" is not of the form a,b->table(c,d)", null);
      }
      result.add(
          new ForeignKeyHint(
              List.of(key.substring(0, arrow).split(",")),
              key.substring(arrow + 2, open),
              List.of(key.substring(open + 1, key.length() - 1).split(","))));
    }
    return result;
  }

  @Override
  public boolean cutsTimes(int column) {
    return cutTimes.contains(column);
  }

  @Override
  public List<FilePart> parts() {
    return parts;
  }

  @Override
  public void forget(int part) {
    if (parts.get(part) instanceof Batch batch) {
      long from = batch.block.getOffset() + batch.block.getMetadataLength();
      file.asSlice(from, batch.block.getBodyLength()).unload();
    }
  }

  @Override
  public void close() {
    dictionaries.values().forEach(dictionary -> dictionary.getVector().close());
    dictionaries.clear();
    try {
      allocator.close();
    } catch (IllegalStateException e) {
      // Arrow's loader leaves buffers behind where it cannot decompress; anything else is our
      // defect.
      if (!damaged) {
        throw e;
      }
    } finally {
      mapping.close();
    }
  }

  /** One record batch. */
  private final class Batch implements FilePart {
    private final ArrowBlock block;
    private final int rows;

    Batch(ArrowBlock block) {
      this.block = block;
      this.rows = Math.toIntExact(header().length());
      slice(block.getOffset() + block.getMetadataLength(), block.getBodyLength(), "a record batch");
    }

    private RecordBatch header() {
      Message message = message(block);
      if (!(message.header(new RecordBatch()) instanceof RecordBatch batch)) {
        throw broken("a message is not a record batch", null);
      }
      return batch;
    }

    @Override
    public int rows() {
      return rows;
    }

    @Override
    public Decoded read(int column, QueryMemory temporary) {
      try {
        FieldVector vector = load(column);
        try {
          FileColumn declared = columns.get(column);
          Column converted =
              declared.nested() == null
                  ? ArrowTypes.convert(vector, declared, rows, temporary)
                  : NestedArrow.convert(vector, declared, rows, temporary);
          if (ArrowTypes.cutsTimes(vector, rows)) {
            cutTimes.add(column);
          }
          return new Decoded(converted, vector);
        } catch (Throwable e) {
          vector.close();
          throw e;
        }
      } catch (AragoniteException e) {
        throw e;
      } catch (IOException | RuntimeException e) {
        damaged = true;
        throw broken("column \"%s\": %s".formatted(columns.get(column).name(), e.getMessage()), e);
      }
    }

    private FieldVector load(int column) throws IOException {
      int firstNode = 0;
      int firstBuffer = 0;
      for (int i = 0; i < column; i++) {
        Field before = stored(i);
        firstNode += nodes(before);
        firstBuffer += buffers(before);
      }
      Field field = stored(column);
      FieldVector vector = field.createVector(allocator);
      boolean done = false;
      try (ArrowBuf body = body(block);
          ArrowRecordBatch all =
              MessageSerializer.deserializeRecordBatch(header(), retained(body));
          ArrowRecordBatch mine =
              new ArrowRecordBatch(
                  all.getLength(),
                  all.getNodes().subList(firstNode, firstNode + nodes(field)),
                  all.getBuffers().subList(firstBuffer, firstBuffer + buffers(field)),
                  all.getBodyCompression(),
                  true)) {
        VectorSchemaRoot root = new VectorSchemaRoot(List.of(field), List.of(vector), 0);
        new VectorLoader(root, ArrowDecompression.INSTANCE).load(mine);
        done = true;
      } finally {
        if (!done) {
          vector.close();
        }
      }
      Field declared = schema.getFields().get(column);
      if (declared.getDictionary() == null) {
        return vector;
      }
      try (vector) {
        Dictionary dictionary = dictionaries.get(declared.getDictionary().getId());
        if (dictionary == null) {
          throw broken("it lacks dictionary " + declared.getDictionary().getId(), null);
        }
        return (FieldVector) DictionaryEncoder.decode(vector, dictionary, allocator);
      }
    }

    /** deserializeRecordBatch takes a reference over; the caller closes its own. */
    private static ArrowBuf retained(ArrowBuf body) {
      body.getReferenceManager().retain();
      return body;
    }

    /** The field as its values are stored: indices, if there is a dictionary. */
    private Field stored(int column) {
      Field field = schema.getFields().get(column);
      return field.getDictionary() == null
          ? field
          : DictionaryUtility.toMemoryFormat(field, allocator, new HashMap<>(dictionaries));
    }

    private static int nodes(Field field) {
      return 1 + field.getChildren().stream().mapToInt(Batch::nodes).sum();
    }

    private static int buffers(Field field) {
      return TypeLayout.getTypeBufferCount(field.getType())
          + field.getChildren().stream().mapToInt(Batch::buffers).sum();
    }
  }
}
