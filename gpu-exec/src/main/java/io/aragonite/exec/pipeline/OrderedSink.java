package io.aragonite.exec.pipeline;

import io.aragonite.exec.device.ExecContext;

/**
 * A sink that keeps the order of rows, where they come in one ({@link PipelineHead#keepsOrder}): it
 * is told of which range of morsels a worker's rows are.
 */
public interface OrderedSink extends Sink {
  @Override
  OrderedConsumer newWorker(ExecContext context);
}
