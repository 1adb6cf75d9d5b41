import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PackFetchRequest, PackFetchStatus, PackPlan } from '../catalog/pack-fetch-document.ts'
import type { Log } from '../log.ts'
import { ApiError } from '../model/error.ts'
import { isRecord, tryParseRecord } from '../model/record.ts'
import { formatTimestamp } from '../model/text.ts'
import type { PlannedDataset } from './harvest-plan.ts'
import { replaceFile } from '../files/small-files.ts'

/** A command of this executable in another process. */
export type CommandProcess = {
  lines: AsyncIterable<string>
  /**
   * Resolves with the exit code and the last lines of standard error. `isInterrupted`: a signal to stop ended the
   * command, such as that of a terminal or a service manager, which reaches the commands of a server too.
   */
  ended: Promise<{ code: number; isInterrupted: boolean; errors: string }>
  /** Asks the command to end. */
  interrupt(): void
}

/** Starts a command of this executable with these settings. */
export type StartCommand = (words: string[], settings: CommandSettings) => CommandProcess
type CommandSettings = Record<string, string | undefined>

/** What fetches of packs need. `folder`: the data folder. `settings`: those of the commands. */
export type PackFetchDeps = {
  folder: string
  settings: CommandSettings
  startCommand: StartCommand
  now: () => Date
  log: Log
}

/** A request, and how far it is. The status has the name of the area; the request has its code. */
type SavedFetch = { request: PackFetchRequest; status: PackFetchStatus }

const verifiedPoints = '50'

/**
 * Fetches packs in the background, one request at a time, with `fieldstone pack fetch` in another process. The request
 * is on disk: a fetch that a stop interrupted continues at the next start.
 */
export class PackFetches {
  readonly #deps: PackFetchDeps
  readonly #file: string
  #saved: SavedFetch | null
  #process: CommandProcess | null = null

  constructor(deps: PackFetchDeps) {
    this.#deps = deps
    this.#file = join(deps.folder, 'pack-fetch.json')
    this.#saved = readSavedFetch(this.#file)
  }

  /** The last fetch; null if there was none. */
  current(): PackFetchStatus | null {
    return this.#saved?.status ?? null
  }

