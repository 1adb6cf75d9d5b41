import { join } from 'node:path'
import * as contents from '../catalog/contents.ts'
import about from '../package.json' with { type: 'json' }
import { runCommandLine } from './cli/command-line.ts'
import { exitCodes } from './cli/exit-codes.ts'
import { createSpawnProcess, createStartCommand, serverProcessArgument } from './cli/server/start-command.ts'
import { sourceBuildInfo, type BuildInfo } from './cli/version.ts'
import { createLog } from './log.ts'
import { resolveEmbeddedFile, type EmbeddedLocation } from './packs/embedded/embedded-file.ts'
import { connectToSupervisor } from './server-process.ts'
import { unpackInWorker, workers } from './workers.ts'

/** Build information of an executable; scripts/build.ts defines it. */
declare const FIELDSTONE_BUILD: BuildInfo | undefined
const buildInfo = typeof FIELDSTONE_BUILD === 'undefined' ? null : FIELDSTONE_BUILD

/** The build has checked the contents. */
const catalogModule = buildInfo ? null : await import('./catalog/catalog.ts')

const root = Bun.isStandaloneExecutable ? import.meta.dir : join(import.meta.dir, '..')

const program = Bun.isStandaloneExecutable ? [process.execPath] : [process.execPath, '--no-env-file', Bun.main]

const [firstArgument, ...otherArguments] = process.argv.slice(2)
const isServerProcess = firstArgument === serverProcessArgument && process.send !== undefined
const args = isServerProcess ? otherArguments : process.argv.slice(2)
const serverProcess = isServerProcess ? await connectToSupervisor(process) : null

process.stdout.on('error', onOutputError)
// The reader of stderr is gone or the disk is full. The error cannot be reported, and the service can go on.
process.stderr.on('error', () => {})
process.exitCode = await runCommandLine(args, {
  env: process.env,
  print: printLine,
  printError: (line) => process.stderr.write(`${line}\n`),
  isTerminal: process.stdout.isTTY,
  appOptions: ({ data, log }, embedded = resolveEmbeddedFile(embeddedOf(data))) => ({
    contents: catalogModule ? catalogModule.requireValidContents(contents) : contents,
    embedded,
    log: createLog(log, (line) => process.stderr.write(`${line}\n`), serverProcess?.number),
    version: about.version,
    workers,
    startCommand: createStartCommand(program, process.env),
  }),
  unpackEmbedded: (data) => unpackInWorker(embeddedOf(data), workers.unpack),
  version: about.version,
  serverProcess,
  spawnProcess: createSpawnProcess(program, args),
  buildInfo: () => buildInfo ?? sourceBuildInfo(root),
})
// The connection would keep this process alive.
serverProcess?.disconnect()

function embeddedOf(dataFolder: string): EmbeddedLocation {
  return { root, dataFolder, sha256: buildInfo?.embedded?.sha256 ?? null }
}

function printLine(line: string): void {
  try {
    process.stdout.write(`${line}\n`)
  } catch (error) {
    onOutputError(error)
  }
}

/** Exits with 141, as a shell does for SIGPIPE, when the reader closed the pipe (`head`); else reports the error. */
function onOutputError(error: unknown): never {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'EPIPE') process.exit(141)
  process.stderr.write(`Cannot write to standard output: ${message}\n`)
  process.exit(exitCodes.failure)
}
