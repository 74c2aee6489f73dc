package io.aragonite.exec.device.cuda.ptx;

import io.aragonite.exec.device.Device;
import io.aragonite.exec.device.DeviceProperties;
import io.aragonite.exec.device.DeviceProvider;
import io.aragonite.exec.device.cpu.CpuDevice;
import io.aragonite.exec.device.cpu.CpuExpressionCompiler;
import io.aragonite.exec.settings.EngineSettings;
import io.aragonite.exec.settings.Toggle;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * The device {@code ptx} of tests: the CPU, whose expressions are kernels in PTX that pass the
 * assembler and are interpreted, or, with {@code aragonite.expressions.interpret=on}, become code
 * for the GPU's interpreter, which is interpreted. What they were is told by a {@code
 * Supplier<Map<String, Long>>} among the system properties, named {@link #REPORT}, for tests that
 * see nothing but JDBC.
 */
public final class PtxDevice implements DeviceProvider {
  /**
   * The report's name. It counts {@code compiled} predicates and projections, {@code kernels}, and
   * expressions on the host under their reasons.
   */
  public static final String REPORT = "aragonite.test.ptx.report";

  private static final List<PtxExpressionCompiler> COMPILERS = new ArrayList<>();
  private static final InterpretingRunner RUNNER = new InterpretingRunner(true);
  private static final InterpretingRunner BYTECODE = InterpretingRunner.ofBytecode();

  @Override
  public String name() {
    return "ptx";
  }

  @Override
  public Device create(int number, Device host) {
    boolean bytecode = EngineSettings.current().interpretsExpressions() == Toggle.ON;
    PtxExpressionCompiler compiler =
        new PtxExpressionCompiler(bytecode ? BYTECODE : RUNNER, new CpuExpressionCompiler());
    synchronized (COMPILERS) {
      COMPILERS.add(compiler);
    }
    Supplier<Map<String, Long>> report = PtxDevice::report;
    System.getProperties().put(REPORT, report);
    DeviceProperties properties = host.properties();
    CpuDevice device =
        new CpuDevice(
            properties.workers(),
            host.memory(),
            compiler,
            properties.batchRows(),
            properties.morselRows());
    host.close();
    return device;
  }

  private static Map<String, Long> report() {
    Map<String, Long> report = new TreeMap<>();
    report.put("kernels", (long) RUNNER.kernels().size() + BYTECODE.kernels().size());
    synchronized (COMPILERS) {
      for (PtxExpressionCompiler compiler : COMPILERS) {
        report.merge("compiled", compiler.compiled(), Long::sum);
        compiler.onHost().forEach((reason, count) -> report.merge(reason, count, Long::sum));
      }
    }
    return report;
  }
}
