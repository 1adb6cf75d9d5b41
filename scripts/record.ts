import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

/**
 * Records real responses of the sources: runs `doctor --live` with a mirror that forwards every request to the
 * publisher and writes request and response to a folder, without the values of keys. Needs a network.
 *
 *     bun scripts/record.ts [--out <folder>] [dataset …]
 */
const { values, positionals } = parseArgs({
  options: { out: { type: 'string', default: 'recorded' } },
  allowPositionals: true,
})
const answerMax_bytes = 2 * 2 ** 20
const secretNames = /^(api_?key|key|token|registrationkey)$/i
let count = 0

const mirror = Bun.serve({
  port: 0,
  idleTimeout: 120,
  async fetch(request) {
    const { pathname, search } = new URL(request.url)
    const [, host = '', ...rest] = pathname.split('/')
    const body = request.method === 'POST' ? await request.text() : null
    const headers = new Headers(request.headers)
    headers.delete('host')
    const answer = await fetch(`https://${host}/${rest.join('/')}${search}`, {
      method: request.method,
      headers,
      redirect: 'manual',
      ...(body !== null && { body }),
    })
    const bytes = new Uint8Array(await answer.arrayBuffer())
    write(
      host,
      { method: request.method, path: `/${rest.join('/')}`, query: withoutSecrets(search), body },
      answer,
      bytes,
    )
    const passed = new Headers(answer.headers)
    passed.delete('content-encoding')
    return new Response(bytes, { status: answer.status, headers: passed })
  },
})

const main = join(import.meta.dir, '..', 'src', 'main.ts')
const doctor = Bun.spawn([process.execPath, '--no-env-file', main, 'doctor', '--live', ...positionals], {
  env: { ...process.env, FIELDSTONE_MIRROR: mirror.url.origin },
  stdout: 'inherit',
  stderr: 'inherit',
})
process.exitCode = await doctor.exited
await mirror.stop(true)
console.log(`${count} responses are in ${values.out}.`)

function write(host: string, question: Record<string, unknown>, answer: Response, bytes: Uint8Array): void {
  const folder = join(values.out, host)
  mkdirSync(folder, { recursive: true })
  const type = answer.headers.get('content-type') ?? ''
  const isText = /json|text|xml|csv/.test(type)
  const content = isText
    ? { text: new TextDecoder().decode(bytes.subarray(0, answerMax_bytes)) }
    : { base64: Buffer.from(bytes.subarray(0, answerMax_bytes)).toString('base64') }
  const record = {
    recorded_at: new Date().toISOString(),
    question,
    status: answer.status,
    type,
    bytes: bytes.length,
    ...content,
  }
  writeFileSync(join(folder, `${String(++count).padStart(4, '0')}.json`), `${JSON.stringify(record, null, 2)}\n`)
}

function withoutSecrets(search: string): Record<string, string> {
  return Object.fromEntries([...new URLSearchParams(search)].filter(([name]) => !secretNames.test(name)))
}
