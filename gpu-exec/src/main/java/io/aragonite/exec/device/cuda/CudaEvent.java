package io.aragonite.exec.device.cuda;

import io.aragonite.exec.device.CopyQueue;
import jcuda.driver.CUevent;

/**
 * An event in a stream, which streams of any GPU wait for.
 *
 * @param event recorded; used again when the query's copies have ended
 * @param stream in which it is recorded
 */
record CudaEvent(CUevent event, CudaStream stream) implements CopyQueue.Point {}
