package io.aragonite.exec.codegen;

import io.aragonite.exec.codegen.ExprNode.Rep;
import io.aragonite.exec.codegen.MethodWriter.NodeVariables;
import io.aragonite.exec.type.Storage;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Writes statements of a method that load columns. */
final class ColumnLoads {
  private final ClassWriter owner;
  private final MethodWriter method;

  /** Indirections whose row is already in a variable, by scope. */
  private final Deque<Set<Integer>> rows = new ArrayDeque<>();

  ColumnLoads(ClassWriter owner, MethodWriter method) {
    this.owner = owner;
    this.method = method;
  }

  void push() {
    rows.push(new HashSet<>());
  }

  void pop() {
    rows.pop();
  }

  /** Variables with a column's value in the row. */
  NodeVariables load(ExprNode node) {
    int input = owner.input(node.index);
    String row = row(owner.indirection(node.index));
    method.declare("final long p" + input + " = a.values[" + input + "];\n");
    Storage storage = owner.shape(node.index).storage();
    String load = first(node, input, row);
    String loadSecond = loadSecond(storage, input, row);
    boolean mayMiss = owner.mayMiss(node.index);
    if (!node.nullable) {
      return loaded(node, load, loadSecond);
    }
    method.declare("final long b" + input + " = a.validity[" + input + "];\n");
    String invalid = "b" + input + " != 0L && !Mem.getBit(b" + input + ", " + row + ")";
    if (!isGuarded(node)) {
      method.line("final boolean " + method.isNull(node) + " = " + invalid + ";");
      return loaded(node, load, loadSecond);
    }
    NodeVariables value = method.declare(node);
    method.line(
        method.isNull(node) + " = " + (mayMiss ? row + " < 0 || " : "") + "(" + invalid + ");");
    method.line("if (!" + method.isNull(node) + ") {");
    method.line(method.value(node) + " = " + load + ";");
    if (!loadSecond.isEmpty()) {
      method.line(method.second(node) + " = " + loadSecond + ";");
    }
    method.line("}");
    return value;
  }

  /**
   * A long expression without a branch that depends on data: 1 if a loaded column is not null in
   * the row, else 0. Null where a row may be missing.
   */
  @Nullable String validBit(ExprNode node) {
    if (isGuarded(node)) {
      return null;
    }
    String bits = "b" + owner.input(node.index);
    String row = row(owner.indirection(node.index));
    return "(%1$s == 0L ? 1L : (long) (Mem.getByte(%1$s + (%2$s >> 3)) >> (%2$s & 7) & 1))"
        .formatted(bits, row);
  }

  /** A handle under a null may be anything, and so may a row that is missing. */
  private boolean isGuarded(ExprNode node) {
    return owner.mayMiss(node.index) || owner.shape(node.index).storage() == Storage.HANDLE;
  }

  /** Variables that are loaded whether the row is null or not. */
  private NodeVariables loaded(ExprNode node, String load, String loadSecond) {
    method.line("final " + node.rep.javaType + " " + method.value(node) + " = " + load + ";");
    if (!loadSecond.isEmpty()) {
      method.line(
          "final " + node.rep.secondType() + " " + method.second(node) + " = " + loadSecond + ";");
    }
    return method.variables(node);
  }

  /** An expression for a row's value: the low word of 128 bits, the address of a text. */
  private String first(ExprNode node, int input, String row) {
    String place = "p" + input;
    return switch (owner.shape(node.index).storage()) {
      case BYTE ->
          node.rep == Rep.BOOL
              ? "Mem.getByte(" + place + " + " + row + ") != 0"
              : "(long) Mem.getByte(" + place + " + " + row + ")";
      case CODE8 -> "(long) Mem.getByte(" + place + " + " + row + ")";
      case SHORT, CODE16 -> "(long) Mem.getShort(" + place + " + ((long) " + row + " << 1))";
      case INT, CODE -> "(long) Mem.getInt(" + place + " + ((long) " + row + " << 2))";
      case LONG -> "Mem.getLong(" + place + " + ((long) " + row + " << 3))";
      case LONG128 -> "Mem.getLong(" + place + " + ((long) " + row + " << 4))";
      case FLOAT -> "(double) Mem.getFloat(" + place + " + ((long) " + row + " << 2))";
      case DOUBLE -> "Mem.getDouble(" + place + " + ((long) " + row + " << 3))";
      case HANDLE -> "a.object(Mem.getLong(" + place + " + ((long) " + row + " << 3)))";
      case BYTES -> {
        method.declare("final long f" + input + " = a.offsets[" + input + "];\n");
        yield place + " + (Mem.getInt(" + offset(input, row) + ") & 0xFFFFFFFFL)";
      }
      case NONE -> throw new IllegalStateException("a column without values");
    };
  }

  /** An expression for the high word of 128 bits or a text's length; empty for other storage. */
  private static String loadSecond(Storage storage, int input, String row) {
    return switch (storage) {
      case LONG128 -> "Mem.getLong(p" + input + " + ((long) " + row + " << 4) + 8L)";
      case BYTES -> {
        String at = offset(input, row);
        yield "(int) Mem.getInt(" + at + " + 4L) - Mem.getInt(" + at + ")";
      }
      default -> "";
    };
  }

  private static String offset(int input, String row) {
    return "f" + input + " + ((long) " + row + " << 2)";
  }

  /** The variable with the row of the data behind an indirection; -1 means none. */
  private String row(int indirection) {
    if (indirection < 0) {
      return "i";
    }
    String name = "j" + indirection;
    for (Set<Integer> known : rows) {
      if (known.contains(indirection)) {
        return name;
      }
    }
    method.declare("final long r" + indirection + " = a.ids[" + indirection + "];\n");
    method.line("final int " + name + " = Mem.getInt(r" + indirection + " + ((long) i << 2));");
    Objects.requireNonNull(rows.peek()).add(indirection);
    return name;
  }
}
