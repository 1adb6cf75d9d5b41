import { afterEach, expect, test } from 'bun:test'
import { EventEmitter } from 'node:events'
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { openListener } from '../../src/cli/server/listener.ts'
import { createSpawnProcess } from '../../src/cli/server/start-command.ts'
import { superviseProcesses, type SpawnProcess } from '../../src/cli/server/supervisor.ts'
import { configOf } from '../../src/config.ts'
import { createLog } from '../../src/log.ts'
import { ApiError } from '../../src/model/error.ts'
import {
  connectToSupervisor,
  type ProcessMessage,
  type StopSignal,
  type SupervisorMessage,
} from '../../src/server-process.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const folders: string[] = []
afterEach(() => folders.splice(0).forEach((folder) => rmSync(folder, { recursive: true, force: true })))

/** A process that a test controls. */
type ControlledProcess = {
  received: SupervisorMessage[]
  /** Sends a message to the supervisor, as the process would. */
  say(message: ProcessMessage): void
  end(code: number | string): void
  isKilled: boolean
}

/** Starts a supervisor of three processes that the test controls. */
function openSupervisor(options: { heartbeat_ms?: number } = {}) {
  const data = temporaryFolder()
  folders.push(data)
  const config = configOf({ FIELDSTONE_DATA: data, FIELDSTONE_PROCESSES: '3', FIELDSTONE_PORT: '9999' })
  const started: ControlledProcess[] = []
  const waiters: (() => void)[] = []
  const faults: Error[] = []
  const spawnProcess: SpawnProcess = (onMessage) => {
    const fault = faults.shift()
    if (fault) throw fault
    const { promise: ended, resolve: end } = Promise.withResolvers<number | string>()
    const controlled: ControlledProcess = { received: [], say: onMessage, end, isKilled: false }
    started.push(controlled)
    for (const resolve of waiters.splice(0)) resolve()
    return {
      pid: started.length,
      send: (message) => void controlled.received.push(message),
      kill: () => (controlled.isKilled = true),
      ended,
    }
  }
  const lines: Record<string, unknown>[] = []
  const stop = Promise.withResolvers<StopSignal>()
  const code = superviseProcesses({
    config,
    listener: { ...openListener({ ...config, port: 0 }, { version: '0', isShared: true }), config },
    spawnProcess,
    stop: { requested: stop.promise, forced: new AbortController().signal },
    log: createLog('info', (line) => lines.push(JSON.parse(line))),
    ...options,
  })
  return {
    code,
    started,
    lines,
    /** The next processes cannot be started. */
    faults,
    stop: (signal: StopSignal) => stop.resolve(signal),
    /** The process that is started as the nth. */
    async nth(n: number): Promise<ControlledProcess> {
      while (started.length < n) await new Promise<void>((resolve) => waiters.push(resolve))
      return started[n - 1]!
    },
  }
}

const assignmentOf = ({ received }: ControlledProcess) =>
  received.flatMap((message) => ('assignment' in message ? [message.assignment] : []))[0]
const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

/** Starts a supervisor whose three processes listen. */
async function openListening(options: { heartbeat_ms?: number } = {}) {
  const supervisor = openSupervisor(options)
  ;(await supervisor.nth(1)).say({ isListening: true })
  for (const n of [2, 3]) (await supervisor.nth(n)).say({ isListening: true })
  return supervisor
}

test('the first process listens before the others start, and each is told its number', async () => {
  const { started, nth, stop, code, lines } = openSupervisor()
  await turn()
  expect(started).toHaveLength(1)
  started[0]!.say({ isListening: true })
  await nth(3)
  expect(started.map((it) => assignmentOf(it)?.number)).toEqual([1, 2, 3])
  expect(assignmentOf(started[1]!)).toEqual({
    number: 2,
    count: 3,
    port: 9999,
    base_url: 'http://127.0.0.1:9999',
    isReplacement: false,
  })
  stop('SIGTERM')
  await turn()
  for (const it of started) {
    expect(it.received.at(-1)).toEqual({ stop: 'SIGTERM' })
    it.end(0)
  }
  expect(await code).toBe(0)
  expect(lines.at(-1)).toMatchObject({ event: 'stopping' })
})

