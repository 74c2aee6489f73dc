/** Statements of every operator while memory is refused, disks fail and devices break. */
@org.jspecify.annotations.NullMarked
package io.aragonite.sqltests.faults;
