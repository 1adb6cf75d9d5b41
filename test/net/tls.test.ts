import { afterAll, beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { settledResult, noTimeout, openTestClient } from './test-client.ts'
import { words } from '../support/words.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const folder = temporaryFolder()
let server: ReturnType<typeof Bun.serve>

beforeAll(async () => {
  const made = Bun.spawn(
    words`
      openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout key.pem -out cert.pem -days 2
      -subj /CN=localhost
    `,
    { cwd: folder, stderr: 'ignore' },
  )
  expect(await made.exited).toBe(0)
  server = Bun.serve({
    port: 0,
    tls: { key: Bun.file(join(folder, 'key.pem')), cert: Bun.file(join(folder, 'cert.pem')) },
    fetch: () => new Response('{}'),
  })
})
afterAll(() => server.stop(true))

test('an untrusted certificate is tls_error, which is not retryable', async () => {
  expect(
    await settledResult(
      openTestClient({ mirror: `https://localhost:${server.port}` }).net.send({ url: 'https://a.gov/' }, noTimeout),
    ),
  ).toBe('tls_error')
})

test('a port without TLS is connection_failed', async () => {
  const plain = Bun.serve({ port: 0, fetch: () => new Response('{}') })
  expect(
    await settledResult(
      openTestClient({ mirror: `https://localhost:${plain.port}` }).net.send({ url: 'https://a.gov/' }, noTimeout),
    ),
  ).toBe('connection_failed, retryable')
  await plain.stop(true)
})