test('a process that ends at once is replaced after a pause that grows', async () => {
  const { nth, stop, started, lines, code } = await openListening()
  started[1]!.end('SIGSEGV')
  const fourth = await nth(4)
  expect(assignmentOf(fourth)).toMatchObject({ number: 2, isReplacement: true })
  fourth.end(1)
  await turn()
  const losses = lines.filter(({ event }) => event === 'process_lost')
  expect(losses).toMatchObject([
    { process: 2, exit: 'SIGSEGV', replaced_in_ms: 500 },
    { process: 2, exit: 1, replaced_in_ms: 1000 },
  ])
  stop('SIGINT')
  for (const it of started) it.end(0)
  expect(await code).toBe(0)
})

test('a process that the system cannot start is tried again after a pause', async () => {
  const { nth, stop, started, lines, code, faults } = await openListening()
  faults.push(new Error('ENOMEM: out of memory, posix_spawn'))
  started[1]!.end('SIGKILL')
  expect(assignmentOf(await nth(4))).toMatchObject({ number: 2, isReplacement: true })
  expect(lines.filter(({ event }) => event === 'process_not_started')).toMatchObject([
    { process: 2, error: { message: 'ENOMEM: out of memory, posix_spawn' }, tried_again_in_ms: 1000 },
  ])
  stop('SIGTERM')
  for (const it of started) it.end(0)
  expect(await code).toBe(0)
})

test.each([
  ['before it listens', 0, 75],
  ['before it listens', 0, 78],
  ['later', 1, 78],
  ['later', 1, 64],
])('a process that ends %s with a code that a new start does not mend ends all', async (_, listening, exit) => {
  const { nth, started, code } = listening === 0 ? openSupervisor() : await openListening()
  ;(await nth(1)).end(exit)
  await turn()
  for (const it of started.slice(1)) {
    expect(it.received.at(-1)).toEqual({ stop: 'SIGINT' })
    it.end(0)
  }
  expect(await code).toBe(exit)
})

test('a call goes to the first process or to all, and a process that ended is left out', async () => {
  const { nth, started, stop, code } = await openListening()
  const [first, second, third] = started as [ControlledProcess, ControlledProcess, ControlledProcess]
  const callIn = ({ received }: ControlledProcess) => received.findLast((it) => 'callId' in it)
  const call = { name: 'metrics', argument: 7 } as const
  third.say({ requestId: 1, call, to: 'all' })
  for (const it of [first, third]) {
    const received = callIn(it)!
    expect(received).toMatchObject({ call })
    it.say({ callId: received.callId, reply: { value: it === first ? 'one' : 'three' } })
  }
  second.end(1)
  const results = () => third.received.flatMap((it) => ('results' in it ? [it] : []))
  while (results().length === 0) await turn()
  expect(results()).toEqual([
    {
      requestId: 1,
      results: [
        { process: 1, reply: { value: 'one' } },
        { process: 3, reply: { value: 'three' } },
      ],
    },
  ])
  first.end('SIGKILL')
  // The caller of a call to the first process learns that there was no answer.
  third.say({ requestId: 2, call: { name: 'redeem_sign_in', argument: 'code' }, to: 'first' })
  while (results().length < 2) await turn()
  expect(results()[1]).toEqual({ requestId: 2, results: [] })
  stop('SIGTERM')
  await nth(3)
  for (const it of started) it.end(0)
  expect(await code).toBe(0)
})

