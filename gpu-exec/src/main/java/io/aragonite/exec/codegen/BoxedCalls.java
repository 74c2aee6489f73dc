package io.aragonite.exec.codegen;

import io.aragonite.exec.codegen.ExprNode.NodeKind;
import io.aragonite.exec.codegen.ExprNode.Rep;
import io.aragonite.exec.codegen.MethodWriter.NodeVariables;
import io.aragonite.exec.type.TypeKind;

/** Writes statements that call functions with boxed values, or the interpreter. */
final class BoxedCalls {
  private BoxedCalls() {}

  /** Variables with the result of a node that a call computes. */
  static NodeVariables emit(MethodWriter method, ExprNode node) {
    String result = method.index(node);
    if (node.kind == NodeKind.INTERPRETED) {
      method.line("final Object " + result + " = a.interpret(" + node.code + ", i);");
    } else {
      StringBuilder args = new StringBuilder();
      for (ExprNode arg : node.args) {
        args.append(args.isEmpty() ? "" : ", ").append(box(arg, method.emit(arg)));
      }
      String array = node.args.isEmpty() ? "new Object[0]" : "new Object[] {" + args + "}";
      method.line("final Object " + result + " = a.call(" + node.code + ", " + array + ");");
    }
    if (!node.nullable) {
      method.line("if (" + result + " == null) { throw a.unexpectedNull(" + node.code + "); }");
    }
    NodeVariables value = method.declare(node);
    if (node.nullable) {
      method.line(method.isNull(node) + " = " + result + " == null;");
      method.line("if (!" + method.isNull(node) + ") {");
    }
    String unboxed =
        switch (node.rep) {
          case BOOL -> "KernelArgs.unboxBoolean(" + result + ")";
          case LONG -> "KernelArgs.unboxLong(" + result + ")";
          case WIDE -> "a.unboxWide(" + result + ", " + node.type.scale() + ")";
          case DOUBLE -> "KernelArgs.unboxDouble(" + result + ")";
          case TEXT -> "a.unboxText(" + result + ")";
          case OBJECT -> result;
          case CODE -> throw new IllegalStateException("a boxed code");
        };
    method.line(method.value(node) + " = " + unboxed + ";");
    if (node.rep.secondType() != null) {
      method.line(
          method.second(node) + " = " + (node.rep == Rep.WIDE ? "a.high" : "a.length") + ";");
    }
    if (node.nullable) {
      method.line("}");
    }
    return value;
  }

  private static String box(ExprNode node, NodeVariables value) {
    String boxed =
        switch (node.rep) {
          case BOOL, DOUBLE -> "KernelArgs.box(" + value.value() + ")";
          case LONG ->
              node.type.kind() == TypeKind.DECIMAL
                  ? "KernelArgs.boxDecimal(" + value.value() + ", " + node.type.scale() + ")"
                  : "KernelArgs.box(" + value.value() + ")";
          case WIDE ->
              "KernelArgs.boxDecimal("
                  + value.second()
                  + ", "
                  + value.value()
                  + ", "
                  + node.type.scale()
                  + ")";
          case TEXT ->
              (KernelArgs.isBinary(node.type) ? "KernelArgs.boxBytes(" : "KernelArgs.boxText(")
                  + value.value()
                  + ", "
                  + value.second()
                  + ")";
          case CODE -> throw new IllegalStateException("a code is not boxed as such");
          case OBJECT -> value.value();
        };
    return value.isNull() == null
        ? "(Object) " + boxed
        : value.isNull().equals("true")
            ? "(Object) null"
            : "(" + value.isNull() + " ? (Object) null : (Object) " + boxed + ")";
  }
}
