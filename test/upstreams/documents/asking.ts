import type { Said, Service } from '../service.ts'

export type Question = { method?: string; body?: string; headers?: Record<string, string> }

/** Asks the services as the stand-in does: of those on the host, the first that knows the question answers. */
export async function ask(
  services: Service[],
  url: string,
  { method = 'GET', body = '', headers = {} }: Question = {},
): Promise<Said> {
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

/** The answer as JSON; throws when there is none. */
export async function askJson<T>(services: Service[], url: string, question?: Question): Promise<T> {
  return JSON.parse(bodyOf(await ask(services, url, question))) as T
}

/** The answer as text. */
export function bodyOf(said: Said): string {
  if (!said) throw new Error('The stand-in does not know this question.')
  return typeof said.body === 'string' ? said.body : new TextDecoder().decode(said.body)
}

/** A POST of JSON, and of a form. */
export function posted(value: unknown): Question {
  return { method: 'POST', body: JSON.stringify(value), headers: { 'content-type': 'application/json' } }
}

export function postedForm(values: Record<string, string>): Question {
  return {
    method: 'POST',
    body: new URLSearchParams(values).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  }
}
