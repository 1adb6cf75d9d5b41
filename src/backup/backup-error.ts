/** A backup that cannot be made or restored. The message gives the reason and the remedy. */
export class BackupError extends Error {}
