package io.aragonite.exec.plan;

/**
 * What a {@link PhysicalPlan.Recursion} hands from one step to the next, or a {@link
 * PhysicalPlan.MaterializedCte} to its query. Each is another one, whatever its name.
 */
public final class WorkingTable {
  private final String name;

  public WorkingTable(String name) {
    this.name = name;
  }

  /** Its name in the statement, for people. */
  @Override
  public String toString() {
    return name;
  }
}
