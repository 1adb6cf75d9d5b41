import { afterAll, describe, expect, test } from 'bun:test'
import { allScopes } from '../../src/auth/scope.ts'
import { mcpTools } from '../../src/mcp/mcp-server.ts'
import { requestsToday } from '../support/requests-today.ts'
import { openTestService } from '../support/test-service.ts'
import { openOAuthService } from './oauth-service.ts'

const it = await openOAuthService({ FIELDSTONE_ALLOWED_HOSTS: 'fieldstone.example' })
afterAll(it.close)
const { testService: service } = it

const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}
const usual = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
  authorization: `Bearer ${service.token}`,
}
const old = (method: string, params: Record<string, unknown>, headers: Record<string, string> = {}) =>
  it.ask('/mcp', {
    method: 'POST',
    headers: { ...usual, 'mcp-protocol-version': '2025-11-25', ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
const modern = (method: string, params: Record<string, unknown>, headers: Record<string, string> = {}) =>
  it.ask('/mcp', {
    method: 'POST',
    headers: {
      ...usual,
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(typeof params.name === 'string' && { 'mcp-name': params.name }),
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta } }),
  })
const tokenOf = async (...scopes: string[]) =>
  (
    await service.app.access.tokens.create(await service.app.accounts.authenticate(`Bearer ${service.token}`), {
      name: 'a test',
      scopes: scopes as never,
    })
  ).token

const sample: Record<string, Record<string, unknown>> = {
  find_fields: { query: 'county' },
  describe_fields: { fields: ['county'] },
  fetch_fields: { lat: 39.7392, lng: -104.9903, fields: ['county'] },
  lookup_location: { input: '39.7392, -104.9903' },
  geocode_address: { address: '1 Main St, Denver, CO' },
  ask: { lat: 39.7392, lng: -104.9903, question: 'Which county?' },
  get_run: { run_id: 'run_00000000000000000000000000' },
}

describe('a token without the scope of a tool', () => {
  test.each(mcpTools.filter(({ scope }) => scope !== null).map(({ name, scope }) => [name, scope!] as const))(
    'cannot call %s: 403 names the scope %s, in both revisions',
    async (name, scope) => {
      const other = await tokenOf(scope === 'fetch' ? 'geocode' : 'fetch')
      for (const call of [old, modern]) {
        const response = await call(
          'tools/call',
          { name, arguments: sample[name] },
          { authorization: `Bearer ${other}` },
        )
        expect(response.status).toBe(403)
        expect(response.headers.get('www-authenticate')).toContain(`scope="${scope}"`)
        expect(response.headers.get('www-authenticate')).toContain('insufficient_scope')
      }
      expect(
        (
          await modern(
            'tools/call',
            { name, arguments: sample[name] },
            { authorization: `Bearer ${await tokenOf(scope)}` },
          )
        ).status,
      ).toBe(200)
    },
  )

  test.each(['find_fields', 'describe_fields'])('can still call %s: the catalog is public', async (name) => {
    expect(
      (
        await modern(
          'tools/call',
          { name, arguments: sample[name] },
          { authorization: `Bearer ${await tokenOf('runs')}` },
        )
      ).status,
    ).toBe(200)
  })

  test('gets no parcel', async () => {
    const response = await modern(
      'tools/call',
      { name: 'lookup_location', arguments: { ...sample.lookup_location, include_parcel: true } },
      { authorization: `Bearer ${await tokenOf('lookup')}` },
    )
    expect(await response.text()).toContain('insufficient_scope')
  })
})

describe('the guard of /mcp', () => {
  test.each(['https://evil.example', 'null', 'http://localhost.evil.example', 'file://'])(
    'rejects a page of %s',
    async (origin) => {
      for (const call of [old, modern]) {
        const response = await call('tools/list', {}, { origin })
        expect([
          response.status,
          ((await response.json()) as { error: { data: { error: string } } }).error.data.error,
        ]).toEqual([403, 'origin_not_allowed'])
      }
    },
  )

  test.each(['http://localhost:6274', 'http://127.0.0.1:8080', 'https://fieldstone.example'])(
    'accepts a page of %s',
    async (origin) => expect((await modern('tools/list', {}, { origin })).status).toBe(200),
  )

  test('rejects an unknown host name', async () => {
    expect((await modern('tools/list', {}, { host: 'evil.example' })).status).toBe(421)
  })

  test('accepts neither a session id nor a cookie as a token', async () => {
    const cookie = it.browser.cookie()!
    const { authorization: _, ...without } = usual
    const response = await it.ask('/mcp', {
      method: 'POST',
      headers: { ...without, cookie, 'mcp-session-id': 'x' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    })
    expect(response.status).toBe(401)
  })

  test('reads no body above the limit', async () => {
    expect((await old('tools/list', { padding: 'x'.repeat(1_100_000) })).status).toBe(413)
  })

  test.each(['{', '[]', '{"jsonrpc":"2.0"}', '"x"', '{"jsonrpc":"2.0","id":1,"method":"nothing/here"}'])(
    'answers %s with a JSON-RPC error',
    async (body) => {
      const response = await it.ask('/mcp', { method: 'POST', headers: usual, body })
      expect(response.status).toBeLessThan(500)
      expect(await response.text()).toContain('"error"')
    },
  )

  test.each(['GET', 'DELETE'])('is stateless, so that %s has no purpose', async (method) => {
    expect((await it.ask('/mcp', { method, headers: usual })).status).toBe(405)
  })
})

describe('a message', () => {
  const send = async (body: string) => {
    const response = await it.ask('/mcp', { method: 'POST', headers: usual, body })
    const { error } = (await response.json()) as { error: { code: number; message: string } }
    return { status: response.status, code: error.code, message: error.message }
  }
  const call = (params: string) => `{"jsonrpc":"2.0","id":1,"method":"ping","params":${params}}`

  test.each([
    ['that is not JSON', '{"jsonrpc":'],
    ['that is not JSON and large', `{"x":"${'x'.repeat(100_000)}"`],
    ['that is empty', ''],
    ['that is nested 500,000 levels deep', call('['.repeat(500_000))],
  ])('%s is a parse error', async (_name, body) => {
    expect(await send(body)).toMatchObject({ status: 400, code: -32_700 })
  })

  test.each([
    ['members', `{${Array.from({ length: 12_000 }, (_none, i) => `"k${i}":1`).join()}}`],
    ['items', `{"x":[${'[],'.repeat(300_000)}1]}`],
  ])('with more than 10,000 %s is rejected', async (_name, params) => {
    expect(await send(call(params))).toMatchObject({
      status: 400,
      message: expect.stringContaining('10000 values') as string,
    })
  })

  test('with a long text is read', async () => {
    const response = await it.ask('/mcp', {
      method: 'POST',
      headers: usual,
      body: call(`{"x":"${'x'.repeat(900_000)}"}`),
    })
    expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('"result":{}') as string])
  })
})

