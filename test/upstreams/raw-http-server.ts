import type { Socket } from 'bun'

/** A raw request. `target` is the undecoded path and query. */
export type RawHttpRequest = { method: string; target: string; headers: Headers; body: string }

/** The connection to the client, written byte by byte, so that an answer can break anywhere. */
export type ClientConnection = {
  /** Resolves when the system has accepted the bytes; false if the client disconnected. */
  write(bytes: string | Uint8Array): Promise<boolean>
  /** Closes the connection normally (FIN). */
  end(): void
  /** Resets the connection. */
  reset(): void
  /** Whether an earlier answer used this connection. */
  reused: boolean
  /** Resolves when either side has closed the connection. */
  closed: Promise<void>
}

export type RawHttpServer = { port: number; close(): void }

/** A small HTTP/1.1 server on raw sockets with keep-alive. It answers each request before it reads the next. */
export function openRawHttpServer(
  port: number,
  answer: (heard: RawHttpRequest, line: ClientConnection) => Promise<void>,
): RawHttpServer {
  const server = Bun.listen<State>({
    hostname: '127.0.0.1',
    port,
    socket: {
      open(socket) {
        socket.data = stateOf()
      },
      data(socket, bytes) {
        socket.data.held = Buffer.concat([socket.data.held, bytes])
        void serve(socket, answer)
      },
      drain(socket) {
        socket.data.drained()
      },
      close(socket) {
        gone(socket.data)
      },
      error(socket) {
        gone(socket.data)
      },
    },
  })
  return { port: server.port, close: () => server.stop(true) }
}

type State = {
  held: Buffer
  busy: boolean
  answered: number
  ended: boolean
  drained: () => void
  closed: Promise<void>
  close: () => void
}

function stateOf(): State {
  const { promise, resolve } = Promise.withResolvers<void>()
  return {
    held: Buffer.alloc(0),
    busy: false,
    answered: 0,
    ended: false,
    drained: () => {},
    closed: promise,
    close: resolve,
  }
}

function gone(state: State): void {
  state.ended = true
  state.close()
  state.drained()
}

async function serve(
  socket: Socket<State>,
  answer: (heard: RawHttpRequest, line: ClientConnection) => Promise<void>,
): Promise<void> {
  const state = socket.data
  if (state.busy) return
  state.busy = true
  for (let heard = nextOf(state); heard && !state.ended; heard = nextOf(state)) {
    await answer(heard, lineOf(socket))
    state.answered += 1
  }
  state.busy = false
}

/** Removes the next complete request from the buffer and returns it, or null if it is incomplete. */
function nextOf(state: State): RawHttpRequest | null {
  const end = state.held.indexOf('\r\n\r\n')
  if (end < 0) return null
  const [first = '', ...rest] = state.held.toString('latin1', 0, end).split('\r\n')
  const headers = new Headers(
    rest.map((line): [string, string] => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]),
  )
  const length = Number(headers.get('content-length') ?? 0)
  if (state.held.length < end + 4 + length) return null
  const body = state.held.toString('utf8', end + 4, end + 4 + length)
  state.held = state.held.subarray(end + 4 + length)
  const [method = '', target = ''] = first.split(' ')
  return { method, target, headers, body }
}

function lineOf(socket: Socket<State>): ClientConnection {
  const state = socket.data
  return {
    closed: state.closed,
    reused: state.answered > 0,
    async write(bytes) {
      let left = typeof bytes === 'string' ? new TextEncoder().encode(bytes) : bytes
      while (!state.ended) {
        left = left.subarray(Math.max(0, socket.write(left)))
        if (left.length === 0) return true
        await new Promise<void>((resolve) => {
          state.drained = resolve
        })
      }
      return false
    },
    end() {
      state.ended = true
      socket.end()
    },
    reset() {
      state.ended = true
      socket.terminate()
    },
  }
}
