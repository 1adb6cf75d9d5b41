import { closeSync, openSync, renameSync, rmSync, statSync } from 'node:fs'
import { basename, extname } from 'node:path'
import { pluralize } from '../model/pluralize.ts'
import { ApiError, ValidationError } from '../model/error.ts'
import { isRunKind, runKinds } from '../runs/run-kind.ts'
import type { RunState } from '../runs/worker-messages.ts'
import { exitCodes } from './exit-codes.ts'
import { createStderrProgress } from './progress.ts'
import { openLocalRunBackend } from './run-local.ts'
import { openRemoteRunBackend } from './run-remote.ts'
import { RunCommandError, type RunJob, type RunCommandDeps, type RunBackend } from './run-backend.ts'
import { UsageError } from './usage-error.ts'

type RunFlags = { readonly [name: string]: string | boolean | undefined }

/** `fieldstone run <file.csv>`: runs to the end, writes the CSV and returns the exit code. */
export async function runCommand([path]: string[], flags: RunFlags, deps: RunCommandDeps): Promise<number> {
  const job = await parseJob(path, flags)
  const out = textFlag(flags.out) ?? `${basename(job.path, extname(job.path))}.${job.preset ?? job.kind}.csv`
  requireWritableFile(out)
  const interruption = new AbortController()
  const onSignal = () => interruption.abort()
  process.once('SIGINT', onSignal).once('SIGTERM', onSignal)
  const server = parseServerFlag(flags)
  const backend =
    server === undefined
      ? openLocalRunBackend(deps)
      : openRemoteRunBackend(server, textFlag(flags.token) ?? deps.config.token)
  try {
    const state = await runWithProgress(job, backend, interruption.signal)
    if (interruption.signal.aborted && state.status !== 'succeeded') {
      deps.printError(
        `Interrupted at ${state.done} of ${state.total} locations. No result is lost. Run the same command again to continue.`,
      )
      return exitCodes.interrupted
    }
    if (state.status !== 'succeeded')
      throw new ApiError(
        'internal_error',
        `The run ${state.run_id} is ${state.status}. ${(await backend.error(state.run_id))?.message ?? ''}`.trim(),
      )
    await saveCsv(await backend.csv(state.run_id), out)
    deps.print(
      `${out}: ${pluralize(state.total, 'row')}, ${state.ok === state.total ? 'all answered' : `${state.total - state.ok} not answered`} (${state.run_id})`,
    )
    return 0
  } catch (error) {
    if (!(error instanceof ApiError || error instanceof ValidationError || error instanceof RunCommandError))
      throw error
    deps.printError(
      error instanceof ValidationError
        ? error.violations.map(({ loc, msg }) => `${loc.slice(1).join('.') || job.path}: ${msg}.`).join('\n')
        : error.message,
    )
    return exitCodes.failure
  } finally {
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal)
    await backend.close()
  }
}

async function parseJob(path: string | undefined, flags: RunFlags): Promise<RunJob> {
  if (path === undefined)
    throw new UsageError(
      'No CSV file given. Usage: `fieldstone run <file.csv> --preset <name> | --fields <a,b> [--out <file.csv>] [--server <address> --token <token>]`. See `fieldstone help run`.',
    )
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) throw new UsageError(`The file ${path} does not exist.`)
  const kind = textFlag(flags.kind) ?? 'fetch_batch'
  if (!isRunKind(kind))
    throw new UsageError(`Unknown --kind ${JSON.stringify(kind)}. The kinds are ${Object.keys(runKinds).join(', ')}.`)
  const fields = textFlag(flags.fields)
    ?.split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
  const preset = textFlag(flags.preset)
  if (kind !== 'fetch_batch' && (fields !== undefined || preset !== undefined))
    throw new UsageError(`--fields and --preset cannot be combined with --kind ${kind}, only with --kind fetch_batch.`)
  const hash = new Bun.CryptoHasher('sha256').update(JSON.stringify([kind, fields ?? null, preset ?? null]))
  for await (const chunk of Bun.file(path).stream()) hash.update(chunk)
  return { path, kind, fields, preset, key: `fieldstone-run-${hash.digest('hex')}` }
}

function parseServerFlag(flags: RunFlags): string | undefined {
  const server = textFlag(flags.server)
  if (server === undefined && flags.token !== undefined) throw new UsageError('--token requires --server.')
  if (server !== undefined && !/^https?:$/.test(URL.parse(server)?.protocol ?? ''))
    throw new UsageError(
      `--server ${JSON.stringify(server)} is not valid. Use a URL such as https://fieldstone.example.`,
    )
  return server
}

/** Checks that the output file can be written, before the run starts. @throws {UsageError} */
function requireWritableFile(out: string): void {
  const part = partialPathOf(out)
  try {
    if (statSync(out, { throwIfNoEntry: false })?.isDirectory()) throw new Error('it is a folder')
    closeSync(openSync(part, 'a'))
    rmSync(part)
  } catch (cause) {
    throw new UsageError(`Cannot write ${out}: ${(cause as Error).message}. Set --out to another file.`, {
      cause,
    })
  }
}

function partialPathOf(out: string): string {
  return `${out}.part`
}

async function runWithProgress(job: RunJob, backend: RunBackend, signal: AbortSignal): Promise<RunState> {
  const progress = createStderrProgress(basename(job.path))
  const start = { at_ms: performance.now(), done: -1 }
  try {
    return await backend.runToEnd(
      job,
      ({ done, total }) => {
        if (start.done < 0) Object.assign(start, { at_ms: performance.now(), done })
        progress.update(
          total === 0 ? 1 : done / total,
          progressLabel(done, total, (done - start.done) / Math.max(0.001, (performance.now() - start.at_ms) / 1000)),
        )
      },
      signal,
    )
  } finally {
    progress.end()
  }
}

/** The progress, the rate and the remaining time. */
function progressLabel(done: number, total: number, perSecond: number): string {
  if (perSecond <= 0) return `${done} of ${total}`
  const remaining_s = Math.ceil((total - done) / perSecond)
  return `${done} of ${total}, ${perSecond >= 10 ? Math.round(perSecond) : perSecond.toFixed(1)} a second, ${remaining_s >= 90 ? `${Math.round(remaining_s / 60)} min` : `${remaining_s} s`} left`
}

/** Saves the CSV under a temporary name and renames it, so that an output file is always complete. */
async function saveCsv(csv: Response, out: string): Promise<void> {
  const part = partialPathOf(out)
  try {
    const file = Bun.file(part).writer()
    for await (const chunk of csv.body!) await file.write(chunk)
    await file.end()
    renameSync(part, out)
  } catch (cause) {
    throw new RunCommandError(
      `Cannot write ${out}: ${(cause as Error).message}. The results are stored. Run the same command again to write them.`,
      { cause },
    )
  } finally {
    rmSync(part, { force: true })
  }
}

function textFlag(flag: string | boolean | undefined): string | undefined {
  return typeof flag === 'string' && flag !== '' ? flag : undefined
}
