package io.aragonite.exec.codegen;

import io.aragonite.exec.codegen.ExprNode.NodeKind;
import io.aragonite.exec.codegen.ExprNode.Rep;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import io.aragonite.exec.expr.Expr;
import io.aragonite.exec.expr.KeyHash;
import io.aragonite.exec.expr.KeyLayout;
import io.aragonite.exec.type.DataType;
import io.aragonite.exec.type.TypeKind;
import io.aragonite.exec.vector.Dictionary;
import java.util.ArrayList;
import java.util.List;

/** The columns of a key in one 64-bit word, packed or hashed. */
final class KeyWordLowering {
  private final Lowering lowering;

  KeyWordLowering(Lowering lowering) {
    this.lowering = lowering;
  }

  ExprNode lower(Expr.KeyWord word) {
    List<ExprNode> nodes = new ArrayList<>();
    KeyLayout layout = word.layout();
    StringBuilder code = new StringBuilder();
    List<String> names = new ArrayList<>();
    if (!layout.exact() && KeyHash.zero()) {
      return lowering.integer(0, DataType.INT64);
    }
    int shift = 0;
    for (int i = 0; i < word.keys().size(); i++) {
      ExprNode key = lowering.lower(word.keys().get(i));
      nodes.add(key);
      if (layout.exact()) {
        KeyLayout.KeyField part = layout.parts().get(i);
        if (key.rep == Rep.TEXT || key.rep == Rep.DOUBLE || key.rep == Rep.WIDE) {
          return lowering.interpreted(word);
        }
        if (part.bits() > 0) {
          String name = lowering.constants.add(part.zero());
          names.add(name);
          String value = key.rep == Rep.BOOL ? "(#" + i + " ? 1L : 0L)" : "#" + i;
          String offset = part.min() == 0 && !part.mayBeNull() ? value : value + " - " + name;
          code.append("w |= ").append(key.nullable ? "?" + i + " ? 0L : " : "");
          code.append("(").append(offset).append(") << ").append(shift).append(";\n");
          shift += part.bits();
        }
      } else {
        code.append("w = KeyHash.combine(w, ").append(key.nullable ? "?" + i : "false");
        code.append(" ? KeyHash.NULL : ").append(hash(key, i, names)).append(");\n");
      }
    }
    String start = layout.exact() ? "0L" : "KeyHash.SEED";
    ExprNode node =
        new ExprNode(NodeKind.KEY_WORD, DataType.INT64, Rep.LONG, nodes, false, code + "", start);
    node.constants = names;
    Bounds.ofType(node);
    return node.cost(layout.exact() ? 2 * nodes.size() : 8 * nodes.size());
  }

  private String hash(ExprNode key, int i, List<String> names) {
    if (key.isConstantNull()) {
      return "KeyHash.NULL";
    }
    return switch (key.rep) {
      case BOOL -> "KeyHash.ofLong(#" + i + " ? 1L : 0L)";
      case LONG ->
          key.type.kind() == TypeKind.DECIMAL
              ? "KeyHash.ofDecimal(#" + i + " >> 63, #" + i + ")"
              : "KeyHash.ofLong(#" + i + ")";
      case WIDE -> "KeyHash.ofDecimal(~" + i + ", #" + i + ")";
      case DOUBLE -> "KeyHash.ofDouble(#" + i + ")";
      case TEXT -> "KeyHash.ofBytes(#" + i + ", ~" + i + ")";
      case CODE -> {
        Dictionary dictionary = java.util.Objects.requireNonNull(key.dictionary);
        String name = lowering.constants.add(NativeDictionary.of(dictionary), "NativeDictionary");
        names.add(name);
        yield CodeConstants.variable(name) + ".hashes[(int) #" + i + "]";
      }
      case OBJECT ->
          throw new AragoniteException(
              ErrorCode.EXPRESSION_UNSUPPORTED,
              "Values of type " + key.type + " cannot be compared or grouped.");
    };
  }
}
