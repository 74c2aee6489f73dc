package io.aragonite.exec.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JvmDefectsTest {
  @ParameterizedTest
  @CsvSource({
    "25,       false, true,  JDK-8377811",
    "25.0.2,   false, true,  JDK-8377811",
    "25.0.2,   false, false,",
    "25.0.3+9, false, true,",
    "25.1,     false, true,",
    "26,       false, true,",
    "25.0.3,   true,  false, JDK-8380060",
    "26.0.1,   true,  false, JDK-8380060",
    "27,       true,  true,",
  })
  void areKnownByVersionAndFlags(String version, boolean compact, boolean g1, String defect) {
    Optional<String> found = JvmDefects.find(Runtime.Version.parse(version), compact, () -> g1);
    assertEquals(defect != null, found.isPresent());
    found.ifPresent(text -> {
      assertTrue(text.contains(defect), text);
      assertTrue(text.contains("Java " + version), text);
      assertTrue(text.contains("start the JVM with -XX:"), text);
    });
  }

  @Test
  void theTestsRunWithoutOne() {
    assertEquals(Optional.empty(), JvmDefects.found());
    JvmDefects.require();
  }
}
