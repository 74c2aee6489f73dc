package io.aragonite.rules.function;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Searches in lists that find nulls too. */
public final class ListSearch {
  private ListSearch() {}

  /** The place of an element, from 1, or of a null; 0 if it is not there. */
  public static @Nullable Long position(@Nullable List<?> list, @Nullable Object element) {
    return list == null ? null : Long.valueOf(list.indexOf(element) + 1L);
  }
}
