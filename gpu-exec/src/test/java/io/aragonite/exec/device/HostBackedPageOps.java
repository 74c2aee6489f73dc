package io.aragonite.exec.device;

import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.page.EncodedPage;
import io.aragonite.exec.page.PageOutput;
import io.aragonite.exec.page.PageTexts;
import io.aragonite.exec.page.StoredBytes;
import java.util.List;

/**
 * Page operations of a device with memory of its own, run by its host; see {@link DiscreteDevice}.
 */
final class HostBackedPageOps implements PageOps {
  @Override
  public PageOutcome decompress(
      ExecContext context, Buffer in, List<StoredBytes> pages, Buffer out) {
    try (StagedCall call = new StagedCall(context)) {
      // What no page gives must stay.
      Buffer result = call.in(out, out.size());
      PageOutcome outcome =
          call.host().pages().decompress(call.host(), call.in(in, in.size()), pages, result);
      call.back(result, out, out.size());
      return outcome;
    }
  }

  @Override
  public PageOutcome decode(
      ExecContext context, Buffer in, List<EncodedPage> pages, PageOutput out) {
    try (StagedCall call = new StagedCall(context)) {
      Buffer values = call.in(out.values(), out.values().size());
      Buffer validity = call.in(out.validity(), out.validity().size());
      Buffer dictionary = call.in(out.dictionary(), out.dictionary().size());
      PageOutput onHost = new PageOutput(out.form(), out.width(), dictionary, values, validity);
      PageOutcome outcome =
          call.host().pages().decode(call.host(), call.in(in, in.size()), pages, onHost);
      call.back(values, out.values(), out.values().size());
      call.back(validity, out.validity(), out.validity().size());
      return outcome;
    }
  }

  @Override
  public PageOutcome texts(
      ExecContext context, Buffer in, List<EncodedPage> pages, PageTexts texts) {
    try (StagedCall call = new StagedCall(context)) {
      // What no page gives must stay.
      Buffer result = call.in(texts.out(), texts.out().size());
      PageTexts onHost =
          new PageTexts(
              call.in(texts.offsets(), texts.offsets().size()),
              call.in(texts.validity(), texts.validity().size()),
              call.in(texts.places(), texts.places().size()),
              call.in(texts.words(), texts.words().size()),
              result);
      PageOutcome outcome =
          call.host().pages().texts(call.host(), call.in(in, in.size()), pages, onHost);
      call.back(result, texts.out(), texts.out().size());
      return outcome;
    }
  }
}
