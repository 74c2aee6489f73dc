package io.aragonite.exec.codegen;

import io.aragonite.exec.codegen.ExprNode.NodeKind;
import io.aragonite.exec.codegen.ExprNode.Rep;
import io.aragonite.exec.vector.ColumnShape;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/**
 * Writes the methods of one class: a loop for each group of nodes, and methods of their own for
 * parts of large expressions, so that no method grows beyond what the JIT compiles (8,000 bytes of
 * bytecode).
 */
final class ClassWriter {
  /** Nodes that one method computes. */
  static final int MAX_METHOD_WEIGHT = 120;

  private final Inputs inputs;
  private final Inputs.Pattern pattern;
  private final Map<ExprNode, Integer> numbers = new IdentityHashMap<>();
  private final Map<ExprNode, String> methods = new IdentityHashMap<>();
  private final StringBuilder members = new StringBuilder();
  private final List<String> loops = new ArrayList<>();
  private final Map<ExprNode, Boolean> heapUsers = new IdentityHashMap<>();
  private final boolean forHost;
  private int fresh;

  /**
   * @param forHost whether the code runs in the JVM and looks whether the query is to end
   */
  ClassWriter(Inputs inputs, Inputs.Pattern pattern, boolean forHost) {
    this.forHost = forHost;
    this.inputs = inputs;
    this.pattern = pattern;
  }

  boolean forHost() {
    return forHost;
  }

  int number(ExprNode node) {
    return numbers.computeIfAbsent(node, n -> numbers.size());
  }

  int fresh() {
    return fresh++;
  }

  int input(int column) {
    return inputs.position(column);
  }

  ColumnShape shape(int column) {
    return inputs.shape(column);
  }

  int indirection(int column) {
    return pattern.indirection(inputs.position(column));
  }

  boolean mayMiss(int column) {
    int indirection = indirection(column);
    return indirection >= 0 && pattern.mayBeNull(indirection);
  }

  /** The name of the method that computes an outlined node, which is written when first asked. */
  String method(ExprNode node) {
    String known = methods.get(node);
    if (known != null) {
      return known;
    }
    String name = "f" + number(node);
    methods.put(node, name);
    MethodWriter writer = new MethodWriter(this);
    if (forHost) {
      writer.line("a.many(" + MAX_METHOD_WEIGHT + ");");
    }
    MethodWriter.NodeVariables value = writer.emitRoot(node);
    if (node.nullable) {
      writer.line("a.isNull = " + (value.isNull() == null ? "false" : value.isNull()) + ";");
    }
    if (node.rep.secondType() != null) {
      String register = node.rep == Rep.WIDE ? "a.high" : "a.length";
      writer.line(register + " = " + value.second() + ";");
    }
    writer.line("return " + value.value() + ";");
    members
        .append("private static " + node.rep.javaType + " " + name + "(KernelArgs a, int i) {\n")
        .append(writer.declarations())
        .append(writer.body())
        .append("}\n");
    return name;
  }

  /** Whether computing a node makes texts. */
  private boolean usesHeap(ExprNode node) {
    Boolean known = heapUsers.get(node);
    if (known == null) {
      boolean makes = node.rep == Rep.TEXT && node.kind != NodeKind.COLUMN;
      for (ExprNode arg : node.args) {
        makes |= usesHeap(arg);
      }
      heapUsers.put(node, makes);
      return makes;
    }
    return known;
  }

  private void resetHeap(MethodWriter writer, List<ExprNode> nodes) {
    if (nodes.stream().anyMatch(this::usesHeap)) {
      writer.line("a.heap.reset();");
    }
  }

