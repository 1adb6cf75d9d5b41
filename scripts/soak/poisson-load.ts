import type { Socket } from 'bun'

/** The result of one request: its status (0 if the connection broke), and the time since it was due. */
type Reply = { status: number; took_ms: number; body: string }

/** Requests on a schedule that does not depend on earlier answers. */
export type OpenLoadOptions = {
  url: URL
  per_s: number
  seconds: number
  random: () => number
  request: (i: number) => Uint8Array
  replied: (reply: Reply, i: number) => void
}

/** Requests without an answer after this time are abandoned. */
const patience_ms = 30_000
/** Maximum connections. A request that finds none free when it is due counts as broken. */
const connectionsMax = 6_000

type Exchange = { due_ms: number; i: number; text: string; busy: boolean; decoder: TextDecoder }

/**
 * Sends requests as a Poisson process over as many connections as needed. Resolves when all are answered or abandoned.
 */
export async function runOpenLoad({ url, per_s, seconds, random, request, replied }: OpenLoadOptions): Promise<number> {
  const free: Socket<Exchange>[] = []
  const all = new Set<Socket<Exchange>>()
  let sent = 0
  const pending = new Set<number>()
  const begin = performance.now()
  for (let due_ms = begin; due_ms < begin + seconds * 1000; due_ms += (-1000 * Math.log(1 - random())) / per_s) {
    const early_ms = due_ms - performance.now()
    if (early_ms > 1) await Bun.sleep(early_ms)
    else if (sent % 64 === 0) await new Promise((resolve) => setImmediate(resolve))
    void ask(due_ms, sent++)
  }
  const giveUp_ms = performance.now() + patience_ms
  while (pending.size > 0 && performance.now() < giveUp_ms) await Bun.sleep(20)
  for (const socket of all) socket.terminate()
  return sent

  async function ask(due_ms: number, i: number): Promise<void> {
    pending.add(i)
    const socket = free.pop() ?? (all.size < connectionsMax ? await connected() : null)
    if (!socket) return ended({ status: 0, took_ms: performance.now() - due_ms, body: '' }, i)
    Object.assign(socket.data, { due_ms, i, text: '', busy: true, decoder: new TextDecoder() })
    socket.write(request(i))
  }

  function ended(reply: Reply, i: number): void {
    pending.delete(i)
    replied(reply, i)
  }

  async function connected(): Promise<Socket<Exchange> | null> {
    const data: Exchange = { due_ms: 0, i: 0, text: '', busy: false, decoder: new TextDecoder() }
    return Bun.connect<Exchange>({
      hostname: url.hostname,
      port: Number(url.port),
      data,
      socket: { data: received, close: lost, error: lost },
    }).then(
      (socket) => {
        all.add(socket)
        return socket
      },
      () => null,
    )
  }

  function received(socket: Socket<Exchange>, bytes: Buffer): void {
    const { data } = socket
    data.text += data.decoder.decode(bytes, { stream: true })
    const reply = completeReply(data.text)
    if (!reply) return
    data.busy = false
    free.push(socket)
    ended({ ...reply, took_ms: performance.now() - data.due_ms }, data.i)
  }

  function lost(socket: Socket<Exchange>): void {
    all.delete(socket)
    const place = free.indexOf(socket)
    if (place >= 0) free.splice(place, 1)
    if (!socket.data.busy) return
    socket.data.busy = false
    ended({ status: 0, took_ms: performance.now() - socket.data.due_ms, body: '' }, socket.data.i)
  }
}

function completeReply(text: string): { status: number; body: string } | null {
  const end = text.indexOf('\r\n\r\n')
  if (end < 0) return null
  const body = text.slice(end + 4)
  const length = Number(/content-length: (\d+)/i.exec(text.slice(0, end))?.[1])
  // An ASCII body has as many characters as bytes, which avoids the slower byte count for most answers.
  return body.length >= length || Buffer.byteLength(body) >= length ? { status: Number(text.slice(9, 12)), body } : null
}
