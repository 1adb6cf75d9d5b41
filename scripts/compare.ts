import { join } from 'node:path'
import { parseArgs } from 'node:util'
import * as contents from '../catalog/contents.ts'
import { newFolder } from '../test/cli/fieldstone.ts'
import { withoutReferences, type OpenApi, type OpenApiOperation } from '../test/http/conformance.ts'
import { openUpstreams } from '../test/upstreams/upstreams.ts'
import { randomOf } from './bench/random.ts'
import { generateBody, generateText, oneOf } from './soak/generate-bodies.ts'

/**
 * Sends the same seeded requests to two executables and compares status, content type and body.
 * Half of the requests are made from the OpenAPI document and then damaged; the other half are valid requests for
 * random places. Times, ids and prose are masked, because they differ between two runs or two wordings.
 *
 *     bun scripts/compare.ts OLD NEW [--requests 2000] [--seed 1] [--renamed lack=unavailable_reason,...]
 *       [--skip /v1/openapi.json,...]
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    requests: { type: 'string', default: '2000' },
    seed: { type: 'string', default: '1' },
    renamed: { type: 'string', default: '' },
    skip: { type: 'string', default: '' },
    added: { type: 'string', default: '' },
  },
})
const [oldFile, newFile] = positionals
if (oldFile === undefined || newFile === undefined)
  throw new Error('Missing arguments: OLD NEW, the paths of two executables.')
const renamed = new Map(values.renamed.split(',').map((pair) => pair.split('=') as [string, string]))
const skipped = new Set(values.skip.split(','))
const added = new Set(values.added.split(','))
const random = randomOf(Number(values.seed))

type Service = { url: URL; stop(): Promise<void> }
type Question = { method: string; path: string; type?: string; text?: string | undefined }

/** Members with prose, or with values that change over time. */
const maskedMembers = new Set(
  'message msg notes hint description interpretation_hints null_meaning summary answer reasoning planner_reasoning remark note vintage_note evidence title uptime_s latency_ms reset_s token links unavailable_reason cache version last_four invitation_url derivation catalog_version applies_to source_name p50_ms p95_ms'.split(
    ' ',
  ),
)

const upstreams = openUpstreams()
const services = await Promise.all([startService(oldFile), startService(newFile)])
await Promise.all(services.map(warmUp))
try {
  const differences = await compare(Number(values.requests))
  for (const line of differences.slice(0, 30)) console.log(line)
  console.log(`${values.requests} requests, ${differences.length} different`)
  process.exitCode = differences.length === 0 ? 0 : 1
} finally {
  await Promise.all(services.map((service) => service.stop()))
  upstreams.close()
}

async function compare(requests: number): Promise<string[]> {
  const [before, after] = services
  const answer = await fetch(new URL('/v1/openapi.json', before.url))
  const document = withoutReferences((await answer.json()) as OpenApi)
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  )
  const differences: string[] = []
  for (let i = 0; i < requests; i++) {
    const question = i % 2 === 0 ? validQuestion() : damagedQuestion(operations[(i >> 1) % operations.length]!)
    const [was, is] = await Promise.all([answerOf(before, question, renamed), answerOf(after, question, new Map())])
    if (was !== is && !skipped.has(question.path))
      differences.push(
        `${question.method} ${question.path} ${question.text ?? ''}\n  old ${firstDifference(was, is)}\n  new ${firstDifference(is, was)}`,
      )
  }
  return differences
}

function validQuestion(): Question {
  const fields = Array.from({ length: 1 + Math.floor(random() * 12) }, () => oneOf(contents.fields, random).name)
  const place = () => ({ lat: 24.5 + random() * 24.5, lng: -124.5 + random() * 57 })
  const bodies: [string, object][] = [
    ['/v1/fetch', { ...place(), fields }],
    ['/v1/fetch', { ...place(), preset: oneOf(Object.keys(contents.presets), random) }],
    ['/v1/fetch/batch', { locations: [place(), place(), { lat: 95, lng: 0 }], fields: fields.slice(0, 3) }],
    ['/v1/lookup', { input: `${place().lat},${place().lng}` }],
    ['/v1/ask', { ...place(), question: `What is the ${oneOf(fields, random).replaceAll('_', ' ')} here?` }],
    ['/v1/geocode', { address: '1437 Bannock St, Denver, CO 80202' }],
  ]
  const [path, body] = oneOf(bodies, random)
  return { method: 'POST', path, type: 'application/json', text: JSON.stringify(body) }
}

