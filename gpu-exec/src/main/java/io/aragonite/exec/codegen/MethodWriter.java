package io.aragonite.exec.codegen;

import io.aragonite.exec.codegen.ExprNode.NodeKind;
import io.aragonite.exec.codegen.ExprNode.Rep;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Writes the statements that compute nodes for row {@code i} of a batch, in one method of a class.
 * Each node becomes local variables named after it; a node that several others need is computed
 * once in the innermost block that all of them see.
 */
final class MethodWriter {
  /** Arguments of AND, OR and CASE that take longer are only evaluated where needed. */
  private static final int CHEAP = 8;

  /**
   * The variables of a computed node.
   *
   * @param value first variable
   * @param second the second one of WIDE and TEXT
   * @param isNull a boolean variable, or null if it cannot be null
   */
  record NodeVariables(String value, String second, @Nullable String isNull) {}

  private final ClassWriter owner;
  private final StringBuilder body = new StringBuilder();
  private final Set<String> declarations = new LinkedHashSet<>();
  private final Deque<Map<ExprNode, NodeVariables>> scopes = new ArrayDeque<>();

  private final ColumnLoads columns;

  private @Nullable ExprNode root;

  MethodWriter(ClassWriter owner) {
    this.owner = owner;
    this.columns = new ColumnLoads(owner, this);
    push();
  }

  void push() {
    scopes.push(new IdentityHashMap<>());
    columns.push();
  }

  void pop() {
    scopes.pop();
    columns.pop();
  }

  MethodWriter line(String text) {
    body.append(text).append('\n');
    return this;
  }

  /** What stands at the start of the method. */
  String declarations() {
    return String.join("", declarations);
  }

  /** Adds a line to {@link #declarations()}, once. */
  void declare(String declaration) {
    declarations.add(declaration);
  }

  String body() {
    return body.toString();
  }

  /** Has a node of its own method computed here, not by a call of that method. */
  NodeVariables emitRoot(ExprNode node) {
    root = node;
    return emit(node);
  }

  NodeVariables emit(ExprNode node) {
    for (Map<ExprNode, NodeVariables> scope : scopes) {
      NodeVariables known = scope.get(node);
      if (known != null) {
        return known;
      }
    }
    for (String constant : node.constants) {
      declare(CodeConstants.declaration(constant));
    }
    NodeVariables value = node.outlined && node != root ? callMethod(node) : compute(node);
    java.util.Objects.requireNonNull(scopes.peek()).put(node, value);
    return value;
  }

  private NodeVariables compute(ExprNode node) {
    return switch (node.kind) {
      case COLUMN -> columns.load(node);
      case CONSTANT -> new NodeVariables(node.code, node.second, null);
      case NULL -> new NodeVariables(node.code, node.rep == Rep.WIDE ? "0L" : "0", "true");
      case STRICT -> strict(node);
      case AND, OR -> logic(node);
      case NOT -> {
        NodeVariables arg = emit(node.args.getFirst());
        yield new NodeVariables("!" + arg.value, "", arg.isNull);
      }
      case CASE -> caseOf(node);
      case COALESCE -> coalesce(node);
      case IS_NULL -> {
        NodeVariables arg = emit(node.args.getFirst());
        yield new NodeVariables(arg.isNull == null ? "false" : arg.isNull, "", null);
      }
      case IS_TRUE -> new NodeVariables(truth(node.args.getFirst(), true), "", null);
      case IS_FALSE -> new NodeVariables(truth(node.args.getFirst(), false), "", null);
      case SAME -> same(node);
      case TABLE -> table(node);
      case BOXED, INTERPRETED -> BoxedCalls.emit(this, node);
      case KEY_WORD -> keyWord(node);
    };
  }

  // Variables

  /** The name of a node's first variable. */
  String value(ExprNode node) {
    return "v" + owner.number(node);
  }

  /** That of the second one of WIDE and TEXT. */
  String second(ExprNode node) {
    return "s" + owner.number(node);
  }

