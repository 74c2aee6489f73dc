package io.aragonite.exec.operator;

import io.aragonite.exec.device.ColumnStore;
import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.pipeline.BatchConsumer;
import io.aragonite.exec.pipeline.PipelineHead;
import io.aragonite.exec.pipeline.StreamOperator;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnBatch;
import io.aragonite.exec.vector.ColumnShape;
import io.aragonite.exec.vector.Dictionary;
import io.aragonite.exec.vector.ValueRange;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The rows of several pipelines in one; columns that lie differently in them are converted. */
public final class UnionAll {
  /** Dictionaries are merged up to this size; beyond it texts are written out. */
  private static final int MAX_MERGED_DICTIONARY = 1 << 16;

  private UnionAll() {}

  /**
   * @param types what the columns are called; those of the inputs are the same but for nullability
   *     and lengths
   */
  public static PipelineHead of(List<PipelineHead> inputs, List<DataType> types) {
    List<ColumnShape> shapes = new ArrayList<>();
    for (int i = 0; i < types.size(); i++) {
      int column = i;
      List<ColumnShape> candidates =
          inputs.stream().map(input -> input.shapes().get(column)).toList();
      shapes.add(unify(candidates, types.get(i)));
    }
    List<PipelineHead> conformed = inputs.stream().map(input -> conform(input, shapes)).toList();
    return PipelineHead.unionAll(conformed, shapes);
  }

  /** A shape that columns of all of these shapes can be brought into. */
  public static ColumnShape unify(List<ColumnShape> shapes, DataType type) {
    List<ColumnShape> stored = new ArrayList<>(shapes.size());
    boolean mayBeNull = false;
    boolean sameStorage = true;
    for (ColumnShape shape : shapes) {
      boolean none = shape.storage() == Storage.NONE;
      mayBeNull |= none || shape.mayBeNull();
      if (!none) {
        stored.add(shape);
        sameStorage &= shape.storage() == stored.getFirst().storage();
      }
    }
    if (stored.isEmpty()) {
      return new ColumnShape(type, Storage.NONE, true, null, null);
    }
    ColumnShape first = stored.getFirst();
    if (stored.stream().allMatch(shape -> shape.storage().isCode())) {
      Dictionary dictionary = mergedDictionary(stored);
      Storage code =
          sameStorage && dictionary == first.dictionary() ? first.storage() : Storage.CODE;
      return new ColumnShape(
          type, dictionary == null ? Storage.BYTES : code, mayBeNull, dictionary, null);
    }
    if (!sameStorage && !stored.stream().allMatch(shape -> shape.storage().isInteger())) {
      return new ColumnShape(type, widest(stored), mayBeNull, null, null);
    }
    ValueRange range = first.range();
    for (ColumnShape shape : stored) {
      range = range == null || shape.range() == null ? null : range.union(shape.range());
    }
    return new ColumnShape(type, widest(stored), mayBeNull, null, range);
  }

  /** The storage that texts, or integers, of several storages can be brought into. */
  private static Storage widest(List<ColumnShape> shapes) {
    Storage widest = shapes.getFirst().storage();
    if (widest.isCode() || widest == Storage.BYTES) {
      return Storage.BYTES;
    }
    for (ColumnShape shape : shapes) {
      widest = shape.storage().width() > widest.width() ? shape.storage() : widest;
    }
    return widest;
  }

  private static @Nullable Dictionary mergedDictionary(List<ColumnShape> shapes) {
    Dictionary first = shapes.getFirst().dictionary();
    if (shapes.stream().allMatch(s -> s.dictionary() == first)) {
      return first;
    }
    TreeSet<byte[]> values = new TreeSet<>(Arrays::compareUnsigned);
    for (ColumnShape shape : shapes) {
      Dictionary dictionary = shape.dictionary();
      if (dictionary == null || values.size() + dictionary.size() > MAX_MERGED_DICTIONARY) {
        return null;
      }
      for (int i = 0; i < dictionary.size(); i++) {
        values.add(dictionary.bytes(i));
      }
    }
    return new Dictionary(values.toArray(byte[][]::new));
  }

  /** Whether columns of one shape can be read as columns of the other as they lie. */
  public static boolean fits(ColumnShape from, ColumnShape to) {
    return from.storage() == to.storage() && from.dictionary() == to.dictionary();
  }

  /** The pipeline with its columns brought into the given shapes. */
  public static PipelineHead conform(PipelineHead input, List<ColumnShape> shapes) {
    List<Integer> converted = new ArrayList<>();
    for (int i = 0; i < shapes.size(); i++) {
      if (!fits(input.shapes().get(i), shapes.get(i))) {
        converted.add(i);
      }
      if (input.shapes().get(i).type().kind() != shapes.get(i).type().kind()
          && input.shapes().get(i).storage() != Storage.NONE
          && !input.shapes().get(i).type().kind().isText()) {
        throw new AragoniteException(
            ErrorCode.INTERNAL,
            "A set operation got " + input.shapes().get(i).type() + " for " + shapes.get(i).type());
      }
    }
    return input.then(new CastOperator(shapes, converted));
  }

  /** Converts some columns, batch by batch. */
  private record CastOperator(List<ColumnShape> shapes, List<Integer> converted)
      implements StreamOperator {
    @Override
    public BatchConsumer newWorker(ExecContext context, BatchConsumer downstream) {
      ColumnStore store =
          new ColumnStore(converted.stream().map(shapes::get).toList(), context.memory());
      return new BatchConsumer() {
        @Override
        public void accept(ColumnBatch batch) {
          store.clear();
          store.append(
              context,
              new ColumnBatch(converted.stream().map(batch::column).toList(), batch.rows()));
          List<Column> columns = new ArrayList<>(batch.columns());
          for (int i = 0; i < columns.size(); i++) {
            Column column = columns.get(i);
            columns.set(
                i,
                new Column(
                    shapes.get(i),
                    column.dataRows(),
                    column.values(),
                    column.offsets(),
                    column.validity(),
                    column.rowIds()));
          }
          List<Column> made = store.view().columns();
          for (int i = 0; i < made.size(); i++) {
            columns.set(converted.get(i), made.get(i));
          }
          downstream.accept(new ColumnBatch(columns, batch.rows()));
        }

        @Override
        public void finish() {
          downstream.finish();
          store.close();
        }

        @Override
        public boolean done() {
          return downstream.done();
        }
      };
    }
  }
}
