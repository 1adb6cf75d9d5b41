import type { Socket } from 'bun'

/** What a test says for a path: raw bytes on the socket, as badly as it likes. */
export type Misbehave = (socket: Socket<Said>, request: string) => void

type Said = { pending: string; flow: (() => void) | null }

/** A server that speaks raw TCP and says for each path what it is told to. It stands behind as a mirror: `https://name/path` is asked as `/name/path`. */
export function openFaultServer(rows: Record<string, Misbehave>) {
  const asked: string[] = []
  const gone: string[] = []
  const awaited = new Set<() => void>()
  const server = Bun.listen<Said>({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      open: (socket) => void (socket.data = { pending: '', flow: null }),
      data(socket, bytes) {
        socket.data.pending += bytes.toString('latin1')
        if (!socket.data.pending.includes('\r\n\r\n')) return
        const request = socket.data.pending
        socket.data.pending = ''
        const path = request.split(' ')[1]!
        asked.push(path)
        const row = rows[path.split('/')[2]!.replace(/\?.*/, '')]
        if (row) row(socket, request)
        else say(socket, 'HTTP/1.1 500 No Such Row\nContent-Length: 0\n\n')
        notify()
      },
      drain: (socket) => socket.data.flow?.(),
      close: () => {
        gone.push('')
        notify()
      },
      error: () => {},
    },
  })
  return {
    mirror: `http://127.0.0.1:${server.port}`,
    port: server.port,
    asked,
    gone,
    /** Resolves when the condition holds, looked at whenever something happens here. */
    until: (condition: () => boolean) =>
      new Promise<void>((resolve) => {
        const look = () => {
          if (!condition()) return
          awaited.delete(look)
          resolve()
        }
        awaited.add(look)
        look()
      }),
    close: () => server.stop(true),
  }

  function notify(): void {
    for (const look of awaited) look()
  }
}

/** Writes a message, line ends made those of HTTP, and leaves the connection open. */
export function say(socket: Socket<Said>, message: string): void {
  socket.write(message.replaceAll('\n', '\r\n'))
}

/** A whole answer. */
export function answer(body: string | Uint8Array, status = 200, headers: Record<string, string> = {}): Misbehave {
  const bytes = Buffer.from(body)
  return (socket) => {
    const lines = Object.entries({ 'Content-Length': String(bytes.length), ...headers }).map(
      ([name, value]) => `${name}: ${value}\n`,
    )
    say(socket, `HTTP/1.1 ${status} Said\n${lines.join('')}\n`)
    socket.write(bytes)
  }
}

/** Bytes without an end, as fast as they are taken. */
export function endless(head: string): Misbehave {
  const block = 'a'.repeat(65_536)
  return (socket) => {
    say(socket, head)
    socket.data.flow = () => {
      while (socket.write(block) > 0);
    }
    socket.data.flow()
  }
}
