package io.aragonite.exec.device.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aragonite.exec.device.PartitionOps;
import io.aragonite.exec.device.SortDigit;
import io.aragonite.exec.device.TrieBound;
import io.aragonite.exec.device.TrieStep;
import io.aragonite.exec.device.TrieWalk;
import io.aragonite.exec.device.cuda.CudaConstants.PartitionPolicy;
import io.aragonite.exec.device.cuda.CudaConstants.SortDigitKind;
import io.aragonite.exec.device.cuda.CudaConstants.TrieBoundKind;
import io.aragonite.exec.device.cuda.CudaConstants.TrieJoinPolicy;
import io.aragonite.exec.device.cuda.CudaConstants.TriePolicy;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** What kernels have as their own of what the operations of all devices say. */
class KernelConstantsTest {
  @Test
  void kindsHaveTheNumbersOfTheOperations() throws IllegalAccessException {
    assertEquals(numbers(SortDigit.DigitKind.values()), numbers(SortDigitKind.class));
    assertEquals(numbers(TrieBound.BoundKind.values()), numbers(TrieBoundKind.class));
  }

  @Test
  void kernelsHaveRoomForWhatTheOperationsAllow() {
    assertEquals(PartitionOps.PASS_BITS, PartitionPolicy.BITS);
    assertEquals(PartitionOps.PLACE_BITS, PartitionPolicy.PLACE_BITS);
    assertTrue(TrieStep.MAX <= TriePolicy.MOST);
    assertTrue(TrieWalk.MAX_LEVELS <= TrieJoinPolicy.LEVELS);
  }

  private static Map<String, Integer> numbers(Enum<?>[] values) {
    Map<String, Integer> numbers = new TreeMap<>();
    for (Enum<?> value : values) {
      numbers.put(value.name(), value.ordinal());
    }
    return numbers;
  }

  private static Map<String, Integer> numbers(Class<?> constants) throws IllegalAccessException {
    Map<String, Integer> numbers = new TreeMap<>();
    for (Field field : constants.getDeclaredFields()) {
      if (Modifier.isStatic(field.getModifiers()) && !field.isSynthetic()) {
        numbers.put(field.getName(), field.getInt(null));
      }
    }
    return numbers;
  }
}
