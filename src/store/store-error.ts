/** A database or data folder that is damaged or cannot be used. It is not changed. The process exits with 78. */
export class StoreError extends Error {}

/** The database server cannot be reached at the moment. The process exits with 75, and can be started again. */
export class DatabaseUnreachableError extends Error {}
