import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { respondWith, writeMessage, type RespondRaw } from '../../test/net/fault-server.ts'
import { faultyResponses, jsonHeaders, hangingResponses } from '../../test/net/faulty-responses.ts'
import { until } from '../bench/child.ts'

/** A fault, what a server does to commit it, and how a field that asks it comes out: `code`, or `code, retryable`. */
type Row = { name: string; misbehave: RespondRaw; fate: string }

export const budget_ms = 2_000

const redirected =
  (location: string): RespondRaw =>
  (socket) =>
    writeMessage(socket, `HTTP/1.1 302 Found\nLocation: ${location}\nContent-Length: 0\n\n`)
const more: Record<string, [RespondRaw, string]> = {
  'a number beyond all numbers': [respondWith('{"value":1e309}', 200, jsonHeaders), 'bad_value'],
  'a list in place of a number': [respondWith('{"value":[1]}', 200, jsonHeaders), 'bad_value'],
  'a redirect to another host': [redirected('https://elsewhere.example.net/'), 'bad_redirect'],
  'a redirect to a private address': [redirected('http://169.254.169.254/latest/meta-data/'), 'bad_redirect'],
  'a redirect to a file': [redirected('file:///etc/passwd'), 'bad_redirect'],
  'a redirect without an address': [
    (socket) => writeMessage(socket, 'HTTP/1.1 302 Found\nContent-Length: 0\n\n'),
    'bad_redirect',
  ],
}

/** Every way in which a server that can be reached fails its caller. */
export const faultRows: Row[] = [
  ...Object.entries({ ...faultyResponses, ...more }).map(([name, [misbehave, fate]]) => ({ name, misbehave, fate })),
  ...Object.entries(hangingResponses).map(([name, misbehave]) => ({ name, misbehave, fate: 'timeout, retryable' })),
]

/** A server of these faults in a process of its own, so that its work is not on our clock. */
export async function openFaultyWorld(): Promise<{ mirror: string; close(): void }> {
  const child = Bun.spawn([process.execPath, '--no-env-file', join(import.meta.dir, 'faulty-world.ts')], {
    stdout: 'pipe',
    stderr: 'ignore',
  })
  return { mirror: (await until(child.stdout, '\n')).trim(), close: () => child.kill() }
}

/** Adds to the catalog of a service a field for each fault, `row_0` and on, each of a host of its own, and `row_sound`. */
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
    licence: 'none needed',
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
