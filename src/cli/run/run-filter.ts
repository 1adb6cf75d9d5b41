import { writeToStandardOutput } from '../../bulk/result-sink.ts'
import { suggestName } from '../../model/nearest-name.ts'
import { exitCodes } from '../exit-codes.ts'
import { UsageError } from '../usage-error.ts'
import { openRowFilter, streamFormats, type FilterJob, type RowFilter } from './row-filter.ts'
import type { RunCommandDeps } from './run-backend.ts'
import { addedColumnsOf, parseRunJob, type RunFlags } from './run-input.ts'
import { standardStream } from './run-output.ts'
import { abortOnInterrupt } from '../server/stop-signals.ts'

const flagsOfFiles = [
  'shard',
  'shards',
  'server',
  'workers',
  'restart',
  'retry-failed',
  'fresh',
  'force',
  'json',
  'sheet',
] as const

/** `fieldstone run - --format <name>`: answers rows as they arrive. Returns the exit code. */
export async function filterCommand(path: string | undefined, flags: RunFlags, deps: RunCommandDeps): Promise<number> {
  const job = parseFilterJob(path, flags)
  const filter = await openRowFilter(job, deps)
  const stop = new AbortController()
  const interruption = abortOnInterrupt()
  interruption.signal.addEventListener('abort', () => stop.abort(interruption.signal.reason))
  try {
    const input = readStandardInput(stop.signal)
    const exitCode =
      flags['serve-stdin'] === true
        ? await serveStandardInput(input, { filter, stop, format: job.format, version: deps.version })
        : (await filter.answer(input, writeToStandardOutput, stop)).exitCode
    return interruption.signal.aborted ? exitCodes.interrupted : exitCode
  } finally {
    interruption.remove()
    await filter.close()
  }
}

type ServeDeps = { filter: RowFilter; stop: AbortController; format: FilterJob['format']; version: string }

async function serveStandardInput(input: AsyncIterable<Uint8Array>, deps: ServeDeps): Promise<number> {
  const { filter, stop, format, version } = deps
  const { serveBatches } = await import('./run-batches.ts')
  const ready = { ready: true, version, format, fields: filter.fieldNames }
  await serveBatches(input, { ready, filter, stop, write: writeToStandardOutput })
  return exitCodes.ok
}

function parseFilterJob(path: string | undefined, flags: RunFlags): FilterJob {
  const format = streamFormats.find((it) => it === flags.format)
  const known = `The formats are ${streamFormats.join(', ')}.`
  if (flags.format === undefined) throw new UsageError(`--serve-stdin requires --format. ${known}`)
  if (format === undefined)
    throw new UsageError(
      `Unknown --format ${JSON.stringify(flags.format)}.${suggestName(String(flags.format), [...streamFormats])} ${known}`,
    )
  if (path !== standardStream || (flags.out !== undefined && flags.out !== standardStream))
    throw new UsageError('--format is for standard input and standard output, as in `fieldstone run - --format csv`.')
  const flag = flagsOfFiles.find((name) => flags[name] !== undefined)
  if (flag !== undefined) throw new UsageError(`--${flag} and --format cannot be combined.`)
  const job = parseRunJob({ path, name: 'standard input', kind: null, ignored: 0, converted: null, remove() {} }, flags)
  if (format === 'arrow' && job.kind !== 'fetch_batch')
    throw new UsageError(`--format arrow and --kind ${job.kind} cannot be combined.`)
  return { ...job, format, upload: job.format, added: addedColumnsOf(flags), isStrict: flags.strict === true }
}

/** Yields what arrives, until the signal aborts. */
async function* readStandardInput(signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const reader = Bun.stdin.stream().getReader()
  const stop = () => void reader.cancel()
  signal.addEventListener('abort', stop, { once: true })
  for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value
}
