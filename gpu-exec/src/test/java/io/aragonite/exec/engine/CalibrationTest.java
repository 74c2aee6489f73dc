package io.aragonite.exec.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.device.Device;
import io.aragonite.exec.device.DiscreteDevice;
import io.aragonite.exec.device.cpu.CpuDevice;
import io.aragonite.exec.device.cpu.CpuExpressionCompiler;
import io.aragonite.exec.memory.MemoryBudget;
import io.aragonite.exec.profile.MachineProfile;
import io.aragonite.exec.profile.ProfileStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Calibration in small, and files of profiles, good and broken. */
final class CalibrationTest {
  private static final MachineProfile SHIPPED = MachineProfile.CPU;

  @TempDir private Path folder;

  @Test
  void measuresEveryFigureAndKeepsThem() throws IOException {
    try (TestEngine engine = new TestEngine(2, 1024);
        Calibration calibration = new Calibration(engine.engine().device(), 8, 14)) {
      MachineProfile found = calibration.run();
      double[] figures = found.figures();
      for (int i = 0; i < figures.length; i++) {
        String name = ProfileStore.names()[i];
        assertTrue(figures[i] >= 0 && !Double.isNaN(figures[i]), name + " is " + figures[i]);
      }
      assertTrue(found.sequentialBytesPerNano() > 0.01, found::toString);
      assertTrue(found.missNanos() >= found.hitNanos(), found::toString);
      assertTrue(found.cacheBytes() > 0, found::toString);
      Map<String, Double> curves = calibration.curves();
      // Five sizes of gathers of two kinds, of lookups and of inserts; two widths of rows; a sort.
      assertEquals(5 * 4 + 2 + 1, curves.size(), curves::toString);
      curves.forEach((name, value) -> assertTrue(value > 0, name + " is " + value));
      ProfileStore.save(folder, "a cpu", "today", found, curves);
      MachineProfile loaded = ProfileStore.load(folder, "a cpu", SHIPPED);
      assertArrayEquals(figures, loaded.figures());
      assertEquals("calibrated: today", loaded.source());
    }
  }

  @Test
  void copiesFromTheHostAreMeasuredWhereMemoryIsNotShared() {
    MemoryBudget budget = new MemoryBudget("memory", 1 << 30);
    Device host = new CpuDevice(2, budget, new CpuExpressionCompiler());
    try (Device device = new DiscreteDevice(new MemoryBudget("device", 1 << 30), host);
        Calibration calibration = new Calibration(device, 8, 14)) {
      MachineProfile found = calibration.run();
      assertTrue(Double.isFinite(found.hostBytesPerNano()), found::toString);
      assertTrue(Double.isFinite(found.pinnedBytesPerNano()), found::toString);
      assertTrue(found.hostBytesPerNano() > 0 && found.pinnedBytesPerNano() > 0, found::toString);
    }
  }

  @Test
  void withoutAFileTheShippedFiguresAreUsed() {
    assertSame(SHIPPED, ProfileStore.load(folder, "a cpu", SHIPPED));
  }

  @Test
  void brokenFilesAreSaidAndNotUsed() throws IOException {
    Path file = ProfileStore.save(folder, "a cpu", "today", SHIPPED, Map.of());
    String good = Files.readString(file);
    check(file, good.replace("format=4", "format=9"), "it is of another format");
    check(file, good.replace("model=a cpu", "model=other"), "it is of other");
    check(file, good.replaceAll("missNanos=.*", "missNanos=-3"), "missNanos is -3");
    check(file, good.replaceAll("missNanos=.*", "missNanos=x"), "");
    check(file, good.replaceAll("(?m)^(miss|sort)Nanos.*$", ""), "");
    check(file, good.substring(0, good.indexOf("sortRowNanos")), "it ");
    check(file, "", "it is of another format");
    check(file, "\\uZZZZ", "");
  }

  private void check(Path file, String text, String why) throws IOException {
    Files.writeString(file, text);
    MachineProfile used = ProfileStore.load(folder, "a cpu", SHIPPED);
    assertArrayEquals(SHIPPED.figures(), used.figures(), text);
    assertTrue(used.source().startsWith(SHIPPED.source() + ", since "), used.source());
    assertTrue(used.source().contains(why), used.source());
  }
}
