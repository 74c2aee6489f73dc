package io.aragonite.exec.device;

import io.aragonite.exec.memory.Buffer;

/** A filter of the host, which words of a device's memory are copied to. */
record HostBackedKeyFilter(KeyFilter onHost) implements KeyFilter {
  @Override
  public long bytes() {
    return onHost.bytes();
  }

  @Override
  public boolean exact() {
    return onHost.exact();
  }

  @Override
  public int select(ExecContext context, Buffer words, int count, Buffer out) {
    try (StagedCall call = new StagedCall(context)) {
      Buffer result = call.room(4L * count);
      int kept = onHost.select(call.host(), call.in(words, 8L * count), count, result);
      call.back(result, out, 4L * kept);
      return kept;
    }
  }

  @Override
  public void close() {
    onHost.close();
  }
}
