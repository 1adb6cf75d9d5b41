import { describe, expect, test } from 'bun:test'
import { makeToken } from '../../src/auth/token.ts'
import { ConfigError, configOf, type Environment } from '../../src/config.ts'
import { words } from '../support/words.ts'

const token = makeToken('pat', (size) => crypto.getRandomValues(new Uint8Array(size)))

function errorsOf(env: Environment): string[] {
  try {
    configOf(env)
    return []
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError)
    return (error as ConfigError).message.split('\n')
  }
}

test('by default, the server listens on the loopback address, requires tokens, and uses the network', () => {
  expect(configOf({})).toMatchObject({
    host: '127.0.0.1',
    port: 8080,
    base_url: 'http://127.0.0.1:8080',
    auth: 'on',
    token: null,
    offline: false,
    concurrency: 32,
    queue: 64,
    log: 'info',
    keys: new Map(),
  })
})

describe('an invalid setting is named, with its valid values', () => {
  const wrong: [env: Environment, fault: RegExp][] = [
    ...['x', '-1', '65536', '80.5', '', ' 80', '8e1', '0x50'].map((port): [Environment, RegExp] => [
      { FIELDSTONE_PORT: port },
      /^FIELDSTONE_PORT is ".*"\. Use a whole number from 0 to 65535\.$/,
    ]),
    [{ FIELDSTONE_AUTH: 'no' }, /^FIELDSTONE_AUTH is "no"\. Use on or off\.$/],
    [{ FIELDSTONE_AUTH: '' }, /^FIELDSTONE_AUTH/],
    [{ FIELDSTONE_OFFLINE: 'true' }, /^FIELDSTONE_OFFLINE is "true"\. Use 0 or 1\.$/],
    ...['', ' ', 'a b', '999.1.1.1', 'name:80', 'a/b', 'user@name'].map((host): [Environment, RegExp] => [
      { FIELDSTONE_HOST: host },
      /^FIELDSTONE_HOST is ".*"\. Use a name or an address of this machine/,
    ]),
    [{ FIELDSTONE_DATA: '' }, /^FIELDSTONE_DATA is empty\. Use the path of a folder\.$/],
    [{ FIELDSTONE_PACKS: '' }, /^FIELDSTONE_PACKS is empty\. Use the path of a folder\.$/],
    ...['x', '0.0.0.0/0', '::/0', '10.0.0.0/33', '10.0.0.0/', '10.0.0', '10.0.0.1;10.0.0.2', 'proxy.example'].map(
      (proxies): [Environment, RegExp] => [
        { FIELDSTONE_TRUSTED_PROXIES: proxies },
        /^FIELDSTONE_TRUSTED_PROXIES is ".*"\. Use addresses and ranges, comma-separated, such as/,
      ],
    ),
    [{ FIELDSTONE_CONCURRENCY: '0' }, /^FIELDSTONE_CONCURRENCY is "0"\. Use a whole number from 1 to 10000\.$/],
    [{ FIELDSTONE_QUEUE: '-1' }, /^FIELDSTONE_QUEUE/],
    [{ FIELDSTONE_LOG: 'loud' }, /^FIELDSTONE_LOG is "loud"\. Use error or info or debug\.$/],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' }, /^OTEL_EXPORTER_OTLP_ENDPOINT is "collector:4318"/],
    ...['x', 'localhost:8080', 'javascript:alert(1)', 'file:///etc/passwd', '/base', 'https://'].map(
      (address): [Environment, RegExp] => [
        { FIELDSTONE_BASE_URL: address },
        /^FIELDSTONE_BASE_URL is ".*"\. Use a URL such as/,
      ],
    ),
  ]
  test.each(wrong)('%o', (env, fault) => expect(errorsOf(env)).toEqual([expect.stringMatching(fault)] as never))

  const notTokens = [
    '',
    'x',
    token.slice(0, -1),
    `${token}0`,
    ` ${token}`,
    token.replace(/.$/, (last) => (last === '0' ? '1' : '0')),
    token.replace('pat', 'ort'),
  ]
  test.each(notTokens)('a malformed FIELDSTONE_TOKEN is reported without its value (%#)', (given) => {
    expect(errorsOf({ FIELDSTONE_TOKEN: given })).toEqual([
      'FIELDSTONE_TOKEN is not a valid token. Create one with `fieldstone token new`. A token is fst_pat_ followed by 36 letters and digits; the last six are a checksum.',
    ])
  })
})

