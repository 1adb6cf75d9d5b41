import { setImmediate as nextTurn } from 'node:timers/promises'
import { makeRoom } from '../store/ballast.ts'
import { diskRefusal, isOfTheDisk } from '../store/disk.ts'
import { openLoop, type Question } from '../runs/loop.ts'
import type { Answered } from '../runs/entry.ts'
import type { FromWorker, Order, ToWorker } from '../runs/messages.ts'
import { openSpells } from '../runs/spells.ts'
import { writeArtifacts } from '../runs/artifact-writer.ts'
import { openArtifacts } from '../store/artifacts.ts'
import { joinState } from '../store/database.ts'
import { openRunSweep } from '../store/run-sweep.ts'
import { beginEpoch, openRunWork } from '../store/run-work.ts'
import { openRunReads } from '../store/runs.ts'
import { openSubmissions } from '../store/submissions.ts'

declare const self: Worker

/** It has a thread of its own, and may wait for its turn to write. */
const wait_ms = 10_000
/** Its garbage would grow to several times what lives. So little lives that a whole collection takes a few milliseconds; one of the young alone leaves too much. */
const changesBetweenCollections = 50
const collectGarbage = () => Bun.gc(true)

const post = (message: FromWorker) => self.postMessage(message, [])

let execute: ((order: Order) => Promise<unknown>) | null = null
const pendingAnswers = new Map<number, (answered: Answered | 'fault') => void>()

/** Owns the runs of a data folder: their rows, their order, their artifacts. What it cannot name is thrown on, and ends the worker. */
self.onmessage = ({ data }: MessageEvent<ToWorker>) => {
  if ('open' in data) execute = openRunner(data.open)
  else if ('order' in data) void executeOrder(data.order, data.what)
  else if ('look' in data) post({ alive: true })
  else {
    pendingAnswers.get(data.asked)?.(data.answered)
    pendingAnswers.delete(data.asked)
  }
}

async function executeOrder(order: number, what: Order): Promise<void> {
  try {
    post({ order, outcome: await execute!(what) })
  } catch (error) {
    if (!isOfTheDisk(error)) throw error
    post({ order, refused: { code: diskRefusal(error).code as 'storage_full' } })
  }
}

function openRunner({ folder, isFirst }: { folder: string; isFirst: boolean }): (order: Order) => Promise<unknown> {
  const db = joinState(folder, wait_ms)
  const [reads, artifacts, submissions, removal] = [openRunReads(db), openArtifacts(db), openSubmissions(db), openRunSweep(db)]
  const reportTrouble = (name: string, error: unknown) => post({ trouble: name, message: error instanceof Error ? error.message : String(error) })
  const incidents = openSpells({ begun: reportTrouble, over: (name, spell) => post({ relief: name, spell }) })
  let questionCount = 0
  let changeCount = 0
  const loop = openLoop({
    work: openRunWork(db, beginEpoch(db, Date.now())),
    isFirst,
    ask,
    tell({ id, status, total, done, ok, seq }) {
      post({ changed: { run_id: id, status, total, done, ok, seq } })
      if (++changeCount % changesBetweenCollections === 0) collectGarbage()
    },
    writeArtifacts: (run) => writeArtifacts(run, reads, artifacts, collectGarbage),
    now: () => new Date(),
    trouble(name, error) {
      makeRoom(folder, error)
      if (isOfTheDisk(error)) incidents.came(name, error)
      else reportTrouble(name, error)
    },
    relief: incidents.ended,
  })
  loop.kick()
  return async (order) => {
    try {
      return await dispatch(order)
    } catch (error) {
      makeRoom(folder, error)
      throw error
    }
  }

  async function dispatch(order: Order): Promise<unknown> {
    switch (order.do) {
      case 'submit': return kickLoop(submissions.submit(order.run, order.locations, order.key))
      case 'retry': return kickLoop(submissions.retry(order.run, order.of))
      case 'cancel': return loop.cancel(order.number)
      case 'sweep': return sweepRuns(order)
      case 'stop':
        await loop.stop(order.grace_ms)
        db.close()
        return null
    }
  }

  function kickLoop<T>(outcome: T): T {
    loop.kick()
    Bun.gc(false)
    return outcome
  }

  function ask({ run, fields, location: { idx, input, original_index } }: Question, signal: AbortSignal): Promise<Answered | 'fault'> {
    const id = ++questionCount
    signal.addEventListener('abort', () => {
      pendingAnswers.delete(id)
      post({ drop: id })
    }, { once: true })
    post({ ask: id, question: { run_id: run.id, kind: run.kind, account_id: run.account_id, scopes: run.scopes, fields, idx, original_index, input } })
    return new Promise((resolve) => pendingAnswers.set(id, resolve))
  }

  /** Removes the runs that were found expired before and still are; gives those that are expired now. */
  async function sweepRuns({ before, keysBefore, numbers }: Extract<Order, { do: 'sweep' }>): Promise<number[]> {
    const expired = removal.expired(before)
    for (const number of expired.filter((it) => numbers.includes(it))) {
      while (removal.removePiece(number)) await nextTurn()
    }
    removal.removeKeys(keysBefore)
    return expired
  }
}
