package io.aragonite.adapter.format.parquet;

import io.aragonite.adapter.format.nested.NestedType;
import java.util.ArrayList;
import java.util.List;

/**
 * A field of a nested column, with the levels at which it is there. Dremel's levels: the definition
 * level of an entry says how many optional and repeated fields on its path are there, the
 * repetition level which repeated one it goes on.
 */
sealed interface NestedNode {
  /** The definition level from which on the value is not null. */
  int present();

  NestedType type();

  /** The columns that values lie in, below it. */
  List<LeafNode> leaves();

  /**
   * A column of values.
   *
   * @param column how it lies in pages; {@link ParquetColumn#leaf} is its own
   * @param definition its most definition level, at which a value is there
   * @param repetition its most repetition level
   */
  record LeafNode(ParquetColumn column, NestedType type, int definition, int repetition)
      implements NestedNode {
    @Override
    public int present() {
      return definition;
    }

    @Override
    public List<LeafNode> leaves() {
      return List.of(this);
    }
  }

  /** Fields beside each other. */
  record StructNode(List<NestedNode> fields, NestedType type, int present, List<LeafNode> leaves)
      implements NestedNode {}

  /**
   * What is repeated.
   *
   * @param element one of the repeated values; of a map a struct of key and value
   * @param repetition the repetition level of an element that is not the first
   */
  record ListNode(
      NestedNode element, NestedType type, int present, int repetition, List<LeafNode> leaves)
      implements NestedNode {}

  static List<LeafNode> leaves(List<NestedNode> nodes) {
    List<LeafNode> leaves = new ArrayList<>();
    nodes.forEach(node -> leaves.addAll(node.leaves()));
    return List.copyOf(leaves);
  }
}
