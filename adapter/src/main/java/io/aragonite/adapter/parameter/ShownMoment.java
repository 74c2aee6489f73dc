package io.aragonite.adapter.parameter;

import java.time.Instant;
import java.time.LocalDateTime;

/**
 * A parameter that is a moment, in the zone of who has set it.
 *
 * @param shown what clocks show there
 * @param instant the moment, of which clocks may show some twice
 */
public record ShownMoment(LocalDateTime shown, Instant instant) {}