  /** That of the one that says whether it is null. */
  String isNull(ExprNode node) {
    return "n" + owner.number(node);
  }

  /** That of another one that leads to the value. */
  String index(ExprNode node) {
    return "x" + owner.number(node);
  }

  private static String zero(ExprNode node) {
    return node.rep.zero;
  }

  /** Declares a node's variables with default values, to be assigned in branches. */
  NodeVariables declare(ExprNode node) {
    line(node.rep.javaType + " " + value(node) + " = " + zero(node) + ";");
    String type = node.rep.secondType();
    if (type != null) {
      line(type + " " + second(node) + " = 0;");
    }
    if (node.nullable) {
      line("boolean " + isNull(node) + " = true;");
    }
    return variables(node);
  }

  /** A node's variables, once they are declared. */
  NodeVariables variables(ExprNode node) {
    return new NodeVariables(
        value(node),
        node.rep.secondType() == null ? "" : second(node),
        node.nullable ? isNull(node) : null);
  }

  private void assign(ExprNode node, NodeVariables from) {
    line(value(node) + " = " + from.value + ";");
    if (node.rep.secondType() != null) {
      line(second(node) + " = " + from.second + ";");
    }
    if (node.nullable) {
      line(isNull(node) + " = " + (from.isNull == null ? "false" : from.isNull) + ";");
    }
  }

  /** A boolean expression that is true if any argument is null; null if none can be. */
  private @Nullable String anyNull(List<NodeVariables> args) {
    Set<String> names = new LinkedHashSet<>();
    for (NodeVariables arg : args) {
      if (arg.isNull != null) {
        names.add(arg.isNull);
      }
    }
    return names.isEmpty() ? null : String.join(" | ", names);
  }

  // Strict operations

  private static String fill(String template, List<NodeVariables> args) {
    StringBuilder text = new StringBuilder(template.length() + 16);
    for (int i = 0; i < template.length(); i++) {
      char c = template.charAt(i);
      if (c == '#'
          || c == '~'
          || c == '?' && i + 1 < template.length() && Character.isDigit(template.charAt(i + 1))) {
        int end = i + 1;
        while (end < template.length() && Character.isDigit(template.charAt(end))) {
          end++;
        }
        if (end == i + 1) {
          text.append(c);
          continue;
        }
        NodeVariables arg = args.get(Integer.parseInt(template.substring(i + 1, end)));
        text.append(
            c == '#'
                ? arg.value
                : c == '~' ? arg.second : arg.isNull == null ? "false" : arg.isNull);
        i = end - 1;
      } else {
        text.append(c);
      }
    }
    return text.toString();
  }

  private List<NodeVariables> emitAll(List<ExprNode> nodes) {
    List<NodeVariables> values = new ArrayList<>();
    for (ExprNode node : nodes) {
      values.add(emit(node));
    }
    return values;
  }

  /** Reading long texts counts as work; a text under a null has any length. */
  private void look(ExprNode node, List<NodeVariables> args) {
    if (!owner.forHost() || !(node.code.contains("Texts.") || node.code.contains(".matches("))) {
      return;
    }
    for (int i = 0; i < args.size(); i++) {
      if (node.args.get(i).rep == Rep.TEXT && node.args.get(i).kind != NodeKind.CONSTANT) {
        line("a.read(" + args.get(i).second + ");");
      }
    }
  }

