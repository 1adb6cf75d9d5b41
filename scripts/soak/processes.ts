import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeToken, secureRandomBytes } from '../../src/auth/token.ts'
import { newFolder, startFieldstone, type Fieldstone } from '../../test/cli/fieldstone.ts'
import { randomOf } from '../bench/random.ts'
import { atLeast, atMost, type Finding } from './finding.ts'

const processes = 3
const clients = 4
const rows = 400
/** A process that lives longer than ten seconds is replaced without a pause. */
const betweenKills_ms = 6000
/** Of this many events, one suspends a process until the server kills it. The others kill one. */
const eventsPerSuspension = 8

/** What the clients have found. */
type Found = { finished: number; wrongRows: number; failedRows: number; repeatedRuns: number }

/**
 * Kills and suspends the processes of `serve --processes 3` on one data folder, one after the other, while clients
 * submit runs, submit each again, and read the results.
 */
export async function soakProcesses(kills = 40): Promise<Finding[]> {
  const { folder, remove } = newFolder()
  const token = makeToken('pat', secureRandomBytes)
  const server = startFieldstone(
    ['serve', '--data', join(folder, 'data'), '--processes', String(processes)],
    { FIELDSTONE_TOKEN: token },
    folder,
  )
  try {
    const address = (await server.waitForOutput(/answers at (http:\S+)/))[1]!
    await server.waitForOutput(/"processes_listening"/)
    const found: Found = { finished: 0, wrongRows: 0, failedRows: 0, repeatedRuns: 0 }
    const stopping = new AbortController()
    const load = Promise.all(
      Array.from({ length: clients }, (_, client) => submitRuns(createSend(address, token), client, found, stopping)),
    )
    await killProcesses(server, kills)
    stopping.abort()
    await load
    server.signal('SIGTERM')
    const { code, err } = await server.end()
    return [
      atMost('P', 'results with a lost or doubled row', found.wrongRows, 0),
      atMost('P', 'rows that failed', found.failedRows, 0),
      atMost('P', 'keys with more than one run', found.repeatedRuns, 0),
      atLeast('P', 'processes that were replaced', lossesOf(err, 'lost'), kills),
      atLeast(
        'P',
        'suspended processes that the server killed',
        lossesOf(err, 'unresponsive'),
        Math.floor(kills / eventsPerSuspension),
      ),
      atLeast('P', 'runs during the kills', found.finished, kills / 8),
      atMost('P', 'exit code', code, 0),
    ]
  } finally {
    server.signal('SIGKILL')
    await server.end()
    remove()
  }
}

async function killProcesses(server: Fieldstone, kills: number): Promise<void> {
  const random = randomOf(11)
  for (let kill = 1; kill <= kills; kill++) {
    await Bun.sleep(betweenKills_ms * (0.5 + random()))
    const running = childrenOf(server.pid)
    const isSuspension = kill % eventsPerSuspension === 0
    // The server waits for a process that is being started. The first one in the list is the oldest.
    const pid = isSuspension ? running[0] : running[Math.floor(running.length * random())]
    if (pid === undefined) kill--
    else if (!isSuspension) process.kill(pid, 'SIGKILL')
    else {
      process.kill(pid, 'SIGSTOP')
      await server.waitForOutput(new RegExp(`"process_lost","process":.,"pid":${pid},`))
    }
    if (kill % 10 === 0) console.error(`${kill} of ${kills} kills`)
  }
}

function lossesOf(log: string, event: 'lost' | 'unresponsive'): number {
  return log.split(`"process_${event}"`).length - 1
}

function childrenOf(pid: number): number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()
  return text === '' ? [] : text.split(' ').map(Number)
}

/** Submits one run after the other, each twice with the same key, and checks its result. */
async function submitRuns(
  send: Send,
  client: number,
  found: Found,
  { signal }: Pick<AbortController, 'signal'>,
): Promise<void> {
  for (let run = 0; !signal.aborted; run++) {
    const locations = Array.from({ length: rows }, (_, i) => ({ lat: 37 + i / 1000, lng: -105 - client - run / 1000 }))
    const body = JSON.stringify({ kind: 'fetch_batch', request: { fields: ['county', 'timezone'], locations } })
    const submission = { method: 'POST', body, headers: { 'idempotency-key': `${client}-${run}` } }
    const ids: string[] = []
    for (let i = 0; i < 2; i++)
      ids.push(((await (await send('/v1/runs', submission)).json()) as { run_id: string }).run_id)
    if (ids[0] !== ids[1]) found.repeatedRuns++
    await checkResult(send, ids[0]!, found)
  }
}

async function checkResult(send: Send, id: string, found: Found): Promise<void> {
  const isFinished = async () => {
    const { status } = (await (await send(`/v1/runs/${id}?view=summary`)).json()) as { status: string }
    return status === 'done'
  }
  while (!(await isFinished())) await Bun.sleep(50)
  const [, ...lines] = (await (await send(`/v1/runs/${id}/artifacts/csv`)).text()).trimEnd().split('\r\n')
  if (lines.length !== rows || new Set(lines).size !== rows) found.wrongRows++
  found.failedRows += lines.filter((line) => !line.includes('true')).length
  found.finished++
}

type Send = (path: string, init?: RequestInit) => Promise<Response>

/** Returns a function that repeats a request until a process has answered it completely. */
function createSend(address: string, token: string): Send {
  return async (path, { headers, ...init } = {}) => {
    const all = {
      ...headers,
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      connection: 'close',
    }
    for (;;) {
      const request = { ...init, headers: all, signal: AbortSignal.timeout(10_000) }
      const response = await fetch(`${address}${path}`, request).catch(() => null)
      const bytes = response?.ok ? await response.bytes().catch(() => null) : null
      if (bytes) return new Response(bytes)
      await Bun.sleep(50)
    }
  }
}
