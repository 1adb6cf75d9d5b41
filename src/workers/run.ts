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
const collect = () => Bun.gc(true)

const say = (message: FromWorker) => self.postMessage(message, [])

let carryOut: ((order: Order) => Promise<unknown>) | null = null
const asked = new Map<number, (answered: Answered | 'fault') => void>()

/** Owns the runs of a data folder: their rows, their order, their artifacts. What it cannot name is thrown on, and ends the worker. */
self.onmessage = ({ data }: MessageEvent<ToWorker>) => {
  if ('open' in data) carryOut = opened(data.open)
  else if ('order' in data) void carriedOut(data.order, data.what)
  else if ('look' in data) say({ alive: true })
  else {
    asked.get(data.asked)?.(data.answered)
    asked.delete(data.asked)
  }
}

async function carriedOut(order: number, what: Order): Promise<void> {
  try {
    say({ order, outcome: await carryOut!(what) })
  } catch (error) {
    if (!isOfTheDisk(error)) throw error
    say({ order, refused: { code: diskRefusal(error).code as 'storage_full' } })
  }
}

function opened({ folder, isFirst }: { folder: string; isFirst: boolean }): (order: Order) => Promise<unknown> {
  const db = joinState(folder, wait_ms)
  const [reads, artifacts, submissions, removal] = [openRunReads(db), openArtifacts(db), openSubmissions(db), openRunSweep(db)]
  const tellOf = (about: string, error: unknown) => say({ trouble: about, message: error instanceof Error ? error.message : String(error) })
  const spells = openSpells({ begun: tellOf, over: (about, spell) => say({ relief: about, spell }) })
  let count = 0
  let told = 0
  const loop = openLoop({
    work: openRunWork(db, beginEpoch(db, Date.now())),
    isFirst,
    ask,
    tell({ id, status, total, done, ok, seq }) {
      say({ changed: { run_id: id, status, total, done, ok, seq } })
      if (++told % changesBetweenCollections === 0) collect()
    },
    writeArtifacts: (run) => writeArtifacts(run, reads, artifacts, collect),
    now: () => new Date(),
    trouble(about, error) {
      makeRoom(folder, error)
      if (isOfTheDisk(error)) spells.came(about, error)
      else tellOf(about, error)
    },
    relief: spells.ended,
  })
  loop.kick()
  return async (it) => {
    try {
      return await done(it)
    } catch (error) {
      makeRoom(folder, error)
      throw error
    }
  }

  async function done(it: Order): Promise<unknown> {
    switch (it.do) {
      case 'submit': return kicked(submissions.submit(it.run, it.locations, it.key))
      case 'retry': return kicked(submissions.retry(it.run, it.of))
      case 'cancel': return loop.cancel(it.number)
      case 'sweep': return swept(it)
      case 'stop':
        await loop.stop(it.grace_ms)
        db.close()
        return null
    }
  }

  function kicked<T>(outcome: T): T {
    loop.kick()
    Bun.gc(false)
    return outcome
  }

  function ask({ run, fields, location: { idx, input, original_index } }: Question, signal: AbortSignal): Promise<Answered | 'fault'> {
    const id = ++count
    signal.addEventListener('abort', () => {
      asked.delete(id)
      say({ drop: id })
    }, { once: true })
    say({ ask: id, question: { run_id: run.id, kind: run.kind, account_id: run.account_id, scopes: run.scopes, fields, idx, original_index, input } })
    return new Promise((resolve) => asked.set(id, resolve))
  }

  /** Removes the runs that were found expired before and still are; gives those that are expired now. */
  async function swept({ before, keysBefore, numbers }: Extract<Order, { do: 'sweep' }>): Promise<number[]> {
    const expired = removal.expired(before)
    for (const number of expired.filter((it) => numbers.includes(it))) {
      while (removal.removePiece(number)) await nextTurn()
    }
    removal.removeKeys(keysBefore)
    return expired
  }
}
