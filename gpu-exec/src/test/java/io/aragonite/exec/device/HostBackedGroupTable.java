package io.aragonite.exec.device;

import io.aragonite.exec.memory.Buffer;

/** A table of the host, which words of a device's memory are copied to. */
record HostBackedGroupTable(GroupTable onHost) implements GroupTable {
  @Override
  public int groups() {
    return onHost.groups();
  }

  @Override
  public int assign(
      ExecContext context, Buffer words, int count, Buffer outGroups, Buffer outNewRows) {
    try (StagedCall call = new StagedCall(context)) {
      Buffer groups = call.room(4L * count);
      Buffer newRows = call.room(4L * count);
      Buffer hostWords = call.in(words, 8L * count);
      int added = onHost.assign(call.host(), hostWords, count, groups, newRows);
      call.back(groups, outGroups, 4L * count);
      call.back(newRows, outNewRows, 4L * added);
      return added;
    }
  }

  @Override
  public void close() {
    onHost.close();
  }
}
