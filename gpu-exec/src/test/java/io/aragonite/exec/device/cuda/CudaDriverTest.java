package io.aragonite.exec.device.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import jcuda.driver.CUresult;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class CudaDriverTest {
  @Test
  void machineWithoutGpuIsNoError() {
    CudaDriver driver = CudaDriver.get();
    assumeTrue(driver.gpus().isEmpty(), "this machine has a GPU");
    assertNotNull(driver.missing());
    AragoniteException error = assertThrows(AragoniteException.class, () -> driver.gpu(0));
    assertEquals(ErrorCode.DEVICE_UNAVAILABLE, error.code());
    assertTrue(error.getMessage().contains("There is no GPU to use: "), error.getMessage());
  }

  @Test
  void unknownOrdinalIsNamed() {
    CudaDriver driver = CudaDriver.get();
    assumeTrue(!driver.gpus().isEmpty(), "this machine has no GPU");
    AragoniteException error = assertThrows(AragoniteException.class, () -> driver.gpu(99));
    assertEquals(ErrorCode.DEVICE_UNAVAILABLE, error.code());
    assertTrue(error.getMessage().contains("cuda:99"), error.getMessage());
  }

  @Test
  void driverThatIsTooOldSaysWhatIsNeeded() {
    assertNull(CudaDriver.tooOld(13_000, 13_000));
    assertNull(CudaDriver.tooOld(13_000, 13_010));
    assertNull(CudaDriver.tooOld(12_000, 0));
    String reason = CudaDriver.tooOld(12_080, 13_000);
    assertNotNull(reason);
    assertTrue(reason.contains("CUDA 12.8") && reason.contains("CUDA 13.0"), reason);
    assertTrue(reason.contains("device=cpu"), reason);
  }

  /** A driver that finds no GPU, in a process of its own. */
  @Test
  @Tag("gpu")
  void hiddenGpusAreNoError() throws Exception {
    TestGpu.require();
    ProcessBuilder builder =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow",
                "-cp",
                System.getProperty("java.class.path"),
                CudaDriverTest.class.getName())
            .redirectErrorStream(true);
    builder.environment().put("CUDA_VISIBLE_DEVICES", "");
    Process process = builder.start();
    process.getOutputStream().close();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, process.waitFor(), output);
    assertTrue(output.contains("0 GPUs: the NVIDIA driver finds no GPU"), output);
  }

  /** Prints what the driver finds. */
  public static void main(String[] args) {
    CudaDriver driver = CudaDriver.get();
    System.out.println(driver.gpus().size() + " GPUs: " + driver.missing());
  }

  @Test
  void brokenContextIsSticky() {
    assertTrue(CudaErrors.sticky(CUresult.CUDA_ERROR_ILLEGAL_ADDRESS));
    assertTrue(!CudaErrors.sticky(CUresult.CUDA_ERROR_OUT_OF_MEMORY));
    assertEquals(
        ErrorCode.MEMORY_EXCEEDED,
        CudaErrors.exception("cuda:0", "a test", CUresult.CUDA_ERROR_OUT_OF_MEMORY).code());
    assertEquals(
        ErrorCode.INTERNAL,
        CudaErrors.exception("cuda:0", "a test", CUresult.CUDA_ERROR_INVALID_VALUE).code());
  }

  @Test
  void patternRepeatsTheLowBytes() {
    assertEquals(-1L, CudaScan.pattern(1, 0x1FF));
    assertEquals(0x1234_1234_1234_1234L, CudaScan.pattern(2, 0xFF_1234L));
    assertEquals(0x89AB_CDEF_89AB_CDEFL, CudaScan.pattern(4, 0x89AB_CDEFL));
    assertEquals(Long.MIN_VALUE, CudaScan.pattern(8, Long.MIN_VALUE));
  }
}
