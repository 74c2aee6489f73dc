package io.aragonite.adapter.format.parquet;

import static io.aragonite.exec.page.MalformedPageException.check;
import static io.aragonite.exec.page.MalformedPageException.present;

import io.aragonite.adapter.format.nested.NestedType;
import io.aragonite.adapter.format.parquet.NestedNode.LeafNode;
import io.aragonite.adapter.format.parquet.NestedNode.ListNode;
import io.aragonite.adapter.format.parquet.NestedNode.StructNode;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.TypeKind;
import java.util.ArrayList;
import java.util.List;
import org.apache.parquet.format.ConvertedType;
import org.apache.parquet.format.FieldRepetitionType;
import org.apache.parquet.format.LogicalType;
import org.apache.parquet.format.SchemaElement;
import org.jspecify.annotations.Nullable;

/**
 * The tree of a nested column, as the format's rules for lists and maps read it, those for files of
 * early writers among them.
 */
final class NestedSchema {
  /** Groups within groups; more are no table's. Their levels fit a byte. */
  private static final int MOST_DEPTH = 64;

  private final List<SchemaElement> schema;
  private int at;
  private int leaf;

  private NestedSchema(List<SchemaElement> schema, int at, int leaf) {
    this.schema = schema;
    this.at = at;
    this.leaf = leaf;
  }

  /**
   * @param at where the column begins in the schema
   * @param leaf its first column chunk
   * @return null if some type in it is none of ours
   */
  static @Nullable NestedNode of(List<SchemaElement> schema, int at, int leaf) {
    return new NestedSchema(schema, at, leaf).field(0, 0, 0);
  }

  /** The field at the cursor, which a repetition makes a list. */
  private @Nullable NestedNode field(int definition, int repetition, int depth) {
    SchemaElement element = schema.get(at);
    if (element.getRepetition_type() == FieldRepetitionType.REPEATED) {
      NestedNode one = value(definition + 1, repetition + 1, false, depth);
      // An unannotated repeated field is a list that is never null.
      return one == null ? null : list(one, definition, repetition + 1, false);
    }
    boolean optional = element.getRepetition_type() == FieldRepetitionType.OPTIONAL;
    return value(optional ? definition + 1 : definition, repetition, optional, depth);
  }

  private static ListNode list(NestedNode one, int present, int repetition, boolean optional) {
    return new ListNode(
        one, new NestedType.Listed(one.type(), optional), present, repetition, one.leaves());
  }

  /** What is at the cursor, its repetition aside. */
  private @Nullable NestedNode value(int definition, int repetition, boolean optional, int depth) {
    SchemaElement element = schema.get(at);
    if (element.isSetType()) {
      return leaf(element, definition, repetition, optional);
    }
    if (depth > MOST_DEPTH || element.getNum_children() == 0) {
      return null;
    }
    if (isMap(element)) {
      return map(definition, repetition, optional, depth);
    }
    return isList(element)
        ? annotatedList(definition, repetition, optional, depth)
        : struct(definition, repetition, optional, depth);
  }

  private static boolean isList(SchemaElement element) {
    LogicalType logical = element.getLogicalType();
    return logical != null && logical.isSetLIST()
        || element.getConverted_type() == ConvertedType.LIST;
  }

  private static boolean isMap(SchemaElement element) {
    LogicalType logical = element.getLogicalType();
    return logical != null && logical.isSetMAP()
        || element.getConverted_type() == ConvertedType.MAP
        || element.getConverted_type() == ConvertedType.MAP_KEY_VALUE;
  }

  private @Nullable NestedNode leaf(
      SchemaElement element, int definition, int repetition, boolean optional) {
    at++;
    ParquetColumn column = ParquetSchema.column(element, leaf++, 1);
    DataType type = column.column().type();
    if (type == null || type.kind() == TypeKind.NULL) {
      return null;
    }
    NestedType scalar = new NestedType.Scalar(NestedType.local(type).withNullable(optional));
    return new LeafNode(column, scalar, definition, repetition);
  }

  private @Nullable StructNode struct(int definition, int repetition, boolean optional, int depth) {
    int children = schema.get(at++).getNum_children();
    List<NestedNode> nodes = new ArrayList<>();
    List<NestedType.Field> fields = new ArrayList<>();
    for (int i = 0; i < children; i++) {
      check(at < schema.size(), "its schema ends within a group");
      String name = present(schema.get(at).getName(), "a field's name");
      NestedNode node = field(definition, repetition, depth + 1);
      if (node == null) {
        return null;
      }
      nodes.add(node);
      fields.add(new NestedType.Field(name, node.type()));
    }
    return new StructNode(
        List.copyOf(nodes),
        new NestedType.Struct(fields, optional),
        definition,
        NestedNode.leaves(nodes));
  }

  /** A group with one repeated field, which is the element itself or has it as its only field. */
  private @Nullable NestedNode annotatedList(
      int definition, int repetition, boolean optional, int depth) {
    String name = present(schema.get(at).getName(), "a column's name");
    if (schema.get(at++).getNum_children() != 1 || !isRepeated()) {
      return null;
    }
    SchemaElement repeated = schema.get(at);
    String repeatedName = present(repeated.getName(), "a field's name");
    boolean itself =
        repeated.isSetType()
            || repeated.getNum_children() != 1
            || repeatedName.equals("array")
            || repeatedName.equals(name + "_tuple");
    NestedNode one;
    if (itself) {
      one = value(definition + 1, repetition + 1, false, depth + 1);
    } else {
      at++;
      one = at < schema.size() ? field(definition + 1, repetition + 1, depth + 1) : null;
    }
    return one == null ? null : list(one, definition, repetition + 1, optional);
  }

  private boolean isRepeated() {
    return at < schema.size()
        && schema.get(at).getRepetition_type() == FieldRepetitionType.REPEATED;
  }

  private @Nullable NestedNode map(int definition, int repetition, boolean optional, int depth) {
    boolean one = schema.get(at++).getNum_children() == 1;
    if (!one || !isRepeated() || schema.get(at).isSetType()) {
      return null;
    }
    StructNode entry = struct(definition + 1, repetition + 1, false, depth + 1);
    if (entry == null || entry.fields().size() != 2) {
      return null;
    }
    NestedType.Mapped type =
        new NestedType.Mapped(entry.fields().get(0).type(), entry.fields().get(1).type(), optional);
    return new ListNode(entry, type, definition, repetition + 1, entry.leaves());
  }
}
