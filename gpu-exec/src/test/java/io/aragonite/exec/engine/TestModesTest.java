package io.aragonite.exec.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.device.DiscreteDevice;
import io.aragonite.exec.memory.MemoryDebug;
import io.aragonite.exec.settings.EngineSettings;
import io.aragonite.exec.testing.device.TestDevices;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Each run of the tests is what its system properties say. */
class TestModesTest {
  @Test
  void theEngineHasTheSettingsOfThisRun() {
    EngineSettings settings = EngineSettings.current();
    assertEquals(Long.getLong("aragonite.test.spillRoom", 0), settings.sizes().spillBytes());
    assertEquals(Long.getLong("aragonite.test.scanRoom", 0), settings.sizes().streamedBytes());
    assertEquals(
        Long.getLong("aragonite.exchange.replicate", -1), settings.exchange().replicatedRows());
    assertEquals(
        Integer.getInteger("aragonite.exchange.host", 1 << 10), settings.exchange().hostRows());
    assertEquals(Boolean.getBoolean("aragonite.memory.debug"), MemoryDebug.ON);
    System.setProperty("aragonite.test.hashZero", "true");
    try {
      assertTrue(EngineSettings.current().constantHash());
    } finally {
      System.clearProperty("aragonite.test.hashZero");
    }
  }

  @Test
  void theDevicesAreThoseOfThisRun() {
    String counts = System.getProperty("aragonite.test.devices", "1");
    try (TestEngine engine = new TestEngine(1, 64)) {
      assertTrue(List.of(counts.split(",")).contains(String.valueOf(engine.devices().size())));
      if (TestDevices.name().equals("discrete")) {
        engine.devices().forEach(device -> assertInstanceOf(DiscreteDevice.class, device));
      }
    }
  }
}