test('all errors are reported at once', () => {
  const names = ['PORT', 'AUTH', 'BASE_URL', 'TOKEN', 'OFFLINE', 'CONCURRENCY', 'QUEUE', 'LOG'].map(
    (name) => `FIELDSTONE_${name}`,
  )
  const faults = errorsOf(Object.fromEntries(names.map((name) => [name, 'x'])))
  expect(faults).toHaveLength(names.length)
  expect(new Set(faults.map((fault) => fault.split(' ')[0]))).toEqual(new Set(names))
})

describe('FIELDSTONE_AUTH=off', () => {
  test.each(['127.0.0.1', '127.1.2.3', 'localhost', '::1'])('is allowed on %s', (host) =>
    expect(configOf({ FIELDSTONE_AUTH: 'off', FIELDSTONE_HOST: host }).auth).toBe('off'),
  )
  test.each(words`
    0.0.0.0 :: 192.168.1.5 fieldstone.example 127.0.0.1.evil.example localhost.evil.example 128.0.0.1
  `)('is an error on %s', (host) => {
    expect(errorsOf({ FIELDSTONE_AUTH: 'off', FIELDSTONE_HOST: host })).toEqual([
      `FIELDSTONE_AUTH=off requires a loopback address, but FIELDSTONE_HOST is ${host}. Use 127.0.0.1, or turn on authentication.`,
    ])
  })
})

test('the server accepts its loopback names, the host of its base URL, and the allowed hosts', () => {
  const { allowedHosts, base_url } = configOf({
    FIELDSTONE_HOST: '::1',
    FIELDSTONE_PORT: '1',
    FIELDSTONE_ALLOWED_HOSTS: ' A.example ,, b.example',
  })
  expect(allowedHosts.toSorted()).toEqual(['127.0.0.1', '[::1]', '[::1]', 'a.example', 'b.example', 'localhost'])
  expect(base_url).toBe('http://[::1]:1')
  expect(configOf({ FIELDSTONE_BASE_URL: 'https://Public.Example:8443/x' }).allowedHosts).toContain('public.example')
})

test('the contact is a mail address, and origins are origins', () => {
  expect(configOf({}).contact).toBeNull()
  expect(configOf({ FIELDSTONE_CONTACT: 'gis@city.example' }).contact).toBe('gis@city.example')
  expect(errorsOf({ FIELDSTONE_CONTACT: 'the GIS office' })).toHaveLength(1)
  expect(configOf({ FIELDSTONE_CORS_ORIGINS: 'https://Map.example, ' }).cors_origins).toEqual(['https://map.example'])
  expect(errorsOf({ FIELDSTONE_CORS_ORIGINS: 'https://map.example/app' })).toHaveLength(1)
  expect(errorsOf({ FIELDSTONE_CORS_ORIGINS: '*', FIELDSTONE_AUTH: 'off' })).toEqual([
    'FIELDSTONE_CORS_ORIGINS=* requires authentication. Name the origins, or turn on authentication.',
  ])
})

test('no address is a trusted proxy by default', () => {
  expect(['127.0.0.1', '::1', '10.0.0.1'].filter(configOf({}).isTrustedProxy)).toEqual([])
  expect(
    ['127.0.0.1', '::1', '10.0.0.1', '10.1.0.1'].filter(
      configOf({ FIELDSTONE_TRUSTED_PROXIES: ' 127.0.0.1, 10.0.0.0/16 ,' }).isTrustedProxy,
    ),
  ).toEqual(['127.0.0.1', '10.0.0.1'])
})

test('the API keys can be read and are never printed', () => {
  const config = configOf({ ANTHROPIC_API_KEY: 'very-secret', CENSUS_API_KEY: '', OTHER_API_KEY: 'x' })
  expect(config.keys.get('ANTHROPIC_API_KEY')).toBe('very-secret')
  expect(config.keys.has('CENSUS_API_KEY')).toBe(false)
  expect(Bun.inspect(config)).not.toContain('very-secret')
})

test('a backup contains all settings except secrets, folders and variables of other programs', () => {
  const { settings } = configOf({
    FIELDSTONE_TILES: 'https://user:password@tiles.example/{z}/{x}/{y}',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318',
    ANTHROPIC_BASE_URL: 'http://models:8082',
    FIELDSTONE_AUTH: 'on',
    FIELDSTONE_DATA: '/elsewhere',
    FIELDSTONE_TOKEN: token,
    CENSUS_API_KEY: 'secret',
    HOME: '/home',
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=secret',
  })
  expect(settings).toEqual({
    FIELDSTONE_TILES: 'https://tiles.example/{z}/{x}/{y}',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318',
    ANTHROPIC_BASE_URL: 'http://models:8082',
    FIELDSTONE_AUTH: 'on',
  })
})