  private NodeVariables strict(ExprNode node) {
    List<NodeVariables> args = emitAll(node.args);
    String anyNull = anyNull(args);
    look(node, args);
    String code = fill(node.code, args);
    String second = fill(node.second, args);
    if (anyNull == null || !node.guarded) {
      line("final " + node.rep.javaType + " " + value(node) + " = " + code + ";");
      if (node.rep.secondType() != null) {
        line("final " + node.rep.secondType() + " " + second(node) + " = " + second + ";");
      }
      if (anyNull == null) {
        // A node may promise less than its arguments here keep.
        return new NodeVariables(
            value(node), node.rep.secondType() == null ? "" : second(node), null);
      }
      if (anyNull.indexOf('|') < 0) {
        return new NodeVariables(
            value(node), node.rep.secondType() == null ? "" : second(node), anyNull);
      }
      line("final boolean " + isNull(node) + " = " + anyNull + ";");
      return variables(node);
    }
    line(node.rep.javaType + " " + value(node) + " = " + zero(node) + ";");
    if (node.rep.secondType() != null) {
      line(node.rep.secondType() + " " + second(node) + " = 0;");
    }
    line("final boolean " + isNull(node) + " = " + anyNull + ";");
    line("if (!" + isNull(node) + ") {");
    line(value(node) + " = " + code + ";");
    if (node.rep.secondType() != null) {
      line(second(node) + " = " + second + ";");
    }
    line("}");
    return variables(node);
  }

  private NodeVariables same(ExprNode node) {
    List<NodeVariables> args = emitAll(node.args);
    String code = fill(node.code, args);
    String a = args.get(0).isNull;
    String b = args.get(1).isNull;
    String result;
    if (a == null && b == null) {
      result = code;
    } else {
      String left = a == null ? "false" : a;
      String right = b == null ? "false" : b;
      result = "(" + left + " | " + right + ") ? (" + left + " & " + right + ") : (" + code + ")";
    }
    line("final boolean " + value(node) + " = " + result + ";");
    return new NodeVariables(value(node), "", null);
  }

  private NodeVariables table(ExprNode node) {
    NodeVariables codes = emit(node.args.getFirst());
    String place =
        codes.isNull == null
            ? "(int) " + codes.value
            : "(" + codes.isNull + " ? " + node.code + ".last : (int) " + codes.value + ")";
    String index = index(node);
    if (node.rep == Rep.BOOL) {
      String entry =
          node.second.equals("eager")
              ? node.code + ".entries[" + place + "]"
              : node.code + ".get(" + place + ")";
      line("final int " + index + " = " + entry + ";");
      line("final boolean " + value(node) + " = " + index + " == 1;");
      if (node.nullable) {
        line("final boolean " + isNull(node) + " = " + index + " == 2;");
      }
      return variables(node);
    }
    line("final int " + index + " = " + place + ";");
    String load = node.code + "." + node.second + "[" + index + "]";
    line("final " + node.rep.javaType + " " + value(node) + " = " + load + ";");
    if (node.nullable) {
      line("final boolean " + isNull(node) + " = " + node.code + ".nulls[" + index + "];");
    }
    return variables(node);
  }

  private NodeVariables keyWord(ExprNode node) {
    List<NodeVariables> args = emitAll(node.args);
    line("long " + value(node) + " = " + node.second + ";");
    String word = node.code.replaceAll("\\bw\\b", value(node));
    line(fill(word, args));
    return variables(node);
  }

  // Logic

  private static boolean cheap(ExprNode node) {
    return node.cost <= CHEAP && !node.fails && !node.outlined;
  }

  /** A boolean expression that is true if the node is definitely {@code wanted}, not null. */
  String truth(ExprNode node, boolean wanted) {
    if (node.outlined && node != root) {
      return truth(emit(node), wanted);
    }
    return switch (node.kind) {
      case NOT -> truth(node.args.getFirst(), !wanted);
      case AND, OR -> {
        for (Map<ExprNode, NodeVariables> scope : scopes) {
          NodeVariables known = scope.get(node);
          if (known != null) {
            yield truth(known, wanted);
          }
        }
        yield chain(node, wanted);
      }
      default -> truth(emit(node), wanted);
    };
  }

  private static String truth(NodeVariables value, boolean wanted) {
    String positive = wanted ? value.value : "!" + value.value;
    if (positive.startsWith("!!")) {
      positive = positive.substring(2);
    }
    return value.isNull == null ? positive : "(" + positive + " & !" + value.isNull + ")";
  }

