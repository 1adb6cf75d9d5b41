import { createBomb, encodeBody, type Encoding } from './encodings.ts'
import type { ReceivedRequest, ServiceAnswer } from './service.ts'
import type { ClientConnection } from './raw-http-server.ts'

/**
 * The faults of a source and its connection, according to the table of the promises.
 * `cut_200`: the first half of the correct answer, with the length of a complete one;
 * `{ status }`: that status, with `Retry-After` when `retry_after` is given; `{ slow_ms }`: the correct answer,
 * delayed;
 * `{ encoding }`: the correct answer in that encoding, gzip only if the client accepts it; `{ bomb }`: 256 MB in that
 * encoding.
 */
export type FaultKind =
  | keyof typeof faults
  | { status: 400 | 401 | 403 | 404 | 429 | 500 | 502 | 503 | 504; retry_after?: number | string }
  | { slow_ms: number }
  | { encoding: Encoding }
  | { bomb: Encoding }

/** Produces a fault instead of the answer. `truth` is the correct answer. */
export async function sendFault(
  kind: FaultKind,
  request: ReceivedRequest,
  line: ClientConnection,
  truth: () => Promise<FaultAnswer>,
): Promise<void> {
  if (typeof kind === 'string') return faults[kind]({ requested: request, line, truth })
  if ('slow_ms' in kind) {
    await Promise.race([Bun.sleep(kind.slow_ms), line.closed])
    return sendAnswer(line, await truth())
  }
  if ('encoding' in kind) return sendAnswer(line, encoded(await truth(), kind.encoding, request))
  if ('bomb' in kind) return sayBomb(line, kind.bomb)
  const headers: Record<string, string> =
    kind.retry_after === undefined ? {} : { 'retry-after': String(kind.retry_after) }
  return sendAnswer(line, {
    status: kind.status,
    type: 'text/plain',
    headers,
    body: `The service answers ${kind.status}.`,
  })
}

export type FaultAnswer = NonNullable<ServiceAnswer>

/** Sends a complete answer; the connection stays open. */
export async function sendAnswer(line: ClientConnection, answer: FaultAnswer): Promise<void> {
  const body = bytesOf(answer)
  await line.write(Buffer.concat([Buffer.from(headOf(answer, [`content-length: ${body.length}`])), body]))
}

type Scene = { requested: ReceivedRequest; line: ClientConnection; truth: () => Promise<FaultAnswer> }

const faults = {
  hang: async ({ line }) => line.closed,
  reset: async ({ line }) => line.reset(),
  close_early: async ({ line }) => line.end(),
  async drip({ line, truth }) {
    const answer = await truth()
    const body = bytesOf(answer)
    await line.write(headOf(answer, [`content-length: ${body.length}`]))
    for (const byte of body) {
      if (!(await line.write(Uint8Array.of(byte)))) return
      await Bun.sleep(dripEvery_ms)
    }
  },
  async truncated({ line, truth }) {
    const answer = await truth()
    const body = bytesOf(answer)
    await line.write(headOf(answer, [`content-length: ${body.length}`]))
    await line.write(body.subarray(0, Math.floor(body.length / 2)))
    line.end()
  },
  async cut_200({ line, truth }) {
    const answer = await truth()
    const body = bytesOf(answer)
    return sendAnswer(line, { ...answer, body: body.subarray(0, Math.floor(body.length / 2)) })
  },
  html_200: ({ line }) =>
    sendAnswer(line, {
      type: 'text/html',
      body: '<!DOCTYPE html><html><head><title>Maintenance</title></head><body>We will be back soon.</body></html>',
    }),
  empty_200: ({ line }) => sendAnswer(line, { type: 'application/json', body: '' }),
  bad_json: ({ line }) =>
    sendAnswer(line, { type: 'application/json', body: '{"features":[{"attributes":{"OBJECTID":1,' }),
  wrong_type: ({ line }) => inJson(line, { message: 'This is a document of another kind.' }),
  arcgis_400: ({ line }) => inJson(line, { error: { code: 400, message: 'Failed to execute query.', details: [] } }),
  arcgis_498: ({ line }) => inJson(line, { error: { code: 498, message: 'Invalid Token', details: [] } }),
  arcgis_499: ({ line }) => inJson(line, { error: { code: 499, message: 'Token Required', details: [] } }),
  arcgis_500: ({ line }) =>
    inJson(line, { error: { code: 500, message: 'Error performing query operation', details: [] } }),
  arcgis_no_code: ({ line }) =>
    inJson(line, {
      error: { message: 'You do not have permissions to access this resource or perform this operation.' },
    }),
  async redirect_same({ requested: request, line, truth }) {
    if (request.query.has('redirected')) return sendAnswer(line, await truth())
    const query = new URLSearchParams([...request.query, ['redirected', '1']])
    return redirect(line, `https://${request.host}${encodeURI(request.path)}?${query.toString()}`)
  },
  redirect_other: ({ line }) => redirect(line, 'https://elsewhere.example.org/somewhere/else'),
  redirect_private: ({ line }) => redirect(line, 'http://169.254.169.254/latest/meta-data/'),
  redirect_loop: ({ requested: request, line }) =>
    redirect(line, `https://${request.host}${encodeURI(request.path)}?${request.query.toString()}`),
  bomb: ({ line }) => sayBomb(line, 'gzip'),
  async endless({ line }) {
    const chunk = `10000\r\n${' '.repeat(0x1_0000)}\r\n`
    await line.write(headOf({ type: 'application/json', body: '' }, ['transfer-encoding: chunked']))
    while (await line.write(chunk)) await Promise.resolve()
  },
} satisfies Record<string, (scene: Scene) => Promise<void>>

const dripEvery_ms = 100

/** Applies gzip only if the client accepts it, as servers do. Other encodings are always applied. */
function encoded(answer: FaultAnswer, encoding: Encoding, { headers }: ReceivedRequest): FaultAnswer {
  if (encoding === 'gzip' && !/\bgzip\b/.test(headers.get('accept-encoding') ?? '')) return answer
  return {
    ...answer,
    headers: { ...answer.headers, 'content-encoding': encoding },
    body: encodeBody(bytesOf(answer), encoding),
  }
}

function sayBomb(line: ClientConnection, encoding: Encoding): Promise<void> {
  return sendAnswer(line, {
    type: 'application/json',
    headers: { 'content-encoding': encoding },
    body: createBomb(encoding),
  })
}

function inJson(line: ClientConnection, value: unknown): Promise<void> {
  return sendAnswer(line, { type: 'application/json; charset=utf-8', body: JSON.stringify(value) })
}

function redirect(line: ClientConnection, location: string): Promise<void> {
  return sendAnswer(line, { status: 302, type: 'text/html', headers: { location }, body: 'Moved.' })
}

function headOf({ status = 200, type, headers = {} }: FaultAnswer, extra: string[]): string {
  const named = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return [
    `HTTP/1.1 ${status} ${status < 400 ? 'OK' : 'Not OK'}`,
    ...(type ? [`content-type: ${type}`] : []),
    ...named,
    ...extra,
    '',
    '',
  ].join('\r\n')
}

function bytesOf({ body }: FaultAnswer): Uint8Array {
  return typeof body === 'string' ? new TextEncoder().encode(body) : body
}
