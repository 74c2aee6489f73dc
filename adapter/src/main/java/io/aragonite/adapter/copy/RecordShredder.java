package io.aragonite.adapter.copy;

import io.aragonite.adapter.format.nested.NestedType;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.memory.Mem;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.vector.VarBinaryVector;

/**
 * Cuts lists, structs and maps into columns of their values, as "Dremel: Interactive Analysis of
 * Web-Scale Datasets" (VLDB 2010) has it. The rows are bytes, in the form of {@link
 * io.aragonite.adapter.format.nested.NestedValue}.
 */
final class RecordShredder {
  private final String column;
  private final List<ShreddedLeaf> leaves;
  private final Node root;
  private int nextLeaf;

  /**
   * @param leaves of the type, in their order
   */
  RecordShredder(String column, NestedType type, List<ShreddedLeaf> leaves) {
    this.column = column;
    this.leaves = leaves;
    this.root = node(type, 0, 0, true);
  }

  /** The error of a map that files cannot have. */
  static AragoniteException nullKey(String column) {
    return new AragoniteException(
        ErrorCode.NULL_NOT_ALLOWED,
        "Column \"%s\" has a map with null as a key, which files cannot have; leave the row out."
            .formatted(column));
  }

  /** A value at its place in a row. */
  private abstract static class Node {
    /** The definition level of an entry whose value is null here. */
    final int absent;

    Node(int absent) {
      this.absent = absent;
    }

    /** Adds a value, and returns where its bytes end. */
    final long put(long at, int repetition) {
      if (Mem.getByte(at) == 0) {
        requireOptional();
        missing(repetition, absent);
        return at + 1;
      }
      return present(at + 1, repetition);
    }

    abstract long present(long at, int repetition);

    /** Adds an entry to all columns of values here. */
    abstract void missing(int repetition, int definition);

    void requireOptional() {}
  }

  private Node node(NestedType type, int definition, int repetition, boolean optional) {
    int present = optional ? definition + 1 : definition;
    return switch (type) {
      case NestedType.Scalar _ -> new Leaf(leaves.get(nextLeaf++), definition, optional);
      case NestedType.Struct struct -> {
        List<Node> fields = new ArrayList<>();
        struct.fields().forEach(field -> fields.add(node(field.type(), present, repetition, true)));
        yield new Struct(fields.toArray(Node[]::new), definition, optional);
      }
      case NestedType.Listed list -> {
        Node element = node(list.element(), present + 1, repetition + 1, true);
        yield new Repeated(new Node[] {element}, definition, repetition + 1, optional);
      }
      case NestedType.Mapped map -> {
        Node key = node(map.key(), present + 1, repetition + 1, false);
        Node value = node(map.value(), present + 1, repetition + 1, true);
        yield new Repeated(new Node[] {key, value}, definition, repetition + 1, optional);
      }
    };
  }

  private abstract class MayBeKey extends Node {
    private final boolean optional;

    MayBeKey(int absent, boolean optional) {
      super(absent);
      this.optional = optional;
    }

    @Override
    final void requireOptional() {
      if (!optional) {
        throw nullKey(column);
      }
    }
  }

  private final class Leaf extends MayBeKey {
    private final ShreddedLeaf leaf;

    Leaf(ShreddedLeaf leaf, int absent, boolean optional) {
      super(absent, optional);
      this.leaf = leaf;
    }

    @Override
    long present(long at, int repetition) {
      return leaf.value(repetition, at);
    }

    @Override
    void missing(int repetition, int definition) {
      leaf.missing(repetition, definition);
    }
  }

  private final class Struct extends MayBeKey {
    private final Node[] fields;

    Struct(Node[] fields, int absent, boolean optional) {
      super(absent, optional);
      this.fields = fields;
    }

    @Override
    long present(long at, int repetition) {
      long end = at;
      for (Node field : fields) {
        end = field.put(end, repetition);
      }
      return end;
    }

    @Override
    void missing(int repetition, int definition) {
      for (Node field : fields) {
        field.missing(repetition, definition);
      }
    }
  }

  /** A list, or a map, whose elements are a key and a value. */
  private final class Repeated extends MayBeKey {
    private final Node[] parts;
    private final int again;
    private final int empty;

    /**
     * @param again the repetition level of elements that are not the first
     */
    Repeated(Node[] parts, int absent, int again, boolean optional) {
      super(absent, optional);
      this.parts = parts;
      this.again = again;
      this.empty = optional ? absent + 1 : absent;
    }

    @Override
    long present(long at, int repetition) {
      int elements = Mem.getInt(at);
      long end = at + Integer.BYTES;
      if (elements == 0) {
        missing(repetition, empty);
      }
      for (int i = 0; i < elements; i++) {
        for (Node part : parts) {
          end = part.put(end, i == 0 ? repetition : again);
        }
      }
      return end;
    }

    @Override
    void missing(int repetition, int definition) {
      for (Node part : parts) {
        part.missing(repetition, definition);
      }
    }
  }

  /** Adds some rows. */
  void add(VarBinaryVector rows, int from, int to) {
    long offsets = rows.getOffsetBuffer().memoryAddress();
    long data = rows.getDataBuffer().memoryAddress();
    for (int row = from; row < to; row++) {
      if (rows.isNull(row)) {
        root.missing(0, root.absent);
      } else {
        long end = root.put(data + Mem.getInt(offsets + 4L * row), 0);
        if (end != data + Mem.getInt(offsets + 4L * row + 4)) {
          throw new IllegalStateException("the bytes of column " + column + " are not of its type");
        }
      }
      leaves.forEach(ShreddedLeaf::endRow);
    }
  }
}
