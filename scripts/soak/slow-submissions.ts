import type { Socket } from 'bun'
import { costFindings, costTable, openWorkProbe, type MeasuredProcess } from './bounded-work.ts'
import { atLeast, atMost, type Finding } from './finding.ts'
import { addAccount, startService } from './service-process.ts'

const declared_bytes = 30_000_000
/** All senders share it: to fill 60 of them delays the probe, which is a thread of this process. */
const blanks = Buffer.alloc(declared_bytes, ' ')
const otherRun_bytes = 2_000_000
const byteEvery_ms = 1_000
/** A submission of another account must be accepted within this time. */
const acceptedWithin_ms = 5_000
/** Slow submissions must have an answer after this time: they were received too slowly, or waited too long. */
const answeredWithin_s = 60
/** A server that reads nothing from any sender for this time reads no more. */
const quiet_ms = 300

/** Tokens of two accounts. */
export type TwoAccounts = { slow: string; other: string }

/**
 * Tests the submission of runs while one account sends bodies very slowly, and while it sends bodies that wait for a
 * place. Prints the rows of the table of the guide's security page.
 */
export async function soakSlowSubmissions(senders = 60, seconds = answeredWithin_s): Promise<Finding[]> {
  const tokens: TwoAccounts = { slow: '', other: '' }
  const it = await startService({ FIELDSTONE_OFFLINE: '1', FIELDSTONE_AUTH: 'on' }, (data) => {
    tokens.slow = addAccount(data, 'slow', 'fetch runs')
    tokens.other = addAccount(data, 'other', 'fetch runs')
  })
  try {
    return await measureSlowSubmissions(it, tokens, { senders, seconds })
  } finally {
    await it.stop()
  }
}

/** Measures what slow submissions of one account cost another one, and the process. */
export async function measureSlowSubmissions(
  it: MeasuredProcess,
  { slow, other }: TwoAccounts,
  { senders, seconds }: { senders: number; seconds: number },
): Promise<Finding[]> {
  const [probe, singleProbe] = [openWorkProbe(it), openWorkProbe(it, 1)]
  const open = new Set<SlowSender>()
  const took_ms: number[] = []
  let refused = 0
  const submitOther = async () => {
    const began_ms = performance.now()
    const accepted = await submitRun(it.url, other)
    took_ms.push(performance.now() - began_ms)
    if (!accepted) refused++
  }
  const about = { sentBy: 'a user', size_bytes: declared_bytes }
  try {
    const waiting = await probe.measure(
      { ...about, input: `${senders} submissions of runs that wait for a slot` },
      async () => {
        for (let i = 0; i < senders; i++) open.add(await openSender(it.url, slow, 'everything'))
        await untilUnread(open)
        await submitOther()
        for (const { socket } of open) socket.terminate()
        open.clear()
      },
    )
    const dripping = await singleProbe.measure(
      { ...about, input: `${senders} submissions of runs at one byte a second` },
      async () => {
        for (let i = 0; i < senders; i++) open.add(await openSender(it.url, slow, 'one byte'))
        for (let second = 0; second < seconds && (second === 0 || unanswered(open) > 0); second++) {
          for (const sender of open) sender.socket.write('1')
          await submitOther()
          await Bun.sleep(byteEvery_ms)
        }
      },
    )
    console.error(costTable([waiting, dripping]))
    return [
      atLeast('P14', 'share of submissions of another account accepted meanwhile', 1 - refused / took_ms.length, 1),
      atMost('P14', 'longest submission of another account', Math.max(...took_ms), {
        bound: acceptedWithin_ms,
        unit: 'ms',
      }),
      atMost('P14', `slow submissions without an answer after ${seconds} s`, unanswered(open), 0),
      ...costFindings(waiting),
      ...costFindings(dripping),
    ]
  } finally {
    for (const { socket } of open) socket.terminate()
    probe.close()
    singleProbe.close()
  }
}

type SlowSender = { socket: Socket; isAnswered: boolean; unsent_bytes: number }

function unanswered(senders: Set<SlowSender>): number {
  return [...senders].filter(({ isAnswered }) => !isAnswered).length
}

/** Waits until the server has read nothing from any sender for a while. */
async function untilUnread(senders: Set<SlowSender>): Promise<void> {
  const remaining_bytes = () => [...senders].reduce((sum, { unsent_bytes }) => sum + unsent_bytes, 0)
  for (let before_bytes = NaN; before_bytes !== remaining_bytes(); await Bun.sleep(quiet_ms)) {
    before_bytes = remaining_bytes()
  }
}

/** Opens a submission that sends everything that the server reads, or only one byte. */
async function openSender(url: URL, token: string, body: 'everything' | 'one byte'): Promise<SlowSender> {
  const head = `POST /v1/runs HTTP/1.1\r\nHost: ${url.host}\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: ${declared_bytes}\r\n\r\n`
  let unsent = blanks.subarray(0, body === 'everything' ? declared_bytes - 1 : 1)
  const sender: Partial<SlowSender> = { isAnswered: false, unsent_bytes: unsent.length }
  const send = (socket: Socket) => {
    unsent = unsent.subarray(socket.write(unsent))
    sender.unsent_bytes = unsent.length
  }
  sender.socket = await Bun.connect({
    hostname: url.hostname,
    port: Number(url.port),
    socket: {
      open(socket) {
        socket.write(head)
        send(socket)
      },
      drain: send,
      data: () => void (sender.isAnswered = true),
      close: () => void (sender.isAnswered = true),
      error: () => {},
    },
  })
  return sender as SlowSender
}

/** Submits a run of one location in a large body. Returns whether it was accepted. */
async function submitRun(url: URL, token: string): Promise<boolean> {
  const run = JSON.stringify({
    kind: 'fetch_batch',
    request: { locations: [{ lat: 39.7392, lng: -104.9903 }], fields: ['county'] },
  })
  const response = await fetch(new URL('/v1/runs', url), {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: run.padEnd(otherRun_bytes),
    signal: AbortSignal.timeout(2 * acceptedWithin_ms),
  }).catch(() => null)
  await response?.arrayBuffer()
  return response?.status === 202
}
