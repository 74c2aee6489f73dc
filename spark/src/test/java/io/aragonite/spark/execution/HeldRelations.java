package io.aragonite.spark.execution;

/** Broadcast relations of which this process has columns, for tests of other packages. */
public final class HeldRelations {
  private HeldRelations() {}

  public static int count() {
    return RelationColumns.known();
  }
}
