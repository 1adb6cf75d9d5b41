import { ApiFault, faultOf } from './api-fault.ts'

/** The public interface of the service, asked with the session of this browser. What is refused is thrown, as an `ApiFault`. */
export type Api = {
  get<T>(path: string, signal?: AbortSignal): Promise<T>
  post<T>(path: string, body: unknown, signal?: AbortSignal): Promise<T>
  /** For what is no JSON: a stream, a CSV file, a DELETE. The response is ok. */
  send(path: string, init: RequestInit): Promise<Response>
}

export function openApi(): Api {
  let token: Promise<string | null> | null = null
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
    const response = await reached(path, await withToken(init))
    if (response.ok) return response
    const fault = await faultOf(response)
    // The session is another than the one the token was made for: the next call asks for a new one.
    if (fault.status === 401 || fault.code === 'origin_not_allowed') token = null
    throw fault
  }

  async function withToken(init: RequestInit): Promise<RequestInit> {
    if (init.method === undefined || init.method === 'GET') return init
    token ??= tokenOfSession()
    const found = await token
    if (found === null) token = null
    return found === null
      ? init
      : { ...init, headers: { ...(init.headers as Record<string, string>), 'x-csrf-token': found } }
  }
}

/** What shows that it is our own page that writes; null for who is not signed in, and where nobody has to be. */
async function tokenOfSession(): Promise<string | null> {
  const response = await reached('/v1/users/me', {})
  if (!response.ok) return null
  const me = (await response.json()) as { csrf_token?: string }
  return me.csrf_token ?? null
}

async function reached(path: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(path, { credentials: 'same-origin', ...init })
  } catch (cause) {
    if (init.signal?.aborted) throw cause
    throw new ApiFault(
      0,
      'unreachable',
      'The server cannot be reached: is it running, and is this machine on the same network?',
    )
  }
}
