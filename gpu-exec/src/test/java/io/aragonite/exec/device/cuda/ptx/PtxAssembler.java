package io.aragonite.exec.device.cuda.ptx;

import java.nio.charset.StandardCharsets;
import jcuda.nvptxcompiler.JNvPTXCompiler;
import jcuda.nvptxcompiler.nvPTXCompileResult;
import jcuda.nvptxcompiler.nvPTXCompilerHandle;

/** Assembles PTX without a GPU, by the compiler that JCuda brings along. */
public final class PtxAssembler {
  private PtxAssembler() {}

  /**
   * Code for a GPU of compute capability 8.0.
   *
   * @throws AssertionError with the compiler's words if the text is not PTX
   */
  public static byte[] assemble(String ptx) {
    nvPTXCompilerHandle handle = new nvPTXCompilerHandle();
    byte[] text = ptx.getBytes(StandardCharsets.UTF_8);
    check(JNvPTXCompiler.nvPTXCompilerCreate(handle, text.length, text), ptx);
    try {
      String[] options = {"--gpu-name=sm_80"};
      int result = JNvPTXCompiler.nvPTXCompilerCompile(handle, options.length, options);
      if (result != nvPTXCompileResult.NVPTXCOMPILE_SUCCESS) {
        long[] size = new long[1];
        JNvPTXCompiler.nvPTXCompilerGetErrorLogSize(handle, size);
        byte[] log = new byte[(int) size[0] + 1];
        JNvPTXCompiler.nvPTXCompilerGetErrorLog(handle, log);
        throw new AssertionError(new String(log, StandardCharsets.UTF_8) + "\n" + numbered(ptx));
      }
      long[] size = new long[1];
      check(JNvPTXCompiler.nvPTXCompilerGetCompiledProgramSize(handle, size), ptx);
      byte[] cubin = new byte[(int) size[0]];
      check(JNvPTXCompiler.nvPTXCompilerGetCompiledProgram(handle, cubin), ptx);
      return cubin;
    } finally {
      JNvPTXCompiler.nvPTXCompilerDestroy(handle);
    }
  }

  private static void check(int result, String ptx) {
    if (result != nvPTXCompileResult.NVPTXCOMPILE_SUCCESS) {
      throw new AssertionError(nvPTXCompileResult.stringFor(result) + "\n" + numbered(ptx));
    }
  }

  private static String numbered(String ptx) {
    StringBuilder text = new StringBuilder();
    int line = 1;
    for (String part : ptx.split("\n")) {
      text.append(line++).append(": ").append(part).append('\n');
    }
    return text.toString();
  }
}
