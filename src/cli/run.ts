import { closeSync, openSync, renameSync, rmSync, statSync } from 'node:fs'
import { basename, extname } from 'node:path'
import { pluralize } from '../model/pluralize.ts'
import { ApiError, ValidationError } from '../model/error.ts'
import { isRunKind, runKinds } from '../runs/kind.ts'
import type { RunState } from '../runs/messages.ts'
import { exits } from './exits.ts'
import { progressHere } from './progress.ts'
import { runHere } from './run-here.ts'
import { runThere } from './run-there.ts'
import { RunFailed, type RunJob, type RunTools, type RunWay } from './run-way.ts'
import { UsageError } from './usage-error.ts'

type RunFlags = { readonly [name: string]: string | boolean | undefined }

/** Carries out `fieldstone run <file.csv>` and gives its exit code. */
export async function run([path]: string[], flags: RunFlags, tools: RunTools): Promise<number> {
  const job = await jobOf(path, flags)
  const out = textIn(flags.out) ?? `${basename(job.path, extname(job.path))}.${job.preset ?? job.kind}.csv`
  mustBeWritable(out)
  const interrupt = new AbortController()
  const onSignal = () => interrupt.abort()
  process.once('SIGINT', onSignal).once('SIGTERM', onSignal)
  const server = serverIn(flags)
  const way = server === undefined ? runHere(tools) : runThere(server, textIn(flags.token) ?? tools.config.token)
  try {
    const state = await watched(job, way, interrupt.signal)
    if (interrupt.signal.aborted && state.status !== 'succeeded') {
      tools.complain(`Interrupted at ${state.done} of ${state.total}. Nothing of it is lost: the same command goes on from there.`)
      return exits.interrupted
    }
    if (state.status !== 'succeeded') throw new ApiError('internal_error', `The run ${state.run_id} is ${state.status}. ${(await way.error(state.run_id))?.message ?? ''}`.trim())
    await save(await way.csv(state.run_id), out)
    tools.print(`${out}: ${pluralize(state.total, 'row')}, ${state.ok === state.total ? 'all answered' : `${state.total - state.ok} of them could not be answered`} (${state.run_id})`)
    return 0
  } catch (error) {
    if (!(error instanceof ApiError || error instanceof ValidationError || error instanceof RunFailed)) throw error
    tools.complain(error instanceof ValidationError ? error.violations.map(({ loc, msg }) => `${loc.slice(1).join('.') || job.path}: ${msg}.`).join('\n') : error.message)
    return exits.refused
  } finally {
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal)
    await way.close()
  }
}

async function jobOf(path: string | undefined, flags: RunFlags): Promise<RunJob> {
  if (path === undefined) throw new UsageError('`fieldstone run <file.csv> --preset <name> | --fields <a,b> [--out <file.csv>] [--server <address> --token <token>]` is how it is written. `fieldstone help run` tells more.')
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) throw new UsageError(`There is no file ${path}.`)
  const kind = textIn(flags.kind) ?? 'fetch_batch'
  if (!isRunKind(kind)) throw new UsageError(`There is no kind of run ${JSON.stringify(kind)}; there are ${Object.keys(runKinds).join(', ')}.`)
  const fields = textIn(flags.fields)?.split(',').map((name) => name.trim()).filter((name) => name !== '')
  const preset = textIn(flags.preset)
  if (kind !== 'fetch_batch' && (fields !== undefined || preset !== undefined)) throw new UsageError(`--fields and --preset are for --kind fetch_batch: ${kind} has an answer of its own.`)
  const hash = new Bun.CryptoHasher('sha256').update(JSON.stringify([kind, fields ?? null, preset ?? null]))
  for await (const chunk of Bun.file(path).stream()) hash.update(chunk)
  return { path, kind, fields, preset, key: `fieldstone-run-${hash.digest('hex')}` }
}

function serverIn(flags: RunFlags): string | undefined {
  const server = textIn(flags.server)
  if (server === undefined && flags.token !== undefined) throw new UsageError('--token is for a server: name it with --server.')
  if (server !== undefined && !/^https?:$/.test(URL.parse(server)?.protocol ?? '')) throw new UsageError(`--server is ${JSON.stringify(server)}: it takes an address such as https://fieldstone.example.`)
  return server
}

/** Said before ten thousand rows are asked for, not after. */
function mustBeWritable(out: string): void {
  const part = partOf(out)
  try {
    if (statSync(out, { throwIfNoEntry: false })?.isDirectory()) throw new Error('it is a folder')
    closeSync(openSync(part, 'a'))
    rmSync(part)
  } catch (cause) {
    throw new UsageError(`${out} cannot be written: ${(cause as Error).message}. Name another file with --out.`, { cause })
  }
}

function partOf(out: string): string {
  return `${out}.part`
}

async function watched(job: RunJob, way: RunWay, signal: AbortSignal): Promise<RunState> {
  const progress = progressHere(basename(job.path))
  const began = { at_ms: performance.now(), done: -1 }
  try {
    return await way.finished(job, ({ done, total }) => {
      if (began.done < 0) Object.assign(began, { at_ms: performance.now(), done })
      progress.at(total === 0 ? 1 : done / total, wordsOf(done, total, (done - began.done) / Math.max(0.001, (performance.now() - began.at_ms) / 1000)))
    }, signal)
  } finally {
    progress.end()
  }
}

/** How many, how fast, how much longer. */
function wordsOf(done: number, total: number, perSecond: number): string {
  if (perSecond <= 0) return `${done} of ${total}`
  const left_s = Math.ceil((total - done) / perSecond)
  return `${done} of ${total}, ${perSecond >= 10 ? Math.round(perSecond) : perSecond.toFixed(1)} a second, ${left_s >= 90 ? `${Math.round(left_s / 60)} min` : `${left_s} s`} left`
}

/** A file that is there is whole. */
async function save(csv: Response, out: string): Promise<void> {
  const part = partOf(out)
  try {
    const file = Bun.file(part).writer()
    for await (const chunk of csv.body!) await file.write(chunk)
    await file.end()
    renameSync(part, out)
  } catch (cause) {
    throw new RunFailed(`${out} cannot be written: ${(cause as Error).message}. The answers are kept: the same command writes them again.`, { cause })
  } finally {
    rmSync(part, { force: true })
  }
}

function textIn(flag: string | boolean | undefined): string | undefined {
  return typeof flag === 'string' && flag !== '' ? flag : undefined
}