  /**
   * A long expression, 1 if the node is definitely {@code wanted} and 0 if not, that has no branch;
   * null if there is none.
   */
  @Nullable String bit(ExprNode node, boolean wanted) {
    if (node.outlined || !cheap(node)) {
      return null;
    }
    String flip = wanted ? "" : " ^ 1L";
    switch (node.kind) {
      case NOT -> {
        return bit(node.args.getFirst(), !wanted);
      }
      case AND, OR -> {
        boolean all = (node.kind == NodeKind.AND) == wanted;
        List<String> bits = new ArrayList<>();
        for (ExprNode arg : node.args) {
          String bit = bit(arg, wanted);
          if (bit == null) {
            return null;
          }
          bits.add(bit);
        }
        return "(" + String.join(all ? " & " : " | ", bits) + ")";
      }
      case TABLE -> {
        if (node.nullable || !node.second.equals("eager")) {
          return null;
        }
        emit(node);
        return "((long) x" + owner.number(node) + flip + ")";
      }
      case STRICT -> {
        String template = node.bit;
        Set<String> valid = new LinkedHashSet<>();
        if (template == null || !addValidBits(node, valid)) {
          return null;
        }
        for (String constant : node.constants) {
          declare(CodeConstants.declaration(constant));
        }
        valid.add("(" + fill(template, emitAll(node.args)) + flip + ")");
        return "(" + String.join(" & ", valid) + ")";
      }
      case IS_NULL -> {
        Set<String> valid = new LinkedHashSet<>();
        if (!addValidBits(node.args.getFirst(), valid) || valid.isEmpty()) {
          return null;
        }
        return "(" + String.join(" & ", valid) + (wanted ? " ^ 1L" : "") + ")";
      }
      default -> {
        return null;
      }
    }
  }

  /**
   * Adds long expressions without branches that are all 1 if a node is not null, and else one is 0.
   *
   * @return false if there are none
   */
  private boolean addValidBits(ExprNode node, Set<String> bits) {
    if (!node.nullable) {
      return true;
    }
    if (node.kind == NodeKind.COLUMN) {
      emit(node);
      String bit = columns.validBit(node);
      if (bit != null) {
        bits.add(bit);
      }
      return bit != null;
    }
    if (node.kind != NodeKind.STRICT || node.guarded || node.outlined) {
      return false;
    }
    for (ExprNode arg : node.args) {
      if (!addValidBits(arg, bits)) {
        return false;
      }
    }
    return true;
  }

  /** All of the arguments (AND true, OR false), or one of them (AND false, OR true). */
  private String chain(ExprNode node, boolean wanted) {
    boolean all = (node.kind == NodeKind.AND) == wanted;
    String name = "t" + owner.fresh();
    String operator = all ? " & " : " | ";
    boolean declared = false;
    List<String> pending = new ArrayList<>();
    for (ExprNode arg : node.args) {
      if (cheap(arg)) {
        if (declared && pending.isEmpty()) {
          // Within a branch, so that what is computed here is seen here only.
          line("if (" + (all ? "" : "!") + name + ") {");
          push();
          line(name + " = " + truth(arg, wanted) + ";");
          pop();
          line("}");
        } else {
          pending.add(truth(arg, wanted));
        }
        continue;
      }
      if (!declared) {
        String start =
            pending.isEmpty() ? (all ? "true" : "false") : String.join(operator, pending);
        pending.clear();
        line("boolean " + name + " = " + start + ";");
        declared = true;
      }
      line("if (" + (all ? "" : "!") + name + ") {");
      push();
      line(name + " = " + truth(arg, wanted) + ";");
      pop();
      line("}");
    }
    if (!declared) {
      line("final boolean " + name + " = " + String.join(operator, pending) + ";");
    }
    return name;
  }

