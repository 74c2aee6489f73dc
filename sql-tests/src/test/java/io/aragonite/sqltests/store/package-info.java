/** Files on a store of S3's protocol, a real server in a process of its own. */
@NullMarked
package io.aragonite.sqltests.store;

import org.jspecify.annotations.NullMarked;
