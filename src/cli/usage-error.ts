/** An invalid command line. The message shows the correct usage. The process exits with 64. */
export class UsageError extends Error {}
