import { openApp, type AppOptions } from '../app.ts'
import { createHttpServer } from '../http/server.ts'
import { isRecord } from '../model/record.ts'
import { UsageError } from './usage-error.ts'
import { waitForPacks } from './wait-for-packs.ts'

/** A request to the HTTP API. */
type ApiRequest = { path: '/v1/fetch' | '/v1/geocode' | '/v1/lookup'; body: Record<string, unknown> }

/** The flags of `fieldstone fetch`, `geocode`, `lookup` and `ask`. */
export type QuestionFlags = {
  at?: string | boolean
  address?: string | boolean
  fields?: string | boolean
  preset?: string | boolean
  'include-parcel'?: string | boolean
}

/** Returns the API request of `fieldstone fetch`, `geocode` or `lookup`. @throws {UsageError} */
export function apiRequestOf(command: string, args: string[], flags: QuestionFlags): ApiRequest {
  const text = args.join(' ').trim()
  if (command === 'geocode')
    return { path: '/v1/geocode', body: { address: requireText(text, 'fieldstone geocode "<address>"') } }
  if (command === 'lookup')
    return {
      path: '/v1/lookup',
      body: {
        input: requireText(text, 'fieldstone lookup "<address or lat,lng>"'),
        ...(flags['include-parcel'] ? { include_parcel: true } : {}),
      },
    }
  const fields =
    typeof flags.fields === 'string'
      ? {
          fields: flags.fields
            .split(',')
            .map((name) => name.trim())
            .filter((name) => name !== ''),
        }
      : {}
  return {
    path: '/v1/fetch',
    body: {
      ...locationOfFlags(flags),
      ...fields,
      ...(typeof flags.preset === 'string' ? { preset: flags.preset } : {}),
    },
  }
}

/**
 * Answers a request in this process and prints the same JSON that a server would return. Returns exit code 0, or 1 if
 * the request was rejected.
 */
export async function answerInProcess(
  { path, body }: ApiRequest,
  options: AppOptions,
  print: (line: string) => void,
): Promise<number> {
  const app = openApp({ ...options, config: { ...options.config, auth: 'off' } })
  try {
    await waitForPacks(app)
    const request = new Request(`http://localhost${path}`, {
      method: 'POST',
      headers: { host: 'localhost', 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    const response = await createHttpServer(app).handle(request)
    const answer: unknown = await response.json()
    print(JSON.stringify(answer, null, 2))
    return response.ok && !isUnresolved(answer) ? 0 : 1
  } finally {
    app.close()
  }
}

function requireText(text: string, usage: string): string {
  if (text !== '') return text
  throw new UsageError(`No location given. Usage: \`${usage}\`.`)
}

/** Returns the location members of a request from --at or --address. @throws {UsageError} */
export function locationOfFlags({ at, address }: QuestionFlags): Record<string, unknown> {
  if (typeof address === 'string' && typeof at === 'string')
    throw locationUsageError('--at and --address cannot be combined')
  if (typeof address === 'string' && address.trim() !== '') return { address }
  if (typeof at !== 'string') throw locationUsageError('No location given')
  const match = /^\s*([-+.\de]+)\s*,\s*([-+.\de]+)\s*$/i.exec(at)
  const [lat, lng] = [Number(match?.[1] ?? NaN), Number(match?.[2] ?? NaN)]
  if (Number.isNaN(lat) || Number.isNaN(lng)) throw locationUsageError(`--at ${JSON.stringify(at)} is not a coordinate`)
  return { lat, lng }
}

function locationUsageError(problem: string): UsageError {
  return new UsageError(`${problem}. Use \`--at 39.7392,-104.9903\` (latitude first) or \`--address "<address>"\`.`)
}

/** Whether a lookup found no place, or several. The response is 200 in both cases. */
function isUnresolved(answer: unknown): boolean {
  return isRecord(answer) && typeof answer.disposition === 'string' && answer.disposition !== 'resolved'
}
