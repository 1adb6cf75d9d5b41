import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { openBrowser } from '../http/browser.ts'
import { startFieldstone } from './fieldstone.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const folder = temporaryFolder()
const data = join(folder, 'data')
const run = (words: string[], env: Record<string, string> = {}) =>
  startFieldstone([...words, '--data', data], env, folder).end()

describe('an invitation from the command line', () => {
  test('is a link that works while the server runs, once', async () => {
    const service = startFieldstone(['serve', '--data', data], {}, folder)
    const address = (await service.waitForOutput(/answers at (http:\S+)/))[1]!
    const { code, out, err } = await run(['user', 'add', 'ada'], { FIELDSTONE_BASE_URL: `${address}/` })
    expect([code, err]).toEqual([0, ''])
    expect(out.trim()).toMatch(new RegExp(`^${address}/invitation/[\\w-]{43}$`))
    const browser = openBrowser((to, init) => fetch(new URL(to, address), init), address)
    const page = await browser.get(out.trim())
    expect([page.status, page.text.includes('<strong>ada</strong>')]).toEqual([200, true])
    expect((await browser.submit(page, { password: 'correct horse battery' })).status).toBe(303)
    expect((await browser.get(out.trim())).status).toBe(404)
    service.signal('SIGTERM')
    expect((await service.end()).code).toBe(0)
  })

  test('names the address at which the server of the folder listens, also after it has stopped', async () => {
    const service = startFieldstone(['serve', '--data', data], {}, folder)
    const address = (await service.waitForOutput(/answers at (http:\S+)/))[1]!
    const link = () => run(['user', 'link'])
    expect((await link()).out).toStartWith(`${address}/invitation/`)
    const health = await startFieldstone(['healthcheck'], { FIELDSTONE_DATA: data }, folder).end()
    expect(health).toMatchObject({ code: 0, out: `${address}/healthz is healthy.\n` })
    service.signal('SIGTERM')
    await service.end()
    expect((await link()).out).toStartWith(`${address}/invitation/`)
    expect((await run(['user', 'link'], { FIELDSTONE_PORT: '9' })).out).toStartWith('http://127.0.0.1:9/invitation/')
  })

  test('is created once per name; password links can be created repeatedly, also for the owner', async () => {
    expect(await run(['user', 'add', 'ada'])).toMatchObject({ code: 1, err: expect.stringContaining('user link ada') })
    expect((await run(['user', 'link', 'ada'])).code).toBe(0)
    expect((await run(['user', 'link'])).out).toContain('/invitation/')
    expect(await run(['user', 'link', 'nobody'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('The account nobody does not exist'),
    })
  })

  test('names an unknown scope and the valid ones', async () => {
    for (const words of [
      ['user', 'add', 'eve', '--scopes', 'fetch,fech'],
      ['login', '--scopes', 'fetch,fech'],
    ]) {
      expect(await startFieldstone(words, {}, folder).end()).toEqual({
        code: 64,
        out: '',
        err: 'Unknown scope "fech" in --scopes. Did you mean fetch? The scopes are fetch,geocode,lookup,parcel,ask,runs,admin, separated by commas.\n',
      })
    }
  })

  const wrong = [
    'user',
    'user add',
    'user add two words',
    'user add x --scopes everything',
    'user remove ada',
    'user link ada --scopes fetch',
    'login --server nowhere',
    'mcp --server ftp://x',
  ]
  test.each(wrong)('is rejected if the command line is wrong: %s', async (words) => {
    expect((await run(words.split(' '))).code).toBe(64)
  })
})
