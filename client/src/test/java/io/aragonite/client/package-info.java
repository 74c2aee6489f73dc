/** The client's jar in a program of its own, and a server in another process. */
package io.aragonite.client;
