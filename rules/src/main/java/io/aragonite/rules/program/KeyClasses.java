package io.aragonite.rules.program;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.type.SqlTypeUtil;

/** Columns of several relations that a join makes equal. */
final class KeyClasses {
  private final Map<Integer, Integer> parents = new LinkedHashMap<>();
  private final Map<Integer, RelDataType> types = new LinkedHashMap<>();

  /** Takes an equality of two columns of one type of different leaves; others are refused. */
  boolean add(RexNode predicate, JoinGraph graph) {
    if (!predicate.isA(SqlKind.EQUALS)) {
      return false;
    }
    RexNode left = ((RexCall) predicate).getOperands().get(0);
    RexNode right = ((RexCall) predicate).getOperands().get(1);
    if (!(left instanceof RexInputRef a)
        || !(right instanceof RexInputRef b)
        || !SqlTypeUtil.equalSansNullability(a.getType(), b.getType())
        || graph.leafOf(a.getIndex()) == graph.leafOf(b.getIndex())) {
      return false;
    }
    types.put(a.getIndex(), a.getType());
    types.put(b.getIndex(), b.getType());
    parents.put(root(a.getIndex()), root(b.getIndex()));
    return true;
  }

  private int root(int column) {
    parents.putIfAbsent(column, column);
    int root = column;
    int parent = parents.getOrDefault(root, root);
    while (parent != root) {
      root = parent;
      parent = parents.getOrDefault(root, root);
    }
    return root;
  }

  /** The classes, each with its columns. */
  List<List<Integer>> classes() {
    Map<Integer, List<Integer>> byRoot = new LinkedHashMap<>();
    for (int column : List.copyOf(types.keySet())) {
      byRoot.computeIfAbsent(root(column), root -> new ArrayList<>()).add(column);
    }
    return List.copyOf(byRoot.values());
  }

  RexInputRef ref(int column) {
    RelDataType type = types.get(column);
    if (type == null) {
      throw new IllegalArgumentException("column " + column + " is in no class");
    }
    return new RexInputRef(column, type);
  }
}
