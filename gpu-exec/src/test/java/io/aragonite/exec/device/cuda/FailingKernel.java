package io.aragonite.exec.device.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.device.TestContext;
import io.aragonite.exec.error.AragoniteException;
import io.aragonite.exec.error.ErrorCode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** A kernel that fails, and processes of their own for it: no other could use the GPU after it. */
public final class FailingKernel {
  private static final String TRAP =
      """
      .version 7.0
      .target sm_80
      .address_size 64
      .visible .entry ara_trap() { trap; }
      """;

  private FailingKernel() {}

  /** Runs {@code main}, which ends with {@link #goOn}, in a process where it finds two GPUs. */
  public static void run(Class<?> main, Map<String, String> variables, String... arguments) {
    try {
      runProcess(main, variables, arguments);
    } catch (IOException | InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static void runProcess(Class<?> main, Map<String, String> variables, String... arguments)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(
        List.of(
            "--enable-native-access=ALL-UNNAMED",
            "--sun-misc-unsafe-memory-access=allow",
            "-ea",
            "-cp",
            System.getProperty("java.class.path"),
            main.getName()));
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().putAll(Map.of("EMULATED_GPUS", "2", "EMULATED_APART", "true"));
    builder.environment().putAll(variables);
    Process process = builder.start();
    process.getOutputStream().close();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(true, process.waitFor(120, TimeUnit.SECONDS), output);
    assertEquals(0, process.exitValue(), output);
    assertTrue(output.contains("the process went on"), output);
  }

  /** Says that the process did. */
  public static void goOn() {
    System.out.println("the process went on");
  }

  static CudaModule load(CudaDevice device) {
    return device.gpu().load("a test", (TRAP + "\0").getBytes(StandardCharsets.UTF_8));
  }

  static void launch(CudaModule module, TestContext context) {
    CudaStream.of(context).launch(module.kernel("ara_trap"), 1, 1, 0);
  }

  /** Has a kernel fail on the device. */
  public static void fail(CudaDevice device) {
    fail(device, (given, context) -> given.transfers().await(context));
  }

  /**
   * @param wait by which the failure is to be seen
   */
  static void fail(CudaDevice device, BiConsumer<CudaDevice, TestContext> wait) {
    try (CudaModule module = load(device)) {
      TestContext context = new TestContext(device);
      context.memory().allocate(1 << 20);
      launch(module, context);
      check(
          code(() -> wait.accept(device, context)) == ErrorCode.DEVICE_FAILED,
          "no error of the device");
      context.close();
    }
  }

  /** The error that an action ends with; null if it ends without. */
  public static @Nullable ErrorCode code(Runnable action) {
    try {
      action.run();
      return null;
    } catch (AragoniteException e) {
      return e.code();
    }
  }

  public static void check(boolean good, String otherwise) {
    if (!good) {
      throw new AssertionError(otherwise);
    }
  }
}
