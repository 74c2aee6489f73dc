package io.aragonite.exec.device.cuda;

import io.aragonite.exec.device.ExecContext;
import io.aragonite.exec.device.PageOps;
import io.aragonite.exec.device.cuda.CudaConstants.BlockPolicy;
import io.aragonite.exec.device.cuda.CudaConstants.PageArgs;
import io.aragonite.exec.device.cuda.CudaConstants.PageCoding;
import io.aragonite.exec.device.cuda.CudaConstants.PageConversion;
import io.aragonite.exec.device.cuda.CudaConstants.PageFault;
import io.aragonite.exec.device.cuda.CudaConstants.PageLevels;
import io.aragonite.exec.device.cuda.CudaConstants.StoredBytesArgs;
import io.aragonite.exec.device.cuda.CudaConstants.StoredCodec;
import io.aragonite.exec.memory.Buffer;
import io.aragonite.exec.memory.Mem;
import io.aragonite.exec.memory.QueryMemory;
import io.aragonite.exec.page.EncodedPage;
import io.aragonite.exec.page.MalformedPageException;
import io.aragonite.exec.page.PageCodec;
import io.aragonite.exec.page.PageEncoding;
import io.aragonite.exec.page.PageForm;
import io.aragonite.exec.page.PageOutput;
import io.aragonite.exec.page.PageTexts;
import io.aragonite.exec.page.StoredBytes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.LongConsumer;

/** Pages as kernels: a block decompresses or decodes one. */
final class CudaPageOps implements PageOps {
  private static final KernelFamily FAMILY = KernelFamily.PAGE;
  private static final int THREADS = BlockPolicy.THREADS;

  /** Words of a kernel's result. */
  private static final int RESULTS = 2;

  private static final int FAULT_BITS = 8;

  /** Of no pages. */
  private static final PageOutcome NOTHING = () -> 0;

  @Override
  public PageOutcome decompress(
      ExecContext context, Buffer in, List<StoredBytes> pages, Buffer out) {
    if (pages.isEmpty()) {
      return NOTHING;
    }
    for (StoredBytes page : pages) {
      requireInside(page, in, out);
    }
    long mark = context.scratch().mark();
    try {
      CudaStream stream = CudaStream.of(context);
      Buffer args =
          upload(
              context,
              pages.size() * (long) StoredBytesArgs.SIZEOF,
              at -> {
                long to = at;
                for (StoredBytes page : pages) {
                  Mem.putLong(to + StoredBytesArgs.FROM, page.from());
                  Mem.putLong(to + StoredBytesArgs.TO, page.to());
                  Mem.putInt(to + StoredBytesArgs.BYTES, page.bytes());
                  Mem.putInt(to + StoredBytesArgs.SIZE, page.size());
                  Mem.putInt(to + StoredBytesArgs.PAGE, page.page());
                  Mem.putInt(to + StoredBytesArgs.CODEC, codec(page.codec()));
                  to += StoredBytesArgs.SIZEOF;
                }
              });
      DeviceOutcome outcome = new DeviceOutcome(context, stream);
      stream.launch(
          stream.gpu().kernel(FAMILY, "ara_page_decompress"),
          pages.size(),
          THREADS,
          0,
          in,
          args,
          out,
          outcome.result);
      return outcome;
    } finally {
      context.scratch().release(mark);
    }
  }

  private static int codec(PageCodec codec) {
    return switch (codec) {
      case NONE -> StoredCodec.STORED;
      case SNAPPY -> StoredCodec.SNAPPY;
      case LZ4 -> StoredCodec.LZ4;
      case OTHER -> throw new IllegalArgumentException("pages that the host decompresses");
    };
  }

  private static void requireInside(StoredBytes page, Buffer in, Buffer out) {
    boolean inside =
        page.page() >= 0
            && page.from() >= 0
            && page.bytes() >= 0
            && page.from() + page.bytes() <= in.size()
            && page.to() >= 0
            && page.size() >= 0
            && page.to() + page.size() <= out.size();
    if (!inside || page.codec() == PageCodec.NONE && page.size() > page.bytes()) {
      throw new IllegalArgumentException(page + " of " + in + " to " + out);
    }
  }

  @Override
  public PageOutcome decode(
      ExecContext context, Buffer in, List<EncodedPage> pages, PageOutput out) {
    out.require(in, pages);
    return launch(
        context,
        "ara_page_decode",
        pages,
        in,
        out.dictionary(),
        out.values(),
        out.validity(),
        conversion(out.form()),
        out.width());
  }

  @Override
  public PageOutcome texts(
      ExecContext context, Buffer in, List<EncodedPage> pages, PageTexts texts) {
    texts.require(pages);
    return launch(
        context,
        "ara_page_texts",
        pages,
        in,
        texts.offsets(),
        texts.validity(),
        texts.places(),
        texts.words(),
        texts.words().size(),
        texts.out());
  }

  /**
   * A block for each page.
   *
   * @param others what the kernel takes between the pages and its result
   */
  private static PageOutcome launch(
      ExecContext context, String kernel, List<EncodedPage> pages, Buffer in, Object... others) {
    if (pages.isEmpty()) {
      return NOTHING;
    }
    long mark = context.scratch().mark();
    try {
      CudaStream stream = CudaStream.of(context);
      List<Object> args = new ArrayList<>(List.of(in, upload(context, pages)));
      Collections.addAll(args, others);
      DeviceOutcome outcome = new DeviceOutcome(context, stream);
      args.add(outcome.result);
      stream.launch(stream.gpu().kernel(FAMILY, kernel), pages.size(), THREADS, 0, args.toArray());
      return outcome;
    } finally {
      context.scratch().release(mark);
    }
  }

