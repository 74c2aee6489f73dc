package io.aragonite.exec.device;

/** What a device keeps for a probe from one piece to the next. */
public interface ProbeState extends AutoCloseable {
  @Override
  void close();
}
