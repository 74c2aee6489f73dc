/** What programs and tools put on top of the driver: pools, templates, query builders, mappers. */
@NullMarked
package io.aragonite.sqltests.tools;

import org.jspecify.annotations.NullMarked;
