package io.aragonite.bench.fuzz;

/** What a run spends its time on. */
enum FuzzPhase {
  TABLES("tables"),
  STATEMENTS("making statements"),
  CONNECTIONS("connections"),
  FIRST("our plans and first answers"),
  AGAIN("our other answers"),
  PEER("DuckDB"),
  COMPARING("comparing"),
  REDUCING("making failures smaller"),
  REST("the rest");

  private final String title;

  FuzzPhase(String title) {
    this.title = title;
  }

  @Override
  public String toString() {
    return title;
  }
}
