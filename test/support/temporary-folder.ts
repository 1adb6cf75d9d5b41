import { afterAll, onTestFinished } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Makes a folder that is removed at the end of the test that calls this, or else after the last test of the file. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'fieldstone-'))
  const remove = () => rmSync(folder, { recursive: true, force: true })
  try {
    onTestFinished(remove)
  } catch {
    afterAll(remove) // outside of a test
  }
  return folder
}
