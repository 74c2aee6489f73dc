package io.aragonite.adapter.format.parquet;

import static io.aragonite.exec.page.MalformedPageException.check;

import io.aragonite.adapter.format.BytesBuilder;
import io.aragonite.adapter.format.NestedBytes;
import io.aragonite.adapter.format.nested.NestedType;
import io.aragonite.adapter.format.parquet.NestedNode.LeafNode;
import io.aragonite.adapter.format.parquet.NestedNode.ListNode;
import io.aragonite.adapter.format.parquet.NestedNode.StructNode;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.vector.Column;
import io.aragonite.exec.vector.ColumnShape;
import java.util.List;

/**
 * Assembles the values of a nested column from the entries of the columns below it, as "Dremel:
 * Interactive Analysis of Web-Scale Datasets" (VLDB 2010) has it: a row is a run of bytes.
 */
final class NestedReader {
  private static final String DISAGREE = "the levels of its fields do not agree";

  private final NestedNode root;
  private final List<LeafReader> readers;
  private final int firstLeaf;

  /**
   * @param readers of all leaves, in their order; they have been read
   */
  NestedReader(NestedNode root, List<LeafReader> readers) {
    this.root = root;
    this.readers = readers;
    this.firstLeaf = root.leaves().getFirst().column().leaf();
  }

  private LeafReader reader(LeafNode leaf) {
    return readers.get(leaf.column().leaf() - firstLeaf);
  }

  private LeafReader first(NestedNode node) {
    return reader(node.leaves().getFirst());
  }

  /**
   * The rows {@code from} to {@code to} of the row group.
   *
   * @param groupRows rows that the row group has
   */
  Column read(DataType type, int from, int to, int groupRows, QueryMemory memory) {
    for (int row = 0; row < from; row++) {
      skipRow();
    }
    int rows = to - from;
    Buffer offsets = memory.allocate(4L * (rows + 1));
    Mem.putInt(offsets.address(), 0);
    Buffer validity = memory.allocate((rows + 63L) / 64 * 8);
    Mem.fill(validity.address(), validity.size(), (byte) -1);
    boolean nulls = false;
    try (BytesBuilder bytes = new BytesBuilder(memory)) {
      NestedBytes out = new NestedBytes(bytes);
      for (int row = 0; row < rows; row++) {
        if (!isThere(root)) {
          long place = validity.address() + (row >> 3);
          Mem.putByte(place, (byte) (Mem.getByte(place) & ~(1 << (row & 7))));
          nulls = true;
          skip(root);
        } else {
          write(root, out);
        }
        requireRowEnd();
        Mem.putInt(offsets.address() + 4L * row + 4, bytes.size());
      }
      check(to < groupRows || ends(), "it has more rows than its row group");
      ColumnShape shape = new ColumnShape(type, Storage.BYTES, nulls, null, null);
      return new Column(shape, rows, bytes.take(), offsets, nulls ? validity : null, null);
    }
  }

  private void skipRow() {
    for (LeafReader reader : readers) {
      do {
        reader.skip();
      } while (reader.repetition() > 0);
    }
  }

  private void requireRowEnd() {
    for (LeafReader reader : readers) {
      check(reader.repetition() == 0, DISAGREE);
    }
  }

  private boolean ends() {
    return readers.stream().allMatch(LeafReader::ends);
  }

  private void write(NestedNode node, NestedBytes out) {
    switch (node) {
      case LeafNode leaf -> reader(leaf).write(out);
      case StructNode struct -> {
        boolean there = isThere(struct);
        out.presence(there);
        if (there) {
          struct.fields().forEach(field -> write(field, out));
        } else {
          skip(struct);
        }
      }
      case ListNode list -> writeList(list, out);
    }
  }

  private boolean isThere(NestedNode node) {
    return !node.type().nullable() || reaches(node, node.present());
  }

  /** Whether all leaves say that the next value is defined as far as a level, or that none is. */
  private boolean reaches(NestedNode node, int level) {
    boolean found = first(node).definition() >= level;
    for (LeafNode leaf : node.leaves()) {
      check(reader(leaf).definition() >= level == found, DISAGREE);
    }
    return found;
  }

  /** Whether all leaves say that the list goes on, or that it does not. */
  private boolean goesOn(ListNode list) {
    boolean found = first(list).repetition() == list.repetition();
    for (LeafNode leaf : list.leaves()) {
      int repetition = reader(leaf).repetition();
      check(repetition <= list.repetition(), DISAGREE);
      check(repetition == list.repetition() == found, DISAGREE);
    }
    return found;
  }

  private void writeList(ListNode list, NestedBytes out) {
    boolean there = isThere(list);
    out.presence(there);
    if (!there) {
      skip(list);
      return;
    }
    int place = out.placeOfNumber();
    int count = 0;
    if (!reaches(list, list.present() + 1)) {
      skip(list); // an empty list is an entry too
    } else {
      do {
        element(list, out);
        count++;
      } while (goesOn(list));
    }
    out.number(place, count);
  }

  /** Of a map an element is a key and its value, without a struct around them. */
  private void element(ListNode list, NestedBytes out) {
    if (list.type() instanceof NestedType.Mapped && list.element() instanceof StructNode entry) {
      entry.fields().forEach(field -> write(field, out));
    } else {
      write(list.element(), out);
    }
  }

  /** Steps over the entry that a value has which is not there. */
  private void skip(NestedNode node) {
    List<LeafNode> leaves = node.leaves();
    for (LeafNode leaf : leaves) {
      LeafReader reader = reader(leaf);
      check(reader.definition() < leaf.definition(), DISAGREE);
      reader.skip();
    }
  }
}
