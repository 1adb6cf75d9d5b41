import type { ServiceAnswer, SimulatedService } from '../service.ts'

export type RequestInput = { method?: string; body?: string; headers?: Record<string, string> }

/** Sends a request to the services: the first on the host that knows the request answers. */
export async function sendToServices(
  services: SimulatedService[],
  url: string,
  { method = 'GET', body = '', headers = {} }: RequestInput = {},
): Promise<ServiceAnswer> {
  const { host, pathname, searchParams } = new URL(url)
  const requested = {
    host,
    path: decodeURIComponent(pathname),
    query: searchParams,
    method,
    body,
    headers: new Headers({ 'user-agent': 'fieldstone (test@example.org)', ...headers }),
  }
  for (const service of services.filter((one) => one.host === host)) {
    const said = await service.answer(requested)
    if (said) return said
  }
  return null
}

/** Returns the answer as text. */
export function answerText(said: ServiceAnswer): string {
  if (!said) throw new Error('No simulated service knows this request.')
  return typeof said.body === 'string' ? said.body : new TextDecoder().decode(said.body)
}

/** Returns a POST of JSON, and of a form. */
export function jsonPost(value: unknown): RequestInput {
  return { method: 'POST', body: JSON.stringify(value), headers: { 'content-type': 'application/json' } }
}

export function formPost(values: Record<string, string>): RequestInput {
  return {
    method: 'POST',
    body: new URLSearchParams(values).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  }
}
