import { join } from 'node:path'
import * as contents from '../catalog/contents.ts'
import about from '../package.json' with { type: 'json' }
import { command } from './cli/command.ts'
import { openLog } from './log.ts'
import { embeddedFile } from './packs/embedded-file.ts'
import { workers } from './workers.ts'

const root = Bun.isStandaloneExecutable ? import.meta.dir : join(import.meta.dir, '..')

process.exitCode = await command(process.argv.slice(2), {
  env: process.env,
  print: (line) => process.stdout.write(`${line}\n`),
  complain: (line) => process.stderr.write(`${line}\n`),
  house: ({ data, log }) => ({ contents, embedded: embeddedFile(root, data), log: openLog(log, (line) => process.stderr.write(`${line}\n`)), version: about.version, workers }),
  version: about.version,
})
