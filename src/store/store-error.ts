/** A database or a data folder that is not ours to write, or is damaged. Ends the process with exit code 78; the file is left as it is. */
export class StoreError extends Error {}