function damagedQuestion({
  path,
  method,
  operation,
}: {
  path: string
  method: string
  operation: OpenApiOperation
}): Question {
  const target = path.replace(/\{\w+\}/g, () =>
    oneOf(['run_01ARZ3NDEKTSV4RRFFQ69G5FAV', 'x', '..%2f..', '__proto__'], random),
  )
  const media = Object.entries(operation.requestBody?.content ?? {})
  const [type, { schema }] = media.length === 0 ? ['application/json', { schema: {} }] : oneOf(media, random)
  if (method === 'GET' || method === 'DELETE') return { method, path: target }
  return { method, path: target, type, text: generateText(generateBody(schema, random), random) }
}

async function answerOf(
  { url }: Service,
  { method, path, type, text }: Question,
  names: Map<string, string>,
): Promise<string> {
  const response = await fetch(new URL(path, url), {
    method,
    ...(type !== undefined && { headers: { 'content-type': type } }),
    ...(text !== undefined && { body: text }),
    redirect: 'manual',
    signal: AbortSignal.timeout(60_000),
  })
  const body = await response.text()
  const media = response.headers.get('content-type') ?? ''
  const shown = media.includes('json')
    ? JSON.stringify(mask(JSON.parse(body), names))
    : media.includes('html')
      ? ''
      : maskText(body)
  return `${response.status} ${media} ${shown}`
}

function mask(value: unknown, names: Map<string, string>): unknown {
  if (Array.isArray(value)) return value.map((item) => mask(item, names))
  if (typeof value === 'string') return maskText(value)
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).filter(([name]) => !added.has(name))
  return Object.fromEntries(
    members.map(([name, member]) => {
      const known = names.get(name) ?? name
      return [known, maskedMembers.has(known) ? '…' : mask(member, names)]
    }),
  )
}

/** Keeps only the code of a field error, which is a code, a colon and a sentence. */
function maskText(text: string): string {
  return text
    .replace(/,"(\w+)":"[^"]*"/g, (member, name: string) => (added.has(name) ? '' : member))
    .replace(/"(message|hint)":"[^"]*"/g, '"$1":"…"')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+(?:Z|\+00:00)/g, 'TIME')
    .replace(/\b(run|tok|acc|ses)_(?=\w*\d)[0-9A-Za-z]{16,}/g, '$1_ID')
    .replace(/^([a-z]+_[a-z_]+|timeout): .*/s, '$1')
    .replace(/localhost:\d+|127\.0\.0\.1:\d+/g, 'HOST')
}

function firstDifference(text: string, other: string): string {
  let at = 0
  while (at < text.length && text[at] === other[at]) at++
  return text.slice(Math.max(0, at - 60), at + 120)
}

async function startService(file: string): Promise<Service> {
  const { folder, remove } = newFolder()
  const child = Bun.spawn([file, 'serve', '--data', join(folder, 'data')], {
    cwd: folder,
    env: { FIELDSTONE_PORT: '0', FIELDSTONE_AUTH: 'off', FIELDSTONE_LOG: 'error', FIELDSTONE_MIRROR: upstreams.url },
    stdout: 'pipe',
    stderr: 'inherit',
  })
  const address = Promise.withResolvers<string>()
  void readAddress(child.stdout, address)
  return {
    url: new URL(await address.promise),
    async stop() {
      child.kill('SIGKILL')
      await child.exited
      remove()
    },
  }
}

/** Reads the output to its end: a service whose output is closed would stop. */
async function readAddress(output: ReadableStream<Uint8Array>, address: PromiseWithResolvers<string>): Promise<void> {
  let text = ''
  for await (const chunk of output) {
    text += new TextDecoder().decode(chunk)
    const found = /(http:\/\/127\.0\.0\.1:\d+)/.exec(text)
    if (found) address.resolve(found[1]!)
  }
  address.reject(new Error(`The service ended without printing its address: ${text}`))
}

/** Loads the embedded layers and the gazetteer, so that both services start from the same state. */
async function warmUp({ url }: Service): Promise<void> {
  const post = (path: string, body: object) =>
    fetch(new URL(path, url), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }).then((response) => response.text())
  await post('/v1/fetch', { lat: 39.7392, lng: -104.9903, preset: 'place_context' })
  await post('/v1/lookup', { input: 'Denver, CO' })
}
