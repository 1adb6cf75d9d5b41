/** The build cannot run as requested. The message says what to do. */
export class BuildError extends Error {}
