package io.aragonite.adapter.engine;

/** Counts engines, to find those that nobody closes. */
public final class OpenEngines {
  private OpenEngines() {}

  /** Engines open now, or being closed. */
  public static int count() {
    synchronized (Engines.OPEN) {
      return Engines.OPEN.size() + Engines.CLOSING.size();
    }
  }
}
