package io.aragonite.exec.plan;

import java.io.Serializable;

/** One key of an order: an input column, its direction, and where its nulls go. */
public record SortKey(int column, boolean descending, boolean nullsFirst) implements Serializable {}