  /** A loop over all rows of the batch that keeps those for which all terms are true. */
  void selectLoop(List<ExprNode> terms) {
    MethodWriter writer = new MethodWriter(this);
    resetHeap(writer, terms);
    String condition = condition(writer, terms);
    String name = "loop" + loops.size();
    members
        .append("private static int " + name + "(KernelArgs a) {\n")
        .append(writer.declarations())
        .append("final long out = a.selection;\nfinal int rows = a.rows;\nint n = 0;\n")
        .append("for (int i = 0; i < rows; i++) {\n")
        .append(writer.body())
        .append("Mem.putInt(out + ((long) n << 2), i);\n")
        .append("n += " + condition + ";\n}\nreturn n;\n}\n");
    loops.add("int n = " + name + "(a);\n");
  }

  /** A loop over the rows selected so far that keeps those for which a term is true. */
  void refineLoop(List<ExprNode> terms) {
    MethodWriter writer = new MethodWriter(this);
    resetHeap(writer, terms);
    String condition = condition(writer, terms);
    String name = "loop" + loops.size();
    members
        .append("private static int " + name + "(KernelArgs a, int count) {\n")
        .append(writer.declarations())
        .append("final long out = a.selection;\nint n = 0;\n")
        .append("for (int k = 0; k < count; k++) {\n")
        .append("final int i = Mem.getInt(out + ((long) k << 2));\n")
        .append(writer.body())
        .append("Mem.putInt(out + ((long) n << 2), i);\n")
        .append("n += " + condition + ";\n}\nreturn n;\n}\n");
    loops.add("n = " + name + "(a, n);\n");
  }

  /** An int expression: 1 if all terms are true, else 0; without branches where possible. */
  private static String condition(MethodWriter writer, List<ExprNode> terms) {
    List<String> bits = new ArrayList<>();
    List<String> conditions = new ArrayList<>();
    for (ExprNode term : terms) {
      String bit = writer.bit(term, true);
      if (bit == null) {
        conditions.add(writer.truth(term, true));
      } else {
        bits.add(bit);
      }
    }
    if (!conditions.isEmpty()) {
      String joined = String.join(" & ", conditions);
      if (bits.isEmpty()) {
        return "(" + joined + ") ? 1 : 0";
      }
      bits.add("((" + joined + ") ? 1L : 0L)");
    }
    return "(int) (" + String.join(" & ", bits) + ")";
  }

  /**
   * A loop over all rows that writes outputs.
   *
   * @param first the number of the first output
   */
  void outputLoop(List<ExprNode> nodes, List<ColumnShape> shapes, int[] places) {
    MethodWriter writer = new MethodWriter(this);
    resetHeap(writer, nodes);
    StringBuilder stores = new StringBuilder();
    StringBuilder declarations = new StringBuilder();
    StringBuilder reset = new StringBuilder();
    StringBuilder flush = new StringBuilder();
    boolean nulls = false;
    for (int k = 0; k < nodes.size(); k++) {
      MethodWriter.NodeVariables value = writer.emit(nodes.get(k));
      int place = places[k];
      ColumnShape shape = shapes.get(k);
      stores.append(store(nodes.get(k), value, shape, place));
      if (nodes.get(k).rep == Rep.TEXT) {
        declarations.append("final TextWriter w" + place + " = a.writers[" + place + "];\n");
      } else {
        declarations.append("final long w" + place + " = a.outValues[" + place + "];\n");
      }
      if (shape.mayBeNull()) {
        nulls = true;
        String bits = "q" + place;
        declarations.append("final long y" + place + " = a.outValidity[" + place + "];\n");
        reset.append("long " + bits + " = 0L;\n");
        stores.append(
            bits
                + " |= ("
                + (value.isNull() == null ? "false" : value.isNull())
                + " ? 0L : 1L) << i;\n");
        flush.append("Mem.putLong(y" + place + " + ((long) base >> 3), " + bits + ");\n");
      }
    }
    String name = "loop" + loops.size();
    members
        .append("private static void " + name + "(KernelArgs a) {\n")
        .append(writer.declarations())
        .append(declarations)
        .append("final int rows = a.rows;\n");
    if (nulls) {
      members
          .append("for (int base = 0; base < rows; base += 64) {\n")
          .append("final int end = rows - base < 64 ? rows : base + 64;\n")
          .append(reset)
          .append("for (int i = base; i < end; i++) {\n")
          .append(writer.body())
          .append(stores)
          .append("}\n")
          .append(flush)
          .append("}\n");
    } else {
      members
          .append("for (int i = 0; i < rows; i++) {\n")
          .append(writer.body())
          .append(stores)
          .append("}\n");
    }
    members.append("}\n");
    loops.add(name + "(a);\n");
  }

