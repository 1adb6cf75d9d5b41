import { connect } from 'node:net'
import type { Environment } from '../../src/config.ts'
import { createHttpServer } from '../../src/http/server.ts'
import { openTestService, type TestService } from '../support/test-service.ts'

/** The service on its own port, for raw requests. */
export type RawService = {
  testService: TestService
  port: number
  /** Returns the bytes until the server closes the connection or the response is complete. */
  answerTo(bytes: string | Uint8Array): Promise<RawAnswer>
  close(): Promise<void>
}

export type RawAnswer = { status: number; headers: Map<string, string>; body: string }

export async function openRawService(env: Environment = {}): Promise<RawService> {
  const testService = openTestService(env)
  await testService.ready
  const http = createHttpServer(testService.app)
  await new Promise<void>((resolve) => http.listen({ hostname: '127.0.0.1', port: 0 }, () => resolve()))
  const port = http.server!.port!
  return {
    testService,
    port,
    answerTo: (bytes) => answered(port, bytes),
    async close() {
      await http.stop(true)
      await testService.close()
    },
  }
}

function answered(port: number, bytes: string | Uint8Array): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    let text = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
    const end = (answer: RawAnswer | null) => {
      socket.destroy()
      if (answer) resolve(answer)
      else reject(new Error(`no whole answer: ${JSON.stringify(text.slice(0, 200))}`))
    }
    socket.setEncoding('latin1')
    socket.on('error', () => end(answerIn(text)))
    socket.on('close', () => end(answerIn(text)))
    socket.on('data', (piece: string) => {
      text += piece
      const answer = answerIn(text)
      if (answer && answer.body.length >= Number(answer.headers.get('content-length') ?? 0)) end(answer)
    })
  })
}

function answerIn(text: string): RawAnswer | null {
  const end = text.indexOf('\r\n\r\n')
  if (end < 0) return null
  const [first = '', ...lines] = text.slice(0, end).split('\r\n')
  const headers = new Map(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  )
  return { status: Number(first.split(' ')[1]), headers, body: text.slice(end + 4) }
}
