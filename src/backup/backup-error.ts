/** A backup that cannot be made or not be restored: a sentence that says why, and what to do. */
export class BackupError extends Error {}
