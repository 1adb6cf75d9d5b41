import { openApp, type Options } from '../app.ts'
import { server } from '../http/server.ts'
import { UsageError } from './usage-error.ts'

/** One question, as it would be put to the server. */
type Question = { path: '/v1/fetch' | '/v1/geocode' | '/v1/lookup'; body: Record<string, unknown> }

/** What a command line says of a question. */
export type QuestionFlags = { at?: string | boolean; address?: string | boolean; fields?: string | boolean; preset?: string | boolean; 'include-parcel'?: string | boolean }

/** The question of `fieldstone fetch|geocode|lookup`. */
export function questionOf(command: string, words: string[], flags: QuestionFlags): Question {
  const text = words.join(' ')
  if (command === 'geocode') return { path: '/v1/geocode', body: { address: said(text, 'fieldstone geocode "<address>"') } }
  if (command === 'lookup') return { path: '/v1/lookup', body: { input: said(text, 'fieldstone lookup "<address or lat,lng>"'), ...(flags['include-parcel'] ? { include_parcel: true } : {}) } }
  const fields = typeof flags.fields === 'string' ? { fields: flags.fields.split(',').map((name) => name.trim()) } : {}
  return { path: '/v1/fetch', body: { ...placeOf(flags), ...fields, ...(typeof flags.preset === 'string' ? { preset: flags.preset } : {}) } }
}

/**
 * Answers a question in this process, on its own data folder, with no server: the same answer that the server would give, on stdout as JSON.
 * Gives exit code 0, or 1 when it was refused.
 */
export async function answered({ path, body }: Question, options: Options, print: (line: string) => void): Promise<number> {
  const app = openApp({ ...options, config: { ...options.config, auth: 'off' } })
  try {
    await app.packs.poll()
    const request = new Request(`http://localhost${path}`, { method: 'POST', headers: { host: 'localhost', 'content-type': 'application/json' }, body: JSON.stringify(body) })
    const response = await server(app).handle(request)
    print(JSON.stringify(await response.json(), null, 2))
    return response.ok ? 0 : 1
  } finally {
    app.close()
  }
}

function said(text: string, usage: string): string {
  if (text !== '') return text
  throw new UsageError(`Nothing is asked: \`${usage}\`.`)
}

/** The place that a command line names, as a request says it. */
export function placeOf({ at, address }: QuestionFlags): Record<string, unknown> {
  if (typeof address === 'string') return { address }
  const [lat, lng, ...more] = typeof at === 'string' ? at.split(',').map(Number) : []
  if (lat === undefined || lng === undefined || more.length > 0 || !Number.isFinite(lat) || !Number.isFinite(lng)) {
    const what = typeof at === 'string' ? `--at is ${JSON.stringify(at)}, which is no place` : 'A place is missing'
    throw new UsageError(`${what}: \`--at 39.7392,-104.9903\` (latitude first) or \`--address "<address>"\`.`)
  }
  return { lat, lng }
}
