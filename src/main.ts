import { join } from 'node:path'
import * as contents from '../catalog/contents.ts'
import about from '../package.json' with { type: 'json' }
import { command } from './cli/command.ts'
import { builtFromSource, type Build } from './cli/version.ts'
import { openLog } from './log.ts'
import { embeddedFile } from './packs/embedded-file.ts'
import { workers } from './workers.ts'

/** What this was made of, in an executable: scripts/build.ts puts it in. */
declare const FIELDSTONE_BUILD: Build | undefined
const built = typeof FIELDSTONE_BUILD === 'undefined' ? null : FIELDSTONE_BUILD

const root = Bun.isStandaloneExecutable ? import.meta.dir : join(import.meta.dir, '..')

process.stdout.on('error', unread)
process.exitCode = await command(process.argv.slice(2), {
  env: process.env,
  print: printed,
  complain: (line) => process.stderr.write(`${line}\n`),
  house: ({ data, log }) => ({ contents, embedded: embeddedFile(root, data, built?.embedded?.sha256 ?? null), log: openLog(log, (line) => process.stderr.write(`${line}\n`)), version: about.version, workers }),
  version: about.version,
  build: () => built ?? builtFromSource(root),
})

function printed(line: string): void {
  try {
    process.stdout.write(`${line}\n`)
  } catch (error) {
    unread(error)
  }
}

/** Whoever reads has had enough, as `head` does: no fault of anybody, and the end, with the exit code that a shell gives to it. */
function unread(error: unknown): void {
  if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error
  process.exit(141)
}
