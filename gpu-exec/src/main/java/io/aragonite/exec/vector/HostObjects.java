package io.aragonite.exec.vector;

import java.util.ArrayList;
import java.util.List;

/**
 * The objects of a query to which columns of HANDLE storage refer. They live as long as the query
 * and its result. Safe for several threads.
 */
public final class HostObjects {
  private final List<Object> objects = new ArrayList<>();

  /** Keeps an object and returns its handle. */
  public synchronized long add(Object object) {
    objects.add(object);
    return objects.size() - 1L;
  }

  public synchronized Object get(long handle) {
    return objects.get((int) handle);
  }
}