  private static Buffer upload(ExecContext context, List<EncodedPage> pages) {
    return upload(
        context,
        pages.size() * (long) PageArgs.SIZEOF,
        at -> {
          long to = at;
          for (EncodedPage page : pages) {
            put(page, to);
            to += PageArgs.SIZEOF;
          }
        });
  }

  private static void put(EncodedPage page, long to) {
    Mem.putLong(to + PageArgs.OFFSET, page.offset());
    Mem.putInt(to + PageArgs.BYTES, page.bytes());
    Mem.putInt(
        to + PageArgs.LEVEL_BYTES,
        switch (page.levelBytes()) {
          case EncodedPage.NO_LEVELS -> PageLevels.NO_LEVELS;
          case EncodedPage.LENGTH_FIRST -> PageLevels.LENGTH_FIRST;
          default -> page.levelBytes();
        });
    Mem.putInt(to + PageArgs.ENCODING, coding(page.encoding()));
    Mem.putInt(to + PageArgs.ROWS, page.rows());
    Mem.putInt(to + PageArgs.FIRST_ROW, page.firstRow());
    Mem.putInt(to + PageArgs.DICTIONARY_FIRST, page.dictionaryFirst());
    Mem.putInt(to + PageArgs.DICTIONARY_COUNT, page.dictionaryCount());
    Mem.putInt(to + PageArgs.UNUSED, 0);
  }

  private static int coding(PageEncoding encoding) {
    return switch (encoding) {
      case PLAIN -> PageCoding.PLAIN;
      case DICTIONARY -> PageCoding.DICTIONARY;
      case DELTA -> PageCoding.DELTA;
      case DELTA_LENGTH -> PageCoding.DELTA_LENGTH;
      case DELTA_STRINGS -> PageCoding.DELTA_STRINGS;
    };
  }

  private static int conversion(PageForm form) {
    return switch (form) {
      case COPY4 -> PageConversion.COPY4;
      case COPY8 -> PageConversion.COPY8;
      case WIDEN -> PageConversion.WIDEN;
      case BIG_ENDIAN -> PageConversion.BYTES_REVERSED;
      case LENGTHS -> PageConversion.TEXT_LENGTHS;
    };
  }

  /** Scratch memory with what {@code write} puts at an address of the host. */
  private static Buffer upload(ExecContext context, long bytes, LongConsumer write) {
    Buffer onDevice = context.scratch().allocate(bytes);
    QueryMemory.Arena hostScratch = context.hostScratch();
    long mark = hostScratch.mark();
    long at = hostScratch.allocate(bytes).address();
    write.accept(at);
    context.device().transfers().toDevice(context, at, onDevice, bytes);
    hostScratch.release(mark);
    return onDevice;
  }

  /** Words that a kernel writes: the first wrong page, and how many rows are null. */
  private static final class DeviceOutcome implements PageOutcome {
    private final ExecContext context;
    private final CudaStream stream;
    final Buffer result;

    DeviceOutcome(ExecContext context, CudaStream stream) {
      this.context = context;
      this.stream = stream;
      result = context.memory().allocate(8L * RESULTS);
      stream.fill(result.address(), (byte) -1, 8);
      stream.fill(result.address() + 8, (byte) 0, 8);
    }

    @Override
    public long await() {
      long[] found = CudaWords.read(stream, result, RESULTS);
      if (found[0] != -1) {
        int fault = (int) found[0] & (1 << FAULT_BITS) - 1;
        throw new MalformedPageException(what(fault), (int) (found[0] >>> FAULT_BITS));
      }
      return found[1];
    }

    @Override
    public void close() {
      context.memory().free(result);
    }
  }

  /** As the host's readers put it. */
  private static String what(int fault) {
    return switch (fault) {
      case PageFault.TOO_SHORT -> "a page ends too early";
      case PageFault.WRONG_NUMBER -> "a page has a number out of bounds";
      case PageFault.WRONG_SIZE -> "a page's size differs from what its compressed bytes say";
      case PageFault.WRONG_SNAPPY -> "a page is not valid SNAPPY data";
      case PageFault.WRONG_LZ4 -> "a page is not valid LZ4 data";
      case PageFault.WRONG_WIDTH -> "a page has values of more bits than there are";
      case PageFault.WRONG_INDEX -> "a page refers to values beyond its dictionary";
      case PageFault.WRONG_BLOCKS -> "a page has blocks of differences of a wrong size";
      case PageFault.WRONG_COUNT -> "a page has another number of values than its header says";
      case PageFault.WRONG_LENGTH -> "a value is longer than its page";
      case PageFault.WRONG_PREFIX -> "a value shares more bytes than the one before has";
      case PageFault.WRONG_TEXT -> "a text is not valid UTF-8";
      case PageFault.WRONG_DIGITS -> "a decimal has more digits than its column";
      default -> throw new IllegalArgumentException("fault " + fault);
    };
  }
}
