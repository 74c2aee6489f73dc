package io.aragonite.exec.codegen;

import io.aragonite.exec.codegen.ExprNode.NodeKind;
import io.aragonite.exec.codegen.ExprNode.Rep;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.vector.Dictionary;
import java.util.ArrayList;
import java.util.List;

/** CASE and COALESCE: what they choose among has one representation. */
final class ChoiceLowering {
  private final Lowering lowering;

  ChoiceLowering(Lowering lowering) {
    this.lowering = lowering;
  }

  ExprNode caseOf(List<Expr> args, int from, DataType type) {
    List<ExprNode> nodes = new ArrayList<>();
    int i = from;
    for (; i + 1 < args.size() && nodes.size() < Lowering.MAX_ARGS; i += 2) {
      nodes.add(lowering.coerce(lowering.lower(args.get(i)), DataType.BOOLEAN));
      nodes.add(lowering.lower(args.get(i + 1)));
    }
    nodes.add(i + 1 < args.size() ? caseOf(args, i, type) : lowering.lower(args.getLast()));
    List<ExprNode> values = new ArrayList<>();
    for (int j = 1; j < nodes.size(); j += 2) {
      values.add(nodes.get(j));
    }
    values.add(nodes.getLast());
    unify(values, type);
    for (int j = 0; j < values.size() - 1; j++) {
      nodes.set(2 * j + 1, values.get(j));
    }
    nodes.set(nodes.size() - 1, values.getLast());
    return choice(
        NodeKind.CASE, nodes, values, type, values.stream().anyMatch(node -> node.nullable));
  }

  ExprNode coalesce(List<Expr> args, DataType type) {
    List<ExprNode> nodes = new ArrayList<>();
    for (Expr arg : args) {
      nodes.add(lowering.lower(arg));
    }
    unify(nodes, type);
    while (nodes.size() > Lowering.MAX_ARGS) {
      List<ExprNode> tail =
          List.copyOf(nodes.subList(nodes.size() - Lowering.MAX_ARGS, nodes.size()));
      ExprNode last =
          choice(
              NodeKind.COALESCE, tail, tail, type, tail.stream().allMatch(node -> node.nullable));
      nodes = new ArrayList<>(nodes.subList(0, nodes.size() - Lowering.MAX_ARGS));
      nodes.add(last);
    }
    return choice(
        NodeKind.COALESCE, nodes, nodes, type, nodes.stream().allMatch(node -> node.nullable));
  }

  private static ExprNode choice(
      NodeKind kind, List<ExprNode> args, List<ExprNode> values, DataType type, boolean nullable) {
    ExprNode node =
        new ExprNode(kind, type, values.getFirst().rep, List.copyOf(args), nullable, "", "")
            .cost(2);
    node.dictionary = values.getFirst().dictionary;
    return Bounds.union(node, values);
  }

  /** Brings the values among which an expression chooses to one representation. */
  private void unify(List<ExprNode> values, DataType type) {
    if (type.kind().isVariable()) {
      lowering.dictionaries.encode(values);
    }
    Dictionary dictionary = null;
    boolean codes = true;
    boolean wide = false;
    for (ExprNode value : values) {
      if (value.isConstantNull()) {
        continue;
      }
      codes &= value.rep == Rep.CODE && (dictionary == null || dictionary == value.dictionary);
      dictionary = value.dictionary;
      wide |= lowering.numeric.toScale(value, type).rep == Rep.WIDE;
    }
    Rep target = codes && dictionary != null ? Rep.CODE : null;
    for (int i = 0; i < values.size() && target != Rep.CODE; i++) {
      ExprNode value = values.get(i);
      if (!value.isConstantNull()) {
        ExprNode same = lowering.coerce(value, type);
        values.set(i, wide ? lowering.numeric.widen(same) : same);
        target = values.get(i).rep;
      }
    }
    for (int i = 0; i < values.size(); i++) {
      if (values.get(i).isConstantNull()) {
        ExprNode none = lowering.nothing(type, target == null ? Lowering.rep(type) : target);
        none.dictionary = target == Rep.CODE ? dictionary : null;
        values.set(i, none);
      }
    }
  }
}
