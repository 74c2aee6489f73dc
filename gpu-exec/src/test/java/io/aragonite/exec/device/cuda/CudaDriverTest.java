package io.aragonite.exec.device.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import jcuda.driver.CUresult;
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
