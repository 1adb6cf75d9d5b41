import { join } from 'node:path'
import { expect, test } from 'bun:test'
import * as contents from '../../catalog/contents.ts'
import { runCommandLine } from '../../src/cli/command-line.ts'
import { openListener } from '../../src/cli/server/listener.ts'
import { serveCommand } from '../../src/cli/server/serve.ts'
import { configOf } from '../../src/config.ts'
import { createLog } from '../../src/log.ts'
import { lockFolder } from '../../src/store/sqlite/folder-lock.ts'
import { workers } from '../../src/workers.ts'
import { freePort } from '../support/free-port.ts'
import { embeddedFile } from '../support/test-service.ts'
import { newFolder } from './fieldstone.ts'

test('a server that fails during startup stops listening and releases its data folder', async () => {
  const { folder, remove } = newFolder()
  const port = freePort()
  const config = configOf({
    FIELDSTONE_OFFLINE: '1',
    FIELDSTONE_DATA: join(folder, 'data'),
    FIELDSTONE_PORT: String(port),
    FIELDSTONE_AUTH: 'off',
  })
  const health = () =>
    fetch(`http://127.0.0.1:${port}/healthz`).then(
      ({ status }) => status,
      () => 'nobody there',
    )
  const meanwhile: Promise<unknown>[] = []
  const failed = serveCommand(
    { config, contents, embedded: embeddedFile, log: createLog('error', () => {}), version: '0', workers },
    {
      listener: openListener(config, { version: '0', isShared: false }),
      print() {
        meanwhile.push(health())
        throw new Error('nobody listens to what is printed')
      },
    },
  ).catch((error: unknown) => error)
  expect(await failed).toMatchObject({ message: 'nobody listens to what is printed' })
  expect(meanwhile).toHaveLength(1)
  expect(await health()).toBe('nobody there')
  lockFolder(config.data)()
  remove()
})

test('a server that starts answers /healthz, rejects other requests, and stops listening if the start fails', async () => {
  const { folder, remove } = newFolder()
  const url = `http://127.0.0.1:${freePort()}`
  const listening = Promise.withResolvers<void>()
  const unpacking = Promise.withResolvers<never>()
  const errors: string[] = []
  const code = runCommandLine(['serve', '--data', join(folder, 'data'), '--port', new URL(url).port], {
    env: {},
    print() {},
    printError: (line) => errors.push(line),
    appOptions: () => expect.unreachable(),
    unpackEmbedded() {
      listening.resolve()
      return unpacking.promise
    },
    version: '1.2.3',
    buildInfo: () => expect.unreachable(),
  })
  await listening.promise
  const health = await fetch(`${url}/healthz`)
  expect([health.status, await health.json()]).toEqual([
    200,
    { status: 'ok', version: '1.2.3', uptime_s: expect.any(Number) },
  ])
  for (const path of ['/readyz', '/v1/meta/fields', '/healthz/x']) {
    const response = await fetch(url + path)
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1'])
    expect(await response.json()).toMatchObject({ detail: { error: 'starting_up', retryable: true } })
  }
  unpacking.reject(new Error('no space'))
  expect([await code, errors.join()]).toEqual([70, expect.stringContaining('no space')])
  expect(await fetch(url).catch(() => 'nobody there')).toBe('nobody there')
  remove()
})

test('the app answers on the listener that answered before, also on the same connection', async () => {
  const { config, server } = openListener(configOf({ FIELDSTONE_PORT: '0' }), { version: '0', isShared: false })
  expect(config.base_url).toBe(`http://127.0.0.1:${server.port}`)
  const busy = configOf({ FIELDSTONE_PORT: String(server.port) })
  expect(() => openListener(busy, { version: '0', isShared: false })).toThrow('the address is already in use')
  const statusOf = async () => (await fetch(`${config.base_url}/readyz`)).status
  expect(await statusOf()).toBe(503)
  server.reload({ fetch: () => new Response(null, { status: 204 }) })
  expect(await statusOf()).toBe(204)
  await server.stop(true)
})
