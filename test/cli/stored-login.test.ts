import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createCredentialStore } from '../../src/cli/account/credentials.ts'
import { openListeningService } from '../mcp/listening-service.ts'
import { startFieldstone } from './fieldstone.ts'
import { logInToService } from './log-in.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const folder = temporaryFolder()
const served = await openListeningService()
const { url } = served
const config = join(folder, 'config')
const credentials = createCredentialStore({ XDG_CONFIG_HOME: config })
/** Another server: it records the Authorization header of each request. */
const authorizations: (string | null)[] = []
const other = Bun.serve({
  port: 0,
  fetch: ({ headers }) => {
    authorizations.push(headers.get('authorization'))
    return Response.json({ detail: { error: 'auth_missing', message: 'No.' } }, { status: 401 })
  },
})
const otherUrl = `http://127.0.0.1:${other.port}`
beforeAll(async () => expect((await logInToService(served, credentials)).code).toBe(0))
afterAll(async () => {
  await other.stop(true)
  await served.close()
})

const run = (words: string[]) => startFieldstone(words, { XDG_CONFIG_HOME: config }, folder).end()
const fetchFrom = (server: string) =>
  run(['fetch', '--at', '39.7392,-104.9903', '--fields', 'county', '--server', server])

describe('--server uses the stored login to this server', () => {
  test.each([url, `${url}/`, url.toUpperCase()])('fetch --server %s', async (server) => {
    const { code, out } = await fetchFrom(server)
    expect([code, JSON.parse(out)]).toMatchObject([0, { fields: { county: { value: 'Denver County' } } }])
  })

  test('ask and run too', async () => {
    const answer = await run(['ask', 'Which county is this?', '--at', '39.7392,-104.9903', '--server', url])
    expect([answer.code, answer.out]).toEqual([0, expect.stringContaining('Denver County')])
    writeFileSync(join(folder, 'sites.csv'), 'lat,lng\n39.7392,-104.9903\n')
    const ran = await run(['run', 'sites.csv', '--fields', 'county', '--server', url, '--out', '-'])
    expect([ran.code, ran.out]).toEqual([0, expect.stringContaining('Denver County')])
  })

  test('a token that the server no longer accepts is renewed', async () => {
    credentials.save(url, { ...credentials.find(url)!, access_token: `fst_oat_${'x'.repeat(36)}` })
    expect((await fetchFrom(url)).code).toBe(0)
  })

  test('an ended login says how to log in again', async () => {
    const login = credentials.find(url)!
    credentials.save('http://127.0.0.1:1', { ...login, expires_at: 0, refresh_token: 'x' })
    expect(await fetchFrom('http://127.0.0.1:1')).toMatchObject({
      code: 1,
      err: expect.stringContaining('To log in again, run `fieldstone login'),
    })
  })
})

describe('no other server gets the stored login', () => {
  test('when --server names it', async () => {
    expect((await fetchFrom(otherUrl)).code).toBe(1)
    expect(authorizations.splice(0)).toEqual([null])
  })

  test('when the server redirects to it', async () => {
    const redirecting = Bun.serve({ port: 0, fetch: () => Response.redirect(otherUrl, 307) })
    const from = `http://127.0.0.1:${redirecting.port}`
    credentials.save(from, credentials.find(url)!)
    const { code, err } = await fetchFrom(from)
    await redirecting.stop(true)
    expect([code, err]).toEqual([1, expect.stringContaining(`No response from ${from}`)])
    expect(authorizations.splice(0)).toEqual([])
  })
})

test('a server that is no Fieldstone server is reported in one line', async () => {
  const page = Bun.serve({ port: 0, fetch: () => new Response('<html>', { headers: { 'content-type': 'text/html' } }) })
  const { code, out, err } = await fetchFrom(`http://127.0.0.1:${page.port}`)
  await page.stop(true)
  expect([code, out]).toEqual([1, ''])
  expect(err).toMatch(/^http:\S+ is not a Fieldstone server: it answered 200 without JSON\. Check --server\.\n$/)
})
