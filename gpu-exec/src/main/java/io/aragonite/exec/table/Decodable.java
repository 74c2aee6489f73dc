package io.aragonite.exec.table;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Something of a file that a device decodes, or why the host does.
 *
 * @param value null: the host decodes it
 * @param reason for people; empty if there is nothing to say: the device decodes it, or there is
 *     nothing to be decoded
 */
public record Decodable<T>(@Nullable T value, String reason) {
  public static <T> Decodable<T> of(T value) {
    return new Decodable<>(value, "");
  }

  /** The host decodes it, or has. */
  public static <T> Decodable<T> byHost(String reason) {
    return new Decodable<>(null, reason);
  }

  /** Whether a device decodes it. */
  public boolean present() {
    return value != null;
  }

  /** What is there. */
  public T get() {
    return Objects.requireNonNull(value, reason);
  }
}
