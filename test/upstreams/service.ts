/** What a stand-in service is asked: the publisher's host, the path after it (decoded), and the rest of the request. */
export type ReceivedRequest = {
  host: string
  path: string
  query: URLSearchParams
  method: string
  body: string
  headers: Headers
}

/** What it says. `null`: it does not know this question, which the stand-in answers with 404 and a test may take as its own fault. */
export type Said = {
  status?: number
  type?: string
  headers?: Record<string, string>
  body: string | Uint8Array
} | null

/** One publisher's host in the upstream world. Several may share a host: the first that knows the question answers. */
export type Service = { host: string; answer(received: ReceivedRequest): Said | Promise<Said> }

/** An answer in JSON. */
export function json(value: unknown, status = 200): Said {
  return { status, type: 'application/json; charset=utf-8', body: JSON.stringify(value) }
}

export function text(body: string, type = 'text/plain; charset=utf-8', status = 200): Said {
  return { status, type, body }
}
