/** The words of a command line are wrong, and nothing was done; the sentence says how they are written. Ends the process with exit code 64. */
export class UsageError extends Error {}
