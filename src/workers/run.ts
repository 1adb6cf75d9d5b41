/** The entry points of the worker threads, which `src/workers.ts` starts. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { createGarbageCollector } from '../async/collect-garbage.ts'
import { releaseReserveFile } from '../store/reserve-file.ts'
import { isTemporaryStorageError } from '../store/storage-error.ts'
import { AdmissionQueue } from '../fetch/admission.ts'
import { LocalLocations } from '../runs/local-locations.ts'
import { runStateOf } from '../runs/run-listeners.ts'
import { maxLocationsInFlight, RunLoop } from '../runs/run-loop.ts'
import type { LocationTask, RunLoopDeps } from '../runs/run-loop-deps.ts'
import type {
  QuestionResult,
  RunWorkerOutput,
  RunCommand,
  RunWorkerInput,
  RunWorkerOptions,
} from '../runs/worker-messages.ts'
import { createIncidents } from '../runs/report/incidents.ts'
import {
  artifactNamesOf,
  finishedFamilyOf,
  plainVariant,
  writeArtifacts,
  writeRequestedArtifact,
  type ArtifactNames,
  type ArtifactWriterDeps,
} from '../runs/artifacts/artifact-writer.ts'
import { findMissing } from '../runs/report/missing-values.ts'
import { runIdOf } from '../store/runs/run-slices.ts'
import type { OpenedRunStores } from '../store/store.ts'
import { connectRunStores } from '../store/postgres/postgres-store.ts'
import { openRunStores } from '../store/sqlite/sqlite-store.ts'

declare const self: Worker

/** The worker has its own thread, so it can wait this long for the write lock. */
const wait_ms = 10_000
/** The worker keeps little live data. Without collections, the garbage grows to several times of it. */
const changesBetweenCollections = 50
const heapGrowthMax_bytes = 8 * 1_048_576
const collectGarbage = createGarbageCollector(1, heapGrowthMax_bytes)

const post = (message: RunWorkerOutput) => self.postMessage(message, [])

let worker: Promise<RunWorker> | null = null

/** Owns the runs of this process: their rows, their order, their artifacts. Unexpected errors end the worker. */
self.onmessage = ({ data }: MessageEvent<RunWorkerInput>) => {
  if ('open' in data) void openWorker(data.open)
  else if ('commandId' in data) void replyTo(data.commandId, data.command)
  else if ('heartbeat' in data) post({ alive: true })
  else if ('localFields' in data) void worker?.then((it) => it.setLocalFields(data.localFields))
  else void worker?.then((it) => it.receiveAnswer(data.questionId, data.answer))
}

/** Opens the runs. Any error ends the worker. An error of the database is also the reply to each command. */
async function openWorker(options: RunWorkerOptions): Promise<void> {
  worker = RunWorker.open(options)
  await worker
}

async function replyTo(commandId: number, command: RunCommand): Promise<void> {
  try {
    const opened = await worker!
    post({ begunCommandId: commandId })
    post({ commandId, result: await opened.execute(command) })
  } catch (error) {
    if (!isTemporaryStorageError(error)) throw error
    post({ commandId, rejected: { reason: error.reason } })
  }
}

class RunWorker {
  readonly #folder: string
  readonly #store: OpenedRunStores
  readonly #artifactDeps: ArtifactWriterDeps
  readonly #loop: RunLoop
  #local: LocalLocations | null = null
  /** The locations of local runs that the main thread answers after all. */
  readonly #otherLocations = new AdmissionQueue(4 * maxLocationsInFlight, 0)
  readonly #pendingAnswers = new Map<number, (answer: QuestionResult) => void>()
  readonly #writingArtifacts = new Map<string, Promise<ArtifactNames>>()
  #sweep: Promise<null> | null = null
  #stopped: Promise<null> | null = null
  readonly #graceEnd = Promise.withResolvers<void>()
  #isStopping = false
  #questionCount = 0
  #changeCount = 0

