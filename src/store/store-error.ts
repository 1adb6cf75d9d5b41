/** A database or data folder that is damaged or cannot be used. It is not changed. The process exits with 78. */
export class StoreError extends Error {}
