import { RequestError, requestErrorOf } from './request.ts'

/** Calls the public API with the session of this browser. Error responses are thrown as `RequestError`. */
export type ApiClient = {
  get<T>(path: string, signal?: AbortSignal): Promise<T>
  post<T>(path: string, body: unknown, signal?: AbortSignal): Promise<T>
  /** For everything but plain JSON: a stream, a CSV file, a DELETE. The returned response is always ok. */
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
    // The session changed since the CSRF token was read, so the next call reads a new one.
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

/** Returns the CSRF token of the session; null when nobody is signed in or sign-in is disabled. */
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
      'Cannot reach the server. Check that it is running and that this computer is on its network.',
    )
  }
}
