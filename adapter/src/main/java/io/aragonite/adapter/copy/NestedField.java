package io.aragonite.adapter.copy;

import io.aragonite.adapter.format.nested.NestedType;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VarBinaryVector;
import org.apache.parquet.format.ConvertedType;
import org.apache.parquet.format.FieldRepetitionType;
import org.apache.parquet.format.ListType;
import org.apache.parquet.format.LogicalType;
import org.apache.parquet.format.MapType;
import org.apache.parquet.format.SchemaElement;
import org.jspecify.annotations.Nullable;

/**
 * A column of lists, structs or maps in a Parquet file, in the form that the format's rules ask
 * for: a list is a group LIST with a repeated group {@code list}, which has an {@code element}; a
 * map is a group MAP with a repeated group {@code key_value}, which has a {@code key}, never null,
 * and a {@code value}.
 */
final class NestedField implements WrittenField {
  /** Lists, structs and maps in each other; readers have such limits too. */
  private static final int MOST_DEPTH = 64;

  private final String name;
  private final NestedType type;
  private final List<SchemaElement> elements = new ArrayList<>();
  private final List<NestedLeaf> leaves = new ArrayList<>();

  /** A column of values, with the levels at which it has one. */
  private record NestedLeaf(
      List<String> path, ParquetField field, int definition, int repetition) {}

  /**
   * @throws AragoniteException COLUMN_TYPE_UNSUPPORTED if it is too deep
   */
  NestedField(String name, NestedType type) {
    this.name = name;
    this.type = type;
    add(type, name, FieldRepetitionType.OPTIONAL, List.of(), new Levels(0, 0, 0));
  }

  /** Of what a field is in. */
  private record Levels(int definition, int repetition, int depth) {
    Levels of(FieldRepetitionType field) {
      return switch (field) {
        case OPTIONAL -> new Levels(definition + 1, repetition, depth);
        case REPEATED -> new Levels(definition + 1, repetition + 1, depth);
        case REQUIRED -> this;
      };
    }

    Levels deeper() {
      return new Levels(definition, repetition, depth + 1);
    }
  }

  private void add(
      NestedType of, String field, FieldRepetitionType repetition, List<String> above, Levels at) {
    List<String> path = path(above, field);
    Levels levels = at.of(repetition);
    if (levels.depth > MOST_DEPTH) {
      throw new AragoniteException(
          ErrorCode.COLUMN_TYPE_UNSUPPORTED,
          "Column \"%s\" has more than %d lists, structs and maps in each other, which Parquet files are not written with; take its parts."
              .formatted(name, MOST_DEPTH));
    }
    switch (of) {
      case NestedType.Scalar scalar -> {
        ParquetField leaf = new ParquetField(field, scalar.type());
        elements.add(leaf.element(repetition));
        leaves.add(new NestedLeaf(path, leaf, levels.definition, levels.repetition));
      }
      case NestedType.Struct struct -> {
        elements.add(group(field, repetition, struct.fields().size()));
        for (NestedType.Field part : struct.fields()) {
          add(part.type(), part.name(), FieldRepetitionType.OPTIONAL, path, levels.deeper());
        }
      }
      case NestedType.Listed list -> {
        elements.add(
            group(field, repetition, 1)
                .setConverted_type(ConvertedType.LIST)
                .setLogicalType(LogicalType.LIST(new ListType())));
        elements.add(group("list", FieldRepetitionType.REPEATED, 1));
        Levels within = levels.of(FieldRepetitionType.REPEATED).deeper();
        List<String> repeated = path(path, "list");
        add(list.element(), "element", FieldRepetitionType.OPTIONAL, repeated, within);
      }
      case NestedType.Mapped map -> {
        elements.add(
            group(field, repetition, 1)
                .setConverted_type(ConvertedType.MAP)
                .setLogicalType(LogicalType.MAP(new MapType())));
        elements.add(group("key_value", FieldRepetitionType.REPEATED, 2));
        Levels within = levels.of(FieldRepetitionType.REPEATED).deeper();
        List<String> entry = path(path, "key_value");
        add(map.key(), "key", FieldRepetitionType.REQUIRED, entry, within);
        add(map.value(), "value", FieldRepetitionType.OPTIONAL, entry, within);
      }
    }
  }

  private static List<String> path(List<String> above, String name) {
    List<String> path = new ArrayList<>(above);
    path.add(name);
    return List.copyOf(path);
  }

  private static SchemaElement group(String name, FieldRepetitionType repetition, int children) {
    return new SchemaElement(name).setRepetition_type(repetition).setNum_children(children);
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public List<SchemaElement> elements() {
    return elements;
  }

  @Override
  public List<WrittenLeaf> leaves() {
    return leaves.stream().map(leaf -> new WrittenLeaf(leaf.path, leaf.field.stored())).toList();
  }

  @Override
  public List<ColumnPages> pages(
      int column,
      List<RowSlice> slices,
      @Nullable FieldVector words,
      PageCompression compression,
      EncodeScratch scratch)
      throws IOException {
    int rows = RowSlice.rows(slices);
    List<ShreddedLeaf> shredded = new ArrayList<>();
    for (NestedLeaf leaf : leaves) {
      shredded.add(
          new ShreddedLeaf(
              leaf.field.type(), leaf.definition, leaf.repetition, rows, scratch.account));
    }
    RecordShredder shredder = new RecordShredder(name, type, shredded);
    for (RowSlice slice : slices) {
      VarBinaryVector vector = (VarBinaryVector) slice.root().getVector(column);
      shredder.add(vector, slice.from(), slice.to());
    }
    List<ColumnPages> pages = new ArrayList<>();
    for (int i = 0; i < leaves.size(); i++) {
      ShreddedLeaf leaf = shredded.get(i);
      ChunkEncoder values = leaf.encoder(leaves.get(i).field, scratch);
      pages.add(ColumnPages.of(leaf, values, compression, scratch));
      leaf.release();
    }
    return pages;
  }
}
