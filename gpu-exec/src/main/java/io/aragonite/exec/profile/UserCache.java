package io.aragonite.exec.profile;

import java.nio.file.Path;

/** The user's cache folder, where what was measured or counted is kept for later processes. */
public final class UserCache {
  private UserCache() {}

  /**
   * {@code $ARAGONITE_CACHE}, or {@code $XDG_CACHE_HOME/aragonite}, or {@code ~/.cache/aragonite}.
   */
  public static Path folder() {
    String own = System.getenv().getOrDefault("ARAGONITE_CACHE", "");
    String xdg = System.getenv().getOrDefault("XDG_CACHE_HOME", "");
    return !own.isBlank()
        ? Path.of(own)
        : (xdg.isBlank() ? Path.of(System.getProperty("user.home", "."), ".cache") : Path.of(xdg))
            .resolve("aragonite");
  }
}
