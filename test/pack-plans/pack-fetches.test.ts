import { expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmdirSync } from 'node:fs'
import { join } from 'node:path'
import { createLog } from '../../src/log.ts'
import { PackFetches, type CommandProcess } from '../../src/pack-plans/pack-fetches.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const root = temporaryFolder()

/** A command that prints lines, and then ends with a code; without one, it runs until it is interrupted. */
function commandOf(printed: string[], code: number | null): CommandProcess {
  const { promise: ended, resolve: end } = Promise.withResolvers<Awaited<CommandProcess['ended']>>()
  async function* lines() {
    yield* printed
    if (code === null) await ended
    else end({ code, isInterrupted: false, errors: '' })
  }
  return { lines: lines(), ended, interrupt: () => end({ code: 130, isInterrupted: true, errors: '' }) }
}

/** Opens the fetches of a folder with commands that are started in this order. Records their words. */
function openFetches(folder: string, commands: CommandProcess[]) {
  const started: string[][] = []
  const startCommand = (words: string[]) => {
    started.push(words)
    return commands.shift()!
  }
  const log = createLog('error', () => {})
  return { fetches: new PackFetches({ folder, settings: {}, startCommand, now: () => new Date(), log }), started }
}

const request = { area: 'cbsa:14500', presets: ['flood_risk'], between: '22:00-06:00' }
const plan = JSON.stringify({ event: 'plan', area: 'CBSA 14500 as delineated in 2010', datasets: [] })
const until = async (isReached: () => boolean) => {
  while (!isReached()) await Bun.sleep(1)
}

test('a fetch that goes on after a restart asks for the same area, and not for its name', async () => {
  const folder = mkdtempSync(join(root, 'restart-'))
  const { fetches, started } = openFetches(folder, [commandOf([plan], null)])
  fetches.start(request)
  await until(() => fetches.current()!.area !== request.area)
  fetches.close()
  const later = openFetches(folder, [commandOf([plan], 0)])
  later.fetches.resume()
  await until(() => later.fetches.current()!.status !== 'running')
  expect(later.fetches.current()).toMatchObject({ status: 'succeeded', area: 'CBSA 14500 as delineated in 2010' })
  expect(later.started).toEqual(started)
  expect(started[0]).toContain('--area=cbsa:14500')
})

test('a fetch fails if its command is killed, also in the middle of a line', async () => {
  const { fetches } = openFetches(mkdtempSync(join(root, 'killed-')), [
    commandOf([plan, '{"event":"data'], 137),
    commandOf([plan], 0),
  ])
  fetches.start(request)
  await until(() => fetches.current()!.status !== 'running')
  expect(fetches.current()).toMatchObject({ status: 'failed', message: 'The command ended with exit code 137.' })
  expect(fetches.start(request).status).toBe('running')
  await until(() => fetches.current()!.status === 'succeeded')
})

test('a fetch that cannot be saved is not started, and does not count as running', async () => {
  const folder = mkdtempSync(join(root, 'unsaved-'))
  const { fetches, started } = openFetches(folder, [commandOf([plan], 0)])
  const blocked = join(folder, 'pack-fetch.json.part')
  mkdirSync(blocked)
  expect(() => fetches.start(request)).toThrow('EISDIR')
  expect([fetches.current(), started]).toEqual([null, []])
  rmdirSync(blocked)
  fetches.start(request)
  await until(() => fetches.current()!.status === 'succeeded')
})

test('the command of a plan ends when nobody waits for the plan', async () => {
  const command = commandOf([], null)
  const { fetches } = openFetches(mkdtempSync(join(root, 'left-')), [command])
  const client = new AbortController()
  const planned = fetches.plan(request, client.signal).catch((error: unknown) => error)
  client.abort()
  expect((await command.ended).isInterrupted).toBe(true)
  expect(await planned).toBe(client.signal.reason)
})