test('a process that replies to no heartbeat is killed and replaced, and one that replies is not', async () => {
  const { nth, started, stop, lines, code } = await openListening({ heartbeat_ms: 5 })
  const [first, second, third] = started as [ControlledProcess, ControlledProcess, ControlledProcess]
  const replied = new Set<number>()
  while (!second.isKilled) {
    for (const it of [first, third])
      for (const message of it.received)
        if ('callId' in message && !replied.has(message.callId)) {
          replied.add(message.callId)
          it.say({ callId: message.callId, reply: { value: null } })
        }
    await turn()
  }
  expect([first.isKilled, third.isKilled]).toEqual([false, false])
  expect(second.received.filter((message) => 'callId' in message).length).toBeGreaterThan(3)
  second.end('SIGKILL')
  expect(assignmentOf(await nth(4))).toMatchObject({ number: 2, isReplacement: true })
  expect(lines).toContainEqual(expect.objectContaining({ event: 'process_unresponsive', process: 2 }))
  stop('SIGTERM')
  for (const it of started) it.end(0)
  expect(await code).toBe(0)
})

test('a message to a process that ends, and has closed its connection, is dropped', async () => {
  const folder = temporaryFolder()
  folders.push(folder)
  const isClosed = join(folder, 'closed')
  const script = `process.disconnect(); await Bun.write(process.argv.at(-1), ''); setInterval(() => {}, 1000)`
  const spawnProcess = createSpawnProcess([process.execPath, '-e', script], [isClosed])
  const running = spawnProcess(() => {})
  try {
    while (!existsSync(isClosed)) await turn()
    await turn()
    running.send({ stop: 'SIGTERM' })
  } finally {
    running.kill()
  }
  expect(await running.ended).toBe('SIGKILL')
})

/** Connects a process whose supervisor is the test. */
async function connectProcess() {
  const channel = Object.assign(new EventEmitter(), { send: (message: ProcessMessage) => sent.push(message) > 0 })
  const sent: ProcessMessage[] = []
  const deliver = (message: SupervisorMessage) => void channel.emit('message', message)
  const connecting = connectToSupervisor(channel as unknown as NodeJS.Process)
  deliver({ assignment: { number: 1, count: 2, port: 1, base_url: 'http://a.example', isReplacement: false } })
  return { process: await connecting, sent, deliver }
}

test('a process goes on if it cannot answer a call, and the error reaches the process that made the call', async () => {
  const [first, second] = [await connectProcess(), await connectProcess()]
  first.process.handle('pack_fetch', () => {
    throw new Error('ENOSPC: no space left on device')
  })
  const call = { name: 'pack_fetch', argument: null } as const
  first.deliver({ callId: 1, call, sent_ms: Date.now() })
  while (first.sent.length === 0) await turn()
  const [reply] = first.sent.flatMap((message) => ('reply' in message ? [message.reply] : []))
  const called = second.process.callFirst(call).catch((error: unknown) => error)
  second.deliver({ requestId: 1, results: [{ process: 1, reply: reply! }] })
  expect(String(await called)).toContain('ENOSPC: no space left on device')
  expect(await called).not.toBeInstanceOf(ApiError)
})

test('a process does not execute a call whose caller has given up, and replies to every heartbeat', async () => {
  const { process, sent, deliver } = await connectProcess()
  const redeemed: unknown[] = []
  process.handle('redeem_sign_in', (code) => redeemed.push(code) > 0)
  const minute_ms = 60_000
  for (const [callId, name, argument, sent_ms] of [
    [1, 'redeem_sign_in', 'late', Date.now() - minute_ms],
    [2, 'heartbeat', null, Date.now() - minute_ms],
    [3, 'redeem_sign_in', 'in time', Date.now()],
  ] as const)
    deliver({ callId, call: { name, argument }, sent_ms })
  while (sent.length < 2) await turn()
  const replies = [
    { callId: 2, reply: { value: null } },
    { callId: 3, reply: { value: true } },
  ]
  expect([sent, redeemed]).toEqual([replies, ['in time']])
})
