package io.aragonite.exec.codegen;

import io.aragonite.exec.codegen.ExprNode.Rep;
import io.aragonite.exec.codegen.RowAggregation.SumPlace;
import io.aragonite.exec.type.Storage;
import io.aragonite.exec.vector.ColumnShape;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Writes code for single rows: a static method {@code row(KernelArgs a, int i)} that a device runs
 * for each row {@code i} of a batch. What runs it keeps loops, bitmaps and texts to itself.
 */
final class RowWriter {
  private RowWriter() {}

  /**
   * A method that returns 1 for rows for which all terms are true, else 0.
   *
   * @param groups terms that are evaluated together, each group only for rows that are left
   */
  static String predicate(ClassWriter owner, List<List<ExprNode>> groups) {
    MethodWriter writer = new MethodWriter(owner);
    returnUnless(writer, groups);
    return owner.members()
        + "static int row(KernelArgs a, int i) {\n"
        + writer.declarations()
        + writer.body()
        + "return 1;\n}\n";
  }

  private static void returnUnless(MethodWriter writer, List<List<ExprNode>> groups) {
    for (List<ExprNode> group : groups) {
      List<String> truths = new ArrayList<>();
      for (ExprNode term : group) {
        truths.add(writer.truth(term, true));
      }
      writer.line("if (!(" + String.join(" & ", truths) + ")) { return 0; }");
    }
  }

  /**
   * A method that stores values, and for texts their addresses and lengths, and returns the
   * validity bits of the outputs: bit k is output k's, 1 = not null.
   */
  static String projection(
      ClassWriter owner, List<ExprNode> nodes, List<ColumnShape> shapes, int[] places) {
    MethodWriter writer = new MethodWriter(owner);
    StringBuilder declarations = new StringBuilder();
    StringBuilder stores = new StringBuilder("long valid = 0L;\n");
    for (int k = 0; k < nodes.size(); k++) {
      ExprNode node = nodes.get(k);
      MethodWriter.NodeVariables value = writer.emit(node);
      ColumnShape shape = shapes.get(k);
      int place = places[k];
      String at = "w" + place;
      if (shape.storage() != Storage.NONE) {
        declarations.append("final long " + at + " = a.outValues[" + place + "];\n");
      }
      if (node.rep == Rep.TEXT && shape.storage() == Storage.BYTES) {
        declarations.append("final long z" + place + " = a.outLengths[" + place + "];\n");
        String length =
            value.isNull() == null
                ? value.second()
                : "(" + value.isNull() + " ? 0 : " + value.second() + ")";
        stores
            .append("Mem.putLong(" + at + " + ((long) i << 3), " + value.value() + ");\n")
            .append("Mem.putInt(z" + place + " + ((long) i << 2), " + length + ");\n");
      } else {
        stores.append(ClassWriter.store(node, value, shape, place));
      }
      if (shape.mayBeNull()) {
        String bit = value.isNull() == null ? "1L" : "(" + value.isNull() + " ? 0L : 1L)";
        stores.append("valid |= " + bit + " << " + k + ";\n");
      }
    }
    return owner.members()
        + "static long row(KernelArgs a, int i) {\n"
        + writer.declarations()
        + declarations
        + writer.body()
        + stores
        + "return valid;\n}\n";
  }

  /**
   * A method that adds a row to the sums of its group, and returns 1; 0 if the row is left out.
   *
   * @param predicate what a row that is added must be, as for {@link #predicate}
   * @param group the number of the group; null: it is 0
   * @param sums whose values are added behind the count of rows
   */
  static String aggregation(
      ClassWriter owner,
      List<List<ExprNode>> predicate,
      @Nullable ExprNode group,
      List<ExprNode> sums,
      SumPlace place) {
    MethodWriter writer = new MethodWriter(owner);
    if (!predicate.isEmpty()) {
      // All that is read comes before the first branch: then loads of several rows are under way
      // together.
      predicate.forEach(terms -> terms.forEach(term -> load(writer, term)));
      sums.forEach(sum -> load(writer, sum));
      if (group != null) {
        load(writer, group);
      }
      returnUnless(writer, predicate);
    }
    String number = group == null ? "0" : "(int) " + writer.emit(group).value();
    List<String> values = sums.stream().map(sum -> writer.emit(sum).value()).toList();
    String adds =
        place == SumPlace.LANES ? addsToLanes(number, values) : addsToTable(number, values);
    return owner.members()
        + "static int row(KernelArgs a, int i) {\n"
        + writer.declarations()
        + writer.body()
        + adds
        + "return 1;\n}\n";
  }

  private static String addsToLanes(String group, List<String> values) {
    int groupBytes = (1 + values.size()) * LaneSums.STRIDE;
    StringBuilder adds = new StringBuilder();
    adds.append("final int sums = a.sums + " + group + " * " + groupBytes + ";\n");
    adds.append("LaneSums.add(sums, 1L);\n");
    for (int i = 0; i < values.size(); i++) {
      adds.append(
          "LaneSums.add(sums + " + (i + 1) * LaneSums.STRIDE + ", " + values.get(i) + ");\n");
    }
    return adds.toString();
  }

  private static String addsToTable(String group, List<String> values) {
    StringBuilder adds = new StringBuilder("final int group = " + group + ";\n");
    adds.append("TableSums.count(group);\n");
    for (int i = 0; i < values.size(); i++) {
      adds.append("TableSums.add(group, " + i + ", " + values.get(i) + ");\n");
    }
    return adds.toString();
  }

  /** Loads the columns that a node is made of. */
  private static void load(MethodWriter writer, ExprNode node) {
    if (node.kind == ExprNode.NodeKind.COLUMN) {
      writer.emit(node);
    } else if (!node.outlined) {
      node.args.forEach(arg -> load(writer, arg));
    }
  }
}
