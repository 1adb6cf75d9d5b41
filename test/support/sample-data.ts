import { join, resolve } from 'node:path'

/** Real samples of the publishers' files, which are never a part of the project: where the folder lies, by FIELDSTONE_SAMPLE_DATA; tests that need one are skipped without it. */
export function sampleOf(file: string): string {
  return join(resolve(process.env.FIELDSTONE_SAMPLE_DATA ?? 'samples'), file)
}