  /** AND or OR with its nulls. */
  private NodeVariables logic(ExprNode node) {
    if (!node.nullable) {
      return new NodeVariables(truth(node, true), "", null);
    }
    // Decided: an argument is false (AND) or true (OR); unknown: one is null.
    boolean decisive = node.kind == NodeKind.OR;
    String decided = "e" + owner.fresh();
    String unknown = "u" + owner.fresh();
    line("boolean " + decided + " = false;");
    line("boolean " + unknown + " = false;");
    boolean branched = false;
    for (ExprNode arg : node.args) {
      boolean branch = !cheap(arg) || branched;
      branched |= branch;
      if (branch) {
        line("if (!" + decided + ") {");
        push();
      }
      NodeVariables value = emit(arg);
      line(decided + " |= " + truth(value, decisive) + ";");
      if (value.isNull != null) {
        line(unknown + " |= " + value.isNull + ";");
      }
      if (branch) {
        pop();
        line("}");
      }
    }
    line("final boolean " + isNull(node) + " = " + unknown + " & !" + decided + ";");
    String result = decisive ? decided : "!" + decided + " & !" + unknown;
    line("final boolean " + value(node) + " = " + result + ";");
    return variables(node);
  }

  // Choices

  private NodeVariables caseOf(ExprNode node) {
    List<ExprNode> args = node.args;
    if (args.size() == 3 && selectable(args.get(1)) && selectable(args.get(2))) {
      return select(node, args);
    }
    NodeVariables result = declare(node);
    int depth = 0;
    for (int i = 0; i + 1 < args.size(); i += 2) {
      line("if (" + truth(args.get(i), true) + ") {");
      push();
      assign(node, emit(args.get(i + 1)));
      pop();
      line("} else {");
      push();
      depth++;
    }
    assign(node, emit(args.getLast()));
    for (int i = 0; i < depth; i++) {
      pop();
      line("}");
    }
    return result;
  }

  /** Whether a value may as well be computed although another is chosen. */
  private static boolean selectable(ExprNode node) {
    return cheap(node)
        && !node.guarded
        && (node.rep == Rep.LONG || node.rep == Rep.DOUBLE || node.rep == Rep.BOOL);
  }

  private NodeVariables select(ExprNode node, List<ExprNode> args) {
    String condition = truth(args.get(0), true);
    NodeVariables yes = emit(args.get(1));
    NodeVariables no = emit(args.get(2));
    String flag = "c" + owner.fresh();
    line("final boolean " + flag + " = " + condition + ";");
    line(
        "final "
            + node.rep.javaType
            + " "
            + value(node)
            + " = "
            + flag
            + " ? "
            + yes.value
            + " : "
            + no.value
            + ";");
    if (node.nullable) {
      line(
          "final boolean "
              + isNull(node)
              + " = "
              + flag
              + " ? "
              + (yes.isNull == null ? "false" : yes.isNull)
              + " : "
              + (no.isNull == null ? "false" : no.isNull)
              + ";");
    }
    return variables(node);
  }

  private NodeVariables coalesce(ExprNode node) {
    NodeVariables result = declare(node);
    int depth = 0;
    for (int i = 0; i < node.args.size(); i++) {
      NodeVariables arg = emit(node.args.get(i));
      boolean last = i == node.args.size() - 1 || arg.isNull == null;
      if (last) {
        assign(node, arg);
        break;
      }
      line("if (!" + arg.isNull + ") {");
      assign(node, new NodeVariables(arg.value, arg.second, null));
      line("} else {");
      push();
      depth++;
    }
    for (int i = 0; i < depth; i++) {
      pop();
      line("}");
    }
    return result;
  }

  // Calls

  private NodeVariables callMethod(ExprNode node) {
    String method = owner.method(node);
    line("final " + node.rep.javaType + " " + value(node) + " = " + method + "(a, i);");
    String type = node.rep.secondType();
    if (type != null) {
      String register = node.rep == Rep.WIDE ? "a.high" : "a.length";
      line("final " + type + " " + second(node) + " = " + register + ";");
    }
    if (node.nullable) {
      line("final boolean " + isNull(node) + " = a.isNull;");
    }
    return variables(node);
  }
}
