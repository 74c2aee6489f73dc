package io.aragonite.exec.device.cuda;

import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import jcuda.driver.CUresult;

/** What the driver's error numbers mean to us. */
final class CudaErrors {
  private CudaErrors() {}

  /**
   * Whether an error stays: the context, and with it all of the process's work on that GPU, is
   * lost.
   */
  static boolean sticky(int result) {
    return switch (result) {
      case CUresult.CUDA_ERROR_ECC_UNCORRECTABLE,
          CUresult.CUDA_ERROR_NVLINK_UNCORRECTABLE,
          CUresult.CUDA_ERROR_ILLEGAL_ADDRESS,
          CUresult.CUDA_ERROR_LAUNCH_TIMEOUT,
          CUresult.CUDA_ERROR_CONTEXT_IS_DESTROYED,
          CUresult.CUDA_ERROR_ASSERT,
          CUresult.CUDA_ERROR_HARDWARE_STACK_ERROR,
          CUresult.CUDA_ERROR_ILLEGAL_INSTRUCTION,
          CUresult.CUDA_ERROR_MISALIGNED_ADDRESS,
          CUresult.CUDA_ERROR_INVALID_ADDRESS_SPACE,
          CUresult.CUDA_ERROR_INVALID_PC,
          CUresult.CUDA_ERROR_LAUNCH_FAILED,
          CUresult.CUDA_ERROR_DEINITIALIZED,
          CUresult.CUDA_ERROR_UNKNOWN ->
          true;
      default -> false;
    };
  }

  /** For instance {@code CUDA_ERROR_ILLEGAL_ADDRESS (700)}. */
  static String name(int result) {
    String name = CUresult.stringFor(result);
    return (name.startsWith("CUDA") ? name : "an unknown error") + " (" + result + ")";
  }

  /** The error that is thrown for a result that is not sticky. */
  static AragoniteException exception(String gpu, String doing, int result) {
    return switch (result) {
      case CUresult.CUDA_ERROR_OUT_OF_MEMORY ->
          new AragoniteException(
              ErrorCode.MEMORY_EXCEEDED,
              "%s has no memory left for %s; another process may hold it (nvidia-smi shows which)"
                  .formatted(gpu, doing));
      case CUresult.CUDA_ERROR_NO_BINARY_FOR_GPU,
          CUresult.CUDA_ERROR_INVALID_PTX,
          CUresult.CUDA_ERROR_UNSUPPORTED_PTX_VERSION,
          CUresult.CUDA_ERROR_JIT_COMPILER_NOT_FOUND,
          CUresult.CUDA_ERROR_DEVICE_UNAVAILABLE,
          CUresult.CUDA_ERROR_SYSTEM_DRIVER_MISMATCH,
          CUresult.CUDA_ERROR_SYSTEM_NOT_READY,
          CUresult.CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE ->
          new AragoniteException(
              ErrorCode.DEVICE_UNAVAILABLE,
              "%s cannot be used: %s failed with %s; update the NVIDIA driver, or use device=cpu"
                  .formatted(gpu, doing, name(result)));
      default ->
          new AragoniteException(
              ErrorCode.INTERNAL, "On %s, %s failed with %s.".formatted(gpu, doing, name(result)));
    };
  }
}
