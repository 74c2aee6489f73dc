package io.aragonite.exec.settings;

/**
 * Where the settings of this process come from: the system properties, or, for a program that
 * configures its engines otherwise, a service of this type on its class path.
 */
public interface SettingsSource {
  /** The settings now. Called often, by all threads. */
  EngineSettings settings();

  /**
   * An engine is opened or a query starts: settings that are kept are looked at again.
   *
   * @throws io.aragonite.exec.error.AragoniteException INVALID_PROPERTY if a value is wrong
   */
  default void refresh() {}
}
