import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openState } from '../../src/store/sqlite/state-database.ts'
import type { FileOperation } from './power-record.ts'
import { powerStates, type PowerState } from './power-states.ts'

/** The problems in the states that a power loss may leave. */
export type PowerLoss = {
  states: number
  /** Runs that were acknowledged or reported as finished, and are missing or unfinished in a state. */
  lost: number
  /** Descriptions of states that do not open or are damaged. */
  broken: string[]
}

const inMemory = '/dev/shm'

type Row = { id: string; status: string; total: number; there: number; done: number; entries: number }

/**
 * Opens each state as the service does, and looks for every run whose acceptance had been reported. `every`: only each
 * n-th step.
 */
export function afterPowerLoss(
  steps: FileOperation[],
  { perStep, every, random }: { perStep: number; every: number; random: () => number },
): PowerLoss {
  // Thousands of small databases: in /dev/shm, if it exists.
  const folder = mkdtempSync(join(existsSync(inMemory) ? inMemory : tmpdir(), 'fieldstone-power-'))
  const found: PowerLoss = { states: 0, lost: 0, broken: [] }
  for (const state of powerStates(steps, perStep, random)) {
    if (state.step % every !== 0) continue
    found.states++
    try {
      found.lost += lostIn(state, join(folder, 'data'))
    } catch (error) {
      found.broken.push(
        `step ${state.step}, lost ${state.lost}, ${[...state.files].map(([name, { length }]) => `${name} ${length}`).join()}: ${(error as Error).message}`,
      )
    }
  }
  rmSync(folder, { recursive: true })
  return found
}

function lostIn({ files, takenIn, finished }: PowerState, data: string): number {
  rmSync(data, { recursive: true, force: true })
  mkdirSync(data)
  for (const [name, bytes] of files) writeFileSync(join(data, name), bytes)
  using db = openState(data)
  const [check] = db.query<{ integrity_check: string }, []>('PRAGMA integrity_check').all()
  if (check?.integrity_check !== 'ok') throw new Error(check?.integrity_check)
  const rows = db
    .query<Row, []>(
      `SELECT id, status, total, done, (SELECT count(*) FROM run_locations WHERE run = number) AS there, (SELECT count(*) FROM run_results WHERE run = number) AS entries FROM runs`,
    )
    .all()
  const uneven = rows.find(({ total, there, done, entries }) => there !== total || entries !== done)
  if (uneven) throw new Error(`Half a run: ${JSON.stringify(uneven)}`)
  const ids = new Map(rows.map(({ id, status }) => [id, status]))
  return [...takenIn].filter((id) => !ids.has(id)).length + [...finished].filter((id) => ids.get(id) !== 'done').length
}
