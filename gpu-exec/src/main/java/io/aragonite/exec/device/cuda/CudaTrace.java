package io.aragonite.exec.device.cuda;

import io.aragonite.exec.settings.EngineSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import jcuda.driver.CUevent;
import jcuda.driver.CUevent_flags;
import jcuda.driver.CUstream;
import jcuda.driver.JCudaDriver;

/**
 * What a stream does, with times, for whoever makes kernels quicker: with {@code
 * -Daragonite.cuda.trace=true} each query prints a line for each launch, fill, copy, allocation and
 * wait to the standard error stream: when it began and how long it took on the GPU, and when the
 * call began and how long it took on the host, in microseconds. Events between kernels cost about 2
 * us each.
 */
final class CudaTrace {
  static final boolean ON = EngineSettings.atStart().cudaTrace();

  private record Step(String what, CUevent begun, CUevent ended, long since, long until) {}

  private final CudaGpu gpu;
  private final CUstream stream;
  private final List<Step> steps = new ArrayList<>();
  private final List<CUevent> idle = new ArrayList<>();
  private CUevent begun = new CUevent();
  private long since;

  CudaTrace(CudaGpu gpu, CUstream stream) {
    this.gpu = gpu;
    this.stream = stream;
  }

  private CUevent record() {
    // Others ask a GPU's streams for what it sends them.
    gpu.makeCurrent();
    CUevent event;
    if (idle.isEmpty()) {
      event = new CUevent();
      gpu.check(
          JCudaDriver.cuEventCreate(event, CUevent_flags.CU_EVENT_DEFAULT), "making an event");
    } else {
      event = idle.removeLast();
    }
    gpu.check(JCudaDriver.cuEventRecord(event, stream), "recording an event");
    return event;
  }

  /** A step begins. */
  void before() {
    begun = record();
    since = System.nanoTime();
  }

  /** The step that began has been asked for. */
  void after(String what) {
    long until = System.nanoTime();
    steps.add(new Step(what, begun, record(), since, until));
  }

  /** Prints what there is; the stream has come to its end. */
  void print() {
    if (steps.isEmpty()) {
      return;
    }
    Step first = steps.getFirst();
    StringBuilder text = new StringBuilder("trace: on the GPU from, us; on the host from, us\n");
    for (Step step : steps) {
      text.append(
          String.format(
              Locale.ROOT,
              "%9.1f %8.1f | %9.1f %8.1f  %s%n",
              micros(first.begun, step.begun),
              micros(step.begun, step.ended),
              (step.since - first.since) / 1e3,
              (step.until - step.since) / 1e3,
              step.what));
    }
    for (Step step : steps) {
      idle.add(step.begun);
      idle.add(step.ended);
    }
    steps.clear();
    System.err.print(text);
  }

  private float micros(CUevent from, CUevent to) {
    float[] millis = new float[1];
    gpu.check(JCudaDriver.cuEventElapsedTime(millis, from, to), "asking for a time");
    return millis[0] * 1000;
  }
}
