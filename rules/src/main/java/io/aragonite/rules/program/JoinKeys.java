package io.aragonite.rules.program;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Columns of two sets of leaves that a join makes equal, as many of each.
 *
 * @param left numbers of columns of one side
 * @param right of the other
 */
record JoinKeys(List<Integer> left, List<Integer> right) {
  /**
   * The columns of one leaf of either side that all classes with members in both sides have members
   * in, so that statistics of the two tables' columns together say what the join leaves; null if
   * there are no such two leaves, or fewer than two classes.
   *
   * @param classes columns that are made equal
   * @param leftLeaves bits of the leaves of one side
   */
  static @Nullable JoinKeys ofTwoLeaves(
      JoinGraph graph, List<List<Integer>> classes, long leftLeaves, long rightLeaves) {
    List<List<Integer>> joining = new ArrayList<>();
    for (List<Integer> members : classes) {
      if (member(graph, members, leftLeaves) >= 0 && member(graph, members, rightLeaves) >= 0) {
        joining.add(members);
      }
    }
    if (joining.size() < 2) {
      return null;
    }
    for (int x : joining.getFirst()) {
      long left = 1L << graph.leafOf(x);
      if ((left & leftLeaves) == 0) {
        continue;
      }
      for (int y : joining.getFirst()) {
        long right = 1L << graph.leafOf(y);
        JoinKeys keys = (right & rightLeaves) == 0 ? null : of(graph, joining, left, right);
        if (keys != null) {
          return keys;
        }
      }
    }
    return null;
  }

  private static @Nullable JoinKeys of(
      JoinGraph graph, List<List<Integer>> joining, long left, long right) {
    List<Integer> leftKeys = new ArrayList<>();
    List<Integer> rightKeys = new ArrayList<>();
    for (List<Integer> members : joining) {
      int a = member(graph, members, left);
      int b = member(graph, members, right);
      if (a < 0 || b < 0) {
        return null;
      }
      leftKeys.add(a);
      rightKeys.add(b);
    }
    return new JoinKeys(leftKeys, rightKeys);
  }

  /** The first column of a class that is of some leaves; -1 if none is. */
  static int member(JoinGraph graph, List<Integer> members, long leaves) {
    for (int column : members) {
      if ((leaves >> graph.leafOf(column) & 1) != 0) {
        return column;
      }
    }
    return -1;
  }
}
