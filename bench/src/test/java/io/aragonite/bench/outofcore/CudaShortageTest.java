package io.aragonite.bench.outofcore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.engine.Devices;
import io.aragonite.bench.outofcore.OutOfCoreBench.Case;
import io.aragonite.bench.outofcore.OutOfCoreBench.OutOfCoreResult;
import io.aragonite.bench.outofcore.OutOfCoreBench.Sizes;
import io.aragonite.exec.device.Device;
import io.aragonite.exec.device.cuda.CudaDriver;
import io.aragonite.exec.device.cuda.GpuMemoryHolder;
import io.aragonite.exec.plan.JoinAlgorithm;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Another process takes nearly all of the GPU's memory after the device was opened, whose budget
 * knows nothing of it: queries stream and spill, and their answers are right.
 */
@Tag("gpu")
class CudaShortageTest {
  @Test
  void joinsAreRightWithoutTheMemoryTheyExpect() throws Exception {
    Assumptions.assumeTrue(
        CudaDriver.get().missing() == null && CudaDriver.kernelsVersion() > 0, "no GPU");
    List<String> command = new ArrayList<>();
    command.add(ProcessHandle.current().info().command().orElse("java"));
    command.addAll(
        List.of(
            "--add-opens=java.base/java.nio=ALL-UNNAMED",
            "--enable-native-access=ALL-UNNAMED",
            "--sun-misc-unsafe-memory-access=allow",
            "-cp",
            System.getProperty("java.class.path"),
            GpuMemoryHolder.class.getName()));
    Process[] other = new Process[1];
    StringWriter text = new StringWriter();
    try {
      OutOfCoreBench bench =
          new OutOfCoreBench(
              bytes -> {
                Device device = Devices.open("cuda", 4, 24L << 30, bytes, 6L << 30);
                other[0] = start(command);
                return device;
              },
              JoinAlgorithm.NON_PARTITIONED_HASH,
              1,
              new PrintWriter(text));
      // The device is told of 64 GB.
      List<OutOfCoreResult> results = bench.run(List.of(Case.JOIN), new Sizes(0, 0, 64L << 30, 2L << 30));
      System.out.print(text);
      assertEquals(1, results.size());
      for (OutOfCoreResult result : results) {
        assertNull(result.error(), text::toString);
        assertTrue(result.notes().contains("partitions"), text::toString);
      }
    } finally {
      if (other[0] != null) {
        other[0].destroyForcibly().waitFor();
      }
    }
  }

  private static Process start(List<String> command) {
    try {
      Process process =
          new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
      BufferedReader out =
          new BufferedReader(
              new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
      assertEquals("held", out.readLine());
      return process;
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
