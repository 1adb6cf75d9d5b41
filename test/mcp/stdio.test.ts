import { afterAll, afterEach, describe, expect, test } from 'bun:test'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createAccessTokenProvider } from '../../src/cli/account/access-token.ts'
import { createCredentialStore } from '../../src/cli/account/credentials.ts'
import { loginCommand } from '../../src/cli/account/login.ts'
import { logInToService } from '../cli/log-in.ts'
import { toolCalls } from './tool-calls.ts'
import { connectOverStdio, type AgentClient, type CommandLine } from './clients.ts'
import { programCommand } from './program-command.ts'
import { openListeningService } from './listening-service.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const served = await openListeningService()
const { testService, url } = served
const folder = temporaryFolder()
const open: AgentClient[] = []
afterEach(async () => {
  for (const client of open.splice(0)) await client.close()
})
afterAll(() => served.close())

const line = (words: string[], env: Record<string, string> = {}): CommandLine => ({
  command: programCommand[0]!,
  args: [...programCommand.slice(1), ...words],
  cwd: folder,
  env: {
    FIELDSTONE_OFFLINE: '1',
    FIELDSTONE_DATA: join(folder, 'data'),
    HOME: folder,
    XDG_CONFIG_HOME: join(folder, 'config'),
    ...env,
  },
})
const connected = async (which: 'old' | 'new', of: CommandLine) => {
  const client = await connectOverStdio(which, of)
  open.push(client)
  return client
}
const names = toolCalls.map(([name]) => name)
const denver = { lat: 39.7392, lng: -104.9903 }

async function loggedIn(credentials = createCredentialStore({ XDG_CONFIG_HOME: join(folder, 'config') })) {
  return { ...(await logInToService(served, credentials)), credentials }
}

describe('login', () => {
  test('shows a code, waits for the person, and stores the login readable only by its owner', async () => {
    const { code, said, credentials } = await loggedIn()
    expect([code, said.length, said[0]]).toEqual([0, 2, expect.stringContaining(`${url}/device?user_code=`)])
    const file = join(folder, 'config', 'fieldstone', 'credentials.json')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(credentials.find(url)).toMatchObject({
      resource: `${url}/mcp`,
      client_id: 'fieldstone-cli',
      access_token: expect.stringMatching(/^fst_oat_/),
    })
    expect(said.join().includes('fst_')).toBe(false)
  })

  test.each([
    ['http://127.0.0.1:1', 'Cannot reach'],
    [`${url}/nothing`, 'is not a Fieldstone server'],
    [url.replace('127.0.0.1', 'localhost'), `identifies itself as ${url}`],
  ])('at %s reports what is wrong', async (server, words) => {
    const said: string[] = []
    const deps = {
      credentials: createCredentialStore({ XDG_CONFIG_HOME: join(folder, 'other') }),
      httpFetch: fetch,
      wait: async () => {},
      now: () => new Date(),
      print: () => {},
      printError: (it: string) => said.push(it),
    }
    expect([await loginCommand(server, null, deps), said.join()]).toEqual([1, expect.stringContaining(words)])
  })

  test('is renewed when it expires, once for concurrent calls, and read from the file if another process renewed it', async () => {
    const { credentials } = await loggedIn(createCredentialStore({ XDG_CONFIG_HOME: join(folder, 'renewed') }))
    const later = () => new Date(Date.now() + 3_590_000)
    let requested = 0
    const httpFetch = (address: string, init?: RequestInit) => {
      requested++
      return fetch(address, init)
    }
    const bearer = createAccessTokenProvider(url, { credentials, httpFetch, now: later })
    const [one, two] = await Promise.all([bearer(), bearer()])
    expect([one === two, requested]).toEqual([true, 1])
    expect(
      await createAccessTokenProvider(url, { credentials, httpFetch, now: () => new Date() })(
        `fst_oat_${'x'.repeat(36)}`,
      ),
    ).toBe(one)
    expect(requested).toBe(1)
  })
})

describe.each(['old', 'new'] as const)('to the %s client on standard input and output', (which) => {
  test('the service in this process lists and calls every tool without a server', async () => {
    const client = await connected(which, line(['mcp', '--local']))
    expect((await client.tools()).map(({ name }) => name)).toEqual(names)
    for (const [name, args, isError] of toolCalls)
      expect([name, (await client.call(name, args)).isError]).toEqual([name, isError])
    expect(await client.resource('fieldstone://fields/county')).toMatchObject({ name: 'county' })
  })

  test('a server lists and calls every tool with the stored login', async () => {
    await loggedIn()
    const client = await connected(which, line(['mcp', '--server', url]))
    expect(client.revision).toBe(which === 'old' ? '2025' : '2026-07-28')
    expect((await client.tools()).map(({ name }) => name)).toEqual(names)
    for (const [name, args, isError] of toolCalls)
      expect([name, (await client.call(name, args)).isError]).toEqual([name, isError])
  })

  test('a rejected token is renewed silently', async () => {
    const { credentials } = await loggedIn()
    const kept = credentials.find(url)!
    credentials.save(url, { ...kept, access_token: `fst_oat_${'x'.repeat(36)}` })
    const client = await connected(which, line(['mcp']))
    expect((await client.call('find_fields', { query: 'county' })).isError).toBe(false)
  })

  test('an API token works too', async () => {
    const client = await connected(
      which,
      line(['mcp', '--server', url], { FIELDSTONE_TOKEN: testService.token, XDG_CONFIG_HOME: join(folder, 'empty') }),
    )
    expect((await client.call('fetch_fields', { ...denver, fields: ['county'] })).isError).toBe(false)
  })
})

