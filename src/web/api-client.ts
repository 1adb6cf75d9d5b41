import { RequestError, requestErrorOf } from './request-error.ts'

/** The public interface of the service, asked with the session of this browser. What is refused is thrown, as an `ApiFault`. */
export type ApiClient = {
  get<T>(path: string, signal?: AbortSignal): Promise<T>
  post<T>(path: string, body: unknown, signal?: AbortSignal): Promise<T>
  /** For what is no JSON: a stream, a CSV file, a DELETE. The response is ok. */
  send(path: string, init: RequestInit): Promise<Response>
}

export function createApiClient(): ApiClient {
  let csrfToken: Promise<string | null> | null = null
  return {
    get: async <T>(path: string, signal?: AbortSignal) =>
      (await send(path, { ...(signal && { signal }) })).json() as Promise<T>,
    post: async <T>(path: string, body: unknown, signal?: AbortSignal) =>
      (
        await send(path, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
          ...(signal && { signal }),
        })
      ).json() as Promise<T>,
    send,
  }

  async function send(path: string, init: RequestInit): Promise<Response> {
    const response = await fetchOrThrow(path, await withCsrfToken(init))
    if (response.ok) return response
    const error = await requestErrorOf(response)
    // The session is another than the one the token was made for: the next call asks for a new one.
    if (error.status === 401 || error.code === 'origin_not_allowed') csrfToken = null
    throw error
  }

  async function withCsrfToken(init: RequestInit): Promise<RequestInit> {
    if (init.method === undefined || init.method === 'GET') return init
    csrfToken ??= readCsrfToken()
    const token = await csrfToken
    if (token === null) csrfToken = null
    return token === null
      ? init
      : { ...init, headers: { ...(init.headers as Record<string, string>), 'x-csrf-token': token } }
  }
}

/** What shows that it is our own page that writes; null for who is not signed in, and where nobody has to be. */
async function readCsrfToken(): Promise<string | null> {
  const response = await fetchOrThrow('/v1/users/me', {})
  if (!response.ok) return null
  const me = (await response.json()) as { csrf_token?: string }
  return me.csrf_token ?? null
}

async function fetchOrThrow(path: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(path, { credentials: 'same-origin', ...init })
  } catch (cause) {
    if (init.signal?.aborted) throw cause
    throw new RequestError(
      0,
      'unreachable',
      'The server cannot be reached: is it running, and is this machine on the same network?',
    )
  }
}
