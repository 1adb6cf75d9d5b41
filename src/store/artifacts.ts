/** A result file of a run: its ETag and its size. */
export type Artifact = { etag: string; bytes: number }

/** The result files of the runs, stored in chunks of equal size except the last. */
export type ArtifactStore = {
  /** Returns a complete file; null if it does not exist or is not complete. */
  find(run: number, name: string): Promise<Artifact | null>
  /** Returns at most `limit_bytes` from an offset on, and no byte of the next chunk; none if the file is gone. */
  readBytes(run: number, name: string, from: number, limit_bytes: number): Promise<Uint8Array>
  /** Deletes a file and its chunks. */
  clear(run: number, name: string): Promise<void>
  addChunk(run: number, name: string, start: number, bytes: Uint8Array): Promise<void>
  /** Completes a file. From now on it can be read. */
  finish(run: number, name: string, artifact: Artifact): Promise<void>
}
