import { expect, test } from 'bun:test'
import { healthcheckCommand } from '../../src/cli/server/healthcheck.ts'
import { startFieldstone } from './fieldstone.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const folder = temporaryFolder()

async function checked(
  place: { host: string; port: number },
  wait_ms?: number,
): Promise<{ code: number; out: string; err: string }> {
  const said = { out: '', err: '' }
  const code = await healthcheckCommand(
    place,
    {
      print: (line) => {
        said.out += line
      },
      printError: (line) => {
        said.err += line
      },
    },
    wait_ms,
  )
  return { code, ...said }
}

test('a server on any address is healthy while it runs, and not after it stops', async () => {
  const service = startFieldstone(['serve', '--data', `${folder}/data`], { FIELDSTONE_HOST: '0.0.0.0' }, folder)
  const [, port] = await service.waitForOutput(/answers at http:\/\/0\.0\.0\.0:(\d+)/)
  const check = () => startFieldstone(['healthcheck', '--host', '0.0.0.0', '--port', port!], {}, folder).end()
  expect(await check()).toEqual({ code: 0, out: `http://127.0.0.1:${port}/healthz is healthy.\n`, err: '' })
  service.signal('SIGTERM')
  expect((await service.end()).code).toBe(0)
  expect(await check()).toEqual({
    code: 1,
    out: '',
    err: expect.stringContaining(`No response from http://127.0.0.1:${port}/healthz: `),
  })
})

test('an error response is a failure, and so is a redirect', async () => {
  for (const response of [
    () => new Response('', { status: 503 }),
    () => new Response('', { status: 302, headers: { location: '/elsewhere' } }),
  ]) {
    const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: response })
    try {
      const { code, out, err } = await checked({ host: '127.0.0.1', port: server.port! })
      expect([code, out, err.includes(`http://127.0.0.1:${server.port}/healthz`)]).toEqual([1, '', true])
    } finally {
      await server.stop(true)
    }
  }
})

test('a server that accepts the request and never responds times out', async () => {
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Promise<Response>(() => {}) })
  try {
    expect((await checked({ host: '127.0.0.1', port: server.port! }, 50)).code).toBe(1)
  } finally {
    await server.stop(true)
  }
})
