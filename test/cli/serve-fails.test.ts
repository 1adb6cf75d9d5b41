import { join } from 'node:path'
import { expect, test } from 'bun:test'
import * as contents from '../../catalog/contents.ts'
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
