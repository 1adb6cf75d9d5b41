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

/** A file in object storage that has the content of a result file. `version` is its ETag. */
export type ArtifactObject = { key: string; version: string; bytes: number }

/** A complete result file whose content is in the database. */
export type DatabaseArtifact = { run: number; run_id: string; name: string; etag: string; bytes: number }

/**
 * The result files that were moved to object storage. A file is first recorded with `begin`, so that what an
 * interrupted upload leaves behind is known.
 */
export type ArtifactObjectStore = {
  /** The object of a result file; null if its content is in the database. */
  find(run: number, name: string): Promise<ArtifactObject | null>
  /** Result files whose content is in the database, oldest run first. */
  listInDatabase(limit: number): Promise<DatabaseArtifact[]>
  /** Records the key of an upload that begins. */
  begin(artifact: Pick<DatabaseArtifact, 'run' | 'name' | 'etag'>, key: string, now: number): Promise<void>
  /**
   * Records that an upload is complete, and deletes the content from the database. Returns false, and deletes nothing,
   * if the result file is gone or was written again.
   */
  complete(key: string, version: string): Promise<boolean>
  /**
   * The keys whose result file is gone or has another object, and of uploads that began before a time and did not end.
   */
  listObsolete(begunBefore: number, limit: number): Promise<string[]>
  /** Removes the record of a key. Call it after the object is deleted. */
  remove(key: string): Promise<void>
}