/** Sends one request to the program and returns its output. */
async function saidTo(
  words: string[],
  env: Record<string, string> = {},
): Promise<{ code: number; out: string; err: string }> {
  const { command, args, env: all } = line(words, env)
  const child = Bun.spawn([command, ...args], {
    cwd: folder,
    env: all,
    stdin: new TextEncoder().encode('{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n'),
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return { code, out, err }
}

test('two clients may each run a service on one folder', async () => {
  const [one, two] = [
    await connected('old', line(['mcp', '--local'])),
    await connected('old', line(['mcp', '--local'])),
  ]
  expect((await one.call('find_fields', { query: 'county' })).isError).toBe(false)
  expect((await two.call('fetch_fields', { ...denver, fields: ['county'] })).isError).toBe(false)
})

test('without a login, it prints how to log in on stderr and exits', async () => {
  const { command, args, env } = line(['mcp'], { XDG_CONFIG_HOME: join(folder, 'empty') })
  const child = Bun.spawn([command, ...args], { cwd: folder, env, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' })
  expect(await child.exited).toBe(1)
  expect(await child.stdout.text()).toBe('')
  expect(await child.stderr.text()).toContain('fieldstone login')
})

test('invalid JSON-RPC gets an error, and later messages are served', async () => {
  const { command, args, env } = line(['mcp', '--server', url], { FIELDSTONE_TOKEN: testService.token })
  const child = Bun.spawn([command, ...args], {
    cwd: folder,
    env,
    stdin: new TextEncoder().encode('nonsense\n\n{"jsonrpc":"2.0","id":7,"method":"tools/list"}\n'),
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const said = (await child.stdout.text())
    .trim()
    .split('\n')
    .map((it) => JSON.parse(it) as { id: unknown; error?: { code: number }; result?: { tools: { name: string }[] } })
  expect(await child.exited).toBe(0)
  expect(said[0]!.error!.code).toBe(-32_700)
  expect(said[1]!.id).toBe(7)
  expect(said[1]!.result!.tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['fetch_fields']))
})

test('progress notifications precede the result', async () => {
  const { command, args, env } = line(['mcp', '--server', url], { FIELDSTONE_TOKEN: testService.token })
  const call = {
    jsonrpc: '2.0',
    id: 9,
    method: 'tools/call',
    params: { name: 'ask', arguments: { ...denver, question: 'Which county is this?' }, _meta: { progressToken: 'p' } },
  }
  const child = Bun.spawn([command, ...args], {
    cwd: folder,
    env,
    stdin: new TextEncoder().encode(`${JSON.stringify(call)}\n`),
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const said = (await child.stdout.text())
    .trim()
    .split('\n')
    .map((it) => JSON.parse(it) as { id?: number; method?: string; params?: { message: string } })
  expect(
    said.filter(({ method }) => method === 'notifications/progress').map(({ params }) => params!.message),
  ).toContain('fetching')
  expect([said.at(-1)!.id, said.filter(({ id }) => id !== undefined).length]).toEqual([9, 1])
})

test('an unavailable server is an error of the call and does not end the process', async () => {
  const { command, args, env } = line(['mcp', '--server', 'http://127.0.0.1:1'], {
    FIELDSTONE_TOKEN: testService.token,
  })
  const child = Bun.spawn([command, ...args], {
    cwd: folder,
    env,
    stdin: new TextEncoder().encode('{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n'),
    stdout: 'pipe',
    stderr: 'pipe',
  })
  expect(JSON.parse(await child.stdout.text())).toMatchObject({
    id: 1,
    error: { message: expect.stringContaining('Cannot reach') },
  })
  expect(await child.exited).toBe(0)
})

test('an ended login and a server without a login report how to log in', async () => {
  const { credentials } = await loggedIn()
  const kept = credentials.find(url)!
  await fetch(`${url}/oauth/revoke`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ token: kept.refresh_token, client_id: kept.client_id }).toString(),
  })
  const ended = await saidTo(['mcp', '--server', url])
  expect([ended.code, JSON.parse(ended.out)]).toEqual([
    0,
    {
      jsonrpc: '2.0',
      id: 1,
      error: { code: -32_000, message: expect.stringContaining(`fieldstone login --server ${url}`) },
    },
  ])
  const other = await saidTo(['mcp', '--server', 'https://other.example'])
  expect([other.code, other.out, other.err]).toEqual([
    1,
    '',
    expect.stringContaining('fieldstone login --server https://other.example'),
  ])
})

test('an unreachable server during renewal does not ask for a new login', async () => {
  const credentials = createCredentialStore({ XDG_CONFIG_HOME: join(folder, 'gone') })
  const login = {
    client_id: 'fieldstone-cli',
    resource: 'http://127.0.0.1:1/mcp',
    token_endpoint: 'http://127.0.0.1:1/oauth/token',
    access_token: 'a',
    refresh_token: 'r',
    expires_at: 1,
  }
  credentials.save('http://127.0.0.1:1', login)
  const { out } = await saidTo(['mcp'], { XDG_CONFIG_HOME: join(folder, 'gone') })
  expect([out.includes('Cannot reach'), out.includes('Log in again')]).toEqual([true, false])
})

test('invalid entries in the login file are ignored', () => {
  const credentials = createCredentialStore({ XDG_CONFIG_HOME: join(folder, 'damaged') })
  credentials.save('https://a.example', {
    resource: 'r',
    token_endpoint: 't',
    client_id: 'c',
    access_token: 'a',
    refresh_token: 'f',
    expires_at: 1,
  })
  const file = join(folder, 'damaged', 'fieldstone', 'credentials.json')
  writeFileSync(
    file,
    JSON.stringify({ ...(JSON.parse(readFileSync(file, 'utf8')) as object), 'https://b.example': { access_token: 7 } }),
  )
  expect(credentials.servers()).toEqual(['https://a.example'])
})