  static String store(
      ExprNode node, MethodWriter.NodeVariables value, ColumnShape shape, int place) {
    String at = "w" + place;
    String v = value.value();
    String plain =
        switch (shape.storage()) {
          case NONE -> "";
          case BYTE, CODE8 ->
              "Mem.putByte("
                  + at
                  + " + i, (byte) "
                  + (node.rep == Rep.BOOL ? "(" + v + " ? 1 : 0)" : v)
                  + ");\n";
          case SHORT, CODE16 -> "Mem.putShort(" + at + " + ((long) i << 1), (short) " + v + ");\n";
          case INT, CODE -> "Mem.putInt(" + at + " + ((long) i << 2), (int) " + v + ");\n";
          case LONG -> "Mem.putLong(" + at + " + ((long) i << 3), " + v + ");\n";
          case LONG128 ->
              "Mem.putLong("
                  + at
                  + " + ((long) i << 4), "
                  + v
                  + ");\nMem.putLong("
                  + at
                  + " + ((long) i << 4) + 8L, "
                  + (node.rep == Rep.WIDE ? value.second() : v + " >> 63")
                  + ");\n";
          case FLOAT -> "Mem.putFloat(" + at + " + ((long) i << 2), (float) " + v + ");\n";
          case DOUBLE -> "Mem.putDouble(" + at + " + ((long) i << 3), " + v + ");\n";
          case BYTES -> at + ".add(" + v + ", " + value.second() + ");\n";
          case HANDLE -> "Mem.putLong(" + at + " + ((long) i << 3), a.handle(" + v + "));\n";
        };
    if (value.isNull() == null || plain.isEmpty()) {
      return plain;
    }
    return switch (shape.storage()) {
      case BYTES -> at + ".add(" + v + ", " + value.isNull() + " ? 0 : " + value.second() + ");\n";
      case HANDLE -> "if (!" + value.isNull() + ") {\n" + plain + "}\n";
      default -> plain;
    };
  }

  /** The methods written so far. */
  String members() {
    return members.toString();
  }

  /** The text of the class's members. */
  String text(boolean predicate) {
    StringBuilder text = new StringBuilder(members);
    text.append("int run(KernelArgs a) {\n");
    loops.forEach(text::append);
    return text.append(predicate ? "return n;\n}\n" : "return 0;\n}\n").toString();
  }

  /** Marks parts of a large expression that get methods of their own. Returns what remains. */
  static int outline(ExprNode node, Map<ExprNode, Integer> known) {
    Integer before = known.get(node);
    if (before != null) {
      return before;
    }
    int weight = 1;
    for (ExprNode arg : node.args) {
      weight += arg.outlined ? 2 : outline(arg, known);
      if (arg.outlined && !known.containsKey(arg)) {
        outline(arg, known);
      }
    }
    while (weight > MAX_METHOD_WEIGHT) {
      ExprNode largest = null;
      int size = 2;
      for (ExprNode arg : node.args) {
        int argWeight = java.util.Objects.requireNonNullElse(known.get(arg), 1);
        if (!arg.outlined && argWeight > size && outlinable(arg)) {
          largest = arg;
          size = argWeight;
        }
      }
      if (largest == null) {
        break;
      }
      largest.outlined = true;
      weight -= size - 2;
    }
    known.put(node, weight);
    return weight;
  }

  private static boolean outlinable(ExprNode node) {
    return node.kind != NodeKind.COLUMN
        && node.kind != NodeKind.CONSTANT
        && node.kind != NodeKind.NULL
        && node.rep != Rep.OBJECT;
  }
}
