package io.aragonite.adapter.statement;

import java.util.concurrent.atomic.LongAdder;

/** Where the plans of statements come from, each with how often that was in this process. */
public enum PlanSource {
  /** They were made for the statement. */
  PLANNED,
  /** They were made for the same text before. */
  CACHED,
  /** They were made for a text that differs in literals alone. */
  SHARED;

  private final LongAdder count = new LongAdder();

  void count() {
    count.increment();
  }

  /** How many statements had such a plan. */
  public long statements() {
    return count.sum();
  }
}
