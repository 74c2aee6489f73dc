package io.aragonite.rules.translate;

import io.aragonite.exec.plan.SortKey;
import java.util.List;
import org.apache.calcite.rel.RelCollation;
import org.apache.calcite.rel.RelFieldCollation;

/** Orders in the engine's form. */
public final class Collations {
  private Collations() {}

  /** The keys of an order. */
  public static List<SortKey> keys(RelCollation collation) {
    return collation.getFieldCollations().stream().map(Collations::key).toList();
  }

  private static SortKey key(RelFieldCollation field) {
    boolean descending = field.getDirection().isDescending();
    boolean nullsFirst =
        switch (field.nullDirection) {
          case FIRST -> true;
          case LAST -> false;
          // Unspecified is what Calcite's Enumerable does: nulls are the largest values.
          case UNSPECIFIED -> descending;
        };
    return new SortKey(field.getFieldIndex(), descending, nullsFirst);
  }
}
