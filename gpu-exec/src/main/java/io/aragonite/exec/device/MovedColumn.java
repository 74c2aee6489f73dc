package io.aragonite.exec.device;

import io.aragonite.exec.memory.Buffer;

/**
 * A column that goes along when rows are moved.
 *
 * @param in its values
 * @param out where they go; as large
 * @param width bytes of a value: 1, 2, 4 or 8
 */
public record MovedColumn(Buffer in, Buffer out, int width) {}
