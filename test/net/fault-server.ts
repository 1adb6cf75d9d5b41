import type { Socket } from 'bun'

/** Responds to a request with raw bytes on the socket. */
export type RespondRaw = (socket: Socket<ConnectionState>, request: string) => void

type ConnectionState = { pending: string; flow: (() => void) | null }

/**
 * Opens a raw TCP server with a response for each path. Use it as a mirror: `https://host/path` arrives as
 * `/host/path`.
 */
export function openFaultServer(rows: Record<string, RespondRaw>) {
  const requestPaths: string[] = []
  const closedConnections: string[] = []
  const waiters = new Set<() => void>()
  const server = Bun.listen<ConnectionState>({
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
        requestPaths.push(path)
        const respond = rows[path.split('/')[2]!.replace(/\?.*/, '')]
        if (respond) respond(socket, request)
        else writeMessage(socket, 'HTTP/1.1 500 No Such Row\nContent-Length: 0\n\n')
        notify()
      },
      drain: (socket) => socket.data.flow?.(),
      close: () => {
        closedConnections.push('')
        notify()
      },
      error: () => {},
    },
  })
  return {
    mirror: `http://127.0.0.1:${server.port}`,
    port: server.port,
    requestPaths,
    closedConnections,
    /** Resolves when the condition holds. Checks it after every event of the server. */
    until: (condition: () => boolean) =>
      new Promise<void>((resolve) => {
        const check = () => {
          if (!condition()) return
          waiters.delete(check)
          resolve()
        }
        waiters.add(check)
        check()
      }),
    close: () => server.stop(true),
  }

  function notify(): void {
    for (const look of waiters) look()
  }
}

/** Writes a message with HTTP line ends and leaves the connection open. */
export function writeMessage(socket: Socket<ConnectionState>, message: string): void {
  socket.write(message.replaceAll('\n', '\r\n'))
}

/** A complete response. */
export function respondWith(body: string | Uint8Array, status = 200, headers: Record<string, string> = {}): RespondRaw {
  const bytes = Buffer.from(body)
  return (socket) => {
    const lines = Object.entries({ 'Content-Length': String(bytes.length), ...headers }).map(
      ([name, value]) => `${name}: ${value}\n`,
    )
    writeMessage(socket, `HTTP/1.1 ${status} Said\n${lines.join('')}\n`)
    socket.write(bytes)
  }
}

/** An endless response, as fast as the client reads. */
export function respondEndlessly(head: string): RespondRaw {
  const block = 'a'.repeat(65_536)
  return (socket) => {
    writeMessage(socket, head)
    socket.data.flow = () => {
      while (socket.write(block) > 0);
    }
    socket.data.flow()
  }
}
