import { expect, test } from 'bun:test'
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, watch, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createProcessGroup, waitForAddress } from './process-group.ts'

const { root, newData, start } = createProcessGroup()
const linkPattern = /(http:\/\/127\.0\.0\.1:\d+\/sign-in\/[\w-]{43})/

const open = (url: string, init: RequestInit = {}) => fetch(url, { redirect: 'manual', ...init })
/** Starts a server, stops it when it listens, and returns what it printed. */
async function printed(words: string[], env: Record<string, string> = {}): Promise<string> {
  const it = start(['serve', ...words], env)
  await it.waitForOutput(/"listening"/)
  it.signal('SIGTERM')
  const { code, out } = await it.end()
  expect(code).toBe(0)
  return out
}

test('the link of the first start signs the owner in once, on this machine', async () => {
  const it = start(['serve', '--data', newData()])
  const [, link = ''] = await it.waitForOutput(linkPattern)
  for (const headers of [{ 'x-forwarded-for': '127.0.0.1' }, { forwarded: 'for=127.0.0.1' }, { via: '1.1 proxy' }]) {
    const forwarded = await open(link, { headers: headers as Record<string, string> })
    expect([forwarded.status, forwarded.headers.get('set-cookie')]).toEqual([403, null])
  }
  expect((await open(link, { method: 'HEAD' })).headers.get('set-cookie')).toBeNull()
  expect((await open(link, { headers: { 'sec-purpose': 'prefetch' } })).headers.get('set-cookie')).toBeNull()
  expect((await open(`${link.slice(0, -43)}${'x'.repeat(43)}`)).status).toBe(404)

  const signedIn = await open(link)
  expect([signedIn.status, signedIn.headers.get('location')]).toEqual([303, '/'])
  const [cookie = ''] = signedIn.headers.get('set-cookie')!.split(';')
  const me = await fetch(`${new URL(link).origin}/v1/users/me`, { headers: { cookie } })
  expect(await me.json()).toMatchObject({ name: 'owner' })

  const again = await open(link)
  expect(again.status).toBe(404)
  expect(again.headers.get('set-cookie')).toBeNull()
  expect(await again.text()).toContain('was used')
})

test('a later start prints a link only with --open', async () => {
  const data = newData()
  expect(await printed(['--data', data])).toMatch(linkPattern)
  expect(await printed(['--data', data])).not.toMatch(linkPattern)
  expect(await printed(['--data', data, '--open'])).toMatch(linkPattern)
})

test('there is no link behind a proxy, nor without authentication', async () => {
  expect(await printed(['--data', newData()], { FIELDSTONE_BASE_URL: 'https://fieldstone.example' })).not.toContain(
    '/sign-in/',
  )
  expect(await printed(['--data', newData()], { FIELDSTONE_AUTH: 'off' })).not.toContain('/sign-in/')
})

test.if(process.platform === 'linux')(
  '--open opens a page that leads to the link, and only this user can read it',
  async () => {
    const bin = join(root, 'bin')
    const opened = join(root, 'opened')
    mkdirSync(bin)
    writeFileSync(join(bin, 'xdg-open'), `#!/bin/sh\necho "$1" > '${opened}.part' && mv '${opened}.part' '${opened}'\n`)
    chmodSync(join(bin, 'xdg-open'), 0o755)
    const changed = Promise.withResolvers<void>()
    const watcher = watch(root, () => existsSync(opened) && changed.resolve())
    const it = start(['serve', '--data', newData(), '--open'], { PATH: `${bin}:${process.env.PATH}` })
    const [, link] = await it.waitForOutput(linkPattern)
    await changed.promise
    watcher.close()
    const page = fileURLToPath(readFileSync(opened, 'utf8').trim())
    expect([readFileSync(page, 'utf8').includes(link!), statSync(page).mode & 0o777]).toEqual([true, 0o600])
    it.signal('SIGTERM')
    expect([(await it.end()).code, existsSync(page)]).toEqual([0, false])
  },
)

test('--open without an opener still serves', async () => {
  const it = start(['serve', '--data', newData(), '--open'], { PATH: root })
  const address = await waitForAddress(it)
  expect((await fetch(`${address}/healthz`)).status).toBe(200)
})
