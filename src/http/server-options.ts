/** Bun answers larger bodies with an empty 413. body.ts checks the size instead. Bun does not buffer unread bodies. */
const bunBodyLimit_bytes = Number.MAX_SAFE_INTEGER

/** The options of Bun's server, without the port and the handler. */
export const serverOptions = {
  development: false,
  reusePort: false,
  idleTimeout: 130,
  maxRequestBodySize: bunBodyLimit_bytes,
} as const