test('both protocol revisions work: 2026 by discovery, an older one by negotiation', async () => {
  expect(await (await modern('server/discover', {})).text()).toContain('2026-07-28')
  for (const protocolVersion of ['2025-03-26', '2025-06-18', '2025-11-25']) {
    const response = await old('initialize', {
      protocolVersion,
      capabilities: {},
      clientInfo: { name: 'test', version: '1' },
    })
    expect(await response.text()).toContain(`"protocolVersion":"${protocolVersion}"`)
  }
})

describe('the log', () => {
  const secret = 'Sesame1437Bannock'
  const call = (name: string, args: object) =>
    JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } })
  const at = { lat: 39.7392, lng: -104.9903 }
  const bodies = [
    secret,
    `["${secret}"`,
    `{"jsonrpc":"2.0",${secret}`,
    JSON.stringify({ jsonrpc: '2.0', id: 1, method: secret }),
    JSON.stringify({ jsonrpc: '2.0', id: secret, result: {} }),
    call(secret, {}),
    call('geocode_address', { address: `${secret} St, Denver, CO 80202` }),
    call('geocode_address', { address: 7, [secret]: secret }),
    call('lookup_location', { input: secret }),
    call('ask', { ...at, question: `${secret}?` }),
    call('find_fields', { query: secret }),
    call('fetch_fields', { ...at, fields: [secret] }),
    call('get_run', { run_id: secret }),
    JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'resources/read',
      params: { uri: `fieldstone://fields/${secret}` },
    }),
  ]
  const headers: Record<string, string>[] = [
    {},
    { authorization: `Bearer ${secret}` },
    { 'mcp-protocol-version': secret },
    { 'mcp-protocol-version': '2026-07-28', 'mcp-method': secret, 'mcp-name': secret },
    { 'mcp-session-id': secret, 'last-event-id': secret },
    { 'content-type': `text/${secret}` },
    { accept: secret },
    { origin: `https://${secret}.example` },
    { host: `${secret}.example` },
    { cookie: `fieldstone=${secret}` },
  ]

  test('records protocol errors without the content of the request or the token', async () => {
    const before = service.logged.length
    for (const body of bodies)
      for (const more of headers)
        await (await it.ask('/mcp', { method: 'POST', headers: { ...usual, ...more }, body })).text()
    const lines = service.logged.slice(before)
    expect(lines.some((line) => line.includes('mcp_protocol_error'))).toBe(true)
    expect(
      lines.filter((line) => line.toLowerCase().includes('bannock') || line.includes(service.token.slice(8, 38))),
    ).toEqual([])
  })
})

