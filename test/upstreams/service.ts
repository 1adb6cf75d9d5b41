/** A request to a simulated service: the host of the publisher, the decoded path, and the rest of the request. */
export type ReceivedRequest = {
  host: string
  path: string
  query: URLSearchParams
  method: string
  body: string
  headers: Headers
}

/** The answer, or `null` for an unknown request, which is answered with 404 and recorded. */
export type ServiceAnswer = {
  status?: number
  type?: string
  headers?: Record<string, string>
  body: string | Uint8Array
} | null

/** A simulated publisher. Several can share a host; the first that knows the request answers. */
export type SimulatedService = {
  host: string
  answer(received: ReceivedRequest): ServiceAnswer | Promise<ServiceAnswer>
}

/** Returns a JSON answer. */
export function jsonAnswer(value: unknown, status = 200): ServiceAnswer {
  return { status, type: 'application/json; charset=utf-8', body: JSON.stringify(value) }
}

export function textAnswer(body: string, type = 'text/plain; charset=utf-8', status = 200): ServiceAnswer {
  return { status, type, body }
}
