package io.aragonite.exec.plan;

/** One key of an order: an input column, its direction, and where its nulls go. */
public record SortKey(int column, boolean descending, boolean nullsFirst) {}
