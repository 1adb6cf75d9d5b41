import { afterAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { startFieldstone } from '../cli/fieldstone.ts'
import { openBrowser } from '../http/browser.ts'
import { toolCalls } from './tool-calls.ts'
import { connectOverHttp, connectOverStdio } from './clients.ts'
import { programCommand } from './program-command.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const folder = temporaryFolder()
const service = startFieldstone(['serve', '--data', join(folder, 'served')], {}, folder)
const [, url = ''] = await service.waitForOutput(/answers at (http:\S+)/)
const [, token = ''] = await service.waitForOutput(/shown only once: (\S+)/)
afterAll(async () => {
  service.signal('SIGTERM')
  await service.end()
})

const env = {
  FIELDSTONE_OFFLINE: '1',
  FIELDSTONE_DATA: join(folder, 'local'),
  HOME: folder,
  XDG_CONFIG_HOME: join(folder, 'config'),
}
const [command = '', ...before] = programCommand
const ways = {
  'over HTTP': (which: 'old' | 'new') => connectOverHttp(which, url, token),
  'on standard input and output': (which: 'old' | 'new') =>
    connectOverStdio(which, { command, args: [...before, 'mcp', '--local'], cwd: folder, env }),
  'on standard input and output, on behalf of the server': (which: 'old' | 'new') =>
    connectOverStdio(which, {
      command,
      args: [...before, 'mcp', '--server', url],
      cwd: folder,
      env: { ...env, FIELDSTONE_TOKEN: token },
    }),
}

describe.each(['old', 'new'] as const)('the %s client', (which) => {
  test.each(Object.entries(ways))('lists and calls every tool of the process %s', async (_way, open) => {
    const client = await open(which)
    expect(client.revision).toBe(which === 'old' ? '2025' : '2026-07-28')
    expect((await client.tools()).map(({ name }) => name)).toEqual(toolCalls.map(([name]) => name))
    for (const [name, args, isError] of toolCalls)
      expect([name, (await client.call(name, args)).isError]).toEqual([name, isError])
    await client.close()
  })

  test.each(Object.entries(ways))(
    'receives every progress notification in order from the process %s',
    async (_way, open) => {
      const client = await open(which)
      const stages = ['locating', 'planning', 'fetching', 'writing']
      // On a busy machine a client may read notifications in one chunk with the result and drop them; one of ten
      // calls must be complete.
      const calls: string[][] = []
      for (let i = 0; i < 10 && !calls.some(({ length }) => length === stages.length); i++) {
        const heard: string[] = []
        await client.call('ask', { lat: 39.7392, lng: -104.9903, question: 'Which county is this?' }, (it) =>
          heard.push(it),
        )
        calls.push(heard)
      }
      expect(calls.map((heard) => stages.filter((stage) => heard.includes(stage)))).toEqual(calls)
      expect(calls.at(-1)).toEqual(stages)
      await client.close()
    },
  )
})

describe('a server with a port chosen by the system', () => {
  test('reports its real address to clients', async () => {
    const described = await Promise.all(
      ['oauth-protected-resource/mcp', 'oauth-authorization-server'].map(
        async (name) => (await fetch(`${url}/.well-known/${name}`)).json() as Promise<Record<string, unknown>>,
      ),
    )
    expect(described).toMatchObject([
      { resource: `${url}/mcp`, authorization_servers: [url] },
      { issuer: url, token_endpoint: `${url}/oauth/token` },
    ])
  })

  test('accepts a login with the program itself, whose agent then needs no token', async () => {
    const config = { ...env, XDG_CONFIG_HOME: join(folder, 'logged-in') }
    const program = startFieldstone(['login', '--server', url], config, folder)
    const [, user_code = ''] = await program.waitForOutput(/shows this code: (\S+)/)
    const browser = openBrowser((address, init) => fetch(new URL(address, url), init), url)
    await browser.submit(await browser.get('/sign-in'), { name: 'owner', password: token })
    await browser.submit(await browser.submit(await browser.get('/device'), { user_code }), { decision: 'yes' })
    expect(await program.end()).toMatchObject({ code: 0, out: expect.stringContaining('Logged in to'), err: '' })
    const client = await connectOverStdio('new', { command, args: [...before, 'mcp'], cwd: folder, env: config })
    expect((await client.call('find_fields', { query: 'county' })).isError).toBe(false)
    await client.close()
  })
})

test('an address of another machine is rejected with an error message, also with port 0', async () => {
  const { code, err } = await startFieldstone(
    ['serve', '--data', join(folder, 'nowhere'), '--host', '203.0.113.1', '--port', '0'],
    {},
    folder,
  ).end()
  expect([code, err.trim().split('\n')]).toEqual([78, [expect.stringContaining('Cannot listen on')]])
})
