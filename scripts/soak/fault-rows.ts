import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { respondWith, writeMessage, type RespondRaw } from '../../test/net/fault-server.ts'
import { faultyResponses, jsonHeaders, hangingResponses } from '../../test/net/faulty-responses.ts'
import { readUntilWord } from '../bench/child.ts'

/**
 * A faulty response: its name, how a server produces it, and the expected result of the field: `code`, or `code,
 * retryable`.
 */
type Row = { name: string; misbehave: RespondRaw; fate: string }

export const budget_ms = 2_000

const redirected =
  (location: string): RespondRaw =>
  (socket) =>
    writeMessage(socket, `HTTP/1.1 302 Found\nLocation: ${location}\nContent-Length: 0\n\n`)
const more: Record<string, [RespondRaw, string]> = {
  'a number larger than any double': [respondWith('{"value":1e309}', 200, jsonHeaders), 'bad_value'],
  'a list instead of a number': [respondWith('{"value":[1]}', 200, jsonHeaders), 'bad_value'],
  'a redirect to another host': [redirected('https://elsewhere.example.net/'), 'bad_redirect'],
  'a redirect to a private address': [redirected('http://169.254.169.254/latest/meta-data/'), 'bad_redirect'],
  'a redirect to a file': [redirected('file:///etc/passwd'), 'bad_redirect'],
  'a redirect without a Location': [
    (socket) => writeMessage(socket, 'HTTP/1.1 302 Found\nContent-Length: 0\n\n'),
    'bad_redirect',
  ],
}

/** All faulty responses of a reachable server. */
export const faultRows: Row[] = [
  ...Object.entries({ ...faultyResponses, ...more }).map(([name, [misbehave, fate]]) => ({ name, misbehave, fate })),
  ...Object.entries(hangingResponses).map(([name, misbehave]) => ({ name, misbehave, fate: 'timeout, retryable' })),
]

/** Starts a server with these responses in its own process, so that its work is not measured. */
export async function openFaultyWorld(): Promise<{ mirror: string; close(): void }> {
  const child = Bun.spawn([process.execPath, '--no-env-file', join(import.meta.dir, 'faulty-upstreams.ts')], {
    stdout: 'pipe',
    stderr: 'ignore',
  })
  return { mirror: (await readUntilWord(child.stdout, '\n')).trim(), close: () => child.kill() }
}

/**
 * Adds a field for each fault to the catalog of a service, named `row_0` and so on, each with its own host, and
 * `row_sound`.
 */
export function addRows(data: string): void {
  const paths = [...faultRows.keys().map((i) => `row_${i}`), 'sound']
  mkdirSync(join(data, 'catalog.d'), { recursive: true })
  writeFileSync(
    join(data, 'catalog.d', 'rows.json'),
    JSON.stringify({
      datasets: Object.fromEntries(paths.map((path) => [nameOf(path), datasetOf(path)])),
      fields: paths.map((path) => fieldOf(nameOf(path))),
    }),
  )
}

function nameOf(path: string): string {
  return path === 'sound' ? 'row_sound' : path
}

function datasetOf(path: string) {
  return {
    service: nameOf(path),
    title: path,
    publisher: 'Nobody',
    license: 'none needed',
    source_url: 'https://example.org/',
    coverage: { regions: 'everywhere', note: null },
    vintage_note: null,
    ttl_seconds: 60,
    shape: 'document',
    serve: [
      {
        driver: 'rest',
        endpoint: `https://${path.replace('_', '-')}.example.org/${path}?lat={lat}&lng={lon}`,
        expects: '$',
      },
    ],
    bulk: null,
    budget_ms,
    needs_key: null,
  }
}

function fieldOf(name: string) {
  return {
    name,
    description: 'Made up.',
    interpretation_hints: 'None.',
    layer: 'made_up',
    lifecycle: 'experimental',
    type: 'float',
    unit: 'm',
    null_meaning: 'Nothing there.',
    derivation: null,
    ttl_seconds: 60,
    read: { dataset: name, op: 'path', json_path: '$.value' },
    evidence: 'made up',
  }
}
