/** Rows that go from device to device. Start with {@link ExchangeFactory}. */
@NullMarked
package io.aragonite.exec.exchange;

import org.jspecify.annotations.NullMarked;
