import { afterEach, expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { openFolderState } from '../../src/app-state.ts'
import {
  FolderInUseError,
  joinFolderLock,
  lockFolder,
  lockFolderForProcesses,
} from '../../src/store/sqlite/folder-lock.ts'
import { openState } from '../../src/store/sqlite/state-database.ts'
import { addRun, firstAttempts, now } from './contract-case.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const folders: string[] = []
afterEach(() => folders.splice(0).forEach((folder) => rmSync(folder, { recursive: true, force: true })))
function newFolder(): string {
  const folder = temporaryFolder()
  folders.push(folder)
  return folder
}

/** Opens a new state with a run, and the workers of two nodes that send heartbeats. */
async function openTwoNodes() {
  const folder = newFolder()
  const { store, close } = openFolderState(folder)
  const node = { host: 'here', pid: 1, version: '1', started_at: now }
  for (const id of ['1', '2']) await store.nodes.refresh({ ...node, id })
  const { number } = await addRun(store, 'run_1', 3)
  const [first, second] = [await store.runQueue.beginEpoch(now, '1'), await store.runQueue.beginEpoch(now, '2')]
  await first.adopt(now, 9, 9)
  await first.saveProgress(number, [], firstAttempts(0))
  const db = openState(folder)
  return {
    store,
    first,
    second,
    number,
    adoptBySecond: async () => (await second.adopt(now, 9, 9))?.id ?? null,
    /** Moves the last heartbeat of a node back by this many seconds. */
    age: (id: string, seconds: number) =>
      void db.query('UPDATE nodes SET seen_at = seen_at - ? WHERE id = ?').run(seconds * 1000, id),
    close() {
      db.close()
      close()
    },
  }
}

test('on SQLite, a node takes over the runs of another one that sends no heartbeat for 20 seconds', async () => {
  const { adoptBySecond, age, close, first, number } = await openTwoNodes()
  expect(await adoptBySecond()).toBeNull()
  age('1', 10)
  expect(await adoptBySecond()).toBeNull()
  age('1', 11)
  expect(await adoptBySecond()).toBe('run_1')
  expect(await first.saveProgress(number, [], [])).toBeNull()
  close()
})

test('on SQLite, a node takes over the runs of another one that has stopped', async () => {
  const { store, adoptBySecond, close } = await openTwoNodes()
  await store.nodes.remove('1')
  expect(await adoptBySecond()).toBe('run_1')
  close()
})

test('on SQLite, a process that replaces another one continues its runs at once, and no others', async () => {
  const { store, second, number, close } = await openTwoNodes()
  const other = await addRun(store, 'run_2', 1)
  await second.takeOver(other.number, now)
  await second.saveProgress(other.number, [], firstAttempts(0))
  const replacement = await store.runQueue.beginEpoch(now, '1')
  await replacement.settleAttempts()
  expect((await replacement.adopt(now, 9, 9))?.id).toBe('run_1')
  expect(await replacement.adopt(now, 9, 9)).toBeNull()
  // The attempt of the lost worker counts. The one of the other worker is still its own.
  expect((await replacement.retriedLocations(number)).map(({ attempts }) => attempts)).toEqual([1])
  await second.releaseLease(other.number, firstAttempts(0))
  expect(await replacement.retriedLocations(other.number)).toEqual([])
  close()
})

test('on SQLite, the attempts of a lost process count also if several processes start before one continues its run', async () => {
  const { store, number, close } = await openTwoNodes()
  const replacements = [await store.runQueue.beginEpoch(now, '1'), await store.runQueue.beginEpoch(now, '2')]
  for (const replacement of replacements) await replacement.settleAttempts()
  expect((await replacements[1]!.adopt(now, 9, 9))?.id).toBe('run_1')
  expect((await replacements[1]!.retriedLocations(number)).map(({ attempts }) => attempts)).toEqual([1])
  close()
})

test('runs that a release without nodes has begun are continued', async () => {
  const { store, close } = await openTwoNodes()
  await store.nodes.remove('1')
  const { number } = await addRun(store, 'run_2', 1)
  const older = await store.runQueue.beginEpoch(now)
  await older.takeOver(number, now)
  const writer = await store.runQueue.beginEpoch(now, '1')
  const adopted = [await writer.adopt(now, 9, 9), await writer.adopt(now, 9, 9)]
  expect(adopted.map((run) => run?.id)).toEqual(['run_1', 'run_2'])
  close()
})

test('a folder that is locked for processes admits no others, until all have unlocked it', () => {
  const folder = newFolder()
  const unlock = lockFolderForProcesses(folder)
  const processes = [joinFolderLock(folder), joinFolderLock(folder)]
  const tryBoth = () => [lockFolder, lockFolderForProcesses].map((lock) => errorOf(() => lock(folder)()))
  const inUse = [expect.any(FolderInUseError), expect.any(FolderInUseError)]
  expect(tryBoth()).toEqual(inUse)
  unlock()
  expect(tryBoth()).toEqual(inUse)
  processes.forEach((leave) => leave())
  expect(tryBoth()).toEqual([null, null])
  const unlockOther = lockFolder(folder)
  expect(() => joinFolderLock(folder)).toThrow(FolderInUseError)
  unlockOther()
})

function errorOf(work: () => void): unknown {
  try {
    work()
    return null
  } catch (error) {
    return error
  }
}