test('a run of another account has the same error as an unknown run', async () => {
  const { access } = service.app
  const other = (await access.users.invitedAccount((await access.users.invite('neighbour', ['runs', 'fetch']))!))!
  const { token } = await access.tokens.create(other, { name: 'theirs', scopes: ['runs', 'fetch'] })
  const submitted = await service.post('/v1/runs', {
    kind: 'fetch_batch',
    request: { locations: [{ lat: 39.7392, lng: -104.9903 }], fields: ['county'] },
  })
  const { run_id } = (await submitted.json()) as { run_id: string }
  const seen = (id: string, as: string) =>
    modern('tools/call', { name: 'get_run', arguments: { run_id: id } }, { authorization: `Bearer ${as}` }).then(
      (response) => response.text(),
    )
  expect(await seen(run_id, token)).toBe(await seen('run_00000000000000000000000000', token))
  expect(await seen(run_id, service.token)).not.toContain('run_not_found')
})

test('each tool works with its own scope only: every tool with every single scope', async () => {
  const opened: [string, string][] = []
  for (const scope of allScopes) {
    const token = await tokenOf(scope)
    for (const { name } of mcpTools)
      if (
        (await modern('tools/call', { name, arguments: sample[name] }, { authorization: `Bearer ${token}` })).status ===
        200
      )
        opened.push([name, scope])
  }
  expect(opened).toEqual(
    allScopes.flatMap((scope) =>
      mcpTools
        .filter((tool) => tool.scope === null || tool.scope === scope)
        .map(({ name }): [string, string] => [name, scope]),
    ),
  )
})

test('each tool call in one request counts as a request', async () => {
  const strict = openTestService({ FIELDSTONE_RATE_LIMIT: '2' })
  const calls = [1, 2, 3].map((id) => ({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name: 'find_fields', arguments: { query: 'county' } },
  }))
  const response = await strict.post('/mcp', calls, { accept: 'application/json, text/event-stream' })
  const answers = (await response.text())
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map(
      (line) =>
        JSON.parse(line.slice('data: '.length)) as {
          id: number
          result: { isError?: boolean; content: { text: string }[] }
        },
    )
  expect(
    answers
      .toSorted((a, b) => a.id - b.id)
      .map(({ result: { isError = false, content } }) =>
        isError ? (JSON.parse(content[0]!.text) as { error: string }).error : 'answered',
      ),
  ).toEqual(['answered', 'answered', 'rate_limited'])
  expect(await requestsToday(strict.app, 'owner')).toBe(2)
  await strict.close()
})