  /** Plans a fetch. @throws {ApiError} if the command fails. */
  plan(request: PackFetchRequest, signal: AbortSignal): Promise<PackPlan> {
    return planPackFetch(request, this.#deps, signal)
  }

  /** Starts a fetch. The status has the name of the area. @throws {ApiError} if another one is running. */
  start(request: PackFetchRequest, areaName = request.area): PackFetchStatus {
    if (this.#process)
      throw new ApiError(
        'pack_fetch_active',
        `A fetch for ${this.current()?.area} is running. Wait until it ends, or cancel it.`,
      )
    const status: PackFetchStatus = {
      ...request,
      area: areaName,
      status: 'running',
      started_at: formatTimestamp(this.#deps.now()),
      finished_at: null,
      datasets: [],
      answered: null,
      fields: null,
      message: null,
    }
    this.#save({ request, status })
    void this.#run(request)
    return status
  }

  /** Cancels the fetch. What it copied stays for a week, and the same request continues there. @throws {ApiError} */
  cancel(): PackFetchStatus {
    if (!this.#process) throw new ApiError('pack_fetch_not_active', 'No fetch is running.')
    this.close()
    return this.#end('cancelled', null)
  }

  /** Continues the fetch that was running when the service stopped. */
  resume(): void {
    if (this.#saved?.status.status !== 'running' || this.#process) return
    this.#deps.log.info('pack_fetch_resumed', { area: this.#saved.status.area })
    void this.#run(this.#saved.request)
  }

  /** Interrupts the command. Its fetch continues at the next start. */
  close(): void {
    this.#process?.interrupt()
    this.#process = null
  }

  /** Runs the command. If it is interrupted although the server does not stop, it starts again. Never rejects. */
  async #run(request: PackFetchRequest): Promise<void> {
    const hours = request.between !== undefined ? [`--between=${request.between}`] : []
    const words = ['pack', 'fetch', '--json', '--yes', '--verify', verifiedPoints, ...hours, ...flagsOf(request)]
    let command: CommandProcess | null = null
    try {
      command = this.#deps.startCommand(words, this.#deps.settings)
      this.#process = command
      for await (const line of command.lines) this.#apply(line, command)
      const { code, isInterrupted, errors } = await command.ended
      if (this.#process !== command) return
      this.#process = null
      if (isInterrupted) this.resume()
      else if (code === 0) this.#end('succeeded', null)
      else this.#end('failed', this.current()?.message ?? (errors || `The command ended with exit code ${code}.`))
    } catch (error) {
      this.#deps.log.error('pack_fetch_failed', { error })
      if (this.#process === command) this.#abandon((error as Error).message)
    }
  }

  /** Fails a fetch whose status may not be on disk, where it is still running: the next start continues it. */
  #abandon(message: string): void {
    this.close()
    const { request, status } = this.#saved!
    const finished_at = formatTimestamp(this.#deps.now())
    this.#saved = { request, status: { ...status, status: 'failed', message, finished_at } }
  }

  #apply(line: string, command: CommandProcess): void {
    if (this.#process !== command || !this.#saved) return
    // A command that was killed while it wrote a line leaves a part of it.
    const event = tryParseRecord(line) as PackFetchEvent | null
    if (!event) return
    const saved = { ...this.#saved, status: statusAfter(this.#saved.status, event) }
    // Progress is not worth a write: the command knows where it stopped.
    if (event.event === 'progress') this.#saved = saved
    else this.#save(saved)
  }

  #end(status: 'succeeded' | 'failed' | 'cancelled', message: string | null): PackFetchStatus {
    const { request, status: last } = this.#saved!
    const ended = { ...last, status, message, finished_at: formatTimestamp(this.#deps.now()) }
    // Also if it cannot be saved.
    this.#saved = { request, status: ended }
    this.#save(this.#saved)
    this.#deps.log.info('pack_fetch_ended', { area: ended.area, status, ...(message !== null && { reason: message }) })
    return ended
  }

  #save(saved: SavedFetch): void {
    replaceFile(this.#file, JSON.stringify(saved))
    this.#saved = saved
  }
}

/**
 * Plans a fetch of packs, with `fieldstone pack plan` in another process, which ends when the signal aborts.
 * @throws {ApiError} if the command fails.
 */
export async function planPackFetch(
  request: PackFetchRequest,
  { startCommand, settings }: Pick<PackFetchDeps, 'startCommand' | 'settings'>,
  signal: AbortSignal,
): Promise<PackPlan> {
  signal.throwIfAborted()
  const command = startCommand(['pack', 'plan', '--json', ...flagsOf(request)], settings)
  signal.addEventListener('abort', () => command.interrupt(), { once: true })
  const lines = await Array.fromAsync(command.lines)
  const { code, errors } = await command.ended
  signal.throwIfAborted()
  if (code !== 0 || lines.length === 0) throw new ApiError('pack_fetch_failed', errors || 'The plan could not be made.')
  return JSON.parse(lines.at(-1)!) as PackPlan
}

function flagsOf({ area, presets }: PackFetchRequest): string[] {
  return [`--area=${area}`, `--preset=${presets.join(',')}`]
}

/** Reads the last fetch. A file that is damaged counts as none: the packs do not depend on it. */
function readSavedFetch(file: string): SavedFetch | null {
  const value = existsSync(file) ? tryParseRecord(readFileSync(file, 'utf8')) : null
  return isRecord(value?.request) && isRecord(value.status) ? (value as SavedFetch) : null
}

/** What `pack fetch --json` prints, one line of JSON each. */
export type PackFetchEvent =
  | { event: 'plan'; area: string; datasets: PlannedDataset[] }
  | { event: 'dataset'; dataset: string; state: 'running' | 'done' }
  | { event: 'dataset'; dataset: string; state: 'failed'; message: string }
  | { event: 'progress'; dataset: string; done: number; requests: number; features: number; bytes: number }
  | { event: 'waiting'; dataset: string; message: string }
  | { event: 'comparison'; points: number; compared: number; failures: number; differences: number }
  | { event: 'result'; area: string; fields: number; answered: number; failed: string[] }
  | { event: 'error'; message: string }

/** The status of a fetch after an event of its command. */
function statusAfter(status: PackFetchStatus, event: PackFetchEvent): PackFetchStatus {
  if (event.event === 'plan') return { ...status, area: event.area, datasets: event.datasets.flatMap(waitingDataset) }
  if (event.event === 'result') return { ...status, fields: event.fields, answered: event.answered }
  if (event.event === 'error') return { ...status, message: event.message }
  if (event.event === 'comparison') return status
  // Only the last message counts. The next event of a dataset that continues has none.
  const { event: _, ...change } = { message: null, ...event }
  const datasets = status.datasets.map((it) => (it.dataset === event.dataset ? { ...it, ...change } : it))
  return { ...status, datasets }
}

function waitingDataset({ dataset, title, how }: PlannedDataset): PackFetchStatus['datasets'] {
  if (how !== 'file' && how !== 'service') return []
  return [{ dataset, title, state: 'waiting', done: 0, requests: 0, features: 0, bytes: 0, message: null }]
}
