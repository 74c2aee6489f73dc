package io.aragonite.exec.testing;

import io.aragonite.exec.settings.DefaultDevice;
import io.aragonite.exec.settings.Settings;
import io.aragonite.exec.settings.SettingsSource;
import io.aragonite.exec.settings.SizeSettings;

/**
 * The settings of a JVM that runs tests: the product's system properties, and those that begin with
 * {@code aragonite.test}, all as they are now, so that a test may change them at any time.
 */
public final class TestSettings implements SettingsSource {
  @Override
  public Settings settings() {
    return Settings.parse(System::getProperty)
        .withSizes(TestSettings::sizes)
        .withDefaultDevice(
            new DefaultDevice(
                System.getProperty("aragonite.test.device", ""),
                Integer.getInteger("aragonite.test.devices", 1)))
        .withConstantHash(Boolean.getBoolean("aragonite.test.hashZero"));
  }

  private static SizeSettings sizes(SizeSettings usual) {
    return new SizeSettings(
        Integer.getInteger("aragonite.test.batchRows", usual.batchRows()),
        Integer.getInteger("aragonite.test.flushGroups", usual.partialGroups()),
        Integer.getInteger("aragonite.test.groupRows", usual.sampledRows()),
        usual.packedRows(),
        Long.getLong("aragonite.test.spillRoom", usual.spillBytes()),
        Long.getLong("aragonite.test.scanRoom", usual.streamedBytes()));
  }
}
