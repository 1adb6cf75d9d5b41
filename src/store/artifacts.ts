/** A result file of a run: its ETag and its size. */
export type Artifact = { etag: string; bytes: number }

/** The result files of the runs, stored in chunks of equal size except the last. */
export type ArtifactStore = {
  /** Returns a complete file; null if it does not exist or is not complete. */
  find(run: number, name: string): Promise<Artifact | null>
  /** Returns at most `limit_bytes` from an offset on, and no byte of the next chunk; none if the file is gone. */
  readBytes(run: number, name: string, from: number, limit_bytes: number): Promise<Uint8Array>
}

/**
 * Writes result files on behalf of a worker. Each method writes nothing, and returns false, while the run is unfinished
 * and another worker holds it.
 */
export type ArtifactWriter = {
  /** Deletes what this worker wrote of a file, and the file if it was complete. */
  clear(run: number, name: string): Promise<boolean>
  addChunk(run: number, name: string, start: number, bytes: Uint8Array): Promise<boolean>
  /** Completes a file. From now on it can be read. Of two workers that write it, the first one completes it. */
  finish(run: number, name: string, artifact: Artifact): Promise<boolean>
}
