package io.aragonite.exec.settings;

/** EngineSettings from system properties, as they were when the last engine or query started. */
final class SystemSettings implements SettingsSource {
  private volatile EngineSettings known = new SettingsParser(System::getProperty, true).settings();

  @Override
  public EngineSettings settings() {
    return known;
  }

  @Override
  public void refresh() {
    known = EngineSettings.parse(System::getProperty);
  }
}
