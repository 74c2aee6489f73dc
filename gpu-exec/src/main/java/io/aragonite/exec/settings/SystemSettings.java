package io.aragonite.exec.settings;

/** Settings from system properties, as they were when the last engine or query started. */
final class SystemSettings implements SettingsSource {
  private volatile Settings known = new SettingsParser(System::getProperty, true).settings();

  @Override
  public Settings settings() {
    return known;
  }

  @Override
  public void refresh() {
    known = Settings.parse(System::getProperty);
  }
}
