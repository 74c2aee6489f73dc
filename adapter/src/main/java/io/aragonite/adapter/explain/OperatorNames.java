package io.aragonite.adapter.explain;

import io.aragonite.rules.rel.GpuAggregate;
import io.aragonite.rules.rel.GpuJoin;
import io.aragonite.rules.rel.GpuMultiwayJoin;
import io.aragonite.rules.rel.GpuRel;
import io.aragonite.rules.rel.GpuSort;
import org.apache.calcite.rel.RelNode;

/** What EXPLAIN calls the nodes of a plan: by what they do, as other engines call them. */
final class OperatorNames {
  private OperatorNames() {}

  /** The operator with its algorithm: {@code HashJoin}, {@code TopN}, {@code Filter}. */
  static String name(RelNode rel) {
    return switch (rel) {
      case GpuJoin join ->
          switch (join.algorithm()) {
            case NON_PARTITIONED_HASH -> "HashJoin";
            case PARTITIONED_HASH, PARTITIONED_HASH_UM -> "PartitionedHashJoin";
            case SORT_MERGE, SORT_MERGE_UM -> "SortMergeJoin";
            case HOST_SORT_MERGE -> "HostSortMergeJoin";
            case NESTED_LOOP -> "NestedLoopJoin";
          };
      case GpuAggregate aggregate ->
          aggregate.getGroupSet().isEmpty() ? "UngroupedAggregate" : "HashAggregate";
      case GpuSort sort -> {
        boolean ordered = !sort.getCollation().getFieldCollations().isEmpty();
        yield !ordered ? "Limit" : sort.fetch != null ? "TopN" : "Sort";
      }
      case GpuRel node -> node.getRelTypeName().replaceFirst("^Gpu", "");
      default -> rel.getRelTypeName();
    };
  }

  /** What the name leaves open of how the node works; empty if nothing. */
  static String variant(RelNode rel) {
    return switch (rel) {
      case GpuJoin join ->
          switch (join.algorithm()) {
            case NESTED_LOOP -> "";
            case PARTITIONED_HASH_UM, SORT_MERGE_UM -> "payload in place, " + side(join);
            default -> side(join);
          };
      case GpuMultiwayJoin join -> join.algorithm();
      default -> "";
    };
  }

  private static String side(GpuJoin join) {
    return (join.buildLeft() ? "left" : "right") + " side built";
  }
}