  private constructor(folder: string, store: OpenedRunStores, loopDeps: Pick<RunLoopDeps, 'writer' | 'isFirstWorker'>) {
    this.#folder = folder
    this.#store = store
    this.#artifactDeps = { reader: store.runs, artifacts: loopDeps.writer.artifacts, folder, collectGarbage }
    this.#loop = this.#createLoop(loopDeps)
    // After the commands that were passed on from a lost worker, because its runs may stop this worker too.
    setTimeout(() => this.#loop.wake(), 0)
  }

  /** Opens the runs under a new epoch. */
  static async open({ folder, database_url, node, isFirstWorker }: RunWorkerOptions): Promise<RunWorker> {
    const store = database_url === null ? openRunStores(folder, wait_ms) : await connectRunStores(database_url)
    return new RunWorker(folder, store, { writer: await store.runQueue.beginEpoch(Date.now(), node), isFirstWorker })
  }

  /** Executes a command. A full disk releases the reserve file, so that later commands can succeed. */
  async execute(command: RunCommand): Promise<unknown> {
    try {
      return await this.#dispatch(command)
    } catch (error) {
      releaseReserveFile(this.#folder, error)
      throw error
    }
  }

  receiveAnswer(questionId: number, answer: QuestionResult): void {
    this.#pendingAnswers.get(questionId)?.(answer)
    this.#pendingAnswers.delete(questionId)
  }

  async #dispatch(command: RunCommand): Promise<unknown> {
    switch (command.type) {
      case 'submit':
        return this.#wakeLoop(await this.#store.submissions.submit(command.run, command.locations, command.key))
      case 'retry':
        return this.#wakeLoop(
          await this.#store.submissions.retry(command.run, command.original, command.indexes, command.inputs),
        )
      case 'findMissing': {
        const run = await this.#artifactDeps.reader.find(command.id, command.account_id)
        return run ? findMissing(run, command.answerable, this.#artifactDeps.reader) : []
      }
      case 'cancel':
        return this.#loop.cancel(command.number)
      case 'sweep':
        return (this.#sweep = this.#sweepRuns(command))
      case 'writeArtifacts':
        return this.#writeVariant(command)
      case 'stop':
        setTimeout(this.#graceEnd.resolve, command.grace_ms)
        return (this.#stopped ??= this.#stop())
    }
  }

  async #stop(): Promise<null> {
    this.#isStopping = true
    await Promise.allSettled([this.#loop.stop(this.#graceEnd.promise), this.#sweep])
    await Promise.allSettled(this.#writingArtifacts.values())
    await this.#store.drain()
    this.#store.close()
    return null
  }

  #createLoop(deps: Pick<RunLoopDeps, 'writer' | 'isFirstWorker'>): RunLoop {
    const incidents = createIncidents({
      onStart: postFailure,
      onEnd: (name, incident) => post({ recovered: name, incident }),
    })
    return new RunLoop({
      ...deps,
      answerLocation: (task, signal) => this.#answerLocation(task, signal),
      answersItself: (fields) => this.#local?.has(fields) ?? false,
      answerBlock: (task) => this.#local!.answer(task),
      reportChange: (run) => {
        const counted = this.#local?.takeCounts() ?? []
        if (counted.length > 0) post({ counted })
        const changed = run.slice_of === null ? run : run.whole
        if (changed) post({ changedRun: runStateOf(changed) })
        if (++this.#changeCount % changesBetweenCollections === 0) collectGarbage()
      },
      writeArtifacts: async (run) => {
        await writeArtifacts(run, plainVariant, this.#artifactDeps)
      },
      now: () => new Date(),
      reportFailure: (name, error) => {
        releaseReserveFile(this.#folder, error)
        if (isTemporaryStorageError(error)) incidents.recordFailure(name, error)
        else postFailure(name, error)
      },
      reportRecovery: incidents.recordRecovery,
    })
  }

  /** Writes a variant of the result files of a finished run. Requests for the same variant wait for the same files. */
  async #writeVariant({
    id,
    account_id,
    variant,
    file,
  }: Extract<RunCommand, { type: 'writeArtifacts' }>): Promise<ArtifactNames | null> {
    const run = await this.#artifactDeps.reader.find(id, account_id)
    if (!run) return null
    // Two variants of a run without retries are the same files.
    const { csv } = artifactNamesOf(variant, await finishedFamilyOf(run, this.#artifactDeps.reader))
    const key = JSON.stringify([id, csv, file?.format])
    const write = () =>
      file
        ? writeRequestedArtifact(run, variant, file, this.#artifactDeps)
        : writeArtifacts(run, variant, this.#artifactDeps)
    const writing = this.#writingArtifacts.get(key) ?? write()
    this.#writingArtifacts.set(key, writing)
    const names = await writing.finally(() => this.#writingArtifacts.delete(key))
    if (await this.#artifactDeps.reader.find(id, account_id)) return names
    // The run expired meanwhile, so nothing would delete the files later.
    for (const name of Object.values(names)) await this.#artifactDeps.artifacts.clear(run.number, name)
    return null
  }

  #wakeLoop<T>(result: T): T {
    this.#loop.wake()
    Bun.gc(false)
    return result
  }

  /** Adds fields that this worker answers itself; null forgets all of them. */
  setLocalFields(given: Extract<RunWorkerInput, { localFields: unknown }>['localFields']): void {
    if (!given) return this.#local?.clear()
    this.#local ??= new LocalLocations(given.embedded, () => new Date())
    this.#local.add(given)
    this.#loop.wake()
  }

  #answerLocation(task: LocationTask, signal: AbortSignal): Promise<QuestionResult> {
    const ask = () => this.#askMainThread(task, signal)
    if (!this.#local?.has(task.fields)) return ask()
    return this.#otherLocations.run(ask, { signal }, { isBackground: true }).catch((error: unknown) => {
      if (signal.aborted) return 'not_started'
      throw error
    })
  }

  /** Sends a location to the main thread. An aborted signal withdraws it, and the promise then never settles. */
  #askMainThread(
    { run, fields, location: { idx, input, original_index } }: LocationTask,
    signal: AbortSignal,
  ): Promise<QuestionResult> {
    const questionId = ++this.#questionCount
    const onAbort = () => {
      this.#pendingAnswers.delete(questionId)
      post({ abortedQuestionId: questionId })
    }
    signal.addEventListener('abort', onAbort, { once: true })
    const { kind, account_id, scopes, total, done } = run
    const question = { run_id: runIdOf(run), kind, account_id, scopes, fields, idx, original_index, input }
    post({ questionId, question, unanswered: total - done })
    return new Promise((resolve) => this.#pendingAnswers.set(questionId, resolve))
  }

  /** Removes the runs that are expired. Ends early when the worker stops; the next start continues. */
  async #sweepRuns({ before, keysBefore }: Extract<RunCommand, { type: 'sweep' }>): Promise<null> {
    const { runSweep } = this.#store
    await runSweep.removeKeys(keysBefore)
    for (const number of await runSweep.confirmExpired(before)) {
      while (!this.#isStopping && (await runSweep.removeBatch(number))) await nextTurn()
    }
    return null
  }
}

function postFailure(name: string, error: unknown): void {
  const { message, cause } = error instanceof Error ? error : { message: String(error), cause: undefined }
  post({ failing: name, message: cause instanceof Error ? `${message} (${cause.message})` : message })
}
