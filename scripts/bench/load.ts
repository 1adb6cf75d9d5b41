import type { Socket } from 'bun'

/** Results of a load test. */
export type Load = { requests: number; seconds: number; rps: number; p50_ms: number; p99_ms: number; failures: number }

type Connection = { sent: number; left: number; head: string; next: number }

const encoder = new TextEncoder()

/** Sends the requests in order, one at a time on each connection, until `total` are answered. */
export async function runLoad(url: URL, requests: Uint8Array[], total: number, connections: number): Promise<Load> {
  const latencies = new Float64Array(total)
  let started = 0
  let answered = 0
  let failures = 0
  const done = Promise.withResolvers<void>()

  const ask = (socket: Socket<Connection>) => {
    if (started >= total) return
    socket.data.sent = performance.now()
    socket.write(requests[started++ % requests.length]!)
  }
  const finished = (socket: Socket<Connection>) => {
    latencies[answered++] = performance.now() - socket.data.sent
    if (answered === total) done.resolve()
    else ask(socket)
  }
  const received = (socket: Socket<Connection>, chunk: Buffer) => {
    const { data } = socket
    if (data.left > 0) data.left -= chunk.length
    else {
      data.head += chunk.toString('latin1')
      const end = data.head.indexOf('\r\n\r\n')
      if (end < 0) return
      if (!data.head.startsWith('HTTP/1.1 200')) failures++
      const length = Number(/content-length: (\d+)/i.exec(data.head)?.[1])
      data.left = length - (data.head.length - end - 4)
      data.head = ''
    }
    if (data.left <= 0) {
      data.left = 0
      finished(socket)
    }
  }

  const begin = performance.now()
  const sockets = await Promise.all(
    Array.from({ length: connections }, () =>
      Bun.connect<Connection>({
        hostname: url.hostname,
        port: Number(url.port),
        data: { sent: 0, left: 0, head: '', next: 0 },
        socket: {
          open: ask,
          data: received,
          error: (_socket, error) => done.reject(error),
          close: () => {
            if (answered < total) done.reject(new Error('The server closed the connection.'))
          },
        },
      }),
    ),
  )
  await done.promise
  const seconds = (performance.now() - begin) / 1000
  for (const socket of sockets) socket.terminate()
  latencies.sort()
  return {
    requests: total,
    seconds,
    rps: total / seconds,
    p50_ms: latencies[Math.floor(total * 0.5)]!,
    p99_ms: latencies[Math.floor(total * 0.99)]!,
    failures,
  }
}

/** Returns the bytes of a POST request. */
export function post(url: URL, path: string, body: unknown, token: string): Uint8Array {
  const text = JSON.stringify(body)
  const authorization = token === '' ? '' : `Authorization: Bearer ${token}\r\n`
  return encoder.encode(
    `POST ${path} HTTP/1.1\r\nHost: ${url.host}\r\n${authorization}Content-Type: application/json\r\nContent-Length: ${encoder.encode(text).length}\r\n\r\n${text}`,
  )
}

/** Returns the answer of a server to a fetch. @throws if it is an error. */
export async function fetchAnswerBytes(
  url: URL,
  fields: string[],
  at: { lat: number; lng: number },
  token: string,
): Promise<Uint8Array> {
  const response = await fetch(new URL('/v1/fetch', url), {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...at, fields }),
  })
  if (!response.ok) throw new Error(`The server answered ${response.status}: ${await response.text()}`)
  return response.bytes()
}
