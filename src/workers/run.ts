import { setImmediate as nextTurn } from 'node:timers/promises'
import { releaseReserveFile } from '../store/reserve-file.ts'
import { storageErrorFor, isTransientSqliteError } from '../store/sqlite-errors.ts'
import { createRunLoop, type LocationTask } from '../runs/run-loop.ts'
import type { LocationAnswer } from '../runs/run-entry.ts'
import type { RunWorkerOutput, RunCommand, RunWorkerInput } from '../runs/worker-messages.ts'
import { createIncidents } from '../runs/incidents.ts'
import { writeArtifacts } from '../runs/artifact-writer.ts'
import { createArtifactStore } from '../store/artifacts.ts'
import { openStateConnection } from '../store/state-database.ts'
import { createRunSweep } from '../store/run-sweep.ts'
import { beginEpoch, createRunWriter } from '../store/run-writer.ts'
import { createRunReader } from '../store/run-reader.ts'
import { createSubmissionStore } from '../store/submissions.ts'

declare const self: Worker

/** It has a thread of its own, and may wait for its turn to write. */
const wait_ms = 10_000
/** Its garbage would grow to several times what lives. So little lives that a whole collection takes a few milliseconds; one of the young alone leaves too much. */
const changesBetweenCollections = 50
const collectGarbage = () => Bun.gc(true)

const post = (message: RunWorkerOutput) => self.postMessage(message, [])

let execute: ((command: RunCommand) => Promise<unknown>) | null = null
const pendingAnswers = new Map<number, (answered: LocationAnswer | 'internal_error') => void>()

/** Owns the runs of a data folder: their rows, their order, their artifacts. What it cannot name is thrown on, and ends the worker. */
self.onmessage = ({ data }: MessageEvent<RunWorkerInput>) => {
  if ('open' in data) execute = openRunner(data.open)
  else if ('commandId' in data) void executeCommand(data.commandId, data.command)
  else if ('heartbeat' in data) post({ alive: true })
  else {
    pendingAnswers.get(data.questionId)?.(data.answer)
    pendingAnswers.delete(data.questionId)
  }
}

async function executeCommand(commandId: number, command: RunCommand): Promise<void> {
  try {
    post({ commandId, result: await execute!(command) })
  } catch (error) {
    if (!isTransientSqliteError(error)) throw error
    post({ commandId, rejected: { code: storageErrorFor(error).code as 'storage_full' } })
  }
}

function openRunner({
  folder,
  isFirstWorker,
}: {
  folder: string
  isFirstWorker: boolean
}): (command: RunCommand) => Promise<unknown> {
  const db = openStateConnection(folder, wait_ms)
  const [reads, artifacts, submissions, removal] = [
    createRunReader(db),
    createArtifactStore(db),
    createSubmissionStore(db),
    createRunSweep(db),
  ]
  const postFailure = (name: string, error: unknown) =>
    post({ failing: name, message: error instanceof Error ? error.message : String(error) })
  const incidents = createIncidents({
    onStart: postFailure,
    onEnd: (name, incident) => post({ recovered: name, incident }),
  })
  let questionCount = 0
  let changeCount = 0
  const loop = createRunLoop({
    writer: createRunWriter(db, beginEpoch(db, Date.now())),
    isFirstWorker,
    answerLocation,
    reportChange({ id, status, total, done, ok, seq }) {
      post({ changedRun: { run_id: id, status, total, done, ok, seq } })
      if (++changeCount % changesBetweenCollections === 0) collectGarbage()
    },
    writeArtifacts: (run) => writeArtifacts(run, reads, artifacts, collectGarbage),
    now: () => new Date(),
    reportFailure(name, error) {
      releaseReserveFile(folder, error)
      if (isTransientSqliteError(error)) incidents.recordFailure(name, error)
      else postFailure(name, error)
    },
    reportRecovery: incidents.recordRecovery,
  })
  loop.wake()
  return async (command) => {
    try {
      return await dispatch(command)
    } catch (error) {
      releaseReserveFile(folder, error)
      throw error
    }
  }

  async function dispatch(command: RunCommand): Promise<unknown> {
    switch (command.type) {
      case 'submit':
        return wakeLoop(submissions.submit(command.run, command.locations, command.key))
      case 'retry':
        return wakeLoop(submissions.retry(command.run, command.original))
      case 'cancel':
        return loop.cancel(command.number)
      case 'sweep':
        return sweepRuns(command)
      case 'stop':
        await loop.stop(command.grace_ms)
        db.close()
        return null
    }
  }

  function wakeLoop<T>(outcome: T): T {
    loop.wake()
    Bun.gc(false)
    return outcome
  }

  function answerLocation(
    { run, fields, location: { idx, input, original_index } }: LocationTask,
    signal: AbortSignal,
  ): Promise<LocationAnswer | 'internal_error'> {
    const id = ++questionCount
    signal.addEventListener(
      'abort',
      () => {
        pendingAnswers.delete(id)
        post({ abortedQuestionId: id })
      },
      { once: true },
    )
    post({
      questionId: id,
      question: {
        run_id: run.id,
        kind: run.kind,
        account_id: run.account_id,
        scopes: run.scopes,
        fields,
        idx,
        original_index,
        input,
      },
    })
    return new Promise((resolve) => pendingAnswers.set(id, resolve))
  }

  /** Removes the runs that were found expired before and still are; gives those that are expired now. */
  async function sweepRuns({ before, keysBefore, numbers }: Extract<RunCommand, { type: 'sweep' }>): Promise<number[]> {
    const expired = removal.expiredRuns(before)
    for (const number of expired.filter((it) => numbers.includes(it))) {
      while (removal.removeBatch(number)) await nextTurn()
    }
    removal.removeKeys(keysBefore)
    return expired
  }
}
