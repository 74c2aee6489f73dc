/** What can be set about the engine, beside what a connection says: one typed record. */
@NullMarked
package io.aragonite.exec.settings;

import org.jspecify.annotations.NullMarked;
