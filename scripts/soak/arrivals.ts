import type { Socket } from 'bun'

/** What became of one request: its status (0: the connection broke), and how long it took from when it was due. */
type Reply = { status: number; took_ms: number; body: string }

/** Requests that come when they come, whether or not the earlier ones are answered. */
export type Offer = {
  url: URL
  per_s: number
  seconds: number
  random: () => number
  request: (i: number) => Uint8Array
  replied: (reply: Reply, i: number) => void
}

/** Who is not answered in this time has gone. */
const patience_ms = 30_000
/** Connections at most: who finds none free when it is due counts as broken. */
const connectionsMax = 6_000

type Held = { due_ms: number; i: number; text: string; busy: boolean; decoder: TextDecoder }

/** Offers requests by the law of Poisson over as many connections as it takes; resolves when all are answered or have gone. */
export async function offered({ url, per_s, seconds, random, request, replied }: Offer): Promise<number> {
  const free: Socket<Held>[] = []
  const all = new Set<Socket<Held>>()
  let sent = 0
  const asking = new Set<number>()
  const begin = performance.now()
  for (let due_ms = begin; due_ms < begin + seconds * 1000; due_ms += (-1000 * Math.log(1 - random())) / per_s) {
    const early_ms = due_ms - performance.now()
    if (early_ms > 1) await Bun.sleep(early_ms)
    else if (sent % 64 === 0) await new Promise((resolve) => setImmediate(resolve))
    void ask(due_ms, sent++)
  }
  const patient_until = performance.now() + patience_ms
  while (asking.size > 0 && performance.now() < patient_until) await Bun.sleep(20)
  for (const socket of all) socket.terminate()
  return sent

  async function ask(due_ms: number, i: number): Promise<void> {
    asking.add(i)
    const socket = free.pop() ?? (all.size < connectionsMax ? await connected() : null)
    if (!socket) return ended({ status: 0, took_ms: performance.now() - due_ms, body: '' }, i)
    Object.assign(socket.data, { due_ms, i, text: '', busy: true, decoder: new TextDecoder() })
    socket.write(request(i))
  }

  function ended(reply: Reply, i: number): void {
    asking.delete(i)
    replied(reply, i)
  }

  async function connected(): Promise<Socket<Held> | null> {
    const data: Held = { due_ms: 0, i: 0, text: '', busy: false, decoder: new TextDecoder() }
    return Bun.connect<Held>({
      hostname: url.hostname,
      port: Number(url.port),
      data,
      socket: { data: heard, close: lost, error: lost },
    }).then(
      (socket) => {
        all.add(socket)
        return socket
      },
      () => null,
    )
  }

  function heard(socket: Socket<Held>, bytes: Buffer): void {
    const { data } = socket
    data.text += data.decoder.decode(bytes, { stream: true })
    const reply = wholeIn(data.text)
    if (!reply) return
    data.busy = false
    free.push(socket)
    ended({ ...reply, took_ms: performance.now() - data.due_ms }, data.i)
  }

  function lost(socket: Socket<Held>): void {
    all.delete(socket)
    const place = free.indexOf(socket)
    if (place >= 0) free.splice(place, 1)
    if (!socket.data.busy) return
    socket.data.busy = false
    ended({ status: 0, took_ms: performance.now() - socket.data.due_ms, body: '' }, socket.data.i)
  }
}

function wholeIn(text: string): { status: number; body: string } | null {
  const end = text.indexOf('\r\n\r\n')
  if (end < 0) return null
  const body = text.slice(end + 4)
  const length = Number(/content-length: (\d+)/i.exec(text.slice(0, end))?.[1])
  // A body of ASCII has as many letters as bytes; ours are.
  return body.length >= length || Buffer.byteLength(body) >= length ? { status: Number(text.slice(9, 12)), body } : null
}
