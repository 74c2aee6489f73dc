package io.aragonite.exec.device.contract;

import io.aragonite.exec.device.Device;
import io.aragonite.exec.device.cuda.TestGpu;
import io.aragonite.exec.settings.SettingsProperty;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** Expressions that a GPU, which may be emulated, interprets, against the interpreter of SQL. */
@Tag("gpu")
class CudaInterpretedExpressionsTest extends CompiledExpressionsTest {
  private static final String PROPERTY = SettingsProperty.EXPRESSIONS_INTERPRET.key();

  private final String before = System.getProperty(PROPERTY, "");

  @BeforeAll
  static void require() {
    var _ = TestGpu.require();
  }

  @Override
  Device newDevice() {
    System.setProperty(PROPERTY, "on");
    return TestGpu.device(1L << 30);
  }

  @AfterEach
  void restore() {
    System.setProperty(PROPERTY, before);
  }
}
