import { join, resolve } from 'node:path'

/**
 * Returns the path of a real sample file in the folder FIELDSTONE_SAMPLE_DATA. The samples are not part of the project;
 * tests that need one are skipped without it.
 */
export function sampleOf(file: string): string {
  return join(resolve(process.env.FIELDSTONE_SAMPLE_DATA ?? 'samples'), file)
}
