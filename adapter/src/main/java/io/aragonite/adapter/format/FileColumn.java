package io.aragonite.adapter.format;

import io.aragonite.exec.type.DataType;
import org.jspecify.annotations.Nullable;

/**
 * A column as its file declares it.
 *
 * @param name as written in the file
 * @param type its SQL type; null if none of ours can hold it
 * @param fileType how the file calls its type, for messages
 */
public record FileColumn(String name, @Nullable DataType type, String fileType) {}
